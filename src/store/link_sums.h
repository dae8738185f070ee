/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of links by sender and receiver (a pair), kept in trees of partial sums: shared by
 * building the trees and querying them.
 */
#ifndef WEFT_STORE_LINK_SUMS_H
#define WEFT_STORE_LINK_SUMS_H

#include "store/trace/trace_priv.h"

/*
 * Returns the number of nodes, leaves included, of a tree over N_BLOCKS blocks of links: a
 * leaf sums WEFT_PAIR_LEAF blocks (the last one perhaps fewer), an inner node WEFT_PAIR_FAN
 * nodes of the level below; those left over there have no node above.
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
    uint32_t track; /* of links: index in trace->tracks */
    bool late;      /* `blocks` hold copies of the backward links, sorted by begin */
    /* of blocks sorted by the earlier time: true: take backward links, false: the others */
    bool backward;
    const struct weft_file_block *blocks; /* of the links, in order of begin */
    uint64_t n_blocks;
    /* once they are built: the leaves, then each level above (weft_pair_nodes()) */
    const struct weft_file_pair_node *nodes;
    const uint32_t *ends; /* containers, rising; WEFT_NONE: missing ends */
    uint32_t n_ends;
    /*
     * [n_containers + 1]: index in `ends` of each container, last that of WEFT_NONE.  NULL
     * if the ends are few compared with the containers: then `ends` is searched.
     */
    uint32_t *position;
    const struct weft_file_column *bytes; /* column of the track's field "bytes", or NULL */
};
/*
 * Sets `position` and `bytes` from `trace`, `track`, `ends` and `n_ends`, which are set
 * before; the caller frees `position`.
 */
void weft_pair_list_begin(struct weft_pair_list *list);

/*
 * Returns the column of the first integer field with the role "bytes" of the type of TRACK,
 * an index; NULL if there is no such field, or no link of the track has it.
 */
const struct weft_file_column *weft_pair_bytes_column(const struct weft_trace *trace,
                                                      uint32_t track);
/*
 * Sets BYTES[i] to the bytes of the link with ordinal FIRST + i on the track, i < N <= 256;
 * 0 if the trace gives none, or they are damaged.
 */
void weft_pair_bytes(const struct weft_pair_list *list, uint64_t first, size_t n,
                     int64_t *bytes);
/*
 * Returns the number of a pair: index of FROM in `ends` * n_ends + index of TO.  The two
 * are containers as in the columns of links: -1 for a missing end.  An end that is not in
 * `ends` (a damaged file) counts as the first one.
 */
uint64_t weft_pair_of(const struct weft_pair_list *list, int64_t from, int64_t to);

/* The links that a struct weft_pair_filter passes, by their begin and end. */
enum weft_pair_choice {
    WEFT_PAIRS_ALL,
    WEFT_PAIRS_BEGIN_IN, /* begin in [from, to) */
    WEFT_PAIRS_PENDING,  /* begin <= from < end */
};
/*
 * A filter on links.  FROM and TO are times in ticks: WEFT_PAIRS_ALL reads neither,
 * WEFT_PAIRS_PENDING only `from`.
 */
struct weft_pair_filter {
    enum weft_pair_choice choice;
    int64_t from, to;
};

/* The pairs (sender, receiver; numbers as of weft_pair_of()) and bytes of some links. */
struct weft_pair_links {
    uint64_t pairs[WEFT_BLOCK_ROWS];
    int64_t bytes[WEFT_BLOCK_ROWS];
};
/*
 * Sets OUT to pair and bytes of those links in list->blocks[BLOCK] that are the list's and
 * pass FILTER (none of a `late` list are pending), in the order of the block; returns their
 * number, 0 also if the block is damaged.  weft_pair_list_begin() comes before.
 */
size_t weft_pair_read(const struct weft_pair_list *list, uint64_t block,
                      const struct weft_pair_filter *filter, struct weft_pair_links *out);

/* The number and bytes of the links of one pair (number as of weft_pair_of()). */
struct weft_pair_row {
    uint64_t pair, count;
    int64_t bytes; /* wraps around */
};

/* Sums by pair: a matrix if pairs are dense, else a hash table. */
struct weft_pair_table {
    /* in a matrix `pair` is not set; in a hash table a free slot has count 0 */
    struct weft_pair_row *rows;
    size_t n_rows;    /* hash table: a power of two; matrix: n_pairs, by pair */
    uint64_t n_pairs; /* number of possible pairs */
    size_t used;      /* hash table: slots that are not free */
    bool matrix;
};
/*
 * Returns true if a table of N_ENDS^2 pairs and about EXPECTED additions will be a matrix,
 * not a hash table.
 */
bool weft_pair_table_fits(uint32_t n_ends, uint64_t expected);
/*
 * Sets *TABLE to an empty table of N_ENDS^2 pairs, for about EXPECTED additions;
 * weft_pair_table_end() frees its rows.
 */
void weft_pair_table_begin(struct weft_pair_table *table, uint32_t n_ends,
                           uint64_t expected);
/* Frees the rows of TABLE, not TABLE itself. */
void weft_pair_table_end(struct weft_pair_table *table);
/*
 * Returns the row of PAIR in a hash table (not a matrix), made if necessary, never NULL;
 * valid until the next call.  A new row has count 0: the caller raises it before the next
 * call.
 */
struct weft_pair_row *weft_pair_table_slot(struct weft_pair_table *table, uint64_t pair);
/*
 * Adds COUNT links and BYTES, which may wrap around, to PAIR, below n_pairs.  In a hash
 * table COUNT is above 0.
 */
static inline void weft_pair_add(struct weft_pair_table *table, uint64_t pair,
                                 uint64_t count, int64_t bytes)
{
    struct weft_pair_row *row =
        table->matrix ? &table->rows[pair] : weft_pair_table_slot(table, pair);
    row->count += count;
    row->bytes = (int64_t)((uint64_t)row->bytes + (uint64_t)bytes);
}
/*
 * Returns copies of the table's *N rows with a count above 0, sorted by pair and with
 * `pair` set; the caller frees them.
 */
struct weft_pair_row *weft_pair_table_rows(const struct weft_pair_table *table, size_t *n);

#endif
