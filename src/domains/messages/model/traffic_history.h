/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells how many messages were pending in any window of a trace, and the longest queue of
 * each processor up to any time, after one pass over all messages.  The pass cuts the trace
 * into blocks of up to 128 sends and receives at up to 64 different times (or any number at
 * one time), and keeps what is pending, its peak and its sum over time, in some 90 bytes a
 * block; besides, each time at which a processor's queue was longer than ever before.
 */
#ifndef WEFT_MODEL_TRAFFIC_HISTORY_H
#define WEFT_MODEL_TRAFFIC_HISTORY_H

#include "domains/messages/model/traffic_replay.h"

/*
 * The messages that were pending (sent and not yet received) at any time of a trace; made
 * by weft_history_make, freed by weft_history_free.
 */
struct weft_history;

/*
 * Reads in one pass what was pending (sent and not yet received) at any time: all messages,
 * and each processor's longest queues, if PROCESSOR is WEFT_NONE; else the messages to the
 * processor with that index (in weft_processors.processors), and no queues.  COLLECTIVES:
 * how collective operations count.  TRAFFIC must outlive the result, which the caller frees
 * with weft_history_free.  Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
struct weft_history *weft_history_make(const struct weft_traffic *traffic,
                                       enum weft_collectives collectives,
                                       uint32_t processor, struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
/* Frees HISTORY; NULL is fine. */
void weft_history_free(struct weft_history *history);
/* Returns the bytes of memory that HISTORY takes, without the traffic. */
size_t weft_history_bytes(const struct weft_history *history);

/*
 * Returns the greatest numbers of messages and of bytes that ever were pending, maybe at
 * different times: of all messages, or those to the processor that HISTORY was made for.
 */
struct weft_amount weft_history_peak(const struct weft_history *history);
/*
 * Sets *TIME to the first time of WINDOW after whose sends and receives the most is
 * pending: bytes if BYTES, else messages; the window's end if nothing ever is pending in
 * it.  Replays the blocks with the greatest peaks, up to 16, or the window.  Returns false
 * with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled; *TIME is then of no use.
 */
bool weft_history_fullest(const struct weft_history *history, struct weft_span window,
                          bool bytes, int64_t *time, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Raises MARKS[processors], by index, which must hold each processor's pending messages in
 * DIRECTION at TIME (from weft_traffic_at), to the most that it ever had up to TIME: the
 * number of messages and the bytes each for itself.  HISTORY must be of all messages (made
 * with PROCESSOR WEFT_NONE), else this aborts.
 */
void weft_history_high(const struct weft_history *history, enum weft_direction direction,
                       int64_t time, struct weft_amount *marks);

/*
 * The messages and bytes pending (sent, not yet received) in an interval of time: mean
 * weighted by time, and greatest number of each.
 */
struct weft_level {
    double mean_messages, mean_bytes;
    struct weft_amount peak; /* of messages, of bytes; maybe at different times */
};
/*
 * Fills COLUMNS[n] with the messages and bytes pending in each of N equal parts of WINDOW:
 * zeros if it is empty or nothing ever was pending.  A part has at least a tick, so those
 * of a narrow window overlap.  HISTORY is kept by blocks, intervals with up to 128 sends
 * and receives.  Exact if the blocks that WINDOW touches have 10,240 sends and receives or
 * fewer, or if each of them has a single time; else means and peaks may be wrong by what
 * happens within a block at the edges of a part.  Costs N searches, or a replay of 10,240
 * sends and receives.
 */
void weft_history_columns(const struct weft_history *history, struct weft_span window,
                          size_t n, struct weft_level *columns);

#endif
