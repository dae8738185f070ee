/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a replay of messages (traffic_replay.h), shared by the files that make it:
 *
 *   traffic_replay.c             merges links, ends of messages, and calls of operations
 *   traffic_replay_same_time.c   orders the changes of one time
 *   traffic_replay_apply.c       applies a change to open operations, queues and sums
 */
#ifndef WEFT_MODEL_TRAFFIC_REPLAY_PRIV_H
#define WEFT_MODEL_TRAFFIC_REPLAY_PRIV_H

#include "domains/messages/model/traffic_priv.h"
#include "domains/messages/model/traffic_replay.h"
#include "model/field_cache.h"
#include "store/entities_by_time.h"

/*
 * A message is sent or received; a call enters or leaves a collective operation.  Changes
 * of one time are applied in this order where that agrees with each processor's calls.
 */
enum change_kind { SEND, RECEIVE, ENTRY, EXIT };

/* A change of what is pending: a send, a receive, or a call's entry or exit. */
struct change {
    int64_t time, bytes; /* BYTES: of the message; not of ENTRY and EXIT */
    uint64_t call;       /* id of the state of the call that makes it, or WEFT_NO_ID */
    /*
     * Indices of the sending and the receiving processor.  For ENTRY and EXIT, FROM is the
     * operation's index in replay->open, TO the call's in replay_calls_of().
     */
    uint32_t from, to;
    enum change_kind kind;
    /*
     * Index in replay->batch of the other change of a message that is sent and received at
     * one time, or NO_PARTNER.  If the receive is applied first, neither has an effect.
     */
    uint32_t partner;
    bool nothing; /* has no effect */
};
#define NO_PARTNER UINT32_MAX /* value of change.partner: the change is not one of two */

/* Prefix sums over the calls of an operation in order of rank: a Fenwick tree (1994). */
struct rank_sums {
    struct weft_amount *sums; /* [n + 1], [0] unused; NULL: the pattern is not prefix */
    uint32_t n;               /* calls */
};

/*
 * A collective operation that some calls have entered and not all have left; an element of
 * replay->open, made by replay_open, freed by replay_close.
 */
struct open_operation {
    const struct weft_collective *of; /* NULL: this element is free */
    /* [calls]: is_in, 1 once it has sent; is_out, 1 if it has received or never will */
    uint8_t *is_in, *is_out;
    struct weft_amount sent; /* calls that have sent; bytes that these send to each */
    int64_t awaited;         /* calls that have not received yet, and will */
    struct rank_sums sent_by_rank,
        awaited_by_rank; /* the same by rank; for prefix patterns */
    uint64_t left;       /* entries and exits still to come */
    bool is_listed;      /* it is in the `parts` of its processors' queues */
    bool is_summed;      /* its messages are in the `sums` of its processors' queues */
    uint32_t next_free;  /* index of the next free element, or WEFT_NONE */
};

/* A call in an open operation. */
struct open_call {
    uint32_t operation, call; /* index in replay->open; index among the operation's calls */
};

/* The pending messages of a processor, by direction. */
struct queue {
    struct weft_amount sums[WEFT_DIRECTIONS]; /* without those of `parts` */
    struct weft_amount high[WEFT_DIRECTIONS]; /* greatest amounts so far */
    struct open_call *parts; /* its calls in operations that are counted when asked for */
    size_t n_parts, capacity;
};

/*
 * The least and greatest id of a processor's calls that make changes of each enum
 * change_kind in a batch, the changes of one time; tells whether their order agrees.
 */
struct in_batch {
    uint64_t n_batches; /* weft_replay.n_batches of the batch that it describes */
    uint64_t first[EXIT + 1], last[EXIT + 1];
};

/* The messages pending at the present time of a replay, and the changes to come. */
struct weft_replay {
    const struct weft_traffic *traffic; /* borrowed */
    struct weft_replay_options options; /* a copy */
    struct weft_walk walk;              /* through the links, by begin */
    struct weft_link link;              /* the next link to be sent, if has_link */
    bool has_link;
    /*
     * [4096], by the link's track % 4096: the bytes of messages of the latest such track
     * that was asked for; NULL: none yet.
     */
    struct weft_field_window **sizes;
    struct change *heap; /* [n_heap]: changes to come, a binary heap by time */
    size_t n_heap, heap_capacity;
    struct change *batch; /* [n_batch]: changes of the present time */
    size_t n_batch, batch_capacity;
    struct in_batch *in_batch;   /* [processors], by index */
    uint64_t n_batches;          /* batches so far */
    size_t next_operation;       /* the first in traffic->collectives to be opened */
    struct open_operation *open; /* [n_open], with free elements (`of` is NULL) */
    size_t n_open, open_capacity;
    uint32_t free_place;    /* first free element of OPEN, or WEFT_NONE */
    uint32_t n_listed;      /* elements of OPEN with is_listed */
    struct queue *queues;   /* [processors] */
    struct weft_amount all; /* what is pending between known processors */
};

/*
 * Returns false once the replay's job is cancelled.  Ask for each change: a time may have
 * millions.
 */
static inline bool replay_goes_on(const struct weft_replay *replay)
{
    return !weft_job_cancelled(replay->options.job);
}

/* Adds a copy of CHANGE to replay->heap, the changes to come. */
void replay_push(struct weft_replay *replay, const struct change *change);
/*
 * Takes the earliest change out of replay->heap, which must not be empty, and returns it.
 */
struct change replay_pop(struct weft_replay *replay);

/*
 * Adds operation OF to replay->open, which may move, and the entries and exits of all its
 * calls to replay->heap.
 */
void replay_open(struct weft_replay *replay, const struct weft_collective *of);
/* Frees the collective operation that is element PLACE of replay->open. */
void replay_close(struct weft_replay *replay, uint32_t place);
/* Returns the calls of collective operation OPEN, [open->of->n_calls], in order of rank. */
const struct weft_collective_call *replay_calls_of(const struct weft_replay *replay,
                                                   const struct open_operation *open);
/*
 * Adds CHANGE to what is pending, in all and by processor, and reports longest queues to
 * options.high; frees a collective operation after its last change.  A change with a
 * partner must be in replay->batch.
 */
void replay_apply(struct weft_replay *replay, const struct change *change);
/*
 * Applies replay->batch, the changes of one time: sends, receives, entries, then exits, but
 * those of one processor in the order of its calls.  *PEAK gets the greatest numbers of
 * messages and bytes pending before, meanwhile or after.  Stops once the job is cancelled.
 */
void replay_apply_batch(struct weft_replay *replay, struct weft_amount *peak);

#endif
