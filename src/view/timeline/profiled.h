/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the views of samples: the samples that a request is about. */
#ifndef WEFT_VIEW_TIMELINE_PROFILED_H
#define WEFT_VIEW_TIMELINE_PROFILED_H

#include "analyse/profile.h"
#include "view/view.h"

/* The setting of these views that chooses rows: an initializer of struct weft_parameter. */
#define PROFILED_CONTAINERS                                                                \
 {                                                                                         \
  .name = "containers", .kind = WEFT_PARAMETER_CONTAINERS, .fallback = "",                 \
  .help = "only these containers' samples (#5+: and those of all that it holds)"           \
 }

/* The setting of a view that shows samples or waits: likewise. */
#define PROFILED_OF                                                                        \
 {                                                                                         \
  .name = "of", .kind = WEFT_PARAMETER_CHOICE, .choices = "running|waiting",               \
  .fallback = "running",                                                                   \
  .help = "running: by samples; waiting: time in which threads were blocked or slept"      \
 }

/* Returns true if the first trace has samples. */
bool profiled_fills(const struct weft_set *set);
/* The views' `needs`: what a trace must hold. */
extern const char profiled_needs[];
/* Returns true if a request of a view with PROFILED_OF is about waits. */
bool profiled_waits(const struct weft_request *request);
/*
 * Sets *PROFILE to the samples, or the WAITS, of the request: its window, its container and
 * the setting `containers`; weft_profile_free() frees it.  Returns false with *ERR and
 * nothing to free.
 */
bool profiled_read(const struct weft_request *request, bool waits,
                   struct weft_profile *profile, struct weft_err *err) WEFT_MUST_CHECK;
/* Returns PART of WHOLE in per cent; 0 if WHOLE is 0. */
double profiled_percent(int64_t part, int64_t whole);

#endif
