/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor for whose message a call waited.  A domain that knows messages answers
 * (base/domain.h); without such a domain it is unknown.
 */
#ifndef WEFT_ANALYSE_WAITED_FOR_H
#define WEFT_ANALYSE_WAITED_FOR_H

#include "base/err.h"
#include "base/job.h"
#include "store/source.h"

struct weft_waited_for {
    uint32_t container; /* of the processor; WEFT_NONE: unknown, like all other members */
    int64_t number;     /* the processor's rank or other number */
    bool tagged;
    int64_t tag;           /* of the message */
    uint32_t communicator; /* the message's, a container; WEFT_NONE: none given */
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
    /* Returns the part with the messages of a container, below N_PARTS. */
    uint32_t (*part_of)(const void *state, uint32_t container, uint32_t n_parts);
    /* Reads part PART; false with *err.  Only one part may be read at a time. */
    bool (*read_part)(void *state, struct weft_span window, uint32_t part, uint32_t n_parts,
                      struct weft_job *job, struct weft_err *err);
    /*
     * Returns an asker for the calls of one track of the part; askers may be used in
     * parallel.
     */
    void *(*ask)(const void *state, uint32_t track);
    /*
     * Returns the partner that STATE, of the asker's track, waited for.  Fastest for states
     * in order.
     */
    struct weft_waited_for (*partner)(void *asker, const struct weft_state *state);
    void (*end_asker)(void *asker);
    void (*end_part)(void *state);
    void (*end)(void *state); /* NULL is fine */
};

/* Returns the functions of the first domain that has them, or NULL. */
const struct weft_wait_partners *weft_wait_partners(void);

#endif
