/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts by a 64-bit key: stable, in linear time (radix sort), fast if nearly sorted. */
#ifndef WEFT_BASE_RADIX_SORT_H
#define WEFT_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* An item to be sorted by its key; the payload, often an index, moves with it. */
struct weft_sort_item {
    uint64_t key, payload;
};

/*
 * Sorts ITEMS[N] by key, rising; items of one key stay in order.  Linear time, and for a
 * list that is not nearly sorted memory for N more items.
 */
void weft_sort(struct weft_sort_item *items, size_t n);
/* Sorts KEYS[N], rising, in linear time, with memory for N more keys if N is above 64. */
void weft_sort_keys(uint64_t *keys, size_t n);

#endif
