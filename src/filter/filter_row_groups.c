/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that group rows: by name, by number, and by what siblings have in common. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash_map.h"
#include "filter/filtered_source_priv.h"

/* Adds the type of groups behind the others. */
static void add_group_type(struct filtered *f)
{
    uint32_t n = f->schema.n_types;
    struct weft_type *types = weft_arena_alloc(&f->arena, (n + 1) * sizeof *types);
    memcpy(types, f->schema.types, n * sizeof *types);
    types[n] = (struct weft_type){ .kind = WEFT_CONTAINER,
                                   .parent = f->containers[0].type,
                                   .name = "Group",
                                   .alias = "",
                                   .start_type = WEFT_NONE,
                                   .end_type = WEFT_NONE,
                                   .role = WEFT_ROLE_GROUP };
    f->group_type = n;
    f->schema.types = types;
    f->schema.n_types = n + 1;
}

/* Adds N containers without a parent behind the others; returns the first. */
static uint32_t add_containers(struct filtered *f, uint32_t n)
{
    uint32_t first = f->schema.n_containers, all = first + n;
    struct weft_container *containers =
        weft_arena_alloc(&f->arena, (all + 1) * sizeof *containers);
    uint32_t *place = weft_arena_zalloc(&f->arena, all + 1, sizeof *place);
    uint8_t *gone = weft_arena_zalloc(&f->arena, all + 1, 1);
    if (f->group_type == WEFT_NONE)
        add_group_type(f);
    memcpy(containers, f->containers, first * sizeof *containers);
    memcpy(place, f->place, first * sizeof *place);
    memcpy(gone, f->gone, first);
    if (f->reduced) {
        const struct weft_reduction **reduced =
            weft_arena_zalloc(&f->arena, all + 1, sizeof *reduced);
        memcpy(reduced, f->reduced, first * sizeof *reduced);
        f->schema.reduced = f->reduced = reduced;
    }
    if (f->heights) {
        uint16_t *heights = weft_arena_zalloc(&f->arena, all + 1, sizeof *heights);
        memcpy(heights, f->heights, first * sizeof *heights);
        f->schema.heights = f->heights = heights;
    }
    for (uint32_t c = first; c < all; c++)
        containers[c] = (struct weft_container){ .type = f->group_type,
                                                 .parent = 0,
                                                 .role = WEFT_ROLE_GROUP,
                                                 .clock = WEFT_NONE,
                                                 .name = "",
                                                 .alias = "" };
    f->schema.containers = f->containers = containers;
    f->schema.n_containers = all;
    f->place = place;
    f->gone = gone;
    return first;
}

/* Returns how many containers are above C; `depth` is stale while groups are filled. */
static uint32_t levels_above(const struct filtered *f, uint32_t c)
{
    uint32_t n = 0;
    while ((c = f->containers[c].parent) != WEFT_NONE)
        n++;
    return n;
}

static uint32_t common_parent(const struct filtered *f, uint32_t a, uint32_t b)
{
    if (a == b)
        return a;
    uint32_t x = levels_above(f, a), y = levels_above(f, b);
    for (; x > y; x--)
        a = f->containers[a].parent;
    for (; y > x; y--)
        b = f->containers[b].parent;
    while (a != b) {
        a = f->containers[a].parent;
        b = f->containers[b].parent;
    }
    return a;
}

/* Makes GROUP, a new container, hold the N containers in MEMBERS, which are not 0. */
static void fill_group(struct filtered *f, uint32_t group, const char *name,
                       const uint32_t *members, size_t n)
{
    struct weft_container *g = &f->containers[group];
    uint32_t parent = f->containers[members[0]].parent, first = members[0];
    g->name = name;
    g->begin = f->containers[first].begin;
    g->end = f->containers[first].end;
    for (size_t i = 0; i < n; i++) {
        const struct weft_container *c = &f->containers[members[i]];
        parent = common_parent(f, parent, c->parent);
        first = c->order < f->containers[first].order ? members[i] : first;
        g->begin = c->begin < g->begin ? c->begin : g->begin;
        g->end = c->end > g->end ? c->end : g->end;
    }
    /* The place among the siblings is that of what held the first member there. */
    while (f->containers[first].parent != parent)
        first = f->containers[first].parent;
    f->place[group] = f->place[first];
    g->parent = parent;
    g->depth = f->containers[parent].depth + 1;
    for (size_t i = 0; i < n; i++)
        f->containers[members[i]].parent = group;
}

bool filter_rows_group(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers, n_members = 0;
    uint8_t *rows = weft_zalloc(n + 1, 1);
    uint32_t *members = weft_alloc((n + 1) * sizeof *members);
    bool ok = filter_rows_named(f, line, line->text, rows);
    for (uint32_t c = 1; ok && c < n; c++)
        if (rows[c] && !filter_is_below(f, rows, c))
            members[n_members++] = c;
    if (ok && !n_members)
        ok = weft_filter_fail(f->err, line->number, "no row is called like '%.100s'",
                              line->text);
    if (ok) {
        uint32_t group = add_containers(f, 1);
        fill_group(f, group, line->name, members, n_members);
    }
    free(rows);
    free(members);
    return ok;
}

/* Returns true if NAME is STEM and a number, which becomes *NUMBER: "worker 3". */
static bool is_numbered(const char *name, const char *stem, uint64_t *number)
{
    size_t n = strlen(stem);
    if (strncmp(name, stem, n) != 0)
        return false;
    name += n;
    name += strspn(name, " -_#.");
    size_t digits = strspn(name, "0123456789");
    if (!digits || digits > 18 || name[digits])
        return false;
    *number = strtoull(name, NULL, 10);
    return true;
}

struct numbered {
    uint64_t group;
    uint32_t container;
};

static int by_group(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return WEFT_COMPARE(x->group, y->group) ?: WEFT_COMPARE(x->container, y->container);
}

/* Makes a group, called by NAME_OF, of each run of LIST, sorted, with one number. */
static void fill_groups(struct filtered *f, const struct numbered *list, size_t n,
                        const char *(*name_of)(struct filtered *f, uint64_t group,
                                               const void *user),
                        const void *user)
{
    uint32_t *members = weft_alloc((n + 1) * sizeof *members), n_groups = 0;
    for (size_t i = 0; i < n; i++)
        n_groups += !i || list[i].group != list[i - 1].group;
    uint32_t group = add_containers(f, n_groups);
    for (size_t i = 0; i < n;) {
        size_t begin = i;
        for (; i < n && list[i].group == list[begin].group; i++)
            members[i - begin] = list[i].container;
        fill_group(f, group++, name_of(f, list[begin].group, user), members, i - begin);
    }
    free(members);
}

static const char *range_name(struct filtered *f, uint64_t group, const void *user)
{
    const struct weft_filter_line *line = user;
    uint64_t low = line->low + group * line->by, high = low + line->by - 1;
    high = high > line->high || high < low ? line->high : high;
    return weft_arena_printf(&f->arena, "%s %llu-%llu", line->name, (unsigned long long)low,
                             (unsigned long long)high);
}

bool filter_rows_group_numbers(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers;
    struct numbered *list = weft_alloc((n + 1) * sizeof *list);
    size_t n_list = 0;
    uint64_t number;
    for (uint32_t c = 1; c < n; c++)
        if (!f->gone[c] && is_numbered(f->containers[c].name, line->name, &number)
            && number >= line->low && number <= line->high)
            list[n_list++] = (struct numbered){ (number - line->low) / line->by, c };
    qsort(list, n_list, sizeof *list, by_group);
    if (n_list)
        fill_groups(f, list, n_list, range_name, line);
    free(list);
    return n_list
           || weft_filter_fail(f->err, line->number,
                               "no row is called %.100s and a number from %llu to %llu",
                               line->name, (unsigned long long)line->low,
                               (unsigned long long)line->high);
}

/* Moves all that rows at the depth of LINE hold, at whatever depth, directly into them. */
bool filter_rows_group_depth(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers, holder = WEFT_NONE, n_held = 0;
    for (uint32_t p = 1; p < n; p++) { /* parents before children */
        uint32_t c = f->schema.preorder[p], place = 0;
        struct weft_container *of = &f->containers[c];
        if (f->gone[c])
            continue;
        if (of->depth == line->by)
            holder = c;
        if (of->depth <= line->by)
            continue;
        n_held++;
        of->parent = holder;
        place = of->order; /* in the order of the tree */
        f->place[c] = place;
    }
    return n_held
           || weft_filter_fail(f->err, line->number, "no row is deeper than %llu",
                               (unsigned long long)line->by);
}

/* ---- By what siblings have in common ---- */

enum { NOTHING = UINT32_MAX }; /* key of a row that stays alone */

static const char *type_name(struct filtered *f, uint64_t group, const void *user)
{
    (void)user;
    return f->schema.types[group & UINT32_MAX].name;
}

static const char *host_name(struct filtered *f, uint64_t group, const void *user)
{
    (void)user;
    return f->schema.hosts[group & UINT32_MAX].name;
}

static const char *string_name(struct filtered *f, uint64_t group, const void *user)
{
    (void)user;
    return f->schema.strings[group & UINT32_MAX];
}

/* Returns, by container, if its children have several keys; the caller frees it. */
static uint8_t *mixed_parents(const struct filtered *f, const uint32_t *keys)
{
    uint8_t *mixed = weft_zalloc(f->schema.n_containers + 1, 1);
    uint32_t *first = weft_alloc((f->schema.n_containers + 1) * sizeof *first);
    memset(first, 0xff, (f->schema.n_containers + 1) * sizeof *first);
    for (uint32_t c = 1; c < f->schema.n_containers; c++) {
        uint32_t parent = f->containers[c].parent;
        if (f->gone[c])
            continue;
        if (first[parent] == WEFT_NONE)
            first[parent] = c;
        mixed[parent] |= keys[first[parent]] != keys[c];
    }
    free(first);
    return mixed;
}

/*
 * Siblings with one of KEYS become a group, which NAME_OF calls, if there are others beside
 * them, and they are at least LEAST.
 */
static void group_by_keys(struct filtered *f, const uint32_t *keys, size_t least,
                          const char *(*name_of)(struct filtered *f, uint64_t group,
                                                 const void *user))
{
    uint32_t n = f->schema.n_containers;
    struct numbered *list = weft_alloc((n + 1) * sizeof *list);
    uint8_t *mixed = mixed_parents(f, keys);
    size_t n_list = 0, kept = 0;
    for (uint32_t c = 1; c < n; c++) {
        const struct weft_container *of = &f->containers[c];
        if (!f->gone[c] && keys[c] != NOTHING && mixed[of->parent])
            list[n_list++] = (struct numbered){ (uint64_t)of->parent << 32 | keys[c], c };
    }
    qsort(list, n_list, sizeof *list, by_group);
    for (size_t i = 0; i < n_list;) {
        size_t begin = i;
        while (i < n_list && list[i].group == list[begin].group)
            i++;
        for (size_t k = begin; i - begin >= least && k < i; k++)
            list[kept++] = list[k];
    }
    if (kept)
        fill_groups(f, list, kept, name_of, NULL);
    free(mixed);
    free(list);
}

bool filter_rows_group_types(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers;
    uint32_t *keys = weft_alloc((n + 1) * sizeof *keys);
    (void)line;
    for (uint32_t c = 0; c < n; c++)
        keys[c] = f->containers[c].type == f->group_type ? NOTHING : f->containers[c].type;
    group_by_keys(f, keys, 1, type_name);
    free(keys);
    return true;
}

bool filter_rows_group_hosts(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers, known = 0;
    uint32_t *keys = weft_alloc((n + 1) * sizeof *keys);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t clock = f->containers[c].clock;
        uint32_t host = clock < f->schema.n_clocks ? f->schema.clocks[clock].host : NOTHING;
        keys[c] = host < f->schema.n_hosts ? host : NOTHING;
        known += keys[c] != NOTHING;
    }
    group_by_keys(f, keys, 2, host_name);
    free(keys);
    return known || weft_filter_fail(f->err, line->number, "the trace says no row's host");
}

/* Returns the function that C begins with: the index of the first text equal to it. */
static uint32_t function_of(const struct filtered *f, uint32_t c,
                            struct weft_text_map *first_of)
{
    const struct weft_schema *schema = &f->schema;
    const struct weft_field_value *fact =
        c < f->below->schema->n_containers
            ? weft_container_fact(f->below->schema, c, WEFT_ROLE_SYMBOL, WEFT_FIELD_TEXT)
            : NULL;
    bool thread = weft_role_is(f->containers[c].role, WEFT_ROLE_EXECUTOR);
    if (!fact || !thread || !*schema->strings[fact->index])
        return NOTHING;
    const char *name = schema->strings[fact->index];
    uint32_t first = weft_text_map_get(first_of, name, strlen(name));
    if (first != WEFT_MAP_NONE)
        return first;
    weft_text_map_put(first_of, name, strlen(name), fact->index);
    return fact->index;
}

bool filter_rows_group_functions(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers, known = 0;
    uint32_t *keys = weft_alloc((n + 1) * sizeof *keys);
    struct weft_text_map first_of = { 0 };
    for (uint32_t c = 0; c < n; c++) {
        keys[c] = function_of(f, c, &first_of);
        known += keys[c] != NOTHING;
    }
    group_by_keys(f, keys, 2, string_name);
    weft_text_map_free(&first_of);
    free(keys);
    return known
           || weft_filter_fail(f->err, line->number,
                               "the trace says no row's first function");
}
