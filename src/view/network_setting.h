/* SPDX-License-Identifier: Apache-2.0 */
/* The network in which distances of messages are counted, as parameters of a view. */
#ifndef WEFT_VIEW_NETWORK_SETTING_H
#define WEFT_VIEW_NETWORK_SETTING_H

#include "model/network_distance.h"
#include "view/view.h"

/*
 * Three elements of a view's parameters: "distance" (a kind of network), "aspect" (the
 * shape of a mesh or torus), "numbering" (whether processors count along rows or columns).
 */
#define WEFT_PARAMETERS_DISTANCE                                                           \
 { .name = "distance",                                                                     \
   .kind = WEFT_PARAMETER_CHOICE,                                                          \
   .choices = WEFT_DISTANCE_CHOICES,                                                       \
   .fallback = "hamming",                                                                  \
   .help = "the network whose hops are counted between sender and receiver",               \
   .seldom = true,                                                                         \
   .with_view = "traffic" },                                                               \
     { .name = "aspect",                                                                   \
       .kind = WEFT_PARAMETER_TEXT,                                                        \
       .fallback = "auto",                                                                 \
       .help = "of a mesh or torus: rows x columns, such as 4x8, a ratio such as "         \
               "1:2, or auto",                                                             \
       .seldom = true,                                                                     \
       .with_view = "traffic" },                                                           \
 {                                                                                         \
  .name = "numbering", .kind = WEFT_PARAMETER_CHOICE, .choices = "rows|columns",           \
  .fallback = "rows", .help = "of a mesh or torus: along its rows, or down its columns",   \
  .seldom = true, .with_view = "traffic"                                                   \
 }

/*
 * Sets *DISTANCE by the settings of a view with WEFT_PARAMETERS_DISTANCE, for N processors.
 * Returns false with WEFT_ERR_USAGE if the setting "aspect" is no shape of a mesh or torus,
 * or one without room for N, whatever the kind of network.
 */
bool weft_setting_distance(const struct weft_request *request, uint32_t n,
                           struct weft_distance *distance,
                           struct weft_err *err) WEFT_MUST_CHECK;

#endif
