/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of rows: moves, hidden containers; numbers the changed tree. */
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

bool filter_is_below(const struct filtered *f, const uint8_t *rows, uint32_t c)
{
    while ((c = f->containers[c].parent) != WEFT_NONE)
        if (rows[c])
            return true;
    return false;
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
    if (ok && (rows[0] || rows[under] || filter_is_below(f, rows, under)))
        ok = weft_filter_fail(f->err, line->number,
                              "a row cannot go under itself or what it holds");
    for (uint32_t c = 1; ok && c < n; c++)
        if (rows[c] && !filter_is_below(f, rows, c))
            f->containers[c].parent = under;
    free(rows);
    return ok;
}
