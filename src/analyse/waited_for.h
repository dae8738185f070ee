/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processor for whose message a call waited.  A domain that knows messages
 * answers (base/domain.h); without such a domain it is unknown.
 */
#ifndef WEFT_ANALYSE_WAITED_FOR_H
#define WEFT_ANALYSE_WAITED_FOR_H

#include "base/err.h"
#include "base/job.h"
#include "store/source.h"

struct weft_waited_for {
    uint32_t container;    /* of the processor; WEFT_NONE: nothing is known */
    int64_t number;        /* the processor's rank or other number */
    bool tagged;           /* whether the message has a tag */
    int64_t tag;           /* of the message */
    uint32_t communicator; /* the message's, a container; WEFT_NONE: none given */
    /*
     * The container of the processor that came last of those that the call, of a collective
     * operation, had to wait for; WEFT_NONE: unknown, or it waited for none.
     */
    uint32_t last;
};

/*
 * The functions of a domain, in the order in which they are called; none is NULL.  Messages
 * are read in parts, so that they need not all be in memory.
 */
struct weft_wait_partners {
    /* Returns true if a trace may have messages; looks at tables only. */
    bool (*may_have)(const struct weft_schema *schema);
    /*
     * Prepares to answer about a trace: *STATE is for the functions below, and NULL if it
     * has no messages between processors.  Errors: WEFT_ERR_CANCELLED.
     */
    bool (*begin)(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err);
    /* Returns into how many parts the messages that overlap WINDOW are split. */
    uint32_t (*parts)(const void *state, struct weft_span window);
    /* Returns which of N_PARTS parts has the messages of a container. */
    uint32_t (*part_of)(const void *state, uint32_t container, uint32_t n_parts);
    /* Reads part PART of N_PARTS; false with *ERR.  End it before another part is read. */
    bool (*read_part)(void *state, struct weft_span window, uint32_t part, uint32_t n_parts,
                      struct weft_job *job, struct weft_err *err);
    /*
     * Returns an asker, the state of a search, for the calls of one track of the part;
     * askers may be used in parallel.
     */
    void *(*ask)(const void *state, uint32_t track);
    /*
     * Returns the processor for which STATE, a call on the asker's track, waited.  Fastest
     * for states in order.
     */
    struct weft_waited_for (*partner)(void *asker, const struct weft_state *state);
    void (*end_asker)(void *asker);
    void (*end_part)(void *state);
    void (*end)(void *state); /* NULL is fine */
};

/* Returns the functions of the first domain that has them, or NULL. */
const struct weft_wait_partners *weft_wait_partners(void);

#endif
