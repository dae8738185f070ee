/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is pending over all of a trace, read once: for curves of any window, and for high-water
 * marks.  For each 128 changes, or 64 times at which anything changes, or one with more changes,
 * it keeps what is pending, the most that was, and the sum over time: some 90 bytes; besides,
 * each time at which a processor's queue was longer than ever before.
 */
#ifndef WEFT_MODEL_TRAFFIC_HISTORY_H
#define WEFT_MODEL_TRAFFIC_HISTORY_H

#include "domains/messages/model/traffic_replay.h"

struct weft_history;

/*
 * Read the history: of what is pending in all (PROCESSOR WEFT_NONE), with the high-water marks of
 * all queues, or for a processor, without.  One pass; error: WEFT_ERR_CANCELLED.  TRAFFIC is
 * to stay.
 */
struct weft_history *weft_history_make(const struct weft_traffic *traffic,
                                       enum weft_collectives collectives,
                                       uint32_t processor, struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_history_free(struct weft_history *history);
size_t weft_history_bytes(const struct weft_history *history);

/* The most that was pending at any time; messages and bytes each for itself. */
struct weft_amount weft_history_peak(const struct weft_history *history);

/*
 * The longest that each processor's queue was up to TIME: raises MARKS[n], which holds what it is
 * at TIME (weft_traffic_at).
 */
void weft_history_high(const struct weft_history *history, enum weft_direction direction,
                       int64_t time, struct weft_amount *marks);

/* Of a column of time: weighted by time, and the most. */
struct weft_level {
    double mean_messages, mean_bytes;
    struct weft_amount peak;
};
/*
 * What is pending in each of N equal parts of WINDOW.  Exact where the window has ten thousand
 * changes or fewer, or more than 128 at each time at which there are any; else means and
 * peaks may be wrong by what happens within 128 changes at the edges of a column.  It costs N
 * searches, or ten thousand changes.
 */
void weft_history_columns(const struct weft_history *history, struct weft_span window,
                          size_t n, struct weft_level *columns);

#endif
