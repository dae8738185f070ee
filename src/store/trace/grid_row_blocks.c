/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the grids, and reading their blocks. */
#include "store/integer_grid.h"
#include "store/trace/trace_priv.h"

static uint64_t blocks_of(const struct weft_file_grid *grid)
{
    return grid->n_rows / WEFT_BLOCK_ROWS + (grid->n_rows % WEFT_BLOCK_ROWS != 0);
}

bool weft_trace_load_grids(struct weft_trace *trace)
{
    uint64_t n, at = 0;
    const struct weft_file_grid *grids =
        weft_trace_section(trace, WEFT_SECTION_GRIDS, sizeof *grids, &n);
    trace->grid_blocks = weft_trace_section(
        trace, WEFT_SECTION_GRID_BLOCKS, sizeof *trace->grid_blocks, &trace->n_grid_blocks);
    bool ok = true;
    for (uint64_t i = 0; i < n && ok; i++) {
        ok = grids[i].kind < WEFT_GRID_KINDS && !trace->grids[grids[i].kind]
             && grids[i].n_rows && grids[i].first_block == at
             && weft_fits(at, blocks_of(&grids[i]), trace->n_grid_blocks);
        if (!ok)
            break;
        trace->grids[grids[i].kind] = &grids[i];
        at += blocks_of(&grids[i]);
    }
    const struct weft_file_section *data = &trace->header->sections[WEFT_SECTION_DATA];
    for (uint64_t i = 0; i < trace->n_grid_blocks && ok; i++) {
        const struct weft_file_grid_block *block = &trace->grid_blocks[i];
        ok = block->offset >= data->offset
             && weft_fits(block->offset - data->offset, block->size, data->size);
    }
    return ok;
}

uint64_t weft_trace_grid_rows(const struct weft_source *source, enum weft_grid_kind kind)
{
    const struct weft_file_grid *grid = weft_trace_of(source)->grids[kind];
    return grid ? grid->n_rows : 0;
}

const unsigned char *weft_trace_grid_block(const struct weft_source *source,
                                           enum weft_grid_kind kind, uint64_t block)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_grid *grid = trace->grids[kind];
    return grid && block < blocks_of(grid)
               ? weft_trace_grid_bytes(trace, grid->first_block + block)
               : NULL;
}
