/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors as cells of a grid, in the arrangement of their distribution and numbered row
 * by row.  The background shows one statistic of a quantity, the circle another, as for
 * elements.
 */
#ifndef WEFT_VIEW_PROCESSOR_GRID_DRAW_H
#define WEFT_VIEW_PROCESSOR_GRID_DRAW_H

#include "domains/arrays/view/color_ramp.h"

/* The cells of all processors in a picture: their place, and what they show. */
struct arrays_processor_cells {
    struct arrays_question *q;
    struct weft_scene *scene;
    const struct weft_theme *theme;
    struct arrays_arrangement of; /* rows and columns of cells */
    struct weft_rect cells; /* the rectangle of all cells, without numbers beside them */
    double side;            /* of a cell, in pixels: above 0, at most 120 */
    /* Set by the view between placing and drawing (arrays_processors_look).  COUNTS NULL:
       no background; CIRCLE_COUNTS NULL: no circles.  Both are [q->processors], by number
       of the processor, in the steps of their ramp's statistic. */
    const struct weft_reference_counts *counts;
    struct arrays_ramp ramp; /* colours of COUNTS */
    const struct weft_reference_counts *circle_counts;
    struct arrays_ramp circle_ramp; /* colours and sizes of circles */
    bool owner_colors; /* circles have the colours of the processors' elements */
};

/* Initializes *P and places its cells in the rectangle ROOM (pixels of the picture), with
   numbers of rows and columns beside them.  Draws nothing.  Q, frame->scene
   and frame->theme must outlive *P. */
void arrays_processors_place(struct arrays_processor_cells *p, struct arrays_question *q,
                             struct weft_frame *frame, struct weft_rect room);
/* Draws the cells into the scene: each as a mark with a title, which lights the processor
   when it is clicked on; or more than 4,096 as one bitmap without circles. */
void arrays_processors_draw(struct arrays_processor_cells *p);
/* Returns the number of the processor at a point of the picture, in pixels, or
   WEFT_NONE. */
uint32_t arrays_processors_at(const struct arrays_processor_cells *p, struct weft_point at);
/* Returns the lines of a processor's tooltip, separated by " · ", in the question's arena:
   its name, and if it has any, the counts of its circle, else those of its background. */
const char *arrays_processor_title(const struct arrays_processor_cells *p,
                                   uint32_t processor);

#endif
