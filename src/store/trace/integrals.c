/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integrals of a variable: whole blocks are known by their summaries, and the block in
 * which a time lies is read up to it.
 */
#include <string.h>

#include "store/column.h"
#include "store/sample_integral.h"
#include "store/trace/trace_priv.h"

/* Finds both columns of a block of samples; returns false if it is damaged. */
static bool find_columns(const struct weft_trace *trace,
                         const struct weft_file_block *block, const unsigned char **steps,
                         const unsigned char **values)
{
    size_t left;
    const unsigned char *at = weft_trace_block(trace, block, &left);
    struct weft_rows_header header;
    if (!at || left < sizeof header)
        return false;
    memcpy(&header, at, sizeof header);
    if (!block->n || block->n > WEFT_BLOCK_ROWS || header.n != block->n
        || header.n_columns < 2)
        return false;
    *steps = at + sizeof header;
    left -= sizeof header;
    size_t size = weft_column_size(*steps, left, block->n);
    *values = *steps + size;
    return size && weft_column_size(*values, left - size, block->n);
}

/* A moment: its block, and a ruler for the part before it. */
struct integral_cursor {
    const struct weft_trace *trace;
    const struct weft_file_track *track;
    ptrdiff_t block;  /* -1: before all of them */
    ptrdiff_t loaded; /* the block that the ruler measures, or -1 */
    bool damaged;     /* the loaded block is damaged */
    struct weft_ruler ruler;
};

static int64_t end_of(const struct integral_cursor *cursor)
{
    size_t next = (size_t)cursor->block + 1;
    return next < cursor->track->n_blocks
               ? cursor->trace->directory[cursor->track->first_block + next].time
               : weft_samples_end(cursor->trace, cursor->track);
}

static void load(struct integral_cursor *cursor, const struct weft_file_block *block,
                 uint64_t ticks)
{
    const unsigned char *steps, *values;
    cursor->loaded = cursor->block;
    cursor->damaged = !find_columns(cursor->trace, block, &steps, &values);
    if (!cursor->damaged)
        weft_ruler_load(&cursor->ruler, steps, values, block->n, ticks);
}

/*
 * Returns the area from the begin of the place's block to TIME, which lies in it or, for
 * the last block, behind it.  For a damaged block, the summary's integral is spread evenly.
 */
static double area_until(struct integral_cursor *cursor, int64_t time)
{
    if (cursor->block < 0)
        return 0;
    const struct weft_file_track *track = cursor->track;
    size_t b = (size_t)cursor->block;
    const struct weft_file_block *block = &cursor->trace->directory[track->first_block + b];
    int64_t end = end_of(cursor);
    time = time < end ? time : end;
    if (time <= block->time)
        return 0;
    uint64_t length = (uint64_t)end - (uint64_t)block->time,
             ticks = (uint64_t)time - (uint64_t)block->time;
    if (cursor->loaded != cursor->block)
        load(cursor, block, length);
    if (!cursor->damaged)
        return weft_ruler_area(&cursor->ruler, ticks);
    return cursor->trace->samples[track->first_depth + b].integral * (double)ticks
           / (double)length;
}

void weft_trace_integrals(const struct weft_source *source, uint32_t index,
                          const int64_t *times, size_t n, double *out)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_track *track = &trace->tracks[index];
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    const struct weft_file_sample_block *summaries = trace->samples + track->first_depth;
    ptrdiff_t last = (ptrdiff_t)track->n_blocks - 1;
    struct integral_cursor cursor;
    cursor.trace = trace;
    cursor.track = track;
    cursor.block = weft_block_before(blocks, track->n_blocks, times[0]);
    cursor.loaded = -1;
    double before = area_until(&cursor, times[0]);
    for (size_t i = 0; i < n; i++) {
        double area = -before;
        for (; cursor.block < last && blocks[cursor.block + 1].time <= times[i + 1];
             cursor.block++)
            area += cursor.block < 0 ? 0 : summaries[cursor.block].integral;
        before = area_until(&cursor, times[i + 1]);
        out[i] = area + before;
    }
}
