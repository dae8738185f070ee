/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trace/trace_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"

static const struct weft_source_ops trace_ops = {
    .states = weft_trace_states,
    .shares = weft_trace_shares,
    .sums = weft_trace_sums,
    .density = weft_trace_density,
    .events = weft_trace_events,
    .samples = weft_trace_samples,
    .envelope = weft_trace_envelope,
    .integrals = weft_trace_integrals,
    .links = weft_trace_links,
    .links_at = weft_trace_links_at,
    .state = weft_trace_state,
    .event = weft_trace_event,
    .link = weft_trace_link,
    .fields = weft_trace_fields,
    .column = weft_trace_column,
    .field_range = weft_trace_field_range,
    .all_fields = weft_trace_all_fields,
    .values_at = weft_trace_values_at,
    .changes = weft_trace_changes,
    .classes = weft_trace_classes,
    .class_ticks = weft_trace_class_ticks,
    .find = weft_trace_find,
    .links_of = weft_trace_links_of,
    .pair_sums = weft_trace_pair_sums,
    .pairs_pending = weft_trace_pairs_pending,
    .run = weft_trace_run,
    .rank = weft_trace_rank,
    .near = weft_trace_near,
    .damage = weft_trace_damage,
    .grid_rows = weft_trace_grid_rows,
    .grid_block = weft_trace_grid_block,
};

bool weft_trace_probe(const unsigned char *head, size_t size)
{
    return size >= 8 && memcmp(head, WEFT_STORE_MAGIC, 8) == 0;
}

static bool damaged(struct weft_err *err, const char *path, const char *what)
{
    return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "damaged .weft file: %s", what);
}

/*
 * Returns true if the file itself was written to.  A file renamed to its path is another
 * file: ours is unchanged.
 */
static bool is_written_over(const struct weft_trace *trace)
{
    const struct stat *then = &trace->written;
    struct stat now;
    return trace->path && stat(trace->path, &now) == 0 && now.st_dev == then->st_dev
           && now.st_ino == then->st_ino
           && (now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec
               || now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}

bool weft_trace_intact(const struct weft_trace *trace, struct weft_err *err)
{
    /* A truncated file reads as zeros, which differ from the header, too. */
    if (memcmp(trace->map.data, trace->header, sizeof *trace->header) == 0
        && !weft_mapping_damaged(&trace->map) && !is_written_over(trace))
        return true;
    return weft_fail(err, WEFT_ERR_READ,
                     "the file changed while it was read (try again when it is whole)");
}

struct loader {
    struct weft_trace *trace;
    const char *text;
    uint64_t text_size;
    struct weft_container *containers; /* the schema's, still incomplete */
    bool ok;
};

static const char *text_at(struct loader *loader, uint64_t offset)
{
    if (offset < loader->text_size)
        return loader->text + offset;
    loader->ok = false;
    return "";
}

static uint32_t below(struct loader *loader, uint32_t index, uint64_t limit, bool or_none)
{
    if (index < limit || (or_none && index == WEFT_NONE))
        return index;
    loader->ok = false;
    return or_none ? WEFT_NONE : 0;
}

/*
 * Returns the role, or WEFT_ROLE_NONE if it does not fit its subject or is of a newer Weft.
 */
static enum weft_role known_role(uint32_t role, enum weft_role_subject subject)
{
    return role < WEFT_ROLE_LIMIT && weft_role_name(role)[0]
                   && weft_role_subject((enum weft_role)role) == subject
               ? (enum weft_role)role
               : WEFT_ROLE_NONE;
}

/* The values of links may tell kinds of links apart. */
static enum weft_role known_value_role(const struct weft_type *type, uint32_t role)
{
    enum weft_role of_link =
        type->kind == WEFT_LINK ? known_role(role, WEFT_ROLE_OF_LINK) : WEFT_ROLE_NONE;
    return of_link ? of_link : known_role(role, WEFT_ROLE_OF_VALUE);
}

#define TABLE(kind, type, count)                                                           \
 (const struct type *)weft_trace_section(loader->trace, kind, sizeof(struct type), count)

static void load_types(struct loader *loader)
{
    struct weft_schema *schema = &loader->trace->schema;
    uint64_t n;
    const struct weft_file_type *from = TABLE(WEFT_SECTION_TYPES, weft_file_type, &n);
    struct weft_type *types = weft_arena_zalloc(&loader->trace->arena, n, sizeof *types);
    for (size_t i = 0; i < n; i++) {
        types[i] =
            (struct weft_type){ .kind = below(loader, from[i].kind, WEFT_LINK + 1, false),
                                .parent = below(loader, from[i].parent, n, true),
                                .name = text_at(loader, from[i].name),
                                .alias = text_at(loader, from[i].alias),
                                .color = from[i].color,
                                .start_type = below(loader, from[i].start_type, n, true),
                                .end_type = below(loader, from[i].end_type, n, true),
                                .slots = from[i].slots };
        types[i].role = known_role(from[i].role, weft_kind_subject(types[i].kind));
        loader->ok &= from[i].slots == 8 || from[i].slots == 16;
        /* A parent comes before its children, so there are no cycles. */
        loader->ok &= from[i].parent == WEFT_NONE || from[i].parent < i;
    }
    schema->types = types;
    schema->n_types = (uint32_t)n;
    const struct weft_file_value *value = TABLE(WEFT_SECTION_VALUES, weft_file_value, &n);
    struct weft_value *values = weft_arena_zalloc(&loader->trace->arena, n, sizeof *values);
    for (size_t i = 0; i < n; i++) {
        values[i] = (struct weft_value){ .type = below(loader, value[i].type,
                                                       schema->n_types, false),
                                         .name = text_at(loader, value[i].name),
                                         .alias = text_at(loader, value[i].alias),
                                         .color = value[i].color,
                                         .rank = value[i].rank,
                                         .self_ticks = value[i].self_ticks };
        loader->ok &= value[i].self_ticks >= 0;
        if (loader->ok)
            values[i].role = known_value_role(&types[values[i].type], value[i].role);
    }
    schema->values = values;
    schema->n_values = (uint32_t)n;
}

static void load_small_tables(struct loader *loader)
{
    struct weft_schema *schema = &loader->trace->schema;
    struct weft_arena *arena = &loader->trace->arena;
    uint64_t n;
    const struct weft_file_field *field = TABLE(WEFT_SECTION_FIELDS, weft_file_field, &n);
    struct weft_field *fields = weft_arena_zalloc(arena, n, sizeof *fields);
    for (size_t i = 0; i < n; i++)
        fields[i] = (struct weft_field){
            .type = below(loader, field[i].type, schema->n_types, false),
            .name = text_at(loader, field[i].name),
            .kind = below(loader, field[i].kind, WEFT_FIELD_KINDS, false),
            .role = known_role(field[i].role, WEFT_ROLE_OF_FIELD),
            .indexed = field[i].flags & WEFT_FIELD_IS_INDEXED,
        };
    schema->fields = fields;
    schema->n_fields = (uint32_t)n;
    const struct weft_file_site *site = TABLE(WEFT_SECTION_SITES, weft_file_site, &n);
    struct weft_site *sites = weft_arena_zalloc(arena, n, sizeof *sites);
    for (size_t i = 0; i < n; i++)
        sites[i] = (struct weft_site){ site[i].address, text_at(loader, site[i].object),
                                       text_at(loader, site[i].function),
                                       text_at(loader, site[i].file), site[i].line };
    schema->sites = sites;
    schema->n_sites = (uint32_t)n;
    const struct weft_file_problem *problem =
        TABLE(WEFT_SECTION_PROBLEMS, weft_file_problem, &n);
    struct weft_problem *problems = weft_arena_zalloc(arena, n, sizeof *problems);
    for (size_t i = 0; i < n; i++)
        problems[i] = (struct weft_problem){ below(loader, problem[i].severity, 3, false),
                                             text_at(loader, problem[i].kind),
                                             text_at(loader, problem[i].message),
                                             problem[i].line, problem[i].count };
    schema->problems = problems;
    schema->n_problems = (uint32_t)n;
    const struct weft_file_note *note = TABLE(WEFT_SECTION_NOTES, weft_file_note, &n);
    struct weft_note *notes = weft_arena_zalloc(arena, n, sizeof *notes);
    for (size_t i = 0; i < n; i++)
        notes[i] = (struct weft_note){ text_at(loader, note[i].key),
                                       text_at(loader, note[i].text) };
    schema->notes = notes;
    schema->n_notes = (uint32_t)n;
    const uint64_t *string = weft_trace_section(loader->trace, WEFT_SECTION_STRINGS, 8, &n);
    const char **strings = weft_arena_zalloc(arena, n, sizeof *strings);
    for (size_t i = 0; i < n; i++)
        strings[i] = text_at(loader, string[i]);
    schema->strings = strings;
    schema->n_strings = (uint32_t)n;
}

static void load_clocks(struct loader *loader)
{
    struct weft_schema *schema = &loader->trace->schema;
    struct weft_arena *arena = &loader->trace->arena;
    uint64_t n, n_knots;
    const struct weft_file_host *host = TABLE(WEFT_SECTION_HOSTS, weft_file_host, &n);
    struct weft_host *hosts = weft_arena_zalloc(arena, n + 1, sizeof *hosts);
    for (size_t i = 0; i < n; i++)
        hosts[i] =
            (struct weft_host){ text_at(loader, host[i].name),
                                text_at(loader, host[i].identity), host[i].processors };
    schema->hosts = hosts;
    schema->n_hosts = (uint32_t)n;
    const struct weft_file_clock_knot *from =
        TABLE(WEFT_SECTION_CLOCK_KNOTS, weft_file_clock_knot, &n_knots);
    struct weft_clock_knot *knots = weft_arena_zalloc(arena, n_knots + 1, sizeof *knots);
    for (size_t i = 0; i < n_knots; i++)
        knots[i] = (struct weft_clock_knot){ from[i].raw, from[i].corrected };
    const struct weft_file_clock *clock = TABLE(WEFT_SECTION_CLOCKS, weft_file_clock, &n);
    struct weft_clock *clocks = weft_arena_zalloc(arena, n + 1, sizeof *clocks);
    for (size_t i = 0; i < n; i++) {
        if (!weft_fits(clock[i].first_knot, clock[i].n_knots, n_knots)
            || !weft_clock_knots_valid(knots + clock[i].first_knot, clock[i].n_knots)) {
            loader->ok = false;
            continue;
        }
        clocks[i] = (struct weft_clock){ .name = text_at(loader, clock[i].name),
                                         .host = below(loader, clock[i].host,
                                                       schema->n_hosts, true),
                                         .knots = knots + clock[i].first_knot,
                                         .n_knots = clock[i].n_knots,
                                         .error = clock[i].error };
    }
    schema->clocks = clocks;
    schema->n_clocks = (uint32_t)n;
}

/*
 * Loads the facts of the containers: in order of container, each of a field of its type.
 * Sites are left out if their table is lost; a text may say which containers belong
 * together, so without the texts the trace does not open.
 */
static void load_container_fields(struct loader *loader)
{
    struct weft_container *containers = loader->containers;
    const struct weft_schema *schema = &loader->trace->schema;
    uint64_t n;
    const struct weft_file_container_field *from =
        TABLE(WEFT_SECTION_CONTAINER_FIELDS, weft_file_container_field, &n);
    struct weft_field_value *values =
        weft_arena_zalloc(&loader->trace->arena, n + 1, sizeof *values);
    uint32_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = from[i].container, field = from[i].field;
        loader->ok &= c < schema->n_containers && field < schema->n_fields
                      && schema->fields[field].type == containers[c].type
                      && (i == 0 || c >= from[i - 1].container);
        if (!loader->ok)
            return;
        if (schema->fields[field].kind == WEFT_FIELD_SITE
            && loader->trace->lost[WEFT_SECTION_SITES])
            continue;
        loader->ok &=
            weft_trace_field_value(loader->trace, field, from[i].value, &values[kept]);
        if (!containers[c].n_fields)
            containers[c].first_field = kept;
        containers[c].n_fields++;
        kept++;
    }
    loader->trace->schema.container_fields = values;
    loader->trace->schema.n_container_fields = kept;
}

/* Numbers the tree in preorder; returns false if the containers are no tree. */
static bool walk_tree(struct weft_container *containers, uint32_t *preorder, uint32_t n)
{
    uint32_t at = 0, position = 0;
    for (;;) {
        if (position == n)
            return false;
        containers[at].order = position;
        preorder[position++] = at;
        if (containers[at].first_child != WEFT_NONE) {
            uint32_t child = containers[at].first_child;
            containers[child].depth = containers[at].depth + 1;
            at = child;
            continue;
        }
        for (;;) {
            containers[at].subtree_end = position;
            if (at == 0)
                return position == n;
            uint32_t next = containers[at].next_sibling;
            if (next != WEFT_NONE) {
                containers[next].depth = containers[at].depth;
                at = next;
                break;
            }
            at = containers[at].parent;
        }
    }
}

/* Links the siblings in order of place. */
static void link_siblings(struct weft_container *containers,
                          const struct weft_file_container *from, uint64_t n)
{
    uint32_t *last_child = weft_alloc((n + 1) * sizeof *last_child);
    struct weft_sort_item *order = weft_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        order[i] = (struct weft_sort_item){ from[i].place, i };
        last_child[i] = WEFT_NONE;
    }
    weft_sort(order, n);
    for (size_t k = 0; k < n; k++) {
        uint32_t i = (uint32_t)order[k].payload, parent = containers[i].parent;
        if (parent == WEFT_NONE)
            continue;
        if (last_child[parent] == WEFT_NONE)
            containers[parent].first_child = i;
        else
            containers[last_child[parent]].next_sibling = i;
        last_child[parent] = i;
    }
    free(last_child);
    free(order);
}

static void load_containers(struct loader *loader)
{
    struct weft_schema *schema = &loader->trace->schema;
    struct weft_arena *arena = &loader->trace->arena;
    uint64_t n;
    const struct weft_file_container *from =
        TABLE(WEFT_SECTION_CONTAINERS, weft_file_container, &n);
    loader->ok &= n > 0 && n < UINT32_MAX;
    struct weft_container *containers = weft_arena_zalloc(arena, n + 1, sizeof *containers);
    uint32_t *preorder = weft_arena_zalloc(arena, n + 1, sizeof *preorder);
    for (size_t i = 0; i < n && loader->ok; i++) {
        /* A parent comes before its children, so there are no cycles. */
        loader->ok &= i == 0 ? from[i].parent == WEFT_NONE : from[i].parent < i;
        containers[i] = (struct weft_container){
            .type = below(loader, from[i].type, schema->n_types, false),
            .parent = from[i].parent,
            .name = text_at(loader, from[i].name),
            .alias = text_at(loader, from[i].alias),
            .begin = from[i].begin,
            .end = from[i].end,
            .flags = from[i].flags,
            .role = known_role(from[i].role, WEFT_ROLE_OF_CONTAINER),
            .clock = below(loader, from[i].clock, schema->n_clocks, true),
            .first_child = WEFT_NONE,
            .next_sibling = WEFT_NONE
        };
        loader->ok &= weft_time_fits(from[i].begin) && weft_time_fits(from[i].end);
        loader->ok &=
            loader->ok && schema->types[containers[i].type].kind == WEFT_CONTAINER;
        if (loader->ok && !containers[i].role)
            containers[i].role = schema->types[containers[i].type].role;
        if (i == 0 || !loader->ok)
            continue;
        uint32_t parent = from[i].parent;
        if (containers[i].clock == WEFT_NONE)
            containers[i].clock = containers[parent].clock;
    }
    if (loader->ok)
        link_siblings(containers, from, n);
    loader->ok = loader->ok && walk_tree(containers, preorder, (uint32_t)n);
    schema->containers = containers;
    schema->n_containers = (uint32_t)n;
    schema->preorder = preorder;
    loader->containers = containers;
}

static void load_tracks(struct loader *loader)
{
    struct weft_trace *trace = loader->trace;
    struct weft_schema *schema = &trace->schema;
    struct weft_arena *arena = &trace->arena;
    uint64_t n;
    trace->tracks =
        weft_trace_section(trace, WEFT_SECTION_TRACKS, sizeof *trace->tracks, &n);
    /* An id has room for fewer tracks than 2^24; the last numbers are reserved. */
    if (n >= WEFT_CONTAINER_TRACK || !weft_trace_load_directory(trace, (uint32_t)n)) {
        loader->ok = false;
        return;
    }
    struct weft_track *tracks = weft_arena_zalloc(arena, n + 1, sizeof *tracks);
    uint32_t *begin = weft_arena_zalloc(arena, schema->n_containers + 1, sizeof *begin);
    uint32_t *track_at = weft_arena_zalloc(arena, n + 1, sizeof *track_at);
    uint32_t *next_position = weft_zalloc(schema->n_types, sizeof *next_position);
    trace->type_position = weft_arena_zalloc(arena, n + 1, sizeof *trace->type_position);
    uint32_t position = 0;
    for (size_t i = 0; i < n; i++) {
        const struct weft_file_track *from = &trace->tracks[i];
        tracks[i] = (struct weft_track){ from->container, from->type, from->count,
                                         from->begin,     from->end,  from->max_depth };
        track_at[i] = (uint32_t)i;
        trace->type_position[i] = next_position[from->type]++;
        uint32_t order = schema->containers[from->container].order;
        loader->ok &= order + 1 >= position;
        while (position <= order)
            begin[position++] = (uint32_t)i;
    }
    while (position <= schema->n_containers)
        begin[position++] = (uint32_t)n;
    free(next_position);
    uint64_t n_numbers;
    trace->track_numbers =
        weft_trace_section(trace, WEFT_SECTION_TRACK_NUMBERS, 4, &n_numbers);
    loader->ok &= n_numbers == n;
    for (uint64_t i = 0; i < n && loader->ok; i++)
        loader->ok &= trace->track_numbers[i] < n;
    schema->tracks = tracks;
    schema->n_tracks = (uint32_t)n;
    schema->track_begin = begin;
    schema->track_at = track_at;
}

static void load_link_ends(struct loader *loader)
{
    struct weft_trace *trace = loader->trace;
    uint64_t n;
    trace->link_ends = weft_trace_section(trace, WEFT_SECTION_LINK_ENDS,
                                          sizeof *trace->link_ends, &trace->n_link_ends);
    uint64_t n_rows = trace->n_link_ends * WEFT_BLOCK_ROWS, at = 0;
    trace->link_index =
        weft_trace_section(trace, WEFT_SECTION_LINK_INDEX, sizeof *trace->link_index, &n);
    if (n == 0)
        trace->link_index = NULL;
    else
        loader->ok &= n == trace->schema.n_containers;
    for (uint64_t i = 0; i < n; i++) {
        /* The slices are adjacent, so that all together are as long as the rows. */
        const struct weft_file_link_index *index = &trace->link_index[i];
        loader->ok &= !index->n_out || index->out_first == at;
        loader->ok &= weft_fits(at, index->n_out, n_rows);
        at += loader->ok ? index->n_out : 0;
        loader->ok &= !index->n_in || index->in_first == at;
        loader->ok &= weft_fits(at, index->n_in, n_rows);
        at += loader->ok ? index->n_in : 0;
    }
}

static bool load(struct weft_trace *trace, const char *path, struct weft_err *err)
{
    struct loader loader = { .trace = trace, .ok = true };
    const struct weft_file_header *header = trace->header;
    loader.text = weft_trace_section(trace, WEFT_SECTION_TEXT, 1, &loader.text_size);
    if (!loader.text_size || loader.text[loader.text_size - 1])
        return damaged(err, path, "its texts do not end");
    trace->schema = (struct weft_schema){ .format = text_at(&loader, header->format),
                                          .ticks_numerator = header->ticks_numerator,
                                          .ticks_denominator = header->ticks_denominator,
                                          .span = { header->begin, header->end },
                                          .n_records = header->n_records,
                                          .n_states = header->n_states,
                                          .n_events = header->n_events,
                                          .n_samples = header->n_samples,
                                          .n_links = header->n_links };
    load_types(&loader);
    load_small_tables(&loader);
    load_clocks(&loader);
    if (loader.ok)
        load_containers(&loader);
    if (loader.ok)
        load_tracks(&loader);
    if (loader.ok)
        load_container_fields(&loader);
    if (loader.ok)
        load_link_ends(&loader);
    loader.ok = loader.ok && weft_trace_load_indexes(trace) && weft_trace_load_shares(trace)
                && weft_trace_load_grids(trace);
    return loader.ok
           || damaged(err, path,
                      trace->lost[WEFT_SECTION_STRINGS]
                          ? "the table of texts does not match its checksum"
                          : "its tables contradict each other");
}

struct weft_trace *weft_trace_open(const char *path, struct weft_err *err)
{
    struct weft_trace *trace = weft_zalloc(1, sizeof *trace);
    /* Before reading, so that any later write counts as a change. */
    if (stat(path, &trace->written) == 0)
        trace->path = weft_arena_strdup(&trace->arena, path);
    if (!weft_map_file(&trace->map, path, err)
        || !weft_trace_load_sections(trace, path, err) || !load(trace, path, err)) {
        weft_trace_close(trace);
        return NULL;
    }
    trace->source = (struct weft_source){ &trace_ops, &trace->schema };
    weft_trace_checks_begin(trace);
    weft_trace_damage_begin(trace);
    weft_trace_note_lost(trace);
    return trace;
}

void weft_trace_close(struct weft_trace *trace)
{
    if (!trace)
        return;
    weft_trace_checks_end(trace);
    weft_trace_damage_end(trace);
    weft_unmap(&trace->map);
    weft_arena_free(&trace->arena);
    free(trace);
}

const struct weft_source *weft_trace_source(const struct weft_trace *trace)
{
    return &trace->source;
}

const struct weft_schema *weft_trace_schema(const struct weft_trace *trace)
{
    return &trace->schema;
}

uint64_t weft_trace_file_size(const struct weft_trace *trace)
{
    return trace->map.size;
}
