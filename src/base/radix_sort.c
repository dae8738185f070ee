/* SPDX-License-Identifier: Apache-2.0 */
#include "base/radix_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/*
 * Insertion sort; returns false if it gave up after too many moves (the list is still a
 * permutation).
 */
static bool nearly_sorted(struct weft_sort_item *items, size_t n)
{
    size_t moves = 0, most = 4 * n + 64;
    for (size_t i = 1; i < n; i++) {
        struct weft_sort_item item = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1].key > item.key; j--)
            items[j] = items[j - 1];
        items[j] = item;
        moves += i - j;
        if (moves > most)
            return false;
    }
    return true;
}

void weft_sort(struct weft_sort_item *items, size_t n)
{
    if (nearly_sorted(items, n))
        return;
    struct weft_sort_item *other = weft_alloc(n * sizeof *other), *from = items,
                          *to = other;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t counts[257] = { 0 };
        for (size_t i = 0; i < n; i++)
            counts[(from[i].key >> shift & 255) + 1]++;
        if (counts[(from[0].key >> shift & 255) + 1] == n)
            continue; /* all keys have the same byte here */
        for (size_t i = 1; i < 257; i++)
            counts[i] += counts[i - 1];
        for (size_t i = 0; i < n; i++)
            to[counts[from[i].key >> shift & 255]++] = from[i];
        struct weft_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
    free(other);
}

/* Insertion sort, for a few keys. */
static void insert_keys(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

void weft_sort_keys(uint64_t *keys, size_t n)
{
    enum { BITS = 11, DIGITS = 1 << BITS, PASSES = (64 + BITS - 1) / BITS };
    enum { FEW = 64 }; /* radix sort would take longer */
    if (n <= FEW) {
        insert_keys(keys, n);
        return;
    }
    size_t(*counts)[DIGITS] = weft_zalloc(PASSES, sizeof *counts);
    uint64_t *other = weft_alloc((n + 1) * sizeof *other), *from = keys, *to = other;
    for (size_t i = 0; i < n; i++)
        for (unsigned p = 0; p < PASSES; p++)
            counts[p][keys[i] >> (p * BITS) & (DIGITS - 1)]++;
    for (unsigned p = 0; p < PASSES && n; p++) {
        unsigned shift = p * BITS;
        size_t before = 0;
        if (counts[p][from[0] >> shift & (DIGITS - 1)] == n)
            continue; /* all keys have the same bits here */
        for (size_t d = 0; d < DIGITS; d++) {
            size_t count = counts[p][d];
            counts[p][d] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            to[counts[p][from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
    free(other);
    free(counts);
}
