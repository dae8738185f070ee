/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DAG and its layouts, which frames share, since a DAG checks each part of its file
 * only once.  There is one layout for each depth, and a small layout of changes for each
 * set of opened and closed nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/view/dag_picture_priv.h"

enum {
    /* Measuring takes about a third of a microsecond a node; larger DAGs are not measured
       whole. */
    MAX_MEASURED = 4 << 20,
    /* Instead a depth with at most so many nodes is chosen. */
    MAX_CHOSEN = 10000,
};

/* Compared as bytes, so it has no padding.  The NUL-terminated texts of the two sets
   follow. */
struct dag_key {
    double radix, ns_per_tick;
    uint32_t scale, depth, most, unused;
};

/* ---- The DAG ---- */

static bool make_opened(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    *thing = weft_dag_open(args->set->sources[0], err);
    if (!*thing)
        return false;
    *bytes = 1024 + weft_dag_size(*thing) / 256; /* state of each block */
    return true;
}

static void free_opened(void *thing)
{
    weft_dag_close(thing);
}

static const struct weft_preparation opened_preparation = { "task DAG", make_opened,
                                                            free_opened };

const struct weft_dag *dag_opened(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    return weft_use_get(use, &opened_preparation, &one, NULL, 0, err);
}

/* ---- Layouts ---- */

struct held_layout {
    struct weft_dag_layout *layout;
    const struct weft_held *base; /* the DAG, or the base layout */
};

static void free_laid(void *thing)
{
    struct held_layout *layout = thing;
    weft_dag_layout_free(layout->layout);
    weft_release(layout->base);
    free(layout);
}

static bool finish(struct held_layout *layout, void **thing, size_t *bytes)
{
    if (!layout->layout) {
        free_laid(layout);
        return false;
    }
    *thing = layout;
    *bytes = sizeof *layout + weft_dag_layout_bytes(layout->layout);
    return true;
}

static bool make_laid(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct dag_key *key = args->parameters;
    struct held_layout *layout = weft_zalloc(1, sizeof *layout);
    layout->base =
        weft_prepare(args->shelf, &opened_preparation, args->set, NULL, 0, args->job, err);
    if (layout->base)
        layout->layout = weft_dag_layout_new(
            layout->base->thing,
            (struct weft_dag_style){ (enum weft_dag_scale)key->scale, key->radix,
                                     key->ns_per_tick },
            (struct weft_dag_expansion){ key->depth, key->most, NULL, NULL }, args->job,
            err);
    return finish(layout, thing, bytes);
}

static const struct weft_preparation laid_preparation = { "layout of a DAG", make_laid,
                                                          free_laid };

static bool make_changed(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    const struct dag_key *key = args->parameters;
    struct weft_entity_set opened = { 0 }, closed = { 0 };
    const char *first = (const char *)(key + 1), *second = first + strlen(first) + 1;
    struct held_layout *layout = weft_zalloc(1, sizeof *layout);
    layout->base = weft_prepare(args->shelf, &laid_preparation, args->set, key, sizeof *key,
                                args->job, err);
    if (layout->base && weft_entity_set_parse(&opened, first, err)
        && weft_entity_set_parse(&closed, second, err))
        layout->layout = weft_dag_layout_change(
            ((const struct held_layout *)layout->base->thing)->layout, &opened, &closed,
            args->job, err);
    weft_entity_set_free(&opened);
    weft_entity_set_free(&closed);
    return finish(layout, thing, bytes);
}

static const struct weft_preparation changed_preparation = {
    "opened and closed nodes of a DAG", make_changed, free_laid
};

/* If the whole DAG is too large, a depth is chosen, by the DAG alone, so that closing a
   node does not open others. */
static struct dag_key key_of(const struct dag_picture *p)
{
    struct dag_key key = { .radix = p->style.radix,
                           .ns_per_tick = p->style.ns_per_tick,
                           .scale = p->style.scale,
                           .depth = p->depth };
    if (p->depth == WEFT_DAG_ALL && weft_dag_size(p->dag) > MAX_MEASURED) {
        key.depth = WEFT_DAG_ALL - 1;
        key.most = MAX_CHOSEN;
    }
    return key;
}

const struct weft_dag_layout *dag_layout_of(struct dag_picture *p, struct weft_err *err)
{
    const struct weft_set one = { p->request->set->sources, 1 };
    const struct dag_key key = key_of(p);
    char *opened = weft_entity_set_text(&p->opened);
    char *closed = weft_entity_set_text(&p->closed);
    size_t first = strlen(opened) + 1, second = strlen(closed) + 1;
    size_t size = sizeof key + (first + second > 2 ? first + second : 0);
    char *parameters = weft_zalloc(1, sizeof key + first + second);
    memcpy(parameters, &key, sizeof key);
    memcpy(parameters + sizeof key, opened, first);
    memcpy(parameters + sizeof key + first, closed, second);
    const struct held_layout *layout = weft_use_get(
        p->request->use, size > sizeof key ? &changed_preparation : &laid_preparation, &one,
        parameters, size, err);
    free(opened);
    free(closed);
    free(parameters);
    if (!layout)
        return NULL;
    p->depth = weft_dag_layout_depth(layout->layout);
    return layout->layout;
}
