/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is pending, change by change, from any moment on.
 *
 *     struct weft_replay *replay = weft_replay_begin(traffic, time, options);
 *     while (weft_replay_next(replay, &step)) ...
 *     weft_replay_end(replay);
 *
 * Beginning costs what is pending then; a step costs the changes of its time, and the logarithm
 * of what is pending.  Where the queues of processors are asked for (`processor`, `high`), a
 * change of a collective operation costs up to the square root of the calls of all that go on.
 * Memory: what is pending, and the calls of the collective operations that go on.
 *
 * At equal times changes come in the order of model/traffic.h, but those of one processor
 * stay in the order of its calls.
 */
#ifndef WEFT_MODEL_TRAFFIC_REPLAY_H
#define WEFT_MODEL_TRAFFIC_REPLAY_H

#include "domains/messages/model/traffic.h"

struct weft_replay;

enum weft_direction { WEFT_INCOMING, WEFT_OUTGOING, WEFT_DIRECTIONS };

struct weft_replay_options {
    enum weft_collectives collectives;
    uint32_t processor;   /* only what is pending for it; WEFT_NONE: all */
    struct weft_job *job; /* when it is cancelled, there is no next step; or NULL */
    /*
     * Told of each new high-water mark of a processor's queue, in order of time; or NULL.
     * That of an incoming queue may come late, but before the queue is shorter than it.
     */
    void (*high)(void *user, enum weft_direction direction, bool bytes, uint32_t processor,
                 int64_t time, int64_t mark);
    void *user;
};

/* After all changes of a time. */
struct weft_replay_step {
    int64_t time;
    struct weft_amount pending;
    struct weft_amount peak; /* the most that was so between two changes of this time */
    size_t changes;          /* of this time */
};

/* The replay, before the first step; what was pending at TIME is weft_replay_pending. */
struct weft_replay *weft_replay_begin(const struct weft_traffic *traffic, int64_t time,
                                      const struct weft_replay_options *options);
struct weft_amount weft_replay_pending(const struct weft_replay *replay);
/*
 * The next time after it at which anything is sent or received; false: there is none, or the
 * job is cancelled, at which the caller looks.
 */
bool weft_replay_next(struct weft_replay *replay, struct weft_replay_step *step);
void weft_replay_end(struct weft_replay *replay);

#endif
