/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grids: rows of integers beside the entities of a trace, for data that is no entity (nodes
 * of a task DAG).  A cell is found in O(1); format/store_layout.h has the bytes.  Rows are
 * appended with weft_builder_grid_row() and asked for with the source's grid_rows and
 * grid_block.
 */
#ifndef WEFT_STORE_INTEGER_GRID_H
#define WEFT_STORE_INTEGER_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "format/store_layout.h"

/*
 * Sizes in bytes.  A cell is stored as a rest: cell = minimum + slope * row + rest, with a
 * minimum, a slope and a width of rests for each column of a block.
 */
enum {
    /*
     * a rest that needs more than its column's width, and its row: kept behind the others
     */
    WEFT_GRID_LONG = 2 + 8,
    /* the greatest size of an encoded block */
    WEFT_GRID_MAX =
        sizeof(struct weft_grid_header)
        + WEFT_GRID_COLUMNS * (sizeof(struct weft_grid_column) + 8 * WEFT_BLOCK_ROWS) + 16,
};

/*
 * Encodes the first N rows of CELLS[column][row], which has N_COLUMNS columns, into OUT,
 * which has room for WEFT_GRID_MAX bytes.  Aborts unless N is 1 to WEFT_BLOCK_ROWS and
 * N_COLUMNS at most WEFT_GRID_COLUMNS.  Columns of zeros at the end are not stored.
 * Returns the bytes written, a multiple of 8.
 */
size_t weft_grid_encode(unsigned char *out, int64_t (*cells)[WEFT_BLOCK_ROWS],
                        size_t n_columns, size_t n);
/*
 * Returns true if all that the block's header refers to lies within its SIZE bytes.
 * Otherwise the block must not be read.
 */
bool weft_grid_fits(const unsigned char *block, size_t size);

/* Returns the number of rows of a block that weft_grid_fits() accepted. */
static inline size_t weft_grid_block_rows(const unsigned char *block)
{
    struct weft_grid_header header;
    memcpy(&header, block, sizeof header);
    return header.n;
}

/*
 * Returns the rest of a cell (the cell less minimum and slope * row) in row ROW of COLUMN,
 * a copy of one of BLOCK's column headers: the one in the column's list of long rests, if
 * ROW is in it; else REST, which the caller has read from the column's own rests.  N_ROWS
 * is the number of rows of BLOCK, which weft_grid_fits() accepted.
 */
uint64_t weft_grid_long(const unsigned char *block, const struct weft_grid_column *column,
                        size_t n_rows, size_t row, uint64_t rest);

/*
 * Returns the cell at COLUMN and ROW of a block that weft_grid_fits() accepted; 0 if it has
 * no such row or column.
 */
static inline int64_t weft_grid_cell(const unsigned char *block, size_t column, size_t row)
{
    struct weft_grid_header header;
    memcpy(&header, block, sizeof header);
    if (column >= header.n_columns || row >= header.n)
        return 0;
    struct weft_grid_column at;
    memcpy(&at, block + sizeof header + column * sizeof at, sizeof at);
    uint64_t rest = 0;
    if (at.width) {
        memcpy(&rest, block + at.offset + row * at.width, sizeof rest);
        rest &= UINT64_MAX >> (64 - 8 * at.width);
    }
    if (at.n_long)
        rest = weft_grid_long(block, &at, header.n, row, rest);
    return (int64_t)((uint64_t)at.minimum + at.slope * (uint64_t)row + rest);
}

/*
 * Sets OUT[N] to a column's first N cells, as weft_grid_cell() returns them: 0 where the
 * block has no such row or column.  weft_grid_fits() accepted the block.
 */
void weft_grid_column(const unsigned char *block, size_t column, size_t n, int64_t *out);

#endif
