/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* qsort_r */
#include "view/timeline/space_time_folds.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"

static int by_relevance(const void *a, const void *b, void *user)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return weft_relevance_compare(user, x, y) ?: WEFT_COMPARE(x, y);
}

/* Returns true for a thread that lived for less than a hundredth of the trace. */
static bool is_short(const struct weft_schema *schema, uint32_t container)
{
    const struct weft_container *c = &schema->containers[container];
    int64_t begin = c->begin > schema->span.begin ? c->begin : schema->span.begin;
    int64_t end = c->end < schema->span.end ? c->end : schema->span.end;
    return weft_role_is(c->role, WEFT_ROLE_THREAD) && c->first_child == WEFT_NONE
           && end - begin < (schema->span.end - schema->span.begin) / 100;
}

/* Folds the short threads of each process that has many of them. */
static void fold_short_threads(const struct weft_schema *schema,
                               const struct weft_container *root, uint8_t *folded)
{
    enum { FEW = 8 };
    uint32_t *short_ones =
        weft_zalloc((size_t)schema->n_containers + 1, sizeof *short_ones);
    for (uint32_t p = root->order; p < root->subtree_end; p++) {
        uint32_t c = schema->preorder[p], parent = schema->containers[c].parent;
        if (parent != WEFT_NONE && is_short(schema, c))
            short_ones[parent]++;
    }
    for (uint32_t p = root->order; p < root->subtree_end; p++) {
        uint32_t c = schema->preorder[p], parent = schema->containers[c].parent;
        if (parent != WEFT_NONE && short_ones[parent] > FEW && is_short(schema, c))
            folded[c] = 1;
    }
    free(short_ones);
}

/* Returns true if all that is known of a container are variables that never change. */
static bool is_constant(const struct weft_schema *schema,
                        const struct weft_relevance *relevance, uint32_t container)
{
    const struct weft_container *c = &schema->containers[container];
    bool any = false;
    for (uint32_t i = schema->track_begin[c->order]; i < schema->track_begin[c->order + 1];
         i++) {
        uint32_t t = schema->track_at[i];
        if (schema->tracks[t].count && isnan(relevance->constant[t]))
            return false;
        any |= schema->tracks[t].count > 0;
    }
    return any && c->first_child == WEFT_NONE;
}

/* Folds what does not change, unless nothing else has a row. */
static void fold_constants(const struct weft_schema *schema,
                           const struct weft_relevance *relevance,
                           const struct weft_container *root, uint8_t *folded)
{
    bool changes = false;
    for (uint32_t p = root->order; p < root->subtree_end && !changes; p++) {
        uint32_t c = schema->preorder[p];
        changes = !folded[c] && schema->track_begin[p + 1] > schema->track_begin[p]
                  && !is_constant(schema, relevance, c);
    }
    for (uint32_t p = root->order; p < root->subtree_end && changes; p++) {
        uint32_t c = schema->preorder[p];
        if (is_constant(schema, relevance, c))
            folded[c] = 1;
    }
}

/* Opens the container, and those around it. */
static void unfold(const struct weft_schema *schema, uint32_t container, uint8_t *folded)
{
    for (uint32_t c = container; c != WEFT_NONE && folded[c];
         c = schema->containers[c].parent)
        folded[c] = 0;
}

void st_folds_make(const struct weft_schema *schema, const struct weft_relevance *relevance,
                   uint32_t under, struct weft_arena *arena, uint8_t **folded,
                   uint32_t **place)
{
    const struct weft_container *root = &schema->containers[under];
    uint32_t *list = weft_alloc(schema->n_containers * sizeof *list);
    size_t n = 0, working = 0;
    *folded = weft_arena_zalloc(arena, schema->n_containers, 1);
    *place = weft_arena_zalloc(arena, schema->n_containers, sizeof **place);
    fold_short_threads(schema, root, *folded);
    for (uint32_t p = root->order; p < root->subtree_end; p++) {
        uint32_t c = schema->preorder[p];
        if (!relevance->secondary[c]) {
            working += !(*folded)[c] && schema->track_begin[p + 1] > schema->track_begin[p];
            continue;
        }
        (*folded)[c] = 1;
        if (relevance->waited[c] > 0)
            list[n++] = c;
    }
    fold_constants(schema, relevance, root, *folded);
    (*folded)[under] = 0; /* an explicitly chosen container is shown */
    if (n)
        qsort_r(list, n, sizeof *list, by_relevance, (void *)relevance);
    for (size_t i = 0; i < n; i++)
        (*place)[list[i]] = (uint32_t)i + 1;
    for (size_t i = 0; i < n && (i == 0 || i < working / 2); i++)
        unfold(schema, list[i], *folded);
    free(list);
}
