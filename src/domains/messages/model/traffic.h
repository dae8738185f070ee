/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between processors: how many are pending at a moment, and how many begin in a
 * window.
 *
 * A message is *pending* at time T if begin <= T < end, from the entry of its send to the
 * exit of the call that completes its receive.  At equal times sends come first, then
 * receives, then entries of collective operations, then their exits; high-water marks
 * include messages that are so pending for no time at all.  A message that arrives before
 * it was sent (a tachyon) is never pending, but counts among the messages of a window, by
 * its begin.
 *
 * A one-sided transfer between processes (role transfer) is a message from the process
 * whose memory is read to the one whose memory is written, from the call that begins it
 * to the call that completes it.  Copies between memories are no messages.
 *
 * A collective operation counts as one message from each sender to each receiver but
 * itself, from the sender's entry to the receiver's exit, with the bytes that the sender
 * sends to each.  Senders and receivers follow from its pattern: one-to-all, from the root
 * to the others; all-to-one, from the others to the root, and both have no messages if the
 * root is unknown; prefix, from each to all of higher rank; all-to-all and unknown
 * patterns, from each to each; neighbors, by links with the role collective, which are
 * counted as its parts.  The model counts these messages by entries and exits and does not
 * list them.
 *
 * Numbers are exact.  Processors are given by their index in model/processors.h.
 */
#ifndef WEFT_MODEL_TRAFFIC_H
#define WEFT_MODEL_TRAFFIC_H

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

struct weft_processors;

/* How collective operations count among the messages. */
enum weft_collectives {
    WEFT_COLLECTIVES_MESSAGES, /* as a message from each sender to each receiver */
    /* the same, but barriers, which carry nothing, do not count */
    WEFT_COLLECTIVES_DATA,
    /* the same numbers, but displays draw one object for each operation */
    WEFT_COLLECTIVES_GROUP,
    WEFT_COLLECTIVES_NONE, /* not at all */
    WEFT_COLLECTIVES_KINDS,
};
/* The names of enum weft_collectives in settings, the default first. */
#define WEFT_COLLECTIVES_CHOICES "data|messages|group|none"
/*
 * Returns the way to count collective operations that is called NAME: "data", "messages",
 * "group" or "none"; WEFT_COLLECTIVES_MESSAGES for an unknown NAME.
 */
enum weft_collectives weft_collectives_find(const char *name);

/* A number of messages, and the sum of their bytes, which wraps around on overflow. */
struct weft_amount {
    int64_t messages, bytes;
};

/*
 * The call of one processor that takes part in a collective operation; the calls that begin
 * and complete a nonblocking operation are one.
 */
struct weft_collective_call {
    uint32_t processor; /* index in weft_processors.processors */
    /* among the communicator's members; the processor's index if these are not known */
    uint32_t rank;
    int64_t entry, exit; /* times of the call's begin and end */
    int64_t bytes;       /* that it sends to each receiver; 0 if unknown */
    uint64_t state; /* id of the call; non-blocking: of the one that begins the operation */
};

/* A collective operation, such as a broadcast, and where its calls are. */
struct weft_collective {
    uint64_t event; /* id of the event that stands for it */
    /*
     * WEFT_ROLE_ONE_TO_ALL, _ALL_TO_ONE, _ALL_TO_ALL, _ALL_WAIT, _PREFIX or _NEIGHBORS;
     * WEFT_ROLE_NONE: unknown, which counts as all-to-all
     */
    enum weft_role pattern;
    /* index in weft_processors.processors; WEFT_NONE if it has none or it is unknown */
    uint32_t root;
    uint32_t communicator; /* container of the event */
    bool barrier;          /* its calls only wait for one another: they send nothing */
    uint32_t n_calls;      /* at least 1; one a processor */
    /*
     * Index in weft_traffic.collectives of the first operation of the same processors and
     * ranks; its own if there is none before it.
     */
    uint32_t team;
    uint64_t first_call; /* index of its first call in weft_traffic.calls */
    int64_t begin, end;  /* first entry and last exit of its calls */
};

/*
 * The tracks of a trace's messages, and its collective operations; made by
 * weft_traffic_make, freed by weft_traffic_free.
 */
struct weft_traffic {
    const struct weft_source *source;         /* borrowed */
    const struct weft_processors *processors; /* borrowed */
    /*
     * [n_tracks]: indices in the schema's tracks: N_PLAIN of messages that the program
     * sends one by one, then those of messages that are parts of collective operations.
     */
    uint32_t *tracks;
    size_t n_plain;
    size_t n_tracks;
    struct weft_collective *collectives; /* by begin, then by event */
    size_t n_collectives;
    size_t n_barriers; /* of them */
    /* those of an operation are side by side, by rank; there may be unused ones between */
    struct weft_collective_call *calls;
    size_t n_calls; /* elements of CALLS, with unused ones */
    int64_t *reach; /* [n_collectives]: [i] is the latest end among collectives[0] to [i] */
};

/* Returns true if the messages of COLLECTIVE count, unless all collectives do not. */
static inline bool weft_collective_counts(const struct weft_collective *collective,
                                          enum weft_collectives collectives)
{
    return !collective->barrier || collectives != WEFT_COLLECTIVES_DATA;
}

/* Returns true if the trace of SCHEMA has messages or collective operations. */
bool weft_has_traffic(const struct weft_schema *schema);

/*
 * Finds the tracks of messages, and reads the calls of collective operations, 40 bytes
 * each, in two passes over the calls if there are such operations.  SOURCE and PROCESSORS
 * are borrowed and must outlive the result, which the caller frees with weft_traffic_free.
 * Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_traffic *weft_traffic_make(const struct weft_source *source,
                                       const struct weft_processors *processors,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
/* Frees TRAFFIC; NULL is fine. */
void weft_traffic_free(struct weft_traffic *traffic);
/* Returns the bytes of memory that TRAFFIC takes, without source and processors. */
size_t weft_traffic_bytes(const struct weft_traffic *traffic);

/*
 * Returns true if CALL, which takes part in operation COLLECTIVE, sends messages by its
 * pattern: one-to-all, only the root; all-to-one, all but the root; neighbors, none, as
 * such messages are stored as links; any other pattern, also an unknown one, all.
 */
bool weft_collective_sends(const struct weft_collective *collective,
                           const struct weft_collective_call *call);
/*
 * Returns true if CALL, which takes part in operation COLLECTIVE, receives messages by its
 * pattern: one-to-all, all but the root; all-to-one, only the root; neighbors, none, as
 * such messages are stored as links; any other pattern, also an unknown one, all.
 */
bool weft_collective_receives(const struct weft_collective *collective,
                              const struct weft_collective_call *call);

/* How to count messages, and whether between processors or between groups of them. */
struct weft_traffic_query {
    enum weft_collectives collectives; /* how collective operations count */
    /*
     * [processors]: the group of each processor, below n_groups, borrowed; NULL: count
     * between processors.
     */
    const uint32_t *group_of;
    uint32_t n_groups;
    struct weft_job *job; /* once it is cancelled, the answer is incomplete; may be NULL */
};

/*
 * Sums up the messages and bytes pending at TIME (sent at TIME or before, received after
 * it) by (sender, receiver).  OUT, zeroed or used before (its rows are replaced), gets a
 * row for each pair with messages, in order of (from, to), which are indices in
 * weft_processors.processors or of QUERY's groups; the caller frees out->rows.  Messages
 * without a known sender and receiver are left out.  Cost: the source's query, and for each
 * collective operation pending at TIME O(its calls + groups^2), without groups O(its
 * calls^2).  Memory: at most some 100 bytes a row.
 */
void weft_traffic_pending(const struct weft_traffic *traffic, int64_t time,
                          const struct weft_traffic_query *query,
                          struct weft_pair_sums *out);
/*
 * Sums up the messages and bytes that begin in WINDOW (those of collective operations:
 * whose sender enters the operation in it) by (sender, receiver), all else like
 * weft_traffic_pending: OUT gets a row for each pair with messages, in order of (from, to),
 * and the caller frees out->rows.
 */
void weft_traffic_total(const struct weft_traffic *traffic, struct weft_span window,
                        const struct weft_traffic_query *query, struct weft_pair_sums *out);

/*
 * Returns the messages and bytes pending at TIME (sent at TIME or before, received after
 * it) between known processors; one that was never received is pending from its send on.
 * COLLECTIVES is how collective operations count.  Sets OUTGOING[processors] to those of
 * them that each processor sent, INCOMING[processors] to those that it is to receive;
 * either may be NULL.
 */
struct weft_amount weft_traffic_at(const struct weft_traffic *traffic, int64_t time,
                                   enum weft_collectives collectives,
                                   struct weft_amount *outgoing,
                                   struct weft_amount *incoming);

#endif
