/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a replay of messages, which share its state:
 *
 *   traffic_replay.c         merges links, ends of messages, and calls of operations
 *   traffic_replay_batch.c   orders the changes of one time
 *   traffic_replay_apply.c   applies a change to open operations, queues and sums
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
    uint64_t call; /* the state that it begins or ends, or WEFT_NO_ID */
    /* processors; for ENTRY and EXIT the open operation, and the call in it */
    uint32_t from, to;
    enum change_kind kind;
    /*
     * Index in the batch of the other change of a message that is sent and received at one
     * time.  If the receive comes first, the message is a tachyon, and both changes have no
     * effect.
     */
    uint32_t partner; /* or NO_PARTNER */
    bool nothing;
};
#define NO_PARTNER UINT32_MAX

/* Prefix sums over the calls of an operation (Fenwick 1994), for patterns by rank. */
struct ranked {
    struct weft_amount *sums; /* [n + 1] */
    uint32_t n;
};

struct open_operation {
    const struct weft_collective *of; /* NULL: a free place */
    uint8_t *is_in, *is_out;          /* by call: has sent; does not wait, or no longer */
    struct weft_amount sent;
    int64_t awaited;
    struct ranked sent_by_rank, awaited_by_rank; /* of prefix patterns only */
    uint64_t left;                               /* entries and exits still to come */
    /* listed in the queues of its processors; else part of their sums, or unused */
    bool is_listed;
    bool is_summed;
    uint32_t next_free; /* next free place, or WEFT_NONE */
};

struct part { /* the call of a processor in an open operation */
    uint32_t operation, call;
};

struct queue {                                /* of a processor */
    struct weft_amount sums[WEFT_DIRECTIONS]; /* without listed operations */
    struct weft_amount high[WEFT_DIRECTIONS];
    struct part *parts; /* listed operations */
    size_t n_parts, capacity;
};

/*
 * The changes of a processor in the batch: the first and the last call by kind of change.
 */
struct in_batch {
    uint64_t n_batches; /* number of the batch that it describes */
    uint64_t first[EXIT + 1], last[EXIT + 1];
};

struct weft_replay {
    const struct weft_traffic *traffic;
    struct weft_replay_options options;
    struct weft_walk walk;
    struct weft_link link; /* the next one */
    bool has_link;
    struct weft_field_window **sizes; /* [WINDOWS]: bytes of messages; NULL: not used yet */
    struct change *heap;              /* changes to come, the earliest first */
    size_t n_heap, heap_capacity;
    struct change *batch; /* changes of one time */
    size_t n_batch, batch_capacity;
    struct in_batch *in_batch; /* [processors] */
    uint64_t n_batches;
    size_t next_operation;
    struct open_operation *open;
    size_t n_open, open_capacity;
    uint32_t free_place;  /* first free place in OPEN, or WEFT_NONE */
    uint32_t n_listed;    /* listed operations in OPEN */
    struct queue *queues; /* [processors] */
    struct weft_amount all;
};

/*
 * Returns false once the job is cancelled.  Asked at each change, as one time may have
 * millions.
 */
static inline bool replay_goes_on(const struct weft_replay *replay)
{
    return !weft_job_cancelled(replay->options.job);
}

/* The heap of changes to come, by time; it must not be empty for replay_pop. */
void replay_push(struct weft_replay *replay, const struct change *change);
struct change replay_pop(struct weft_replay *replay);

/* Opens an operation, and pushes the entries and exits of its calls. */
void replay_open(struct weft_replay *replay, const struct weft_collective *of);
void replay_close(struct weft_replay *replay, uint32_t place);
const struct weft_collective_call *replay_calls_of(const struct weft_replay *replay,
                                                   const struct open_operation *open);
void replay_apply(struct weft_replay *replay, const struct change *change);
/*
 * Applies all changes of the batch; *PEAK gets the greatest amounts that were pending
 * between them.
 */
void replay_apply_batch(struct weft_replay *replay, struct weft_amount *peak);

#endif
