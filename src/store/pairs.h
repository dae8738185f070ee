/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of links by their two ends: what building the summaries and asking them share.
 */
#ifndef WEFT_STORE_PAIRS_H
#define WEFT_STORE_PAIRS_H

#include "store/trace/trace_priv.h"

/* How many nodes there are over a number of blocks: each level has a FANth of the one below. */
static inline uint64_t weft_pair_nodes(uint64_t n_blocks)
{
    uint64_t level = n_blocks / WEFT_PAIR_LEAF + (n_blocks % WEFT_PAIR_LEAF != 0), n = 0;
    for (; level; level /= WEFT_PAIR_FAN)
        n += level;
    return n;
}

/* What a tree sums: the links of a track that run forwards, or those that run backwards. */
struct weft_pair_list {
    const struct weft_trace *trace;
    uint32_t track;
    bool late;
    bool
        backward; /* of the links by the earlier of their times, those that run backwards */
    const struct weft_file_block *blocks; /* in order of begin */
    uint64_t n_blocks;
    const struct weft_file_pair_node *nodes; /* when they are made */
    const uint32_t *ends; /* containers, rising; WEFT_NONE: missing ends */
    uint32_t n_ends;
    /*
     * Among the ends, of each container, and behind them of WEFT_NONE.  NULL where the ends are few
     * beside the containers: then they are searched.
     */
    uint32_t *position;
    const struct weft_file_column *bytes; /* of the track, or NULL */
};
/* Fill in position and bytes from the rest; free(position) in the end. */
void weft_pair_list_begin(struct weft_pair_list *list);

/* The column of a link track's bytes, or NULL. */
const struct weft_file_column *weft_pair_bytes_column(const struct weft_trace *trace,
                                                      uint32_t track);
/* BYTES[i]: of the link with ordinal FIRST + i, i < n <= 256; 0 where it says nothing. */
void weft_pair_bytes(const struct weft_pair_list *list, uint64_t first, size_t n,
                     int64_t *bytes);
/* The pair of two containers as columns of links have them: -1 when an end is missing. */
uint64_t weft_pair_of(const struct weft_pair_list *list, int64_t from, int64_t to);

/* Which links of a list to take. */
enum weft_pair_choice {
    WEFT_PAIRS_ALL,
    WEFT_PAIRS_BEGIN_IN, /* begin in [from, to) */
    WEFT_PAIRS_PENDING,  /* begin <= from < end */
};
struct weft_pair_filter {
    enum weft_pair_choice choice;
    int64_t from, to;
};

struct weft_pair_links {
    uint64_t pairs[WEFT_BLOCK_ROWS];
    int64_t bytes[WEFT_BLOCK_ROWS];
};
/* The links of a block that the filter takes; how many. */
size_t weft_pair_read(const struct weft_pair_list *list, uint64_t block,
                      const struct weft_pair_filter *filter, struct weft_pair_links *out);

struct weft_pair_row {
    uint64_t pair, count;
    int64_t bytes;
};

/* Sums by pair: a matrix where they fill one, else a hash table. */
struct weft_pair_table {
    struct weft_pair_row *rows; /* of a matrix: pair is not set; free: count 0 */
    size_t n_rows;              /* a power of two, or n_pairs */
    uint64_t n_pairs;           /* all that there may be */
    size_t used;
    bool matrix;
};
/* EXPECTED: how many additions will come, about. */
bool weft_pair_table_fits(uint32_t n_ends, uint64_t expected); /* it will be a matrix */
void weft_pair_table_begin(struct weft_pair_table *table, uint32_t n_ends,
                           uint64_t expected);
void weft_pair_table_end(struct weft_pair_table *table);
struct weft_pair_row *weft_pair_table_slot(struct weft_pair_table *table, uint64_t pair);
/* PAIR is below n_pairs; COUNT above 0, or, in a matrix, anything. */
static inline void weft_pair_add(struct weft_pair_table *table, uint64_t pair,
                                 uint64_t count, int64_t bytes)
{
    struct weft_pair_row *row =
        table->matrix ? &table->rows[pair] : weft_pair_table_slot(table, pair);
    row->count += count;
    row->bytes = (int64_t)((uint64_t)row->bytes + (uint64_t)bytes);
}
/* Its rows in order of pair, *N of them: to be freed. */
struct weft_pair_row *weft_pair_table_rows(const struct weft_pair_table *table, size_t *n);

#endif
