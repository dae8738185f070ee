/* SPDX-License-Identifier: Apache-2.0 */
/* All messages that one processor sends and receives, in order of time. */
#ifndef WEFT_MODEL_MESSAGES_OF_PROCESSOR_H
#define WEFT_MODEL_MESSAGES_OF_PROCESSOR_H

#include "domains/messages/model/traffic_replay.h"

/*
 * In place of the tag of a message: it stands for a pair of calls of a collective
 * operation, which has no tag.
 */
#define WEFT_NO_TAG INT32_MIN
/* In place of the tag of a message: the trace does not tell it, or is damaged there. */
#define WEFT_TAG_UNKNOWN (INT32_MIN + 1)
/* In place of the bytes of a message: the trace does not tell them, or is damaged there. */
#define WEFT_BYTES_UNKNOWN INT64_MIN

/* A message that one processor sends or receives. */
struct weft_node_message {
    int64_t time;     /* when it was sent or, if incoming, received */
    int64_t bytes;    /* or WEFT_BYTES_UNKNOWN */
    uint32_t partner; /* index in weft_processors.processors of the other end */
    /* WEFT_NO_TAG, WEFT_TAG_UNKNOWN, or the tag, clamped to INT32_MIN + 2 ... INT32_MAX */
    int32_t tag;
};

/*
 * All messages that one processor sends and receives; made by weft_node_messages_read,
 * freed by weft_node_messages_free.
 */
struct weft_node_messages {
    struct weft_node_message *list[WEFT_DIRECTIONS]; /* [n], by time */
    size_t n[WEFT_DIRECTIONS], capacity[WEFT_DIRECTIONS];
};

/*
 * Reads the messages of PROCESSOR (an index in weft_processors.processors) in one pass over
 * all messages of the trace; one to itself is in both lists.  Messages that were never
 * received are left out at their receiver, and those without a known partner everywhere.
 * Unless COLLECTIVES is WEFT_COLLECTIVES_NONE, a collective operation counts as a message
 * from each sender to each receiver.  The caller frees the result, which does not refer to
 * TRAFFIC, with weft_node_messages_free.  Returns NULL with WEFT_ERR_CANCELLED if JOB (may
 * be NULL) is cancelled, or WEFT_ERR_LIMIT if the processor's collective operations count
 * as more than 2^23 messages.
 */
struct weft_node_messages *weft_node_messages_read(const struct weft_traffic *traffic,
                                                   enum weft_collectives collectives,
                                                   uint32_t processor, struct weft_job *job,
                                                   struct weft_err *err) WEFT_MUST_CHECK;
/* Frees MESSAGES; NULL is fine. */
void weft_node_messages_free(struct weft_node_messages *messages);
/* Returns the bytes of memory that MESSAGES takes. */
size_t weft_node_messages_bytes(const struct weft_node_messages *messages);
/*
 * Returns the index in messages->list[DIRECTION] of the first message at TIME or later, or
 * messages->n[DIRECTION] if there is none; O(log n).
 */
size_t weft_node_messages_at(const struct weft_node_messages *messages,
                             enum weft_direction direction, int64_t time);

#endif
