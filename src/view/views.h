/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views that suit any trace, in the order in which `weft views` lists them
 * (view/registry.c); domains have others.
 */
#ifndef WEFT_VIEW_VIEWS_H
#define WEFT_VIEW_VIEWS_H

#include "view/view.h"

extern const struct weft_view weft_view_space_time;
extern const struct weft_view weft_view_overview;
extern const struct weft_view weft_view_state_summary;
extern const struct weft_view weft_view_instances;
extern const struct weft_view weft_view_histogram;
extern const struct weft_view weft_view_hot_spots;
extern const struct weft_view weft_view_flame;
extern const struct weft_view weft_view_why;
extern const struct weft_view weft_view_times;
extern const struct weft_view weft_view_causes;
extern const struct weft_view weft_view_groups;
extern const struct weft_view weft_view_time_compare;
extern const struct weft_view weft_view_causes_compare;

/* Returns true if the first trace of SET has states: an answer for weft_view.fills. */
bool weft_set_has_states(const struct weft_set *set);
/*
 * Returns true if the first trace of SET has rows (analyse/activity_intervals.h) that may
 * wait.
 */
bool weft_set_has_waits(const struct weft_set *set);

#endif
