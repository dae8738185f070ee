/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the views of samples (flame, hot spots): the samples that a request asks for.
 */
#ifndef WEFT_VIEW_TIMELINE_REQUESTED_PROFILE_SAMPLES_H
#define WEFT_VIEW_TIMELINE_REQUESTED_PROFILE_SAMPLES_H

#include "analyse/call_stack_profile.h"
#include "view/view.h"

/*
 * The setting `containers` of a view of samples: an initializer of a struct
 * weft_parameter.  profiled_read() reads it.
 */
#define PROFILED_CONTAINERS                                                                \
 {                                                                                         \
  .name = "containers", .kind = WEFT_PARAMETER_CONTAINERS, .fallback = "",                 \
  .help = "only these containers' samples (#5+: and those of all that it holds)"           \
 }

/*
 * The setting `of` of a view that shows samples or waits: an initializer of a struct
 * weft_parameter.  profiled_waits() reads it.
 */
#define PROFILED_OF                                                                        \
 {                                                                                         \
  .name = "of", .kind = WEFT_PARAMETER_CHOICE, .choices = "running|waiting",               \
  .fallback = "running",                                                                   \
  .help = "running: by samples; waiting: time in which threads were blocked or slept"      \
 }

/* Returns true if the first trace of SET has samples: the views' `fills`. */
bool profiled_fills(const struct weft_set *set);
/* The views' `needs`: a text for users that says what a trace must hold. */
extern const char profiled_needs[];
/* Returns true if the setting `of` of a view with PROFILED_OF is "waiting". */
bool profiled_waits(const struct weft_request *request);
/*
 * Sets *PROFILE to the samples (WAITS: the waits) of the first trace that lie in the
 * request's window, its subtree `under` and the setting `containers`, which the view must
 * have ("": all); weft_profile_free() frees it.  Returns false with nothing to free:
 * WEFT_ERR_USAGE if the setting names no container, WEFT_ERR_CANCELLED.
 */
bool profiled_read(const struct weft_request *request, bool waits,
                   struct weft_profile *profile, struct weft_err *err) WEFT_MUST_CHECK;
/* Returns PART of WHOLE in per cent; 0 if WHOLE is not above 0. */
double profiled_percent(int64_t part, int64_t whole);

#endif
