/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes blocks of rows and their directory: the section INDEX_ROWS, with the rows of
 * indexes and of sums of links, which are computed from the rest of a store after that is
 * written; and before, within DATA, the ids of links whose directory is LINK_ENDS.  Nothing
 * else may be appended to the file between begin and end.
 */
#ifndef WEFT_STORE_WRITE_ROW_BLOCKS_H
#define WEFT_STORE_WRITE_ROW_BLOCKS_H

#include "base/progress_and_cancel.h"
#include "base/radix_sort.h"
#include "store/build/writer.h"
#include "store/trace/trace_priv.h"

/*
 * Blocks of rows, INDEX_ROWS or those of LINK_ENDS, while they are written; begun by
 * weft_row_blocks_begin, freed by weft_row_blocks_end.
 */
struct weft_row_blocks {
    struct weft_writer *writer;     /* of the store; borrowed */
    struct weft_file_block *blocks; /* the directory so far */
    size_t n, capacity;
    uint64_t begin;         /* offset of the section in the file */
    unsigned char *scratch; /* a block being encoded */
};

/* Begins the section, empty, at the end of the file that WRITER writes. */
void weft_row_blocks_begin(struct weft_row_blocks *out, struct weft_writer *writer);
/*
 * Writes a block of N rows, 1 to WEFT_BLOCK_ROWS, of at most 4 columns (else it aborts):
 * COLUMNS[column][row].  ENTRY gives time, ordinal and low of its directory entry, whose
 * other members are set here.  FORM: WEFT_ORDINALS_ARE_STEPS or 0, which goes into the
 * block's header.
 */
void weft_row_blocks_add(struct weft_row_blocks *out, struct weft_file_block entry,
                         int64_t columns[][WEFT_BLOCK_ROWS], size_t n_columns, size_t n,
                         uint32_t form);
/*
 * Sets *ROWS to the section's offset and size, writes the directory of its blocks after it
 * and sets *DIRECTORY to that, and frees OUT's memory; OUT may not be used afterwards.
 */
void weft_row_blocks_end(struct weft_row_blocks *out, struct weft_file_section *rows,
                         struct weft_file_section *directory);

/* Converts a signed key so that unsigned sorting orders it. */
static inline uint64_t weft_sortable(int64_t key)
{
    return (uint64_t)key ^ UINT64_C(1) << 63;
}
/*
 * Writes a block of an index: N rows (1 to WEFT_BLOCK_ROWS) of a key, converted by
 * weft_sortable(), and an entity's id as payload, in order of key.
 */
void weft_index_block_add(struct weft_row_blocks *out, const struct weft_sort_item *rows,
                          size_t n);

/*
 * Appends a table of SIZE bytes to the file under construction; returns its offset, size
 * and checksum (0 if SIZE is 0).  WRITER keeps a failure until its commit.
 */
struct weft_file_section weft_write_table(struct weft_writer *writer, const void *bytes,
                                          size_t size);

/* Tables of the indexes and sums that are in INDEX_ROWS, growing; the caller frees them. */
struct weft_row_tables {
    struct weft_file_index *indexes;
    size_t n_indexes, index_capacity;
    struct weft_file_pair_tree *trees;
    size_t n_trees, tree_capacity;
    struct weft_file_pair_node *nodes;
    size_t n_nodes, node_capacity;
    uint32_t *ends;
    size_t n_ends, end_capacity;
};
/*
 * Writes the rows of all indexes, and adds to tables->indexes.  TRACE is the file under
 * construction, opened.  FOLDER is for temporary files.  JOB may be NULL.  Returns false
 * with WEFT_ERR_WRITE (a temporary file) or WEFT_ERR_CANCELLED; failures of OUT's writer
 * come at its commit.
 */
bool weft_indexes_build(const struct weft_trace *trace, const char *folder,
                        struct weft_row_blocks *out, struct weft_row_tables *tables,
                        struct weft_job *job, struct weft_err *err);
/*
 * Writes the rows of all sums of links (store/link_sums.h), and adds to the trees, nodes
 * and ends of TABLES.  TRACE is the file under construction, opened.  JOB may be NULL.
 * Returns false with WEFT_ERR_CANCELLED; failures of OUT's writer come at its commit.
 */
bool weft_pairs_build(const struct weft_trace *trace, struct weft_row_blocks *out,
                      struct weft_row_tables *tables, struct weft_job *job,
                      struct weft_err *err);

#endif
