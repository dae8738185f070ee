/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processor for whose message a call waited.  A domain that knows messages
 * answers (base/domain.h); without such a domain it is unknown.
 */
#ifndef WEFT_ANALYSE_AWAITED_PROCESSOR_H
#define WEFT_ANALYSE_AWAITED_PROCESSOR_H

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/* The message for which a call waited: its other end, and its tag. */
struct weft_waited_for {
    /*
     * Index in schema->containers of the processor at the other end; WEFT_NONE: unknown,
     * and so are all fields but `last`.
     */
    uint32_t container;
    int64_t number;        /* the processor's rank or other number */
    bool tagged;           /* whether the message has a tag */
    int64_t tag;           /* of the message, if tagged */
    uint32_t communicator; /* the message's, index of a container; WEFT_NONE: none given */
    /*
     * In a call of a collective operation: index of the container of the processor that
     * came last of those that the call had to wait for; WEFT_NONE: unknown, it waited for
     * none, or it is another call.
     */
    uint32_t last;
};

/*
 * The functions of a domain, in the order in which they are called; none is NULL.  Messages
 * are read in parts, so that they need not all be in memory.
 */
struct weft_wait_partners {
    /* Returns false if a trace surely has no messages; looks at tables only. */
    bool (*may_have)(const struct weft_schema *schema);
    /*
     * Prepares to answer about a trace: *STATE is for the functions below, until end().
     * It is NULL if the trace has no messages between processors: then only end() may be
     * called.  Returns false with *ERR, WEFT_ERR_CANCELLED, and nothing to end.
     */
    bool (*begin)(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err);
    /*
     * Returns into how many parts, 1 or more, the messages that overlap WINDOW are split,
     * by processors, so that each part fits in memory.
     */
    uint32_t (*parts)(const void *state, struct weft_span window);
    /*
     * Returns which of N_PARTS parts, counted from 0, has the messages of CONTAINER, an
     * index; 0 for one that is no processor.
     */
    uint32_t (*part_of)(const void *state, uint32_t container, uint32_t n_parts);
    /*
     * Reads part PART, from 0, of the N_PARTS that parts() gave for WINDOW, until
     * end_part(), which must be called before another part is read.  Returns false with
     * *ERR, WEFT_ERR_CANCELLED, and no part to end.
     */
    bool (*read_part)(void *state, struct weft_span window, uint32_t part, uint32_t n_parts,
                      struct weft_job *job, struct weft_err *err);
    /*
     * Returns an asker, the state of a search, for the calls of TRACK, an index in
     * schema->tracks, whose container is in the part that was read; end_asker() frees it,
     * before end_part().  Each asker is for one thread, several may be used in parallel.
     */
    void *(*ask)(const void *state, uint32_t track);
    /*
     * Returns the processor for which STATE, a call on the asker's track, waited: the
     * sender of the latest message that it received, else the receiver of one that it sent,
     * else the partner in the call's own fields, else `container` WEFT_NONE.  Fastest for
     * states in order.
     */
    struct weft_waited_for (*partner)(void *asker, const struct weft_state *state);
    void (*end_asker)(void *asker);
    void (*end_part)(void *state);
    void (*end)(void *state); /* NULL is fine */
    size_t (*bytes)(
        const void *state); /* returns the memory that STATE takes, no part read */
    /*
     * Returns what partner() returns, for STATE, a call on TRACK, an index in
     * schema->tracks, and needs no part: it asks the source for the messages of the call,
     * and those that begin or end during it.  Any number of threads at once.
     */
    struct weft_waited_for (*of_one)(const void *state, uint32_t track,
                                     const struct weft_state *call);
    /*
     * Returns `last` of what of_one() returns for CALL alone.  O(log n); any number of
     * threads at once.
     */
    uint32_t (*last)(const void *state, const struct weft_state *call);
    /*
     * Needs no begin(): returns the container of the processor with NUMBER, as tables of
     * messages write it; WEFT_NONE: there is none.
     */
    uint32_t (*numbered)(const struct weft_source *source, int64_t number);
};

/* Returns the functions of the first domain that has them, or NULL. */
const struct weft_wait_partners *weft_wait_partners(void);

#endif
