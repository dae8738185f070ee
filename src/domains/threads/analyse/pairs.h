/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by two keys: a lock or another row of a table, and a thread, site or object. */
#ifndef WEFT_ANALYSE_PAIRS_H
#define WEFT_ANALYSE_PAIRS_H

#include "base/map.h"

struct weft_pair {
    uint32_t row, of;
    int64_t sum; /* of ticks, or a count */
};

/* All 0: empty.  weft_pairs_free frees it. */
struct weft_pairs {
    struct weft_id_map index; /* row << 32 | of, to index in the list */
    struct weft_pair *list;
    size_t n, capacity;
};

/*
 * Adds MORE to the sum of ROW and OF, which begins at 0; sums stop at INT64_MAX.  Returns
 * the index of the pair in the list.
 */
uint32_t weft_pairs_add(struct weft_pairs *pairs, uint32_t row, uint32_t of, int64_t more);
/* Adds the sums of FROM to TO; row R of FROM is row ROWS[R] of TO, or R if ROWS is NULL. */
void weft_pairs_merge(struct weft_pairs *to, const struct weft_pairs *from,
                      const uint32_t *rows);
/* Orders the list by row, in each the greatest sum first; nothing may be added after. */
void weft_pairs_order(struct weft_pairs *pairs);
void weft_pairs_free(struct weft_pairs *pairs);

#endif
