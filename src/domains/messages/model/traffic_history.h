/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much was pending at any time of a trace, read once: for curves of any window, and for
 * high-water marks.  A block has up to 128 changes at up to 64 different times, or any
 * number at one time.  Each block keeps what is pending, the peak, and the sum over time,
 * in some 90 bytes.  Besides, each time is kept at which a processor's queue was longer
 * than ever before.
 */
#ifndef WEFT_MODEL_TRAFFIC_HISTORY_H
#define WEFT_MODEL_TRAFFIC_HISTORY_H

#include "domains/messages/model/traffic_replay.h"

struct weft_history;

/*
 * Reads the history in one pass: of all messages, with high-water marks, if PROCESSOR is
 * WEFT_NONE, else of the incoming queue of a processor, without marks.  TRAFFIC must
 * outlive it.  Returns NULL with WEFT_ERR_CANCELLED.
 */
struct weft_history *weft_history_make(const struct weft_traffic *traffic,
                                       enum weft_collectives collectives,
                                       uint32_t processor, struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_history_free(struct weft_history *history);
size_t weft_history_bytes(const struct weft_history *history);

/*
 * Returns the greatest numbers of messages and of bytes that ever were pending, maybe at
 * different times.
 */
struct weft_amount weft_history_peak(const struct weft_history *history);

/*
 * Raises MARKS[n], which must hold each processor's queue at TIME (weft_traffic_at), to the
 * longest that it was up to TIME.  The history must be of all messages.
 */
void weft_history_high(const struct weft_history *history, enum weft_direction direction,
                       int64_t time, struct weft_amount *marks);

/* For a column of time: mean weighted by time, and maximum. */
struct weft_level {
    double mean_messages, mean_bytes;
    struct weft_amount peak;
};
/*
 * Fills COLUMNS[n] with what is pending in each of N equal parts of WINDOW.  Exact if the
 * window has ten thousand changes or fewer, or each of its blocks is a single time; else
 * means and peaks may be wrong by what happens within 128 changes at the edges of a column.
 * Costs N searches, or ten thousand changes.
 */
void weft_history_columns(const struct weft_history *history, struct weft_span window,
                          size_t n, struct weft_level *columns);

#endif
