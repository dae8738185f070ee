/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mips: how the time of state tracks divides among the values, precomputed at every scale
 * like a texture's mipmaps (format/store_layout.h).  Built from a store that has none yet;
 * read by the query `shares`.
 */
#ifndef WEFT_STORE_MIPMAPS_H
#define WEFT_STORE_MIPMAPS_H

#include "store/build/writer.h"
#include "store/trace/trace_priv.h"

/*
 * Steps through the edges of a window's equal columns, in integers and without division;
 * weft_edges_begin() makes it.
 */
struct weft_edges {
    int64_t edge;           /* end of the current column, in ticks */
    int64_t step, rest;     /* ticks a column, and the window's remainder ... */
    int64_t error, columns; /* ... which is spread evenly over the columns */
};
/* Returns the edges of WINDOW in COLUMNS, at least 1; `edge` is the first column's end. */
struct weft_edges weft_edges_begin(struct weft_span window, size_t columns);
/* Sets `edge` to the end of the next column; not to be called at the last column. */
static inline void weft_edges_next(struct weft_edges *edges)
{
    edges->edge += edges->step;
    edges->error += edges->rest;
    if (edges->error >= edges->columns) {
        edges->error -= edges->columns;
        edges->edge++;
    }
}

/*
 * Returns the slot, of SLOTS, that has the time of the value with RANK in its type (0: the
 * most time): a summary has a slot for each of the first values, and the last one for all
 * others.
 */
static inline unsigned weft_slot_of(uint32_t rank, unsigned slots)
{
    return rank < slots ? rank : slots - 1;
}

/*
 * Returns the mip (shares of time, at several scales) of the group of 4^LEVEL tracks that
 * begins at position FIRST among the tracks of TYPE in tree order
 * (weft_trace.type_position); NULL if the store has none.
 */
const struct weft_file_mip *weft_mip_find(const struct weft_trace *trace, uint32_t type,
                                          unsigned level, uint32_t first);
/*
 * Returns the number of bins of WIDTH ticks, above 0, that cover the trace's span, its end
 * included; at least 1.
 */
static inline uint64_t weft_mip_bins(const struct weft_trace *trace, int64_t width)
{
    uint64_t span = (uint64_t)trace->schema.span.end - (uint64_t)trace->schema.span.begin;
    return span / (uint64_t)width + 1;
}
/*
 * Returns the shares of time of MIP (those of a group of tracks, at several scales of time)
 * at the scale LEVEL, below mip->n_levels, in the mapped file: [bins][slots], in 255ths of
 * a bin, with the type's number of slots and bins of 4^LEVEL times mip->width ticks.  Their
 * checksums are not checked: see weft_trace_shares_good().
 */
const uint8_t *weft_mip_level(const struct weft_trace *trace,
                              const struct weft_file_mip *mip, unsigned level);

/*
 * Appends the mips, their shares and the checksums of the shares to the file that WRITER
 * writes, and sets their elements of SECTIONS (an array by enum weft_section_kind).  TRACE
 * is that file, opened; it can only be closed afterwards.  JOB may be NULL.  Returns false
 * with WEFT_ERR_CANCELLED, or with *ERR if the bytes written so far cannot be written out
 * or mapped.
 */
bool weft_mips_build(struct weft_trace *trace, struct weft_writer *writer,
                     struct weft_file_section *sections, struct weft_job *job,
                     struct weft_err *err);

#endif
