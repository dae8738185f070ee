/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source with the uncorrected times of another source: it undoes the clock corrections
 * (store/clock.h).  Entities of a container have the raw time of the container's clock; a
 * link begins by the clock of the container it leaves and ends by that of the one it
 * reaches.  Without a clock, entities keep their times, and so does a container, which is
 * extended to hold the containers in it.  Windows are raw times as well.
 *
 * Differences from the source below: links of a window are collected and sorted before they
 * are visited; a run of links is in order of corrected time; the nearest entity is chosen
 * by corrected time among those of one clock; sums are scaled, between the knots of a
 * correction, by what raw time is longer or shorter (each rounded by a tick); columns of
 * shares and envelopes are cut evenly in corrected time, which differs by what the drift of
 * a clock changes within the window; there are no grids, so no task DAG.
 */
#ifndef WEFT_STORE_RAW_SOURCE_H
#define WEFT_STORE_RAW_SOURCE_H

#include "store/source.h"

/*
 * Returns a source that answers queries in raw times from BELOW, which must outlive it.
 * Copies the tables of containers and tracks.  Free it with weft_raw_time_free().
 */
struct weft_source *weft_raw_time_new(const struct weft_source *below);
/* Frees a source that weft_raw_time_new() returned, not the one below it; NULL is fine. */
void weft_raw_time_free(struct weft_source *source);

/* Returns true if a clock of the trace has a correction (knots), even one of 0. */
bool weft_raw_time_differs(const struct weft_schema *schema);

#endif
