/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the setting `by` of the views of processors (references by their owner or
   requester), and finds the counts that processors show. */
#ifndef WEFT_VIEW_ARRAYS_PROCESSOR_GRID_H
#define WEFT_VIEW_ARRAYS_PROCESSOR_GRID_H

#include "domains/arrays/view/processor_grid_draw.h"

/* The setting `by`: an initializer of struct weft_parameter, for views of processors. */
#define ARRAYS_PARAMETER_BY                                                                \
 {                                                                                         \
  .name = "by", .kind = WEFT_PARAMETER_CHOICE, .choices = "owner|requester",               \
  .fallback = "owner",                                                                     \
  .help = "references that a processor's elements served, or that it asked for"            \
 }
/* Returns true if the setting `by` of the request is "requester": processors show the
   references that they made, not those to their elements. */
bool arrays_by_requester(const struct arrays_question *q);
/*
 * Gets the counts that the cells of processors show, by the settings by, background and
 * glyphs of the request, after arrays_processors_place(); sets P's counts and ramps, and
 * adds the meaning of their colours and the largest circle to the legend.  SCALE is from
 * arrays_read_scale().  A background of `owner`, or of `none` without circles (glyphs=off),
 * shows the question's statistic instead.  Returns false with WEFT_ERR_CANCELLED or
 * WEFT_ERR_LIMIT (too many references).
 */
bool arrays_processors_look(struct arrays_processor_cells *p,
                            const struct arrays_scale *scale, struct arrays_legend *legend,
                            struct weft_err *err) WEFT_MUST_CHECK;

#endif
