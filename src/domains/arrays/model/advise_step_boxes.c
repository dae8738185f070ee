/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a step: its patterns, their boxes, and the parts of these for each choice. */
#include "base/compare.h"
#include "domains/arrays/model/advise_step_costs.h"

#include <stdlib.h>
#include <string.h>

/* The dimension of the led array along which a loop moves; -1 if several or none. */
static int dimension_of_loop(const struct advise_stepping *stepping,
                             const struct weft_pattern *pattern,
                             const struct array_box *box, int loop)
{
    const int8_t *to = stepping->evaluation->dimension[pattern->array];
    const int8_t *owner_to = stepping->evaluation->dimension[pattern->owner_array];
    int found = -1;
    for (int d = 0; d < WEFT_ARRAY_RANK; d++) {
        if (box->stride[loop][d]) {
            if (found >= 0 && found != to[d])
                return -1;
            found = to[d];
        }
        if (box->owner_stride[loop][d]) {
            if (found >= 0 && found != owner_to[d])
                return -1;
            found = owner_to[d];
        }
    }
    return found;
}

static bool keep_box(void *user, const struct array_box *box)
{
    enum { MAX_BOXES = 64 }; /* of a step; each has some hundred terms of 6 KiB */
    struct advise_stepping *stepping = user;
    const struct weft_pattern *pattern = stepping->patterns + stepping->n_patterns - 1;
    if (stepping->n_boxes == MAX_BOXES
        || count_product_words(advise_array_of(stepping, pattern->array))
               > COUNT_UNION_WORDS / MAX_BOXES)
        return false;
    for (int k = 0; k < box->loops; k++)
        if (dimension_of_loop(stepping, pattern, box, k) < 0)
            return false;
    if (stepping->n_boxes == stepping->box_capacity) {
        size_t before = stepping->box_capacity;
        stepping->boxes = weft_grow(stepping->boxes, &stepping->box_capacity,
                                    stepping->n_boxes + 1, sizeof(void *));
        memset(stepping->boxes + before, 0,
               (stepping->box_capacity - before) * sizeof *stepping->boxes);
    }
    struct advise_box **to = &stepping->boxes[stepping->n_boxes++];
    if (!*to) {
        *to = weft_zalloc(1, sizeof **to);
        (*to)->terms = weft_zalloc(stepping->offset[WEFT_ARRAY_RANK], sizeof *(*to)->terms);
    }
    (*to)->box = *box;
    (*to)->pattern = (uint32_t)stepping->n_patterns - 1;
    return true;
}

/* Extracts the loops of a box that move along one dimension of the led array. */
static void cut_out(const struct advise_stepping *stepping, const struct advise_box *from,
                    uint32_t d, struct array_box *to)
{
    const struct array_box *box = &from->box;
    to->loops = 0;
    memcpy(to->element, box->element, sizeof to->element);
    memcpy(to->owner, box->owner, sizeof to->owner);
    for (int k = 0; k < box->loops; k++) {
        if (dimension_of_loop(stepping, &stepping->patterns[from->pattern], box, k)
            != (int)d)
            continue;
        to->extent[to->loops] = box->extent[k];
        memcpy(to->stride[to->loops], box->stride[k], sizeof to->stride[0]);
        memcpy(to->owner_stride[to->loops], box->owner_stride[k],
               sizeof to->owner_stride[0]);
        to->loops++;
    }
}

static void make_term(struct advise_stepping *stepping, struct advise_box *from, uint32_t d,
                      const struct choice *choice, struct advise_term *term)
{
    const struct weft_advice_evaluation *evaluation = stepping->evaluation;
    const struct weft_pattern *pattern = &stepping->patterns[from->pattern];
    const struct weft_array *array = advise_array_of(stepping, pattern->array);
    const struct weft_array *owners = advise_array_of(stepping, pattern->owner_array);
    term->axis[0] = advise_axis(choice, array, evaluation->dimension[pattern->array], d);
    term->axis[1] =
        advise_axis(choice, owners, evaluation->dimension[pattern->owner_array], d);
    cut_out(stepping, from, d, &term->box);
    term->parts.work = &stepping->effort;
    parts_begin(&term->parts, &term->box);
    parts_add_axis(&term->parts, &term->axis[0], 1, false, false);
    parts_add_axis(&term->parts, &term->axis[1], 1, true, true);
    parts_make(&term->parts, array);
    struct parts_pair pair;
    term->n = 0;
    parts_first(&term->parts, &pair);
    do {
        term->pairs =
            weft_grow(term->pairs, &term->capacity, term->n + 1, sizeof *term->pairs);
        term->entries = weft_grow(term->entries, &term->entry_capacity, term->n + 1,
                                  sizeof *term->entries);
        term->entries[term->n] =
            (struct advise_entry){ pair.server, pair.requester, pair.turns, pair.elements };
        term->pairs[term->n++] = pair;
    } while (array_work_keep(&stepping->effort, term->n)
             && parts_next(&term->parts, &pair));
}

/* Returns true if the owner of each reference is the element itself, so that it is always
   local. */
static bool is_own(const struct weft_pattern *pattern)
{
    return pattern->array == pattern->owner_array && pattern->element == pattern->owner
           && memcmp(pattern->stride, pattern->owner_stride, sizeof pattern->stride) == 0;
}

/* If another pattern refers to the same elements, each on its own behalf, too, adds the
   references to that one, since they cost the same. */
static bool count_with_another(struct advise_stepping *stepping,
                               const struct weft_pattern *pattern)
{
    for (size_t i = 0; i < stepping->n_patterns && is_own(pattern); i++) {
        struct weft_pattern *other = &stepping->patterns[i];
        if (is_own(other) && other->array == pattern->array
            && other->element == pattern->element
            && memcmp(other->extent, pattern->extent, sizeof other->extent) == 0
            && memcmp(other->stride, pattern->stride, sizeof other->stride) == 0) {
            other->times += pattern->times;
            return true;
        }
    }
    return false;
}

int advise_by_array(const void *left, const void *right)
{
    const struct weft_pattern *a = left, *b = right;
    return WEFT_COMPARE(a->array, b->array) ?: (int)a->operation - (int)b->operation;
}

bool advise_leaves_out(const struct weft_advice_evaluation *evaluation,
                       const struct weft_pattern *pattern)
{
    return pattern->owner_array == WEFT_NONE
           || evaluation->dimension[pattern->array][0] == -2
           || evaluation->dimension[pattern->owner_array][0] == -2;
}

/* Collects the patterns on which candidates differ, sorted by array and operation. */
static uint64_t collect_patterns(struct advise_stepping *stepping, uint32_t step)
{
    const struct weft_advice_evaluation *evaluation = stepping->evaluation;
    const struct weft_profile *profile = evaluation->profile;
    enum { FEW = 100 }; /* patterns of a step compared with each other */
    uint64_t left_out = 0, after = weft_profile_first(profile, step + 1);
    stepping->n_patterns = 0;
    for (uint64_t i = weft_profile_first(profile, step); i < after; i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        if (advise_leaves_out(evaluation, &pattern)) {
            left_out += weft_pattern_references(&pattern);
            continue;
        }
        if (after - weft_profile_first(profile, step) <= FEW
            && count_with_another(stepping, &pattern))
            continue;
        stepping->patterns =
            weft_grow(stepping->patterns, &stepping->pattern_capacity,
                      stepping->n_patterns + 1, sizeof *stepping->patterns);
        stepping->patterns[stepping->n_patterns++] = pattern;
    }
    if (stepping->n_patterns)
        qsort(stepping->patterns, stepping->n_patterns, sizeof *stepping->patterns,
              advise_by_array);
    return left_out;
}

uint64_t advise_step(struct advise_stepping *stepping, uint32_t step)
{
    const struct candidates *candidates = &stepping->evaluation->candidates;
    uint64_t left_out = collect_patterns(stepping, step);
    size_t n = stepping->n_patterns;
    stepping->n_boxes = 0;
    stepping->separable = true;
    for (stepping->n_patterns = 1; stepping->n_patterns <= n && stepping->separable;
         stepping->n_patterns++) {
        const struct weft_pattern *pattern = &stepping->patterns[stepping->n_patterns - 1];
        stepping->separable = array_boxes(
            pattern, advise_array_of(stepping, pattern->array),
            advise_array_of(stepping, pattern->owner_array), keep_box, stepping);
    }
    stepping->n_patterns = n;
    stepping->n_singles = 0;
    if (!stepping->separable)
        advise_list_singles(stepping);
    for (size_t b = 0; b < stepping->n_boxes && stepping->separable; b++)
        for (uint32_t d = 0; d < candidates->rank; d++)
            for (size_t c = 0;
                 c < candidates->dimension[d].n && array_work_goes_on(&stepping->effort);
                 c++)
                make_term(stepping, stepping->boxes[b], d,
                          &candidates->dimension[d].rows[c],
                          &stepping->boxes[b]->terms[stepping->offset[d] + c]);
    return left_out;
}
