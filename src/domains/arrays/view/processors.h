/* SPDX-License-Identifier: Apache-2.0 */
/* The look of processors by the settings of a view. */
#ifndef WEFT_VIEW_ARRAYS_PROCESSORS_H
#define WEFT_VIEW_ARRAYS_PROCESSORS_H

#include "domains/arrays/view/processor_cells.h"

#define ARRAYS_PARAMETER_BY                                                                \
 {                                                                                         \
  "by", WEFT_PARAMETER_CHOICE, "owner|requester", 0, 0, "owner",                           \
      "references that a processor's elements served, or that it asked for"                \
 }
bool arrays_by_requester(const struct arrays_question *q);
/* Gets the counts that placed cells show, and adds them to the legend. */
bool arrays_processors_look(struct arrays_processor_cells *p,
                            const struct arrays_scale *scale, struct arrays_legend *legend,
                            struct weft_err *err) WEFT_MUST_CHECK;

#endif
