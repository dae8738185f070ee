/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a replay of messages, which see one another's state:
 *
 *   traffic_replay.c         what comes next: links, ends of what is pending, calls of operations
 *   traffic_replay_batch.c   in which order the changes of one time are
 *   traffic_replay_apply.c   what a change does: operations that go on, queues, what is pending
 */
#ifndef WEFT_MODEL_TRAFFIC_REPLAY_PRIV_H
#define WEFT_MODEL_TRAFFIC_REPLAY_PRIV_H

#include "domains/messages/model/traffic_priv.h"
#include "domains/messages/model/traffic_replay.h"
#include "model/field_window.h"
#include "store/walk.h"

/* In the order in which they come at one time. */
enum change_kind { SEND, RECEIVE, ENTRY, EXIT };

struct change {
    int64_t time, bytes;
    uint64_t call;     /* the state that it begins or ends, or WEFT_NO_ID */
    uint32_t from, to; /* processors; of calls: number of the open operation, and call */
    enum change_kind kind;
    /*
     * Of a message that is sent and received at one time: where in the batch the other change
     * is.  When the receive comes first, it is a tachyon, and both are nothing.
     */
    uint32_t partner; /* or NO_PARTNER */
    bool nothing;
};
#define NO_PARTNER UINT32_MAX

/* Sums of the first calls of an operation (Fenwick 1994), for patterns that go by rank. */
struct ranked {
    struct weft_amount *sums; /* [n + 1] */
    uint32_t n;
};

struct open_operation {
    const struct weft_collective *of; /* NULL: the place is free */
    uint8_t *is_in, *is_out;          /* by call: sent, does not await any more */
    struct weft_amount sent;
    int64_t awaited;
    struct ranked sent_by_rank, awaited_by_rank; /* of prefixes */
    uint64_t left;                               /* entries and exits that are to come */
    bool
        is_listed; /* in the queues of its processors; else their sums have it, or nobody asks */
    bool is_summed;
    uint32_t next_free; /* of a free place: another one, or WEFT_NONE */
};

struct part { /* of a processor in an open operation */
    uint32_t operation, call;
};

struct queue {                                /* of a processor */
    struct weft_amount sums[WEFT_DIRECTIONS]; /* without the operations that are listed */
    struct weft_amount high[WEFT_DIRECTIONS];
    struct part *parts; /* operations that are listed */
    size_t n_parts, capacity;
};

/* What a processor has in the batch: the first and the last call of each kind of change. */
struct in_batch {
    uint64_t n_batches; /* which batch it is about */
    uint64_t first[EXIT + 1], last[EXIT + 1];
};

struct weft_replay {
    const struct weft_traffic *traffic;
    struct weft_replay_options options;
    struct weft_walk walk;
    struct weft_link link; /* the next one */
    bool has_link;
    struct weft_field_window **sizes; /* [WINDOWS]: bytes of messages; NULL: not used yet */
    struct change *heap;              /* what is to come */
    size_t n_heap, heap_capacity;
    struct change *batch; /* of one time */
    size_t n_batch, batch_capacity;
    struct in_batch *in_batch; /* [processors] */
    uint64_t n_batches;
    size_t next_operation;
    struct open_operation *open;
    size_t n_open, open_capacity;
    uint32_t free_place;  /* of them, or WEFT_NONE */
    uint32_t n_listed;    /* of them */
    struct queue *queues; /* [processors] */
    struct weft_amount all;
};

/* Does somebody still wait?  Asked for each change, as one time may have millions of them. */
static inline bool replay_goes_on(const struct weft_replay *replay)
{
    return !weft_job_cancelled(replay->options.job);
}

/* What is to come, in order of time: a heap. */
void replay_push(struct weft_replay *replay, const struct change *change);
struct change replay_pop(struct weft_replay *replay);

/* An operation begins: its calls are to come. */
void replay_open(struct weft_replay *replay, const struct weft_collective *of);
void replay_close(struct weft_replay *replay, uint32_t place);
const struct weft_collective_call *replay_calls_of(const struct weft_replay *replay,
                                                   const struct open_operation *open);
void replay_apply(struct weft_replay *replay, const struct change *change);
/* All changes of the batch; *peak gets the most that was pending between them. */
void replay_apply_batch(struct weft_replay *replay, struct weft_amount *peak);

#endif
