/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of links by their two ends: shared by building the summaries and querying them. */
#ifndef WEFT_STORE_PAIRS_H
#define WEFT_STORE_PAIRS_H

#include "store/trace/trace_priv.h"

/*
 * Returns the number of nodes of a tree over N_BLOCKS blocks: each level has 1 /
 * WEFT_PAIR_FAN of the nodes below.
 */
static inline uint64_t weft_pair_nodes(uint64_t n_blocks)
{
    uint64_t level = n_blocks / WEFT_PAIR_LEAF + (n_blocks % WEFT_PAIR_LEAF != 0), n = 0;
    for (; level; level /= WEFT_PAIR_FAN)
        n += level;
    return n;
}

/*
 * The links that a tree sums: those of a track that run forwards, or those that run
 * backwards.
 */
struct weft_pair_list {
    const struct weft_trace *trace;
    uint32_t track;
    bool late;
    /*
     * of links stored by their earlier time, take those that run backwards; else the others
     */
    bool backward;
    const struct weft_file_block *blocks; /* in order of begin */
    uint64_t n_blocks;
    const struct weft_file_pair_node *nodes; /* summary nodes, once they are built */
    const uint32_t *ends; /* containers, rising; WEFT_NONE: missing ends */
    uint32_t n_ends;
    /*
     * [n_containers + 1]: index in `ends` of each container, last that of WEFT_NONE.  NULL
     * if the ends are few compared with the containers: then `ends` is searched.
     */
    uint32_t *position;
    const struct weft_file_column *bytes; /* column of the track's field "bytes", or NULL */
};
/* Sets position and bytes from the rest; the caller frees position. */
void weft_pair_list_begin(struct weft_pair_list *list);

/* Returns the column of a link track's field "bytes", or NULL. */
const struct weft_file_column *weft_pair_bytes_column(const struct weft_trace *trace,
                                                      uint32_t track);
/*
 * Sets BYTES[i] to the bytes of the link with ordinal FIRST + i, i < N <= 256; 0 if not
 * given.
 */
void weft_pair_bytes(const struct weft_pair_list *list, uint64_t first, size_t n,
                     int64_t *bytes);
/*
 * Returns the pair number of two containers as in columns of links: -1 for a missing end.
 */
uint64_t weft_pair_of(const struct weft_pair_list *list, int64_t from, int64_t to);

/* Filter on the links of a list. */
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
/* Reads the links of a block that pass the filter; returns their number. */
size_t weft_pair_read(const struct weft_pair_list *list, uint64_t block,
                      const struct weft_pair_filter *filter, struct weft_pair_links *out);

struct weft_pair_row {
    uint64_t pair, count;
    int64_t bytes;
};

/* Sums by pair: a matrix if pairs are dense, else a hash table. */
struct weft_pair_table {
    /* in a matrix `pair` is not set; in a hash table a free slot has count 0 */
    struct weft_pair_row *rows;
    size_t n_rows;    /* a power of two, or n_pairs */
    uint64_t n_pairs; /* number of possible pairs */
    size_t used;
    bool matrix;
};
/*
 * Returns true if the table will be a matrix.  EXPECTED: approximate number of additions.
 */
bool weft_pair_table_fits(uint32_t n_ends, uint64_t expected);
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
/* Returns its *N rows sorted by pair; the caller frees them. */
struct weft_pair_row *weft_pair_table_rows(const struct weft_pair_table *table, size_t *n);

#endif
