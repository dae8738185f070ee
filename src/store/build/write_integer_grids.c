/* SPDX-License-Identifier: Apache-2.0 */
/* Grids: their blocks are written as they fill, among those of the tracks. */
#include <stdlib.h>

#include "store/build/builder_priv.h"
#include "store/column.h"
#include "store/integer_grid.h"

static void flush(struct weft_builder *b, struct build_grid *grid)
{
    size_t n =
        grid->n_rows % WEFT_BLOCK_ROWS ? grid->n_rows % WEFT_BLOCK_ROWS : WEFT_BLOCK_ROWS;
    unsigned char *bytes = weft_alloc(WEFT_GRID_MAX);
    size_t size = weft_grid_encode(bytes, grid->cells, grid->n_columns, n);
    grid->blocks = weft_grow(grid->blocks, &grid->block_capacity, grid->n_blocks + 1,
                             sizeof *grid->blocks);
    grid->blocks[grid->n_blocks++] =
        (struct weft_file_grid_block){ weft_writer_append(b->writer, bytes, size),
                                       (uint32_t)size, weft_checksum(bytes, size) };
    free(bytes);
    grid->n_columns = 0;
}

void weft_builder_grid_row(struct weft_builder *b, enum weft_grid_kind kind,
                           const int64_t *cells, size_t n)
{
    WEFT_REQUIRE((unsigned)kind < WEFT_GRID_KINDS && n <= WEFT_GRID_COLUMNS
                     && !b->blocks_wait,
                 "a row of %zu columns of grid %d", n, (int)kind);
    struct build_grid *grid = &b->grids[kind];
    if (!grid->cells)
        grid->cells = weft_alloc(WEFT_GRID_COLUMNS * sizeof *grid->cells);
    size_t row = grid->n_rows % WEFT_BLOCK_ROWS;
    for (; grid->n_columns < n; grid->n_columns++)
        memset(grid->cells[grid->n_columns], 0, sizeof *grid->cells);
    for (size_t c = 0; c < grid->n_columns; c++)
        grid->cells[c][row] = c < n ? cells[c] : 0;
    grid->n_rows++;
    if (row + 1 == WEFT_BLOCK_ROWS)
        flush(b, grid);
}

void weft_build_flush_grids(struct weft_builder *b)
{
    for (int i = 0; i < WEFT_GRID_KINDS; i++)
        if (b->grids[i].n_rows % WEFT_BLOCK_ROWS)
            flush(b, &b->grids[i]);
}

void weft_build_grids(struct weft_builder *b)
{
    struct weft_file_grid rows[WEFT_GRID_KINDS];
    struct weft_file_grid_block *blocks = NULL;
    size_t n = 0, n_blocks = 0, capacity = 0;
    for (uint32_t i = 0; i < WEFT_GRID_KINDS; i++) {
        const struct build_grid *grid = &b->grids[i];
        if (!grid->n_rows)
            continue;
        rows[n++] = (struct weft_file_grid){ i, 0, grid->n_rows, n_blocks };
        blocks = weft_grow(blocks, &capacity, n_blocks + grid->n_blocks, sizeof *blocks);
        memcpy(blocks + n_blocks, grid->blocks, grid->n_blocks * sizeof *blocks);
        n_blocks += grid->n_blocks;
    }
    weft_build_section(b, WEFT_SECTION_GRIDS, rows, n * sizeof *rows);
    weft_build_section(b, WEFT_SECTION_GRID_BLOCKS, blocks, n_blocks * sizeof *blocks);
    free(blocks);
}

void weft_build_grids_free(struct weft_builder *b)
{
    for (int i = 0; i < WEFT_GRID_KINDS; i++) {
        free(b->grids[i].cells);
        free(b->grids[i].blocks);
    }
}
