/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the candidates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/advise_priv.h"

/* In vectors and matrices with dimensions of at most SHORT all block sizes are tried, else
   powers of two. */
enum { SHORT = 64, MAX_CANDIDATES = 8000 /* candidates */ };

static uint16_t add_choice(struct choices *choices, struct choice choice)
{
    for (size_t i = 0; i < choices->n; i++)
        if (memcmp(&choices->rows[i], &choice, sizeof choice) == 0)
            return (uint16_t)i;
    choices->rows =
        weft_grow(choices->rows, &choices->capacity, choices->n + 1, sizeof *choices->rows);
    choices->rows[choices->n++] = choice;
    return (uint16_t)(choices->n - 1);
}

static struct choice choice_of(enum weft_distribution_format format, uint64_t processors,
                               uint64_t block)
{
    struct choice choice;
    memset(&choice, 0, sizeof choice);
    choice.format = format;
    choice.processors = processors;
    choice.block = block;
    return choice;
}

static void add_candidate(struct candidates *all, const struct candidate *candidate)
{
    all->rows = weft_grow(all->rows, &all->capacity, all->n + 1, sizeof *all->rows);
    all->rows[all->n++] = *candidate;
}

static void choose(struct candidates *all, const struct weft_array *array, uint32_t d,
                   uint64_t left, struct candidate *candidate);

/* Tries all formats for dimension D on P processors. */
static void choose_format(struct candidates *all, const struct weft_array *array,
                          uint32_t d, uint64_t left, uint64_t p,
                          struct candidate *candidate)
{
    struct choices *choices = &all->dimension[d];
    uint64_t size = array->shape[d], block = (size + p - 1) / p;
    if (p == 1) {
        candidate->choice[d] =
            add_choice(choices, choice_of(WEFT_DISTRIBUTION_COLLAPSED, 1, 0));
        choose(all, array, d + 1, left, candidate);
        return;
    }
    candidate->choice[d] = add_choice(choices, choice_of(WEFT_DISTRIBUTION_BLOCK, p, 0));
    choose(all, array, d + 1, left / p, candidate);
    /* CYCLIC with blocks this large is the same as BLOCK. */
    for (uint64_t m = 1; m < block; m = size <= SHORT && array->rank < 3 ? m + 1 : 2 * m) {
        candidate->choice[d] =
            add_choice(choices, choice_of(WEFT_DISTRIBUTION_CYCLIC, p, m));
        choose(all, array, d + 1, left / p, candidate);
    }
}

static void choose(struct candidates *all, const struct weft_array *array, uint32_t d,
                   uint64_t left, struct candidate *candidate)
{
    if (all->n > MAX_CANDIDATES) /* too many already */
        return;
    if (d == array->rank) {
        if (left == 1)
            add_candidate(all, candidate);
        return;
    }
    for (uint64_t p = 1; p <= left; p++)
        if (left % p == 0)
            choose_format(all, array, d, left, p, candidate);
}

bool candidates_make(struct candidates *candidates, const struct weft_array *array,
                     uint64_t processors)
{
    struct candidate candidate = { { 0 } };
    memset(candidates, 0, sizeof *candidates);
    candidates->rank = array->rank;
    choose(candidates, array, 0, processors, &candidate);
    return candidates->n <= MAX_CANDIDATES;
}

void candidates_free(struct candidates *candidates)
{
    for (uint32_t d = 0; d < WEFT_ARRAY_RANK; d++)
        free(candidates->dimension[d].rows);
    free(candidates->rows);
}

bool advise_align(const struct weft_array *array, const struct weft_array *led,
                  int8_t *dimension)
{
    bool used[WEFT_ARRAY_RANK] = { false };
    for (uint32_t k = 0; k < array->rank; k++) {
        dimension[k] = -1;
        for (uint32_t d = 0; d < led->rank && dimension[k] < 0; d++)
            if (array->rank == led->rank ? d == k
                                         : !used[d] && array->shape[k] == led->shape[d])
                dimension[k] = (int8_t)d;
        if (dimension[k] < 0) {
            dimension[0] = -2;
            return false;
        }
        used[dimension[k]] = true;
    }
    return array->rank <= led->rank;
}

struct weft_distribution_axis advise_axis(const struct choice *choice,
                                          const struct weft_array *array,
                                          const int8_t *dimension, uint32_t d)
{
    struct weft_distribution_axis axis = { .kind = WEFT_AXIS_REPLICATED,
                                           .format = choice->format,
                                           .block = 1,
                                           .processors = choice->processors };
    if (choice->processors == 1)
        axis.kind = WEFT_AXIS_CONSTANT;
    for (uint32_t k = 0; k < array->rank && choice->processors > 1; k++)
        if (dimension[k] == (int8_t)d) {
            uint64_t p = choice->processors;
            axis.kind = WEFT_AXIS_ARRAY;
            axis.dimension = k;
            axis.stride = 1;
            axis.template_extent = array->shape[k];
            axis.block = choice->block ? choice->block : (array->shape[k] + p - 1) / p;
        }
    return axis;
}

static void write_text(struct weft_distribution *out, const struct candidates *candidates,
                       const struct candidate *candidate)
{
    size_t n = 0, size = sizeof out->text;
    const char *separator = "(";
    for (uint32_t d = 0; d < candidates->rank && n < size; d++, separator = ", ") {
        const struct choice *choice = &candidates->dimension[d].rows[candidate->choice[d]];
        const char *name = choice->format == WEFT_DISTRIBUTION_BLOCK    ? "BLOCK"
                           : choice->format == WEFT_DISTRIBUTION_CYCLIC ? "CYCLIC"
                                                                        : "*";
        n += (size_t)snprintf(out->text + n, size - n, "%s%s", separator, name);
        if (choice->block > 1 && n < size)
            n += (size_t)snprintf(out->text + n, size - n, "(%lu)",
                                  (unsigned long)choice->block);
    }
    n += n < size ? (size_t)snprintf(out->text + n, size - n, ") ONTO P") : 0;
    separator = "(";
    for (uint32_t k = 0; k < out->rank && n < size; k++, separator = ",")
        n += (size_t)snprintf(out->text + n, size - n, "%s%lu", separator,
                              (unsigned long)out->extent[k]);
    if (out->rank && n < size)
        snprintf(out->text + n, size - n, ")");
}

struct weft_distribution advise_distribution(const struct candidates *candidates,
                                             const struct candidate *candidate,
                                             const struct weft_array *array,
                                             const int8_t *dimension)
{
    struct weft_distribution out;
    memset(&out, 0, sizeof out);
    for (uint32_t d = 0; d < candidates->rank; d++) {
        const struct choice *choice = &candidates->dimension[d].rows[candidate->choice[d]];
        if (choice->processors == 1)
            continue;
        out.extent[out.rank] = choice->processors;
        out.axis[out.rank++] = advise_axis(choice, array, dimension, d);
    }
    write_text(&out, candidates, candidate);
    return out;
}
