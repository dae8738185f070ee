/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the elements in the union of several products of sets. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "domains/arrays/model/count_priv.h"

static size_t words_of(uint64_t extent)
{
    return (size_t)((extent + 63) / 64);
}

uint64_t count_product_words(const struct weft_array *array)
{
    uint64_t words = 0;
    for (uint32_t d = 0; d < array->rank; d++)
        words += words_of(array->shape[d]);
    return words;
}

/* Takes some of the words that are left. */
static bool spend_words(uint64_t *left, uint64_t words)
{
    if (words > *left)
        return false;
    *left -= words;
    return true;
}

bool count_product_of(struct parts *parts, const struct parts_pair *pair,
                      const struct weft_array *array, struct weft_arena *arena,
                      uint64_t *left, struct count_product *out)
{
    if (!spend_words(left, count_product_words(array)))
        return false;
    for (uint32_t d = 0; d < array->rank; d++) {
        size_t words = words_of(array->shape[d]);
        uint64_t *set = out->set[d] = weft_arena_zalloc(arena, words, sizeof *set);
        bool found = false;
        for (int i = 0; i < parts->n; i++) {
            struct dimension_part *part = &parts->parts[i];
            if (part->dimension == PART_DIMENSIONS || part->n > COUNT_UNION_WORDS / words)
                return false;
            if (part->dimension != (int)d)
                continue;
            const uint64_t *indices =
                part_set(parts, part, pair->entry[i], array->shape[d]);
            if (!indices)
                return false;
            memcpy(set, indices, words * sizeof *set);
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

/* A product without one dimension, as a key. */
struct product_key {
    uint64_t hash;
    size_t product;
};

static int by_hash(const void *left, const void *right)
{
    const struct product_key *a = left, *b = right;
    return WEFT_COMPARE(a->hash, b->hash) ?: WEFT_COMPARE(a->product, b->product);
}

static size_t bytes_of(const struct weft_array *array, uint32_t d)
{
    return words_of(array->shape[d]) * sizeof(uint64_t);
}

static uint64_t hash_but(const struct count_product *product,
                         const struct weft_array *array, uint32_t but)
{
    uint64_t hash = 0;
    for (uint32_t d = 0; d < array->rank; d++)
        if (d != but)
            hash = hash * UINT64_C(0x9e3779b97f4a7c15)
                   + weft_hash(product->set[d], bytes_of(array, d));
    return hash;
}

static bool differ_but(const struct count_product *a, const struct count_product *b,
                       const struct weft_array *array, uint32_t but)
{
    for (uint32_t d = 0; d < array->rank; d++)
        if (d != but && memcmp(a->set[d], b->set[d], bytes_of(array, d)) != 0)
            return true;
    return false;
}

/* Merges products that differ in dimension D only; returns how many remain. */
static size_t merge_along(struct count_product *products, size_t n,
                          const struct weft_array *array, uint32_t d,
                          struct product_key *keys)
{
    size_t words = words_of(array->shape[d]), left = 0;
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct product_key){ hash_but(&products[i], array, d), i };
    qsort(keys, n, sizeof *keys, by_hash);
    for (size_t i = 0, first = 0; i < n; i++) {
        struct count_product *to = &products[keys[first].product],
                             *from = &products[keys[i].product];
        if (i == first || keys[i].hash != keys[first].hash
            || differ_but(to, from, array, d)) {
            first = i;
            continue;
        }
        for (size_t w = 0; w < words; w++)
            to->set[d][w] |= from->set[d][w];
        from->set[d] = NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (products[i].set[d])
            products[left++] = products[i];
    return left;
}

/* Merges until no two products differ in one dimension only, or almost none. */
static size_t merge(struct count_product *products, size_t n,
                    const struct weft_array *array, struct weft_arena *arena)
{
    struct product_key *keys = weft_arena_alloc(arena, (n + 1) * sizeof *keys);
    for (size_t before = n + 1; n < before && n > 1;) {
        before = n;
        for (uint32_t d = 0; d < array->rank; d++)
            n = merge_along(products, n, array, d, keys);
    }
    return n;
}

/* The array, and the memory for sets. */
struct union_memory {
    const struct weft_array *array;
    struct weft_arena *arena;
    uint64_t *left;
};

/* Splits A minus B into disjoint products, at most one for each dimension, *N of them.
   Returns false if this needs too many words. */
static bool outside(const struct union_memory *u, const struct count_product *a,
                    const struct count_product *b, struct count_product *pieces, size_t *n)
{
    const struct weft_array *array = u->array;
    struct count_product rest = *a;
    *n = 0;
    if (!spend_words(u->left, 2 * count_product_words(array)))
        return false;
    for (uint32_t d = 0; d < array->rank; d++) {
        size_t words = words_of(array->shape[d]);
        uint64_t *beyond = weft_arena_alloc(u->arena, words * sizeof *beyond);
        uint64_t *common = weft_arena_alloc(u->arena, words * sizeof *common);
        uint64_t any_beyond = 0, any_common = 0;
        for (size_t w = 0; w < words; w++) {
            common[w] = rest.set[d][w] & b->set[d][w];
            beyond[w] = rest.set[d][w] & ~b->set[d][w];
            any_common |= common[w];
            any_beyond |= beyond[w];
        }
        if (any_beyond) {
            pieces[*n] = rest;
            pieces[(*n)++].set[d] = beyond;
        }
        if (!any_common)
            return true;
        rest.set[d] = common;
    }
    return true;
}

static uint64_t size_of(const struct count_product *product, const struct weft_array *array)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < array->rank; d++)
        n *= members(product->set[d], words_of(array->shape[d]));
    return n;
}

/* Adds to *SIZE the number of elements of a product that are in none of the N OTHERS. */
static bool add_outside(const struct union_memory *u, const struct count_product *product,
                        const struct count_product *others, size_t n, uint64_t *size)
{
    struct count_product pieces[WEFT_ARRAY_RANK];
    size_t n_pieces = 0;
    if (!n) {
        *size += size_of(product, u->array);
        return true;
    }
    bool ok = outside(u, product, &others[0], pieces, &n_pieces);
    for (size_t i = 0; ok && i < n_pieces; i++)
        ok = add_outside(u, &pieces[i], others + 1, n - 1, size);
    return ok;
}

bool count_union(struct count_product *products, size_t n, const struct weft_array *array,
                 struct weft_arena *arena, uint64_t *left, uint64_t *elements)
{
    const struct union_memory u = { array, arena, left };
    bool ok = true;
    *elements = 0;
    n = merge(products, n, array, arena);
    for (size_t i = 0; ok && i < n; i++)
        ok = add_outside(&u, &products[i], products, i, elements);
    return ok;
}
