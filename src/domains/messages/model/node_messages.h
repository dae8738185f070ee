/* SPDX-License-Identifier: Apache-2.0 */
/* All messages that one processor sends and receives, in order of time. */
#ifndef WEFT_MODEL_NODE_MESSAGES_H
#define WEFT_MODEL_NODE_MESSAGES_H

#include "domains/messages/model/traffic_replay.h"

#define WEFT_NO_TAG INT32_MIN /* tag of a message that is part of a collective operation */
/* The trace does not tell the tag or the bytes, or is damaged there. */
#define WEFT_TAG_UNKNOWN   (INT32_MIN + 1)
#define WEFT_BYTES_UNKNOWN INT64_MIN

struct weft_node_message {
    int64_t time; /* when it was sent or, if incoming, received */
    int64_t bytes;
    uint32_t partner; /* index of the processor at the other end */
    int32_t tag; /* clamped to INT32_MIN + 2 ... INT32_MAX */
};

struct weft_node_messages {
    struct weft_node_message *list[WEFT_DIRECTIONS]; /* [n], by time */
    size_t n[WEFT_DIRECTIONS], capacity[WEFT_DIRECTIONS];
};

/*
 * Reads the messages of PROCESSOR (an index) in one pass over all messages of the trace.
 * Messages that were never received are left out at their receiver, and those without a
 * known partner everywhere.  Collective operations count as messages unless COLLECTIVES is
 * WEFT_COLLECTIVES_NONE.  Returns NULL with
 * WEFT_ERR_CANCELLED, or WEFT_ERR_LIMIT if the processor's collective operations count as
 * more than 8 M messages.
 */
struct weft_node_messages *weft_node_messages_read(const struct weft_traffic *traffic,
                                                   enum weft_collectives collectives,
                                                   uint32_t processor, struct weft_job *job,
                                                   struct weft_err *err) WEFT_MUST_CHECK;
void weft_node_messages_free(struct weft_node_messages *messages);
size_t weft_node_messages_bytes(const struct weft_node_messages *messages);
/* Returns the index in list[DIRECTION] of the first message at TIME or later; O(log n). */
size_t weft_node_messages_at(const struct weft_node_messages *messages,
                             enum weft_direction direction, int64_t time);

#endif
