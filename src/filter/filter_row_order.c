/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that change the order of rows: by hand, and by what the rows are. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "filter/filtered_source_priv.h"

/* ---- By hand ---- */

/* Gives the rows that TEXT names the places from *NEXT on, in their present order. */
static bool place_named(struct filtered *f, const struct weft_filter_line *line,
                        const char *text, uint8_t *rows, uint32_t *next)
{
    if (!filter_rows_named(f, line, text, rows))
        return false;
    for (uint32_t p = 0; p < f->schema.n_containers; p++) {
        uint32_t c = f->schema.preorder[p];
        if (rows[c])
            f->place[c] = (*next)++;
    }
    return true;
}

bool filter_rows_order(struct filtered *f, const struct weft_filter_line *line)
{
    struct weft_arena arena = { 0 };
    uint32_t n = f->schema.n_containers, next = 0;
    uint8_t *rows = weft_zalloc(n + 1, 1);
    uint32_t *before = weft_alloc((n + 1) * sizeof *before);
    const char *at = line->text, *name;
    bool quoted, ok = true;
    for (uint32_t c = 0; c < n; c++)
        before[c] = f->place[c] = UINT32_MAX - n + f->containers[c].order;
    while (ok && (name = weft_filter_next_name(&at, &quoted, &arena))) {
        /* A name that a pattern named before keeps its first place. */
        const char *one = quoted ? weft_arena_printf(&arena, "\"%s\"", name) : name;
        uint32_t *old = weft_alloc((n + 1) * sizeof *old);
        memcpy(old, f->place, n * sizeof *old);
        ok = place_named(f, line, one, rows, &next);
        for (uint32_t c = 0; c < n; c++)
            if (old[c] != before[c])
                f->place[c] = old[c];
        free(old);
    }
    f->schema.rows_ordered = true;
    free(before);
    free(rows);
    weft_arena_free(&arena);
    return ok;
}

/* ---- By a key ---- */

struct row_key {
    const char *name; /* or NULL: `number` counts */
    double number;
    uint32_t order, container;
};

/* Compares names; numbers in them by their value, so "worker 2" is before "worker 10". */
static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
        if (!x || !y) {
            if (*a != *b)
                return WEFT_COMPARE((unsigned char)*a, (unsigned char)*b);
            a++;
            b++;
            continue;
        }
        while (x > 1 && *a == '0') {
            a++;
            x--;
        }
        while (y > 1 && *b == '0') {
            b++;
            y--;
        }
        int order = WEFT_COMPARE(x, y) ?: memcmp(a, b, x);
        if (order)
            return order;
        a += x;
        b += y;
    }
    return WEFT_COMPARE((unsigned char)*a, (unsigned char)*b);
}

static int by_key(const void *a, const void *b)
{
    const struct row_key *x = a, *y = b;
    int order =
        x->name ? compare_names(x->name, y->name) : WEFT_COMPARE(x->number, y->number);
    return order ?: WEFT_COMPARE(x->order, y->order);
}

/* Adds what each container has to all those that hold it. */
static void add_up(const struct filtered *f, double *sums)
{
    for (uint32_t p = f->schema.n_containers; p-- > 1;) {
        uint32_t c = f->schema.preorder[p];
        if (!f->gone[c])
            sums[f->containers[c].parent] += sums[c];
    }
}

static void count_entities(const struct filtered *f, double *sums)
{
    for (uint32_t t = 0; t < f->schema.n_tracks; t++)
        sums[f->schema.tracks[t].container] += (double)f->schema.tracks[t].count;
    add_up(f, sums);
}

/* The values of each type, as lists: a trace may have 10^5 values and as many tracks. */
struct value_lists {
    uint32_t *first; /* by type */
    uint32_t *next;  /* by value; WEFT_NONE ends the list */
};

static struct value_lists list_values(const struct weft_schema *schema)
{
    struct value_lists lists = {
        weft_alloc(((size_t)schema->n_types + 1) * sizeof *lists.first),
        weft_alloc(((size_t)schema->n_values + 1) * sizeof *lists.next),
    };
    for (uint32_t t = 0; t < schema->n_types; t++)
        lists.first[t] = WEFT_NONE;
    for (uint32_t v = schema->n_values; v-- > 0;) {
        lists.next[v] = lists.first[schema->values[v].type];
        lists.first[schema->values[v].type] = v;
    }
    return lists;
}

/* Adds the ticks of TRACK in states called NAME to *OF, and those in any to *WHOLE. */
static void add_share(const struct filtered *f, uint32_t track, const char *name,
                      const struct value_lists *lists, struct weft_sum *ticks, double *of,
                      double *whole)
{
    const struct weft_schema *schema = &f->schema;
    uint32_t first = lists->first[schema->tracks[track].type];
    struct weft_span all = { schema->span.begin, schema->span.end + 1 };
    for (uint32_t v = first; v != WEFT_NONE; v = lists->next[v])
        ticks[v] = (struct weft_sum){ 0, 0 };
    f->below->ops->sums(f->below, &track, 1, all, ticks);
    for (uint32_t v = first; v != WEFT_NONE; v = lists->next[v]) {
        *whole += (double)ticks[v].self_ticks;
        if (strcmp(schema->values[v].name, name) == 0)
            *of += (double)ticks[v].total_ticks;
    }
}

/* Sets SUMS to the ticks in states called NAME, as a share of those in any state. */
static bool share_of_state(struct filtered *f, const struct weft_filter_line *line,
                           double *sums)
{
    const struct weft_schema *schema = &f->schema;
    struct weft_sum *ticks = weft_alloc(((size_t)schema->n_values + 1) * sizeof *ticks);
    double *whole = weft_zalloc((size_t)schema->n_containers + 1, sizeof *whole);
    struct value_lists lists = list_values(schema);
    bool any = false;
    for (uint32_t v = 0; v < schema->n_values; v++)
        any |= strcmp(schema->values[v].name, line->name) == 0;
    for (uint32_t t = 0; any && t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        if (schema->types[track->type].kind == WEFT_STATE && track->count)
            add_share(f, t, line->name, &lists, ticks, &sums[track->container],
                      &whole[track->container]);
    }
    add_up(f, sums);
    add_up(f, whole);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        sums[c] = whole[c] > 0 ? sums[c] / whole[c] : 0;
    free(lists.first);
    free(lists.next);
    free(whole);
    free(ticks);
    return any
           || weft_filter_fail(f->err, line->number, "no state is called '%.100s'",
                               line->name);
}

static double key_of(const struct filtered *f, enum weft_filter_key key, uint32_t container,
                     const double *sums)
{
    const struct weft_container *c = &f->containers[container];
    switch (key) {
    case WEFT_FILTER_BY_BEGIN: return (double)(c->begin - f->schema.span.begin);
    case WEFT_FILTER_BY_END: return (double)(c->end - f->schema.span.begin);
    case WEFT_FILTER_BY_LENGTH: return -(double)(c->end - c->begin);
    case WEFT_FILTER_BY_COUNT:
    case WEFT_FILTER_BY_SHARE: return -sums[container];
    case WEFT_FILTER_BY_NAME:
    case WEFT_FILTER_BY_SIMILARITY: break;
    }
    return 0;
}

bool filter_rows_sort(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers;
    struct row_key *keys = weft_alloc((n + 1) * sizeof *keys);
    double *sums = weft_zalloc(n + 1, sizeof *sums);
    bool ok = true;
    if (line->key == WEFT_FILTER_BY_COUNT)
        count_entities(f, sums);
    else if (line->key == WEFT_FILTER_BY_SHARE)
        ok = share_of_state(f, line, sums);
    for (uint32_t c = 0; c < n; c++)
        keys[c] =
            (struct row_key){ line->key == WEFT_FILTER_BY_NAME ? f->containers[c].name
                                                               : NULL,
                              key_of(f, line->key, c, sums), f->containers[c].order, c };
    qsort(keys, n, sizeof *keys, by_key);
    for (uint32_t i = 0; i < n; i++)
        f->place[keys[i].container] = i;
    f->schema.rows_ordered = true;
    free(sums);
    free(keys);
    return ok;
}
