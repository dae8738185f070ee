/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by two keys: a row (a lock, or the row of a table), and a thread, site or object. */
#ifndef WEFT_ANALYSE_TWO_KEY_SUMS_H
#define WEFT_ANALYSE_TWO_KEY_SUMS_H

#include "base/hash_map.h"

/* The sum of one pair of keys; an element of weft_pairs.list. */
struct weft_pair {
    uint32_t row, of; /* the two keys, numbers that the caller chooses; any value */
    int64_t sum;      /* of ticks, or a count */
};

/* A sum for each pair of keys.  All 0 is empty; weft_pairs_free frees it. */
struct weft_pairs {
    struct weft_id_map index; /* row << 32 | of, to index in the list */
    struct weft_pair *list;   /* [n] in order of first use, until weft_pairs_order */
    size_t n, capacity;
};

/*
 * Adds MORE to the sum of the pair of ROW and OF, which is appended to the list with sum 0
 * if it is new; sums stop at INT64_MAX and INT64_MIN.  Returns the pair's index in the
 * list, valid until weft_pairs_order.
 */
uint32_t weft_pairs_add(struct weft_pairs *pairs, uint32_t row, uint32_t of, int64_t more);
/*
 * Adds each sum of FROM, which stays as it is, to TO: that of row R to row ROWS[R], or to
 * row R if ROWS is NULL.
 */
void weft_pairs_merge(struct weft_pairs *to, const struct weft_pairs *from,
                      const uint32_t *rows);
/*
 * Orders the list by row, in each row the greatest sum first, then the lowest OF.  The list
 * may only be read and freed after it: `index` no longer fits.
 */
void weft_pairs_order(struct weft_pairs *pairs);
/* Frees the list and the index of PAIRS, not PAIRS itself, which is empty then. */
void weft_pairs_free(struct weft_pairs *pairs);

#endif
