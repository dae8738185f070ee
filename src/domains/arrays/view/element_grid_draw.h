/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of an array's plane as a grid: row 0 at the top, column 0 at the left, as in
 * the report.  If elements are smaller than a pixel, a cell of the grid is a square of
 * several.  If they are large, each is a mark with a title, and a click on it lights its
 * owner; else all are one bitmap.
 */
#ifndef WEFT_VIEW_ELEMENT_GRID_DRAW_H
#define WEFT_VIEW_ELEMENT_GRID_DRAW_H

#include "domains/arrays/view/color_ramp.h"

/* The background of cells: none, a count as a colour of a ramp, or the owner's colour. */
enum arrays_fill { ARRAYS_FILL_NONE, ARRAYS_FILL_RAMP, ARRAYS_FILL_OWNER };

/* A grid in a picture: its place, and what its cells show. */
struct arrays_grid {
    struct arrays_question *q;
    struct weft_scene *scene;
    const struct weft_theme *theme;
    struct weft_rect plot; /* where cells may be drawn */
    double x, y; /* pixels: upper left corner of row 0, column 0; may be outside the plot */
    double width, height; /* of an element, in pixels */
    unsigned shift;       /* a cell is 2^shift x 2^shift elements */
    /* Rows and columns of elements that are visible: [first, after). */
    uint64_t first_row, after_row, first_column, after_column;
    bool marks; /* each element is drawn by itself, with a title; else all as a bitmap */
    struct weft_rect seen; /* the part of the plot with elements */
    /* The look of cells: set by the view between placing and drawing. */
    enum arrays_fill fill;
    /* Counts that the background shows, with cells of `shift`, and their colours; only for
       ARRAYS_FILL_RAMP. */
    struct arrays_cells cells;
    struct arrays_ramp ramp; /* colours of CELLS */
    bool circles; /* only if `marks`; the counts of circles are then by element */
    struct arrays_cells circle_cells; /* counts that sizes of circles show */
    struct arrays_ramp circle_ramp;   /* sizes of circles */
    struct arrays_cells color_cells;  /* counts that colours of circles show */
    struct arrays_ramp color_ramp;    /* colours of circles */
    bool circle_owner;                /* circles have the owner's colour instead */
    bool numbers; /* numbers of owners, where they have room: no circles */
};

enum { ARRAYS_MIN_CIRCLE = 10 /* least size of an element with a circle, in pixels */ };

/*
 * Initializes *GRID and places it in the rectangle ROOM (pixels of the picture), with row
 * numbers at its left and column numbers above it, by the settings zoom, tall, x and y of
 * the request, or if zoom is 0 so that all elements fit; puts its position and zoom into
 * frame->scene.  Draws nothing.  Q, frame->scene and frame->theme must outlive *GRID.
 */
void arrays_grid_place(struct arrays_grid *grid, struct arrays_question *q,
                       struct weft_frame *frame, struct weft_rect room);
/* Draws the numbers of rows and columns and the visible elements into the grid's scene,
   after arrays_grid_place() and after its look (from `fill` on) was set. */
void arrays_grid_draw(struct arrays_grid *grid);
/* Sets *ROW and *COLUMN to those, in the plane, of the element at the point AT of the
   picture, in pixels; returns false if there is none (both are then void). */
bool arrays_grid_at(const struct arrays_grid *grid, struct weft_point at, uint64_t *row,
                    uint64_t *column);
/* Returns how many elements one cell of the grid stands for, as text: "each cell: 4 × 4
   elements, their mean" (of a single row "each cell: 4 elements, ..."), in the question's
   arena; NULL if a cell is one element. */
const char *arrays_grid_text(const struct arrays_grid *grid);

/* Returns the colour of the elements of processor OWNER, or of unknown owner (WEFT_NONE).
   Colours repeat if there are many processors. */
weft_color arrays_owner_color(const struct weft_theme *theme, uint32_t owner);

#endif
