/* SPDX-License-Identifier: Apache-2.0 */
/* Sums the time of the values on a track, of those states alone that a selection means. */
#ifndef WEFT_ANALYSE_SELECTED_STATE_TIMES_H
#define WEFT_ANALYSE_SELECTED_STATE_TIMES_H

#include "analyse/track_state_times.h"
#include "analyse/where_selection.h"

/*
 * Sets SUMS, of weft_track_sums_begin(), until its next use to the ticks in WINDOW of the
 * values of those states on TRACK (index in schema->tracks) that QUERY selects.  QUERY is a
 * question to SOURCE, and its window must hold WINDOW.  A value's total is the time in
 * which a selected state of it was open, its self time that in which a selected one was
 * innermost of all states, selected or not.  sums->values lists the values of selected
 * states.  Reads all states of the track in the query's window.
 */
void weft_selected_sums_of_track(const struct weft_source *source,
                                 const struct weft_where_query *query,
                                 struct weft_span window, uint32_t track,
                                 struct weft_track_sums *sums);

#endif
