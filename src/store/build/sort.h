/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts by a 64-bit key: stable, in linear time (radix sort), fast if nearly sorted. */
#ifndef WEFT_STORE_SORT_H
#define WEFT_STORE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct weft_sort_item {
    uint64_t key, payload;
};

void weft_sort(struct weft_sort_item *items, size_t n);
/* Sorts keys without payload, in half the memory. */
void weft_sort_keys(uint64_t *keys, size_t n);

#endif
