/* SPDX-License-Identifier: Apache-2.0 */
/* The end of building: closes open states, orders the tables and writes them. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/compare.h"
#include "base/radix_sort.h"
#include "store/build/builder_priv.h"
#include "store/mipmaps.h"
#include "store/time.h"
#include "store/write_row_blocks.h"

enum { TRACKS = 1 << 10 /* between two looks at the job: some milliseconds */ };

void weft_build_section(struct weft_builder *b, enum weft_section_kind kind,
                        const void *bytes, size_t size)
{
    struct weft_file_section *section = &b->header.sections[kind];
    section->offset = weft_writer_append(b->writer, bytes, size);
    section->size = size;
    section->checksum = XXH3_64bits(bytes, size);
}

/*
 * Ends with the span the containers that the trace does not destroy, and their open states.
 */
static bool close_containers(struct weft_builder *b, struct weft_job *job,
                             struct weft_err *err)
{
    if (!b->has_time)
        b->header.begin = b->header.end = 0;
    b->containers[0].begin = b->header.begin;
    for (size_t c = 0; c < b->n_containers; c++) {
        struct build_container *container = &b->containers[c];
        if (container->destroyed)
            continue;
        container->end = b->header.end;
        container->flags = WEFT_END_IMPLIED;
    }
    for (size_t t = 0; t < b->n_tracks; t++) {
        if (t % TRACKS == 0 && !weft_job_step(job, t, b->n_tracks, err))
            return false;
        struct build_track *track = &b->tracks[t];
        const struct build_container *owner = &b->containers[track->container];
        if (track->kind == WEFT_STATE) {
            weft_build_close_states(b, track, owner->end);
            weft_build_flush_states(b, track);
        } else if (track->kind == WEFT_VARIABLE && track->n) {
            int64_t end = owner->end > track->end ? owner->end : track->end;
            track->sample.integral +=
                track->values[track->n - 1] * (double)(end - track->sample_since);
            weft_build_flush_rows(b, track);
        } else if (track->kind == WEFT_EVENT) {
            weft_build_flush_rows(b, track);
        }
    }
    return true;
}

/* Sorts siblings by place. */
static void order_siblings(struct weft_builder *b)
{
    struct weft_sort_item *order = weft_alloc(b->n_containers * sizeof *order);
    for (size_t c = 0; c < b->n_containers; c++) {
        order[c] = (struct weft_sort_item){ b->containers[c].place, c };
        b->containers[c].first_child = b->containers[c].last_child = WEFT_NONE;
        b->containers[c].next_sibling = WEFT_NONE;
    }
    weft_sort(order, b->n_containers);
    for (size_t i = 0; i < b->n_containers; i++)
        if (b->containers[order[i].payload].parent != WEFT_NONE)
            weft_build_append_child(b, (uint32_t)order[i].payload);
    free(order);
}

/* Returns the containers in preorder: order[position] = container. */
static uint32_t *preorder(const struct weft_builder *b)
{
    uint32_t *order = weft_alloc(b->n_containers * sizeof *order);
    size_t n = 0;
    uint32_t at = 0;
    for (;;) {
        order[n++] = at;
        if (b->containers[at].first_child != WEFT_NONE) {
            at = b->containers[at].first_child;
            continue;
        }
        while (at != 0 && b->containers[at].next_sibling == WEFT_NONE)
            at = b->containers[at].parent;
        if (at == 0)
            return order;
        at = b->containers[at].next_sibling;
    }
}

/* Sorts the tracks of a container by type; it has at most one of each. */
static void sort_by_type(const struct weft_builder *b, uint32_t *tracks, size_t n)
{
    uint64_t *keys = weft_alloc(n * sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint64_t)b->tracks[tracks[i]].type << 32 | tracks[i];
    qsort(keys, n, sizeof *keys, weft_by_u64);
    for (size_t i = 0; i < n; i++)
        tracks[i] = (uint32_t)keys[i];
    free(keys);
}

/* Returns the tracks in the final order: by container in preorder, then by type. */
static uint32_t *order_tracks(const struct weft_builder *b, uint32_t **final_track)
{
    /* Most containers have at most so many tracks: insertion sort. */
    enum { FEW = 32 };
    uint32_t *containers = preorder(b);
    uint32_t *order = weft_alloc((b->n_tracks + 1) * sizeof *order);
    *final_track = weft_alloc((b->n_tracks + 1) * sizeof **final_track);
    size_t n = 0;
    for (size_t c = 0; c < b->n_containers; c++) {
        size_t first = n;
        for (uint32_t t = b->containers[containers[c]].first_track; t != WEFT_NONE;
             t = b->tracks[t].next) {
            size_t i = n++;
            order[i] = t;
            if (n - first > FEW)
                continue;
            for (; i > first && b->tracks[order[i - 1]].type > b->tracks[t].type; i--)
                order[i] = order[i - 1];
            order[i] = t;
        }
        if (n - first > FEW)
            sort_by_type(b, order + first, n - first);
    }
    free(containers);
    for (size_t i = 0; i < n; i++)
        (*final_track)[order[i]] = (uint32_t)i;
    return order;
}

struct tables {
    struct weft_file_track *tracks;
    struct weft_file_column *columns;
    size_t n_columns, column_capacity;
    struct weft_file_block *directory;
    size_t n_blocks, block_capacity;
    uint32_t *codes;
    size_t n_codes, code_capacity;
    uint16_t *depths;
    size_t n_depths, depth_capacity;
    struct weft_file_sample_block *samples;
    size_t n_samples, sample_capacity;
    int64_t *reach;
    size_t n_reach, reach_capacity;
};

static uint64_t append_blocks(struct tables *tables, const struct weft_file_block *blocks,
                              size_t n)
{
    uint64_t first = tables->n_blocks;
    tables->directory = weft_grow(tables->directory, &tables->block_capacity,
                                  tables->n_blocks + n, sizeof *tables->directory);
    if (n)
        memcpy(tables->directory + first, blocks, n * sizeof *blocks);
    tables->n_blocks += n;
    return first;
}

static void append_depths(struct tables *tables, const struct build_track *track)
{
    for (size_t i = 0; i < track->n_blocks; i += WEFT_DIRECTORY_STEP) {
        uint16_t low = UINT16_MAX;
        for (size_t j = i; j < i + WEFT_DIRECTORY_STEP && j < track->n_blocks; j++)
            low = track->blocks[j].low < low ? track->blocks[j].low : low;
        tables->depths = weft_grow(tables->depths, &tables->depth_capacity,
                                   tables->n_depths + 1, sizeof *tables->depths);
        tables->depths[tables->n_depths++] = low;
    }
}

/* Frees the directory, which is large for a long trace, once it is copied. */
static void free_directory(struct build_track *track)
{
    free(track->blocks);
    track->blocks = NULL;
    for (size_t i = 0; i < track->n_columns; i++) {
        free(track->columns[i].blocks);
        track->columns[i].blocks = NULL;
    }
}

static void append_track(struct tables *tables, struct build_track *track,
                         struct weft_file_track *out)
{
    *out = (struct weft_file_track){ .count = track->count,
                                     .begin = track->begin,
                                     .end = track->end,
                                     .n_blocks = track->n_blocks,
                                     .first_code = tables->n_codes,
                                     .first_column = tables->n_columns,
                                     .container = track->container,
                                     .type = track->type,
                                     .n_codes = (uint32_t)track->n_codes,
                                     .n_columns = (uint32_t)track->n_columns,
                                     .max_depth = track->max_depth,
                                     .flags = track->flags };
    out->first_block = append_blocks(tables, track->blocks, track->n_blocks);
    tables->codes = weft_grow(tables->codes, &tables->code_capacity,
                              tables->n_codes + track->n_codes, sizeof *tables->codes);
    if (track->n_codes)
        memcpy(tables->codes + tables->n_codes, track->code_values,
               track->n_codes * sizeof *tables->codes);
    tables->n_codes += track->n_codes;
    if (track->kind == WEFT_STATE) {
        out->first_depth = tables->n_depths;
        append_depths(tables, track);
    } else if (track->kind == WEFT_VARIABLE && track->n_blocks) {
        out->first_depth = tables->n_samples;
        tables->samples =
            weft_grow(tables->samples, &tables->sample_capacity,
                      tables->n_samples + track->n_blocks, sizeof *tables->samples);
        memcpy(tables->samples + tables->n_samples, track->sample_blocks,
               track->n_blocks * sizeof *tables->samples);
        tables->n_samples += track->n_blocks;
    } else if (track->kind == WEFT_LINK && track->n_blocks) {
        out->first_depth = tables->n_reach;
        tables->reach = weft_grow(tables->reach, &tables->reach_capacity,
                                  tables->n_reach + track->n_blocks, sizeof *tables->reach);
        memcpy(tables->reach + tables->n_reach, track->reach,
               track->n_blocks * sizeof *tables->reach);
        tables->n_reach += track->n_blocks;
    }
    for (size_t i = 0; i < track->n_columns; i++) {
        const struct build_column *column = &track->columns[i];
        tables->columns = weft_grow(tables->columns, &tables->column_capacity,
                                    tables->n_columns + 1, sizeof *tables->columns);
        uint64_t first = append_blocks(tables, column->blocks, column->n_blocks);
        tables->columns[tables->n_columns++] =
            (struct weft_file_column){ first, column->n_blocks, column->field, 0 };
    }
    free_directory(track);
}

static void write_tracks(struct weft_builder *b, const uint32_t *order)
{
    struct tables tables = { .tracks = weft_alloc(b->n_tracks * sizeof *tables.tracks) };
    for (size_t i = 0; i < b->n_tracks; i++)
        append_track(&tables, &b->tracks[order[i]], &tables.tracks[i]);
    weft_build_section(b, WEFT_SECTION_TRACKS, tables.tracks,
                       b->n_tracks * sizeof *tables.tracks);
    weft_build_section(b, WEFT_SECTION_CODES, tables.codes, tables.n_codes * 4);
    weft_build_section(b, WEFT_SECTION_DIRECTORY, tables.directory,
                       tables.n_blocks * sizeof *tables.directory);
    weft_build_section(b, WEFT_SECTION_DEPTHS, tables.depths, tables.n_depths * 2);
    weft_build_section(b, WEFT_SECTION_SAMPLES, tables.samples,
                       tables.n_samples * sizeof *tables.samples);
    weft_build_section(b, WEFT_SECTION_REACH, tables.reach, tables.n_reach * 8);
    weft_build_section(b, WEFT_SECTION_COLUMNS, tables.columns,
                       tables.n_columns * sizeof *tables.columns);
    free(tables.tracks);
    free(tables.codes);
    free(tables.directory);
    free(tables.depths);
    free(tables.samples);
    free(tables.reach);
    free(tables.columns);
}

/*
 * Adds a row that counts the rest for each kind with more than WEFT_PROBLEMS_KEPT problems.
 */
static void count_problems(struct weft_builder *b)
{
    for (size_t i = 0; i < b->n_problem_kinds; i++) {
        const struct build_problem_kind *of = &b->problem_kinds[i];
        uint64_t kept = 0;
        for (size_t p = 0; p < b->n_problems; p++)
            kept += strcmp(b->text + b->problems[p].kind, of->kind) == 0;
        if (of->count == kept)
            continue;
        static const char more[] = "more of the same, not listed one by one";
        b->problems = weft_grow(b->problems, &b->problem_capacity, b->n_problems + 1,
                                sizeof *b->problems);
        b->problems[b->n_problems++] = (struct weft_file_problem){
            .kind = weft_build_text(b, of->kind, strlen(of->kind)),
            .message = weft_build_text(b, more, sizeof more - 1),
            .count = of->count - kept,
            .severity = of->severity
        };
    }
}

static void write_tables(struct weft_builder *b)
{
    struct weft_file_container *containers =
        weft_alloc(b->n_containers * sizeof *containers);
    for (size_t c = 0; c < b->n_containers; c++) {
        const struct build_container *from = &b->containers[c];
        containers[c] = (struct weft_file_container){ .name = from->name,
                                                      .alias = from->alias,
                                                      .begin = from->begin,
                                                      .end = from->end,
                                                      .type = from->type,
                                                      .parent = from->parent,
                                                      .flags = from->flags,
                                                      .role = from->role,
                                                      .clock = from->clock,
                                                      .place = from->place };
    }
    weft_build_section(b, WEFT_SECTION_CONTAINERS, containers,
                       b->n_containers * sizeof *containers);
    free(containers);
    weft_build_section(b, WEFT_SECTION_TYPES, b->types, b->n_types * sizeof *b->types);
    weft_build_section(b, WEFT_SECTION_VALUES, b->values, b->n_values * sizeof *b->values);
    weft_build_section(b, WEFT_SECTION_FIELDS, b->fields, b->n_fields * sizeof *b->fields);
    weft_build_section(b, WEFT_SECTION_SITES, b->sites, b->n_sites * sizeof *b->sites);
    weft_build_facts(b);
    count_problems(b);
    weft_build_section(b, WEFT_SECTION_PROBLEMS, b->problems,
                       b->n_problems * sizeof *b->problems);
    weft_build_section(b, WEFT_SECTION_NOTES, b->notes, b->n_notes * sizeof *b->notes);
    weft_build_section(b, WEFT_SECTION_STRINGS, b->strings, b->n_strings * 8);
    weft_build_section(b, WEFT_SECTION_TEXT, b->text, b->text_size);
}

static void seal_header(struct weft_builder *b)
{
    weft_writer_append(b->writer, NULL, 0);
    b->header.file_size = weft_writer_offset(b->writer);
    b->header.checksum = 0;
    b->header.checksum = XXH3_64bits(&b->header, sizeof b->header);
    weft_writer_header(b->writer, &b->header, sizeof b->header);
}

/* Writes INDEX_ROWS and the tables that refer to it. */
static bool add_rows(struct weft_builder *b, const struct weft_trace *trace,
                     struct weft_job *job, struct weft_err *err)
{
    struct weft_file_section *sections = b->header.sections;
    struct weft_row_blocks out;
    struct weft_row_tables tables = { 0 };
    weft_row_blocks_begin(&out, b->writer);
    bool ok = weft_indexes_build(trace, b->folder, &out, &tables, job, err)
              && weft_pairs_build(trace, &out, &tables, job, err);
    weft_row_blocks_end(&out, &sections[WEFT_SECTION_INDEX_ROWS],
                        &sections[WEFT_SECTION_INDEX_BLOCKS]);
    weft_build_section(b, WEFT_SECTION_INDEXES, tables.indexes,
                       tables.n_indexes * sizeof *tables.indexes);
    weft_build_section(b, WEFT_SECTION_PAIR_TREES, tables.trees,
                       tables.n_trees * sizeof *tables.trees);
    weft_build_section(b, WEFT_SECTION_PAIR_NODES, tables.nodes,
                       tables.n_nodes * sizeof *tables.nodes);
    weft_build_section(b, WEFT_SECTION_PAIR_ENDS, tables.ends,
                       tables.n_ends * sizeof *tables.ends);
    free(tables.indexes);
    free(tables.trees);
    free(tables.nodes);
    free(tables.ends);
    return ok;
}

/*
 * Makes summaries and indexes from the store itself, which is opened while it is still
 * being written.  So they can be rebuilt at any time, and a file for transport may omit
 * them.
 */
static bool add_summaries(struct weft_builder *b, struct weft_job *job,
                          struct weft_err *err)
{
    seal_header(b);
    const char *path = weft_writer_readable(b->writer, err);
    struct weft_trace *trace = path ? weft_trace_open(path, err) : NULL;
    if (!trace)
        return false;
    trace->is_read_once = true;
    bool ok = add_rows(b, trace, job, err)
              && weft_mips_build(trace, b->writer, b->header.sections, job, err);
    weft_trace_close(trace);
    return ok;
}

/* Checks that all differences of times fit into an int64_t. */
static bool times_fit(const struct weft_builder *b, struct weft_err *err)
{
    bool ok =
        !b->has_time || (weft_time_fits(b->header.begin) && weft_time_fits(b->header.end));
    for (size_t c = 1; c < b->n_containers && ok; c++)
        ok = weft_time_fits(b->containers[c].begin)
             && (!b->containers[c].destroyed || weft_time_fits(b->containers[c].end));
    return ok
           || weft_fail(err, WEFT_ERR_LIMIT,
                        "the trace has a time beyond 2^62 ticks of its clock");
}

/*
 * Summaries are built by reading the store back: a failure there concerns the output, not
 * the input.
 */
static bool fail_to_read_back(const struct weft_err *trouble, struct weft_err *err)
{
    if (trouble->code == WEFT_ERR_READ || trouble->code == WEFT_ERR_FORMAT)
        return weft_fail(err, WEFT_ERR_WRITE, "cannot read back what was written: %s",
                         trouble->message);
    if (err)
        *err = *trouble;
    return false;
}

/* Writes the last blocks.  The field columns come last, so they end the data section. */
static bool end_data(struct weft_builder *b, struct weft_job *job, struct weft_err *err)
{
    for (size_t i = 0; i < b->n_tracks; i++) {
        if (i % TRACKS == 0 && !weft_job_step(job, i, b->n_tracks, err))
            return false;
        weft_build_flush_columns(b, &b->tracks[i]);
    }
    weft_build_flush_grids(b);
    b->header.sections[WEFT_SECTION_DATA] = (struct weft_file_section){
        WEFT_STORE_HEADER_SIZE, weft_writer_offset(b->writer) - WEFT_STORE_HEADER_SIZE, 0
    };
    return true;
}

/* Writes all that follows DATA, except the header. */
static bool write_rest(struct weft_builder *b, const uint32_t *order,
                       const uint32_t *final_track, struct weft_job *job,
                       struct weft_err *err)
{
    write_tracks(b, order);
    weft_build_section(b, WEFT_SECTION_TRACK_NUMBERS, final_track,
                       b->n_tracks * sizeof *final_track);
    weft_build_grids(b);
    if (!weft_job_step(job, 0, 1, err))
        return false;
    write_tables(b);
    memcpy(b->header.magic, WEFT_STORE_MAGIC, sizeof b->header.magic);
    b->header.version = WEFT_STORE_VERSION;
    b->header.header_size = sizeof b->header;
    b->header.format = b->format;
    if (!weft_job_step(job, 1, 1, err))
        return false;
    struct weft_err trouble = { 0 };
    return add_summaries(b, job, &trouble) || fail_to_read_back(&trouble, err);
}

bool weft_builder_finish(struct weft_builder *b, struct weft_job *job, struct weft_err *err)
{
    uint32_t *final_track = NULL, *order = NULL;
    weft_builder_lanes(b, 0);
    bool ok = times_fit(b, err) && close_containers(b, job, err);
    if (ok) {
        order_siblings(b);
        order = order_tracks(b, &final_track);
        ok = weft_build_ranks(b, job, err) && weft_build_late_rows(b, job, err)
             && weft_build_links(b, order, final_track, job, err) && end_data(b, job, err)
             && write_rest(b, order, final_track, job, err);
    }
    if (ok) {
        seal_header(b);
        ok = weft_writer_commit(b->writer, err);
        b->writer = NULL;
    }
    free(order);
    free(final_track);
    weft_builder_abandon(b);
    return ok;
}
