/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest serial thread of a run of messages (Heath and Finger 2003, section 5.4,
 * "Critical Path"): back from the latest event to the begin of the run.  It goes back along
 * a processor; where an idle stretch ended with a message whose send began after the
 * stretch did, the processor waited for its sender, and the path goes on there, from the
 * begin of the send.  If there are several such messages, it takes the one sent last, and
 * among those that of the processor with the lower number.  A collective operation counts
 * as a message from each sender to each receiver.
 */
#ifndef WEFT_MODEL_MESSAGE_PATH_H
#define WEFT_MODEL_MESSAGE_PATH_H

#include "domains/messages/model/traffic.h"
#include "domains/messages/model/utilization.h"

/* A part of the path: time on one processor, or a message between two. */
struct weft_path_part {
    int64_t begin, end; /* ticks */
    uint32_t from, to;  /* indices in weft_processors.processors; the same: on one */
    bool message;
};

/* Made by weft_message_path_make, freed by weft_message_path_free; refers to nothing. */
struct weft_message_path {
    struct weft_path_part *parts; /* [n], in order of time, without gaps */
    size_t n;
    size_t n_messages;
    int64_t on_processors, in_messages; /* ticks, together those of the path */
};

/*
 * Finds the path through the messages of TRAFFIC, with the idle stretches of UTILIZATION,
 * both of the same processors.  Reads the idle stretches of the processors on the path, and
 * the messages that end them: O(log n) for each.  The caller frees the result with
 * weft_message_path_free.  Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
struct weft_message_path *weft_message_path_make(const struct weft_traffic *traffic,
                                                 const struct weft_utilization *utilization,
                                                 enum weft_collectives collectives,
                                                 struct weft_job *job,
                                                 struct weft_err *err) WEFT_MUST_CHECK;
/* Frees PATH; NULL is fine. */
void weft_message_path_free(struct weft_message_path *path);
/* Returns the bytes of memory that PATH takes. */
size_t weft_message_path_bytes(const struct weft_message_path *path);

#endif
