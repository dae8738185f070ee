/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps through the times at which messages are sent or received, from any moment on, and
 * tells how many are pending after each.
 *
 * struct weft_replay *replay = weft_replay_begin(traffic, time, options);
 * while (weft_replay_next(replay, &step))
 *     ...
 * weft_replay_end(replay);
 *
 * The begin costs what is pending then; a step costs the sends and receives of its time,
 * and the logarithm of what is pending.  With queues of processors (`processor`, `high`), a
 * change of a collective operation costs up to the square root of the number of calls of
 * all open operations.  Memory: what is pending, and the calls of open operations.
 *
 * At equal times changes come in the order of model/traffic.h, but those of one processor
 * stay in the order of its calls.
 */
#ifndef WEFT_MODEL_TRAFFIC_REPLAY_H
#define WEFT_MODEL_TRAFFIC_REPLAY_H

#include "domains/messages/model/traffic.h"

/* A replay: begun by weft_replay_begin, freed by weft_replay_end. */
struct weft_replay;

/* A processor's messages: those to it, or those that it sends. */
enum weft_direction { WEFT_INCOMING, WEFT_OUTGOING, WEFT_DIRECTIONS };

/* The settings of a replay; weft_replay_begin copies them. */
struct weft_replay_options {
    enum weft_collectives collectives; /* how collective operations count */
    /* count only messages to the one with this index; WEFT_NONE: all messages */
    uint32_t processor;
    struct weft_job *job; /* once it is cancelled, there is no next step; may be NULL */
    /*
     * Called when a processor's queue (its pending messages in DIRECTION) is longer than
     * ever before in this replay: MARK bytes if BYTES, else messages, at TIME.  PROCESSOR
     * is an index.  Calls come in order of time, but in none for what is pending at the
     * begin.  A mark of an incoming queue may come late, and then with that later TIME, but
     * before the queue becomes shorter.  May be NULL.
     */
    void (*high)(void *user, enum weft_direction direction, bool bytes, uint32_t processor,
                 int64_t time, int64_t mark);
    void *user; /* for `high` */
};

/* A time at which messages are sent or received, and what is pending after all of them. */
struct weft_replay_step {
    int64_t time;
    struct weft_amount pending;
    /* greatest amounts pending before the changes, between two of them, or after them */
    struct weft_amount peak;
    size_t changes; /* sends and receives (entries and exits) of this time */
};

/*
 * Begins to step through the times at which messages are sent or received: the first step
 * will be the first time after TIME.  TRAFFIC must outlive the replay; OPTIONS are copied.
 * Never returns NULL.  The caller frees the replay with weft_replay_end, also if the job
 * was cancelled.
 */
struct weft_replay *weft_replay_begin(const struct weft_traffic *traffic, int64_t time,
                                      const struct weft_replay_options *options);
/*
 * Returns the messages and bytes pending after the latest weft_replay_next, or before the
 * first one at the TIME of weft_replay_begin: of all messages, or of those to
 * options.processor.
 */
struct weft_amount weft_replay_pending(const struct weft_replay *replay);
/*
 * Moves on to the next time at which anything is sent or received, and sets *STEP.  A
 * message without a known sender or receiver makes a step, too, but no changes.  Returns
 * false if there is no such time, or if the job is cancelled, which the caller must check.
 */
bool weft_replay_next(struct weft_replay *replay, struct weft_replay_step *step);
/* Frees REPLAY, also before its last step; NULL is fine. */
void weft_replay_end(struct weft_replay *replay);

#endif
