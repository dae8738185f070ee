/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the setting `by` of the views of processors (references by their owner or
   requester), and finds the counts that processors show. */
#ifndef WEFT_VIEW_ARRAYS_PROCESSORS_H
#define WEFT_VIEW_ARRAYS_PROCESSORS_H

#include "domains/arrays/view/processor_cells.h"

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
 * Gets the counts that the cells show, after arrays_processors_place(), and adds the
 * meaning of their colours to the legend.  Returns false with WEFT_ERR_CANCELLED or
 * WEFT_ERR_LIMIT (too many references).
 */
bool arrays_processors_look(struct arrays_processor_cells *p,
                            const struct arrays_scale *scale, struct arrays_legend *legend,
                            struct weft_err *err) WEFT_MUST_CHECK;

#endif
