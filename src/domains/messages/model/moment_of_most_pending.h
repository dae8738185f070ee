/* SPDX-License-Identifier: Apache-2.0 */
/* The moment with the most on its way, and what is not known of a moment's messages. */
#ifndef WEFT_MODEL_MOMENT_OF_MOST_PENDING_H
#define WEFT_MODEL_MOMENT_OF_MOST_PENDING_H

#include "domains/messages/model/traffic_replay.h"

/*
 * Sets *TIME to the first time of WINDOW, which is not empty, after whose sends and
 * receives the most bytes are pending, and among those with as many bytes the most
 * messages; the window's begin if nothing ever is.  COLLECTIVES is how collective
 * operations count.  Replays all messages of the window.  Returns false with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled; *TIME is then of no use.
 */
bool weft_fullest_moment(const struct weft_traffic *traffic,
                         enum weft_collectives collectives, struct weft_span window,
                         int64_t *time, struct weft_job *job,
                         struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets OUTGOING[processors] and INCOMING[processors], by index, to true for those that have
 * sent, or are to receive, a message that is pending at TIME and whose length is not known,
 * else to false.  COLLECTIVES is how collective operations count: by their calls they have
 * known lengths, so only parts of theirs that are links may be unknown, and these are left
 * out if it is WEFT_COLLECTIVES_NONE.  Costs the messages that are pending.
 */
void weft_unknown_pending(const struct weft_traffic *traffic,
                          enum weft_collectives collectives, int64_t time, bool *outgoing,
                          bool *incoming);

#endif
