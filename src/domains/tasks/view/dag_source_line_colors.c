/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers the places in the program for colours, by frequency: then as many places differ
 * in colour as the palette has colours.  With colours by a hash of the names, two of a
 * handful would already look alike.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash_map.h"
#include "domains/tasks/view/dag_picture_priv.h"

enum {
    LOOKED_AT = 1 << 20, /* nodes visited, from the root on: about 0.1 s */
    STEP = 1 << 14,
    NUMBERED = 256, /* more colours cannot be told apart */
};

struct dag_place_numbers {
    struct weft_text_map by_label;
};

const char *dag_place_label(const struct weft_schema *schema,
                            const struct weft_dag_node *node, enum dag_color color,
                            struct weft_arena *arena)
{
    const char *begin = weft_dag_site_text(schema, node->begin_site, arena);
    const char *end = weft_dag_site_text(schema, node->end_site, arena);
    if (color == DAG_BY_BEGIN)
        return begin;
    if (color == DAG_BY_END)
        return end;
    if (!begin && !end)
        return NULL;
    return weft_arena_printf(arena, "%s – %s", begin ? begin : "?", end ? end : "?");
}

uint32_t dag_place_number(const struct dag_place_numbers *numbers, const char *label)
{
    uint32_t number = weft_text_map_get(&numbers->by_label, label, strlen(label));
    return number == WEFT_MAP_NONE ? WEFT_NONE : number;
}

/* A pair of begin and end places; later all pairs with the same label. */
struct place_pair {
    struct weft_dag_node node; /* one node with this pair */
    const char *label;
    uint64_t count;
};

static int compare_labels(const void *left, const void *right)
{
    const struct place_pair *a = left, *b = right;
    return strcmp(a->label, b->label);
}

static int compare_counts(const void *left, const void *right)
{
    const struct place_pair *a = left, *b = right;
    return WEFT_COMPARE(b->count, a->count) ?: strcmp(a->label, b->label);
}

static bool count_pairs(const struct weft_dag *dag, struct weft_job *job,
                        struct place_pair **list, size_t *n, struct weft_err *err)
{
    struct weft_id_map index = { 0 };
    size_t capacity = 0;
    uint32_t size = weft_dag_size(dag) < LOOKED_AT ? weft_dag_size(dag) : LOOKED_AT;
    bool ok = true;
    for (uint32_t i = 0; i < size && ok; i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        uint64_t key = (uint64_t)node.begin_site << 32 | node.end_site;
        uint32_t at = weft_id_map_get(&index, key);
        if (at == WEFT_MAP_NONE) {
            at = (uint32_t)*n;
            weft_id_map_put(&index, key, at);
            *list = weft_grow(*list, &capacity, *n + 1, sizeof **list);
            (*list)[(*n)++] = (struct place_pair){ node, NULL, 0 };
        }
        (*list)[at].count++;
        ok = i % STEP || weft_job_step(job, i, size, err);
    }
    weft_id_map_free(&index);
    return ok;
}

static void number_labels(struct dag_place_numbers *numbers,
                          const struct weft_schema *schema, enum dag_color color,
                          struct place_pair *list, size_t n)
{
    struct weft_arena arena = { 0 };
    size_t known = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        list[known] = list[i];
        list[known].label = dag_place_label(schema, &list[i].node, color, &arena);
        known += list[known].label != NULL;
    }
    if (known)
        qsort(list, known, sizeof *list, compare_labels);
    for (size_t i = 0; i < known; i++)
        if (kept && strcmp(list[kept - 1].label, list[i].label) == 0)
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    if (kept)
        qsort(list, kept, sizeof *list, compare_counts);
    for (size_t i = 0; i < kept && i < NUMBERED; i++)
        weft_text_map_put(&numbers->by_label, list[i].label, strlen(list[i].label),
                          (uint32_t)i);
    weft_arena_free(&arena);
}

static void free_numbers(void *thing)
{
    struct dag_place_numbers *numbers = thing;
    weft_text_map_free(&numbers->by_label);
    free(numbers);
}

static bool make_numbers(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    struct weft_dag *dag = weft_dag_open(source, err);
    struct dag_place_numbers *numbers = weft_zalloc(1, sizeof *numbers);
    struct place_pair *list = NULL;
    size_t n = 0;
    uint32_t color;
    memcpy(&color, args->parameters, sizeof color);
    bool ok = dag && count_pairs(dag, args->job, &list, &n, err);
    if (ok)
        number_labels(numbers, source->schema, (enum dag_color)color, list, n);
    free(list);
    weft_dag_close(dag);
    *thing = numbers;
    *bytes = sizeof *numbers + NUMBERED * 64;
    if (!ok)
        free_numbers(numbers);
    return ok;
}

static const struct weft_preparation preparation = { "places of tasks", make_numbers,
                                                     free_numbers };

bool dag_number_places(struct dag_picture *p, struct weft_err *err)
{
    const struct weft_set one = { p->request->set->sources, 1 };
    uint32_t by = (uint32_t)p->color;
    if (p->color < DAG_BY_BEGIN)
        return true;
    p->numbers = weft_use_get(p->request->use, &preparation, &one, &by, sizeof by, err);
    return p->numbers;
}
