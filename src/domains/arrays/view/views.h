/* SPDX-License-Identifier: Apache-2.0 */
/* The views of references to distributed arrays. */
#ifndef WEFT_DOMAINS_ARRAYS_VIEWS_H
#define WEFT_DOMAINS_ARRAYS_VIEWS_H

#include "view/view.h"

/* A cell for each element of an array, coloured by the references to it. */
extern const struct weft_view weft_view_array_grid;
/* A cell for each processor, coloured by the references to its elements or by those that it
   made. */
extern const struct weft_view weft_view_processor_grid;
/* The grid of an array's elements and the grid of processors in one picture. */
extern const struct weft_view weft_view_array_and_processors;
/* A cell for each element of an array, coloured by its owner. */
extern const struct weft_view weft_view_distribution_map;
/* A cell for each pair of processors: the messages for references to remote elements. */
extern const struct weft_view weft_view_reference_flow;

#endif
