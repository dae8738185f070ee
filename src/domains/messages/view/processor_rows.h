/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of processors over time, in the Gantt charts, and squares that processors or tasks
 * fill row by row: where they are, and their names.
 */
#ifndef WEFT_VIEW_PROCESSOR_ROWS_H
#define WEFT_VIEW_PROCESSOR_ROWS_H

#include "domains/messages/view/processor_display_helpers.h"

/* The rows of a chart, of SIZE processors each; set by weft_processor_rows_begin. */
struct weft_processor_rows {
    const struct weft_shown *shown;
    struct weft_rect part; /* part of the plot that the trace's span covers */
    uint32_t size, n;      /* processors in a row; number of rows */
};

/*
 * Begins FRAME, of a chart of SHOWN's processors over the request's window, in SCENE:
 * weft_frame_begin with a time axis, names at the left, the N entries of LEGEND and NOTE
 * (or "") behind the subtitle; and sets *ROWS, in the frame's plot.  SHOWN must outlive it.
 */
void weft_processor_rows_begin(struct weft_processor_rows *rows,
                               const struct weft_shown *shown, struct weft_frame *frame,
                               struct weft_scene *scene, const struct weft_request *request,
                               struct weft_legend_entry *legend, size_t n,
                               const char *note);
/* Draws as many of the rows' names as have room, as a layer of the frame's scene. */
void weft_processor_rows_names(const struct weft_processor_rows *rows,
                               const struct weft_frame *frame);

/* Returns the top of ROW, in pixels below that of rows->part; of row rows->n its height. */
static inline double weft_row_top(const struct weft_processor_rows *rows, uint32_t row)
{
    return weft_slot_edge(rows->part.height, rows->n, row);
}
/* Returns the bottom of ROW's bars; in rows of at least 6 pixels one is free below them. */
static inline double weft_row_bottom(const struct weft_processor_rows *rows, uint32_t row)
{
    enum { SEAM = 6 };
    double bottom = weft_row_top(rows, row + 1);
    return bottom - weft_row_top(rows, row) >= SEAM ? bottom - 1 : bottom;
}
/* Returns the row at Y, in pixels of the picture; the last one below them; 0 without. */
uint32_t weft_row_at(const struct weft_processor_rows *rows, double y);
/* Returns the x of TIME, in pixels of the picture; not clipped to rows->part. */
double weft_row_x(const struct weft_processor_rows *rows, int64_t time);

/*
 * Sets *SIDE, at most 64 pixels, and *COLUMNS so that N squares, row by row, are as large
 * as fit into WIDTH x HEIGHT; where that costs little, all rows are full.  If several
 * shapes have equally large squares, it takes the one most like WIDTH x HEIGHT.
 */
void weft_fit_squares(uint32_t n, double width, double height, double *side,
                      uint32_t *columns);

#endif
