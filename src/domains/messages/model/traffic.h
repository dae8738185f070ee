/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between processors: which are pending at a moment, how many there were in a window.
 *
 * A message is *pending* from its send's entry to the exit of what completes its receive: at
 * time T when begin <= T < end.  At equal times sends come first, then receives, then the
 * entries of collective operations, then their exits; high-water marks see what is so
 * pending for no time at all.  A message that arrives before it was sent (a tachyon) is never
 * pending, but it is counted among the messages of a window, by its begin.
 *
 * A collective operation counts as one message from each of its senders to each of its
 * receivers, no processor to itself, from the sender's entry to the receiver's exit, with
 * the bytes that the sender says it sends to each.  By its pattern the senders and receivers are:
 * one-to-all: the root, the others; all-to-one: the others, the root; prefix: each to all of
 * higher rank; all-to-all, and what is not known: each to each; neighbors: those for which there
 * are links of the role collective, which are counted as parts of it.  Without a root that is known
 * the first two have no messages.  These messages are never
 * listed where numbers are asked for: the model counts the entries and the exits.
 *
 * Numbers are exact.  Processors are those of model/processors.h, by index.
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
    WEFT_COLLECTIVES_GROUP,    /* the same numbers; displays draw one thing for each */
    WEFT_COLLECTIVES_NONE,     /* not at all */
    WEFT_COLLECTIVES_KINDS,
};
#define WEFT_COLLECTIVES_CHOICES "messages|group|none"
/* The kind of one of these names. */
enum weft_collectives weft_collectives_find(const char *name);

struct weft_amount {
    int64_t messages, bytes;
};

/* One processor's part in a collective operation. */
struct weft_collective_call {
    uint32_t processor;
    uint32_t rank; /* its place among the communicator's members */
    int64_t entry, exit;
    int64_t bytes; /* to each receiver */
    uint64_t
        state; /* the call; the first of them when one begins and another completes it */
};

struct weft_collective {
    uint64_t event;
    enum weft_role pattern; /* of its value: WEFT_ROLE_ONE_TO_ALL ..., or none */
    uint32_t root;          /* processor; WEFT_NONE: it has none, or it is not known */
    uint32_t communicator;  /* container that the event is on */
    uint32_t n_calls;
    uint32_t
        team; /* the first collective operation of the same processors in these ranks */
    uint64_t first_call;
    int64_t begin, end; /* first entry, last exit */
};

struct weft_traffic {
    const struct weft_source *source;
    const struct weft_processors *processors; /* borrowed */
    uint32_t *tracks;                         /* of messages */
    size_t n_plain; /* the first of them; the others are parts of collective operations */
    size_t n_tracks;
    struct weft_collective *collectives; /* in order of begin, then of event */
    size_t n_collectives;
    struct weft_collective_call *calls; /* by collective, then by rank */
    size_t n_calls;
    int64_t *reach; /* [n_collectives]: the latest end of it and of all before it */
};

/* Whether a trace has messages, or collective operations.  Quick, for a view's `fills`. */
bool weft_has_traffic(const struct weft_schema *schema);

/*
 * What the questions below are answered from: where messages are, and the calls of collective
 * operations, 40 bytes each.  One pass over the calls, if there are collective operations at
 * all.  PROCESSORS stay until it is freed.  Error: WEFT_ERR_CANCELLED.
 */
struct weft_traffic *weft_traffic_make(const struct weft_source *source,
                                       const struct weft_processors *processors,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_traffic_free(struct weft_traffic *traffic);
size_t weft_traffic_bytes(const struct weft_traffic *traffic);

/* Whether a call is one of a sender, of a receiver. */
bool weft_collective_sends(const struct weft_collective *collective,
                           const struct weft_collective_call *call);
bool weft_collective_receives(const struct weft_collective *collective,
                              const struct weft_collective_call *call);

/* What to count, and between whom. */
struct weft_traffic_query {
    enum weft_collectives collectives;
    /*
     * By processor: the group that it belongs to, below n_groups; the sums then are between
     * groups.  NULL: between processors.
     */
    const uint32_t *group_of;
    uint32_t n_groups;
    struct weft_job *job; /* when it is cancelled, the answer is not whole; or NULL */
};

/*
 * Messages and bytes by sender and receiver, in order of (from, to): those that are pending at
 * TIME, and those that begin in WINDOW.  OUT is as in store/source.h, but from and to are
 * indices of processors or groups; messages of which an end is not known are left out.
 * Cost: that of the source's question, and for each collective operation that counts O(calls +
 * groups^2), without groups O(calls^2): its messages one by one.  Memory: at most some 100 bytes
 * for each pair that has messages.
 */
void weft_traffic_pending(const struct weft_traffic *traffic, int64_t time,
                          const struct weft_traffic_query *query,
                          struct weft_pair_sums *out);
void weft_traffic_total(const struct weft_traffic *traffic, struct weft_span window,
                        const struct weft_traffic_query *query, struct weft_pair_sums *out);

/* How much is pending at TIME, and for each processor [n] out of it and into it (or NULL). */
struct weft_amount weft_traffic_at(const struct weft_traffic *traffic, int64_t time,
                                   enum weft_collectives collectives,
                                   struct weft_amount *outgoing,
                                   struct weft_amount *incoming);

#endif
