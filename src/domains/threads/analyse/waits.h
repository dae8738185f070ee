/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups waits by their object and place: the cost of waiting for each condition, join,
 * read, sleep or message (and its partner) at each line of the program.
 *
 * Everything is found by its role.  A wait is a state whose value is a kind of blocked, of
 * sleeping or of blocking send; its field of role object (a container) names the object of
 * the wait, its field of role site the place in the program.  A field that is absent, or
 * names a thing that does not exist, counts as absent.  Where states have no object it is
 * the communicator: that of the call (communicator-of), or of the message that was waited
 * for. analyse/waited_for.h finds the partner of the message.
 */
#ifndef WEFT_ANALYSE_WAITS_H
#define WEFT_ANALYSE_WAITS_H

#include "store/source.h"

/*
 * All waits of one kind for one object (and partner and tag) at one place in the program.
 * Part of a struct weft_waits.
 */
struct weft_wait {
    uint32_t value;  /* value of their states: the kind of wait */
    uint32_t object; /* a container; WEFT_NONE if none is named */
    /* place: the first site with the same text (analyse/sites.h), or WEFT_NONE */
    uint32_t site;
    uint32_t partner; /* container of the processor that was waited for, or WEFT_NONE */
    int64_t partner_number; /* the number of that processor, as its rank; 0 if unknown */
    int64_t tag;            /* of the message, if tagged */
    bool tagged;            /* waits are grouped by tag, and the message has one */
    uint64_t count;         /* waits that overlap the window */
    int64_t ticks; /* sum of their parts within the window, less states nested in them */
    /* ticks of the longest, its part outside the window included, less nested states */
    int64_t longest;
    uint32_t worst;      /* the container that waited most in the window */
    int64_t worst_ticks; /* ticks that it waited */
    uint32_t waiters;    /* number of containers that waited */
};

/* The result of weft_waits_read(), to be freed with weft_waits_free(). */
struct weft_waits {
    struct weft_wait *list; /* longest total first */
    size_t n;
};

/*
 * Returns true if a trace with SCHEMA may have waits that name their object, their partner
 * or their place.  Looks at the tables of the schema only.
 */
bool weft_has_waits(const struct weft_schema *schema);

/*
 * Sets *OUT to the waits in the subtree of the container UNDER within WINDOW; the caller
 * frees it with weft_waits_free.  Waits for messages of one processor that differ only in
 * their tags are merged, unless BY_TAG.  Walks once through the states of the window on the
 * tracks that may have waits, with one track at a time on each processor, and through the
 * messages.  Takes 1 MiB for each track that is being walked, about 100 bytes for each
 * element of the list, and up to some 256 MiB for messages.  If JOB is cancelled, returns
 * false with WEFT_ERR_CANCELLED in *ERR and *OUT empty.
 */
bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, bool by_tag, struct weft_job *job,
                     struct weft_waits *out, struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of WAITS, not WAITS itself, and empties it.  An empty one is fine. */
void weft_waits_free(struct weft_waits *waits);

#endif
