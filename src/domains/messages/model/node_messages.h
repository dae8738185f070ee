/* SPDX-License-Identifier: Apache-2.0 */
/* All messages that one processor sends and receives, in order of time. */
#ifndef WEFT_MODEL_NODE_MESSAGES_H
#define WEFT_MODEL_NODE_MESSAGES_H

#include "domains/messages/model/traffic_replay.h"

#define WEFT_NO_TAG INT32_MIN /* of a part of a collective operation */
/* The trace does not say it, or it cannot be read. */
#define WEFT_TAG_UNKNOWN   (INT32_MIN + 1)
#define WEFT_BYTES_UNKNOWN INT64_MIN

struct weft_node_message {
    int64_t time; /* when it was sent, or received */
    int64_t bytes;
    uint32_t partner; /* processor */
    int32_t tag;
};

struct weft_node_messages {
    struct weft_node_message *list[WEFT_DIRECTIONS];
    size_t n[WEFT_DIRECTIONS], capacity[WEFT_DIRECTIONS];
};

/*
 * Those of PROCESSOR; free them with weft_node_messages_free.  One pass over all messages.
 * Collective operations count as model/traffic.h says.  Errors: WEFT_ERR_CANCELLED, and
 * WEFT_ERR_LIMIT when its collective operations stand for too many messages.
 */
struct weft_node_messages *weft_node_messages_read(const struct weft_traffic *traffic,
                                                   enum weft_collectives collectives,
                                                   uint32_t processor, struct weft_job *job,
                                                   struct weft_err *err) WEFT_MUST_CHECK;
void weft_node_messages_free(struct weft_node_messages *messages);
size_t weft_node_messages_bytes(const struct weft_node_messages *messages);
/* The number of the first that comes at TIME or later. */
size_t weft_node_messages_at(const struct weft_node_messages *messages,
                             enum weft_direction direction, int64_t time);

#endif
