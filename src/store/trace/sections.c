/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: the header and the sections, their places and checksums. */
#include "store/trace/trace_priv.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/*
 * Properties of the sections.  Large ones stay in the file and are checked in parts; the
 * others are tables, which are copied into memory when the file is opened.  SAFE: queries
 * can do without the table; WHAT: the kind of damage that is then listed.
 */
static const struct {
    const char *name;
    bool large, safe;
    enum weft_damage_kind what;
} sections[WEFT_SECTION_LIMIT] = {
    [WEFT_SECTION_DATA] = { "blocks", .large = true },
    [WEFT_SECTION_TEXT] = { "names" },
    [WEFT_SECTION_STRINGS] = { "texts", .safe = true, .what = WEFT_DAMAGED_FIELDS },
    [WEFT_SECTION_TYPES] = { "types" },
    [WEFT_SECTION_CONTAINERS] = { "containers" },
    [WEFT_SECTION_VALUES] = { "values" },
    [WEFT_SECTION_FIELDS] = { "fields" },
    [WEFT_SECTION_SITES] = { "places in the program", .safe = true,
                             .what = WEFT_DAMAGED_FIELDS },
    [WEFT_SECTION_TRACKS] = { "tracks" },
    [WEFT_SECTION_CODES] = { "the tracks' values" },
    [WEFT_SECTION_DIRECTORY] = { "blocks" },
    [WEFT_SECTION_DEPTHS] = { "depths" },
    [WEFT_SECTION_SAMPLES] = { "the variables' bounds" },
    [WEFT_SECTION_REACH] = { "the links' bounds" },
    [WEFT_SECTION_COLUMNS] = { "field columns" },
    [WEFT_SECTION_LINK_ENDS] = { "links by container", .safe = true,
                                 .what = WEFT_DAMAGED_INDEX },
    [WEFT_SECTION_LINK_INDEX] = { "links by container", .safe = true,
                                  .what = WEFT_DAMAGED_INDEX },
    [WEFT_SECTION_PROBLEMS] = { "problems", .safe = true, .what = WEFT_DAMAGED_TABLE },
    [WEFT_SECTION_NOTES] = { "notes", .safe = true, .what = WEFT_DAMAGED_TABLE },
    [WEFT_SECTION_MIPS] = { "shares of time", .safe = true, .what = WEFT_DAMAGED_SUMMARY },
    [WEFT_SECTION_SHARES] = { "shares of time", .large = true },
    [WEFT_SECTION_CONTAINER_FIELDS] = { "the containers' facts" },
    [WEFT_SECTION_HOSTS] = { "hosts" },
    [WEFT_SECTION_CLOCKS] = { "clocks" },
    [WEFT_SECTION_CLOCK_KNOTS] = { "the clocks' corrections" },
    [WEFT_SECTION_TRACK_NUMBERS] = { "the tracks' numbers" },
    [WEFT_SECTION_INDEXES] = { "indexes", .safe = true, .what = WEFT_DAMAGED_INDEX },
    [WEFT_SECTION_INDEX_BLOCKS] = { "the indexes' blocks", .safe = true,
                                    .what = WEFT_DAMAGED_INDEX },
    [WEFT_SECTION_INDEX_ROWS] = { "the indexes' rows", .large = true },
    [WEFT_SECTION_PAIR_TREES] = { "sums of links", .safe = true,
                                  .what = WEFT_DAMAGED_SUMMARY },
    [WEFT_SECTION_PAIR_NODES] = { "sums of links", .safe = true,
                                  .what = WEFT_DAMAGED_SUMMARY },
    [WEFT_SECTION_PAIR_ENDS] = { "sums of links", .safe = true,
                                 .what = WEFT_DAMAGED_SUMMARY },
    [WEFT_SECTION_SHARE_CHECKSUMS] = { "shares of time", .safe = true,
                                       .what = WEFT_DAMAGED_SUMMARY },
    [WEFT_SECTION_GRIDS] = { "nodes of the task DAG", .safe = true,
                             .what = WEFT_DAMAGED_GRID },
    [WEFT_SECTION_GRID_BLOCKS] = { "nodes of the task DAG", .safe = true,
                                   .what = WEFT_DAMAGED_GRID },
};

static bool damaged(struct weft_err *err, const char *path, const char *what)
{
    return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "damaged .weft file: %s", what);
}

static bool is_intact(const struct weft_trace *trace, enum weft_section_kind kind)
{
    const struct weft_file_section *section = &trace->header->sections[kind];
    return sections[kind].large || !section->size
           || XXH3_64bits(trace->tables[kind], section->size) == section->checksum;
}

/*
 * Groups of tables that are useless without each other: if one is lost, all of its group
 * are.
 */
static void lose_together(struct weft_trace *trace)
{
    enum { MAX_KINDS = 6 };
    static const enum weft_section_kind groups[][MAX_KINDS] = {
        { WEFT_SECTION_INDEX_BLOCKS, WEFT_SECTION_INDEXES, WEFT_SECTION_PAIR_TREES },
        { WEFT_SECTION_PAIR_TREES, WEFT_SECTION_PAIR_NODES, WEFT_SECTION_PAIR_ENDS },
        { WEFT_SECTION_LINK_ENDS, WEFT_SECTION_LINK_INDEX },
        { WEFT_SECTION_MIPS, WEFT_SECTION_SHARES, WEFT_SECTION_SHARE_CHECKSUMS },
        { WEFT_SECTION_GRIDS, WEFT_SECTION_GRID_BLOCKS },
    };
    bool *lost = trace->lost;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        bool any = false;
        /* Indexes and sums may be lost alone: their blocks stay. */
        for (int i = 0; i < (g == 0 ? 1 : MAX_KINDS); i++)
            any |= lost[groups[g][i]];
        for (int i = 0; any && i < MAX_KINDS && groups[g][i]; i++)
            lost[groups[g][i]] = true;
    }
}

static bool load_header(struct weft_trace *trace, const char *path, struct weft_err *err)
{
    if (trace->map.size < WEFT_STORE_HEADER_SIZE
        || !weft_trace_probe(trace->map.data, trace->map.size))
        return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "not a .weft file");
    struct weft_file_header *header =
        weft_arena_alloc(&trace->arena, sizeof *header); /* a copy, like the tables */
    memcpy(header, trace->map.data, sizeof *header);
    trace->header = header;
    if (header->version != WEFT_STORE_VERSION)
        return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                            "store version %u (this weft reads %d)", header->version,
                            WEFT_STORE_VERSION);
    struct weft_file_header copy = *header;
    copy.checksum = 0;
    if (header->header_size != sizeof copy
        || XXH3_64bits(&copy, sizeof copy) != header->checksum)
        return damaged(err, path, "the header does not match its checksum");
    if (header->file_size != trace->map.size)
        return damaged(err, path, "it is cut short, or something was added");
    if (!header->ticks_numerator || !header->ticks_denominator
        || header->ticks_numerator > INT64_MAX || header->ticks_denominator > INT64_MAX
        || header->end < header->begin || !weft_time_fits(header->begin)
        || !weft_time_fits(header->end))
        return damaged(err, path, "the header makes no sense");
    return true;
}

bool weft_trace_load_sections(struct weft_trace *trace, const char *path,
                              struct weft_err *err)
{
    if (!load_header(trace, path, err))
        return false;
    /*
     * Tables are copied.  Since they must not overlap, the copies together are no larger
     * than the file.
     */
    uint64_t room = trace->map.size;
    for (int i = 1; i < WEFT_SECTION_LIMIT; i++) {
        const struct weft_file_section *section = &trace->header->sections[i];
        if (section->offset % 8 || section->offset > trace->map.size
            || section->size > trace->map.size - section->offset)
            return damaged(err, path, "a section lies outside of it");
        if (sections[i].large || !section->size)
            continue;
        if (section->size > room)
            return damaged(err, path, "its tables overlap");
        room -= section->size;
        unsigned char *table = weft_arena_alloc(&trace->arena, section->size);
        memcpy(table, trace->map.data + section->offset, section->size);
        trace->tables[i] = table;
        trace->lost[i] = !is_intact(trace, i);
        if (trace->lost[i] && !sections[i].safe)
            return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                                "damaged .weft file: the table of %s does not match its "
                                "checksum",
                                sections[i].name);
    }
    lose_together(trace);
    return true;
}

void weft_trace_note_lost(const struct weft_trace *trace)
{
    for (int i = 1; i < WEFT_SECTION_LIMIT; i++)
        if (trace->lost[i] && !is_intact(trace, i))
            weft_trace_note_damage(
                trace, (struct weft_damage){ .what = sections[i].what,
                                             .track = WEFT_NONE,
                                             .field = WEFT_NONE,
                                             .span = trace->schema.span,
                                             .table = sections[i].name,
                                             .offset = trace->header->sections[i].offset });
}

const void *weft_trace_section(const struct weft_trace *trace, enum weft_section_kind kind,
                               size_t element, uint64_t *count)
{
    const struct weft_file_section *at = &trace->header->sections[kind];
    *count = trace->lost[kind] ? 0 : at->size / element;
    return trace->tables[kind] ? trace->tables[kind] : trace->map.data + at->offset;
}
