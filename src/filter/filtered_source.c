/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a filtered source: applies the filters one by one. */
#include <stdlib.h>
#include <string.h>

#include "filter/filtered_source_priv.h"

/* ---- Values ---- */

struct weft_value *filter_values(struct filtered *f)
{
    if (!f->values) {
        size_t size = f->schema.n_values * sizeof *f->values;
        f->values = weft_arena_alloc(&f->arena, size + 1);
        if (size)
            memcpy(f->values, f->schema.values, size);
        f->schema.values = f->values;
    }
    return f->values;
}

/* Colours, shapes or renames the values called so; the trace's own names are meant. */
static bool change_values(struct filtered *f, const struct weft_filter_line *line)
{
    const struct weft_schema *below = f->below->schema;
    struct weft_value *values = filter_values(f);
    bool any = false;
    for (uint32_t v = 0; v < below->n_values; v++) {
        if (strcmp(below->values[v].name, line->name) != 0)
            continue;
        any = true;
        if (line->verb == WEFT_FILTER_COLOR)
            values[v].color = line->color;
        else if (line->verb == WEFT_FILTER_SHAPE)
            values[v].shape = line->shape;
        else
            values[v].name = line->text;
    }
    return any
           || weft_filter_fail(f->err, line->number, "no value is called '%.100s'",
                               line->name);
}

/* ---- Lines ---- */

static bool apply(struct filtered *f, const struct weft_filter_line *line)
{
    switch (line->verb) {
    case WEFT_FILTER_HIDE:
    case WEFT_FILTER_HIDE_VARIABLE:
    case WEFT_FILTER_HIDE_ROWS: return filter_hide(f, line);
    case WEFT_FILTER_DIM: return filter_dim(f, line);
    case WEFT_FILTER_GROUP: return filter_rows_group(f, line);
    case WEFT_FILTER_GROUP_NUMBERS: return filter_rows_group_numbers(f, line);
    case WEFT_FILTER_GROUP_TYPES: return filter_rows_group_types(f, line);
    case WEFT_FILTER_GROUP_HOSTS: return filter_rows_group_hosts(f, line);
    case WEFT_FILTER_GROUP_FUNCTIONS: return filter_rows_group_functions(f, line);
    case WEFT_FILTER_GROUP_DEPTH: return filter_rows_group_depth(f, line);
    case WEFT_FILTER_REDUCE:
    case WEFT_FILTER_REDUCE_GROUPS:
    case WEFT_FILTER_REDUCE_DEPTH: return filter_rows_reduce(f, line);
    case WEFT_FILTER_HEIGHT: return filter_rows_height(f, line);
    case WEFT_FILTER_MOVE: return filter_rows_move(f, line);
    case WEFT_FILTER_ORDER: return filter_rows_order(f, line);
    case WEFT_FILTER_SORT:
        return line->key == WEFT_FILTER_BY_SIMILARITY ? filter_rows_sort_alike(f, line)
                                                      : filter_rows_sort(f, line);
    case WEFT_FILTER_REUSE: return f->reuses = true;
    case WEFT_FILTER_COLOR:
    case WEFT_FILTER_SHAPE:
    case WEFT_FILTER_NAME: break;
    }
    return change_values(f, line);
}

static bool make(struct filtered *f, const char *text, struct weft_err *err)
{
    struct weft_filter_chain chain;
    if (!weft_filter_chain_parse(&chain, text, &f->arena, err))
        return false;
    filter_rows_begin(f);
    filter_tracks_begin(f);
    filter_rows_link(f);
    for (size_t i = 0; i < chain.n; i++) {
        const struct weft_filter_line *line = &chain.lines[i];
        if (!apply(f, line))
            return false;
        if (line->verb != WEFT_FILTER_COLOR && line->verb != WEFT_FILTER_NAME
            && line->verb != WEFT_FILTER_SHAPE && line->verb != WEFT_FILTER_DIM)
            filter_rows_link(f);
    }
    if (f->reuses)
        filter_reuse_rows(f);
    filter_tracks_finish(f);
    return true;
}

struct weft_source *weft_filtered_new(const struct weft_source *below, const char *text,
                                      struct weft_err *err)
{
    struct filtered *f = weft_zalloc(1, sizeof *f);
    f->below = below;
    f->schema = *below->schema;
    f->err = err;
    f->source = (struct weft_source){ &filtered_ops, &f->schema };
    if (make(f, text, err))
        return &f->source;
    weft_filtered_free(&f->source);
    return NULL;
}

static void free_things(struct filter_things *things)
{
    for (size_t i = 0; i < things->n; i++)
        weft_where_free(things->list[i]);
    free(things->list);
}

void weft_filtered_free(struct weft_source *source)
{
    struct filtered *f = (struct filtered *)(void *)source;
    if (!f)
        return;
    free_things(&f->hides);
    free_things(&f->dims);
    weft_arena_free(&f->arena);
    free(f);
}
