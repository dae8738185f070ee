/* SPDX-License-Identifier: Apache-2.0 */
/* How many elements there are in several products of sets together. */
#include <string.h>

#include "array/count_priv.h"

static size_t words_of(uint64_t extent)
{
    return (size_t)((extent + 63) / 64);
}

enum { MOST_WORDS = 1 << 25 }; /* of the sets of a part: 256 MiB */

bool count_product_of(struct parts *parts, const struct parts_pair *pair,
                      const struct weft_array *array, struct weft_arena *arena,
                      struct count_product *out)
{
    for (uint32_t d = 0; d < array->rank; d++) {
        size_t words = words_of(array->shape[d]);
        uint64_t *set = out->set[d] = weft_arena_zalloc(arena, words, sizeof *set);
        bool found = false;
        for (int i = 0; i < parts->n; i++) {
            struct part *part = &parts->parts[i];
            if (part->dimension == PART_DIMENSIONS || part->n > MOST_WORDS / words)
                return false;
            if (part->dimension != (int)d)
                continue;
            memcpy(set, part_set(parts, part, pair->entry[i], array->shape[d]),
                   words * sizeof *set);
            found = true;
        }
        if (!found)
            set[parts->box->element[d] / 64] |= UINT64_C(1) << parts->box->element[d] % 64;
    }
    return true;
}

static uint64_t members(const uint64_t *set, size_t words)
{
    uint64_t n = 0;
    for (size_t i = 0; i < words; i++)
        n += (uint64_t)__builtin_popcountll(set[i]);
    return n;
}

/* The dimension in which two products differ; -1: in none; -2: in several. */
static int difference(const struct count_product *a, const struct count_product *b,
                      const struct weft_array *array)
{
    int found = -1;
    for (uint32_t d = 0; d < array->rank; d++) {
        if (memcmp(a->set[d], b->set[d], words_of(array->shape[d]) * sizeof *a->set[d])
            == 0)
            continue;
        if (found >= 0)
            return -2;
        found = (int)d;
    }
    return found;
}

/* Products that differ in one dimension are one product; returns how many remain. */
static size_t merge(struct count_product *products, size_t n,
                    const struct weft_array *array)
{
    for (size_t i = 0; i < n;) {
        bool merged = false;
        for (size_t k = i + 1; k < n && !merged; k++) {
            int d = difference(&products[i], &products[k], array);
            if (d == -2)
                continue;
            for (size_t w = 0; d >= 0 && w < words_of(array->shape[d]); w++)
                products[i].set[d][w] |= products[k].set[d][w];
            products[k] = products[--n];
            merged = true;
        }
        i = merged ? 0 : i + 1;
    }
    return n;
}

/*
 * Cut one product where it meets another: in each dimension in turn what the other does not have
 * there.  What remains of A outside of B is at most one piece a dimension.
 */
static size_t outside(const struct count_product *a, const struct count_product *b,
                      const struct weft_array *array, struct weft_arena *arena,
                      struct count_product *pieces)
{
    struct count_product rest = *a;
    size_t n = 0;
    for (uint32_t d = 0; d < array->rank; d++) {
        size_t words = words_of(array->shape[d]);
        uint64_t *beyond = weft_arena_alloc(arena, words * sizeof *beyond);
        uint64_t *common = weft_arena_alloc(arena, words * sizeof *common);
        uint64_t any_beyond = 0, any_common = 0;
        for (size_t w = 0; w < words; w++) {
            common[w] = rest.set[d][w] & b->set[d][w];
            beyond[w] = rest.set[d][w] & ~b->set[d][w];
            any_common |= common[w];
            any_beyond |= beyond[w];
        }
        if (any_beyond) {
            pieces[n] = rest;
            pieces[n++].set[d] = beyond;
        }
        if (!any_common)
            return n;
        rest.set[d] = common;
    }
    return n;
}

static uint64_t size_of(const struct count_product *product, const struct weft_array *array)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < array->rank; d++)
        n *= members(product->set[d], words_of(array->shape[d]));
    return n;
}

/* Elements of a product that are in none of the N OTHERS. */
static uint64_t size_outside(const struct count_product *product,
                             const struct count_product *others, size_t n,
                             const struct weft_array *array, struct weft_arena *arena)
{
    struct count_product pieces[WEFT_ARRAY_RANK];
    if (!n)
        return size_of(product, array);
    size_t n_pieces = outside(product, &others[0], array, arena, pieces);
    uint64_t size = 0;
    for (size_t i = 0; i < n_pieces; i++)
        size += size_outside(&pieces[i], others + 1, n - 1, array, arena);
    return size;
}

uint64_t count_union(struct count_product *products, size_t n,
                     const struct weft_array *array, struct weft_arena *arena)
{
    uint64_t size = 0;
    n = merge(products, n, array);
    for (size_t i = 0; i < n; i++)
        size += size_outside(&products[i], products, i, array, arena);
    return size;
}
