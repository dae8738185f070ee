/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of rows: groups, moves, hidden containers; numbers the changed tree. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "filter/filtered_source_priv.h"

/* ---- The tree ---- */

void filter_rows_begin(struct filtered *f)
{
    const struct weft_schema *from = f->below->schema;
    uint32_t n = from->n_containers;
    f->containers = weft_arena_alloc(&f->arena, (n + 1) * sizeof *f->containers);
    memcpy(f->containers, from->containers, n * sizeof *f->containers);
    f->place = weft_arena_zalloc(&f->arena, n + 1, sizeof *f->place);
    f->gone = weft_arena_zalloc(&f->arena, n + 1, 1);
    for (uint32_t c = 0; c < n; c++)
        f->place[c] = from->containers[c].order;
    f->schema.containers = f->containers;
    f->group_type = WEFT_NONE;
}

/* Children in the order of their places; a group comes behind what has its place. */
static int by_place(const void *a, const void *b, void *user)
{
    const struct filtered *f = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return WEFT_COMPARE(f->place[x], f->place[y]) ?: WEFT_COMPARE(x, y);
}

static void link_children(struct filtered *f)
{
    uint32_t n = f->schema.n_containers;
    uint32_t *sorted = weft_alloc((n + 1) * sizeof *sorted);
    for (uint32_t c = 0; c < n; c++) {
        sorted[c] = c;
        f->containers[c].first_child = f->containers[c].next_sibling = WEFT_NONE;
    }
    qsort_r(sorted, n, sizeof *sorted, by_place, f);
    for (uint32_t i = n; i-- > 0;) {
        struct weft_container *child = &f->containers[sorted[i]];
        if (f->gone[sorted[i]] || child->parent == WEFT_NONE)
            continue;
        child->next_sibling = f->containers[child->parent].first_child;
        f->containers[child->parent].first_child = sorted[i];
    }
    free(sorted);
}

/* Numbers the containers that are shown, depth first; returns how many there are. */
static uint32_t number_shown(struct filtered *f, uint32_t *preorder)
{
    uint32_t position = 0, at = 0;
    f->containers[0].depth = 0;
    for (;;) {
        struct weft_container *c = &f->containers[at];
        c->order = position;
        preorder[position++] = at;
        if (c->first_child != WEFT_NONE) {
            f->containers[c->first_child].depth = c->depth + 1;
            at = c->first_child;
            continue;
        }
        while (at != 0 && f->containers[at].next_sibling == WEFT_NONE) {
            f->containers[at].subtree_end = position;
            at = f->containers[at].parent;
        }
        f->containers[at].subtree_end = position;
        if (at == 0)
            return position;
        uint32_t next = f->containers[at].next_sibling;
        f->containers[next].depth = f->containers[at].depth;
        at = next;
    }
}

static void index_tracks(struct filtered *f, const uint32_t *preorder)
{
    const struct weft_schema *below = f->below->schema;
    uint32_t n = f->schema.n_containers, at = 0;
    uint32_t *begin = weft_arena_alloc(&f->arena, (n + 1) * sizeof *begin);
    uint32_t *track_at = weft_arena_alloc(&f->arena, (below->n_tracks + 1) * sizeof *begin);
    for (uint32_t p = 0; p < n; p++) {
        begin[p] = at;
        if (preorder[p] >= below->n_containers)
            continue;
        uint32_t order = below->containers[preorder[p]].order;
        for (uint32_t i = below->track_begin[order]; i < below->track_begin[order + 1]; i++)
            track_at[at++] = below->track_at[i];
    }
    begin[n] = at;
    f->schema.track_begin = begin;
    f->schema.track_at = track_at;
}

void filter_rows_link(struct filtered *f)
{
    uint32_t n = f->schema.n_containers;
    uint32_t *preorder = weft_arena_alloc(&f->arena, (n + 1) * sizeof *preorder);
    link_children(f);
    uint32_t position = number_shown(f, preorder);
    for (uint32_t c = 1; c < n; c++)
        if (f->gone[c]) {
            f->containers[c].order = position;
            preorder[position++] = c;
            f->containers[c].subtree_end = position;
        }
    f->schema.preorder = preorder;
    index_tracks(f, preorder);
}

void filter_rows_hide(struct filtered *f, const uint8_t *rows)
{
    uint32_t n = f->schema.n_containers;
    for (uint32_t p = n; p-- > 1;) {
        uint32_t c = f->schema.preorder[p];
        bool any_below = false;
        for (uint32_t child = f->containers[c].first_child; child != WEFT_NONE;
             child = f->containers[child].next_sibling)
            any_below |= !f->gone[child];
        /* A group without a shown member is not shown either. */
        bool is_group = c >= f->below->schema->n_containers;
        f->gone[c] |= (rows[c] || is_group) && !any_below;
    }
}

/* ---- Named rows ---- */

bool filter_rows_named(struct filtered *f, const struct weft_filter_line *line,
                       const char *text, uint8_t *rows)
{
    struct weft_arena arena = { 0 };
    uint32_t n = f->schema.n_containers;
    uint8_t *some = weft_zalloc(n + 1, 1);
    const char *name;
    bool quoted, ok = true;
    memset(rows, 0, n);
    while (ok && (name = weft_filter_next_name(&text, &quoted, &arena))) {
        const char *op = !quoted && strchr(name, '*') ? "row ~" : "row =";
        const char *selection = weft_where_and(&arena, "", op, name);
        struct weft_where *where =
            selection ? filter_where(f, line->number, selection) : NULL;
        ok = where && weft_where_rows(where, some);
        for (uint32_t c = 0; ok && c < n; c++)
            rows[c] |= some[c] && !f->gone[c];
        weft_where_free(where);
        if (!where)
            weft_filter_fail(f->err, line->number, "no row is called '%.100s'", name);
    }
    free(some);
    weft_arena_free(&arena);
    return ok;
}

/* ---- Groups ---- */

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

static uint32_t common_parent(const struct filtered *f, uint32_t a, uint32_t b)
{
    while (a != b)
        if (f->containers[a].depth >= f->containers[b].depth)
            a = f->containers[a].parent;
        else
            b = f->containers[b].parent;
    return a;
}

/* Returns true if a container above C has a 1 in ROWS. */
static bool is_below(const struct filtered *f, const uint8_t *rows, uint32_t c)
{
    while ((c = f->containers[c].parent) != WEFT_NONE)
        if (rows[c])
            return true;
    return false;
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
        if (rows[c] && !is_below(f, rows, c))
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

static const char *type_name(struct filtered *f, uint64_t group, const void *user)
{
    (void)user;
    return f->schema.types[group & UINT32_MAX].name;
}

/* Returns, by container, if its children are of several types; the caller frees it. */
static uint8_t *mixed_parents(const struct filtered *f)
{
    uint8_t *mixed = weft_zalloc(f->schema.n_containers + 1, 1);
    for (uint32_t c = 1; c < f->schema.n_containers; c++) {
        uint32_t parent = f->containers[c].parent;
        uint32_t first = f->containers[parent].first_child;
        mixed[parent] |= !f->gone[c] && f->containers[first].type != f->containers[c].type;
    }
    return mixed;
}

/* Siblings of one type become a group if there are others beside them. */
bool filter_rows_group_types(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers;
    struct numbered *list = weft_alloc((n + 1) * sizeof *list);
    uint8_t *mixed = mixed_parents(f);
    size_t n_list = 0;
    (void)line;
    for (uint32_t c = 1; c < n; c++) {
        const struct weft_container *of = &f->containers[c];
        if (!f->gone[c] && of->type != f->group_type && mixed[of->parent])
            list[n_list++] = (struct numbered){ (uint64_t)of->parent << 32 | of->type, c };
    }
    qsort(list, n_list, sizeof *list, by_group);
    if (n_list)
        fill_groups(f, list, n_list, type_name, NULL);
    free(mixed);
    free(list);
    return true;
}

/* ---- Moves ---- */

bool filter_rows_move(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers, under = WEFT_NONE, n_under = 0;
    uint8_t *rows = weft_zalloc(n + 1, 1);
    const char *quoted_name =
        weft_arena_printf(&f->arena, strchr(line->name, '"') ? "%s" : "\"%s\"", line->name);
    bool ok = filter_rows_named(f, line, quoted_name, rows);
    for (uint32_t c = 0; c < n; c++)
        if (rows[c]) {
            under = c;
            n_under++;
        }
    if (ok && n_under != 1)
        ok = weft_filter_fail(f->err, line->number, "%u rows are called '%.100s'", n_under,
                              line->name);
    ok = ok && filter_rows_named(f, line, line->text, rows);
    if (ok && (rows[0] || rows[under] || is_below(f, rows, under)))
        ok = weft_filter_fail(f->err, line->number,
                              "a row cannot go under itself or what it holds");
    for (uint32_t c = 1; ok && c < n; c++)
        if (rows[c] && !is_below(f, rows, c))
            f->containers[c].parent = under;
    free(rows);
    return ok;
}
