/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the processors with pending messages of unknown length. */
#ifndef WEFT_MODEL_UNKNOWN_PENDING_H
#define WEFT_MODEL_UNKNOWN_PENDING_H

#include "domains/messages/model/traffic.h"

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
