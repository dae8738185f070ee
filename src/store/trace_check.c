/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at every block of a store: does it match its checksum? */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/column.h"
#include "store/trace_priv.h"

/* The size of a block of rows, or 0 when it is damaged. */
static size_t rows_size(const unsigned char *at, size_t left)
{
    struct weft_rows_header header;
    int64_t values[WEFT_BLOCK_ROWS];
    if (left < sizeof header)
        return 0;
    memcpy(&header, at, sizeof header);
    if (header.n > WEFT_BLOCK_ROWS)
        return 0;
    size_t size = sizeof header;
    for (unsigned c = 0; c < header.n_columns; c++) {
        size_t column = weft_column_decode(at + size, left - size, values, header.n, NULL);
        if (!column)
            return 0;
        size += column;
    }
    return size;
}

static bool block_is_good(const struct weft_trace *trace,
                          const struct weft_file_block *block, bool changes)
{
    size_t left;
    const unsigned char *at = weft_trace_block(trace, block, &left);
    struct weft_change_parts parts;
    size_t size = !at       ? 0
                  : changes ? weft_change_parts(at, left, &parts)
                            : rows_size(at, left);
    return size && weft_checksum(at, size) == block->checksum;
}

uint64_t weft_trace_verify(const struct weft_trace *trace, struct weft_job *job)
{
    uint64_t bad = 0;
    const struct weft_file_section *shares = &trace->header->sections[WEFT_SECTION_SHARES];
    if (shares->size
        && XXH3_64bits(trace->map.data + shares->offset, shares->size) != shares->checksum)
        bad++;
    for (uint32_t t = 0; t < trace->schema.n_tracks; t++) {
        const struct weft_file_track *track = &trace->tracks[t];
        bool changes = trace->schema.types[track->type].kind == WEFT_STATE;
        for (uint64_t i = 0; i < track->n_blocks; i++)
            bad +=
                !block_is_good(trace, &trace->directory[track->first_block + i], changes);
        for (uint32_t c = 0; c < track->n_columns; c++) {
            const struct weft_file_column *column =
                &trace->columns[track->first_column + c];
            for (uint64_t i = 0; i < column->n_blocks; i++)
                bad += !block_is_good(trace, &trace->directory[column->first_block + i],
                                      false);
        }
        struct weft_err ignored;
        if (!weft_job_step(job, t, trace->schema.n_tracks, &ignored))
            return bad;
    }
    for (uint64_t i = 0; i < trace->n_link_ends; i++)
        bad += !block_is_good(trace, &trace->link_ends[i], false);
    for (uint64_t i = 0; i < trace->n_index_blocks; i++)
        bad += !block_is_good(trace, &trace->index_blocks[i], false);
    return bad;
}
