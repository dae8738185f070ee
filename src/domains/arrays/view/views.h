/* SPDX-License-Identifier: Apache-2.0 */
/* The views of references to distributed arrays. */
#ifndef WEFT_DOMAINS_ARRAYS_VIEWS_H
#define WEFT_DOMAINS_ARRAYS_VIEWS_H

#include "view/view.h"

extern const struct weft_view weft_view_array_grid;
extern const struct weft_view weft_view_processor_grid;
extern const struct weft_view weft_view_array_and_processors;
extern const struct weft_view weft_view_distribution_map;
extern const struct weft_view weft_view_reference_flow;

#endif
