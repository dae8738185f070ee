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
#include "base/job.h"
#include "store/source.h"

struct weft_processors;

/* How collective operations count. */
enum weft_collectives {
    WEFT_COLLECTIVES_MESSAGES, /* as messages, as above */
    /* the same numbers, but displays draw one object for each operation */
    WEFT_COLLECTIVES_GROUP,
    WEFT_COLLECTIVES_NONE, /* not at all */
    WEFT_COLLECTIVES_KINDS,
};
#define WEFT_COLLECTIVES_CHOICES "messages|group|none"
/*
 * Returns the kind with one of these names; WEFT_COLLECTIVES_MESSAGES for any other name.
 */
enum weft_collectives weft_collectives_find(const char *name);

struct weft_amount {
    int64_t messages, bytes;
};

/* The call of one processor that takes part in a collective operation. */
struct weft_collective_call {
    uint32_t processor;
    uint32_t rank; /* among the communicator's members */
    int64_t entry, exit;
    int64_t bytes;  /* to each receiver */
    uint64_t state; /* the call; for a non-blocking operation the one that begins it */
};

struct weft_collective {
    uint64_t event;
    enum weft_role pattern; /* of its value: WEFT_ROLE_ONE_TO_ALL ..., or none */
    uint32_t root;          /* processor; WEFT_NONE if it has none or it is unknown */
    uint32_t communicator;  /* container of the event */
    uint32_t n_calls;
    uint32_t team; /* first operation with the same processors in the same ranks */
    uint64_t first_call;
    int64_t begin, end; /* first entry, last exit */
};

struct weft_traffic {
    const struct weft_source *source;
    const struct weft_processors *processors; /* borrowed */
    uint32_t *tracks;                         /* tracks of messages */
    /*
     * number of tracks of plain messages, which come first; then come parts of operations
     */
    size_t n_plain;
    size_t n_tracks;
    struct weft_collective *collectives; /* by begin, then by event */
    size_t n_collectives;
    struct weft_collective_call *calls; /* by operation, then by rank */
    size_t n_calls;
    int64_t *reach; /* [n_collectives]: latest end of the operations up to this one */
};

/*
 * Returns true if a trace has messages or collective operations.  Looks at tables only, for
 * a view's `fills`.
 */
bool weft_has_traffic(const struct weft_schema *schema);

/*
 * Finds the tracks of messages, and reads the calls of collective operations, 40 bytes
 * each, in two passes over the calls if there are such operations.  SOURCE and PROCESSORS
 * are borrowed and must outlive the result.  Returns NULL with WEFT_ERR_CANCELLED.
 */
struct weft_traffic *weft_traffic_make(const struct weft_source *source,
                                       const struct weft_processors *processors,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_traffic_free(struct weft_traffic *traffic);
size_t weft_traffic_bytes(const struct weft_traffic *traffic);

/* Return true if a call sends messages of its operation, or receives them. */
bool weft_collective_sends(const struct weft_collective *collective,
                           const struct weft_collective_call *call);
bool weft_collective_receives(const struct weft_collective *collective,
                              const struct weft_collective_call *call);

/* A query: how to count, and whether by processor or by group. */
struct weft_traffic_query {
    enum weft_collectives collectives;
    /*
     * The group of each processor, below n_groups: sums then are between groups.  NULL:
     * between processors.
     */
    const uint32_t *group_of;
    uint32_t n_groups;
    struct weft_job *job; /* once it is cancelled, the answer is incomplete; may be NULL */
};

/*
 * Sum up messages and bytes by sender and receiver: those pending at TIME, or those that
 * begin in WINDOW.  OUT is as in store/source.h, in order of (from, to), but from and to
 * are indices of processors or groups.  Messages with an unknown end are left out.  Cost:
 * the source's query, and O(calls + groups^2) for each collective operation that counts, or
 * O(calls^2) without groups.  Memory: at most some 100 bytes for each pair that has
 * messages.
 */
void weft_traffic_pending(const struct weft_traffic *traffic, int64_t time,
                          const struct weft_traffic_query *query,
                          struct weft_pair_sums *out);
void weft_traffic_total(const struct weft_traffic *traffic, struct weft_span window,
                        const struct weft_traffic_query *query, struct weft_pair_sums *out);

/*
 * Returns how much is pending at TIME.  OUTGOING[n] and INCOMING[n] get the pending amounts
 * that each processor sent, and those that it is to receive; either may be NULL.
 */
struct weft_amount weft_traffic_at(const struct weft_traffic *traffic, int64_t time,
                                   enum weft_collectives collectives,
                                   struct weft_amount *outgoing,
                                   struct weft_amount *incoming);

#endif
