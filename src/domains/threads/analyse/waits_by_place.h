/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups waits by their object and place: the cost of waiting for each condition, join,
 * read, sleep or message (and its partner) at each line of the program, and who ended them.
 *
 * Everything is found by its role.  A wait is a state whose value is a kind of blocked, of
 * sleeping or of blocking send; its field of role object (a container) names the object of
 * the wait, its field of role site the place in the program.  A field that is absent, or
 * names a thing that does not exist, counts as absent.  Where states have no object it is
 * the communicator: that of the call (communicator-of), or of the message that was waited
 * for. analyse/waited_for.h finds the partner of the message.
 */
#ifndef WEFT_ANALYSE_WAITS_BY_PLACE_H
#define WEFT_ANALYSE_WAITS_BY_PLACE_H

#include "store/source.h"

/*
 * All waits of one kind for one object (and partner and tag) at one place in the program.
 * Part of a struct weft_waits.
 */
struct weft_wait {
    uint32_t value; /* value of their states: the kind of wait */
    /* a container; of several objects that are alike the first; WEFT_NONE: none is named */
    uint32_t object;
    uint32_t objects; /* how many different ones; above 1 without WEFT_WAITS_BY_OBJECT */
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
    int64_t p50, p99;    /* quantiles of such ticks (analyse/durations.h) */
    uint32_t worst;      /* the container that waited most in the window */
    int64_t worst_ticks; /* ticks that it waited */
    uint32_t waiters;    /* number of containers that waited */
    /*
     * Threads chose it themselves, no other is to blame: a sleep, or a wait for the end of
     * a thread or process.
     */
    bool own;
    /*
     * Waits that a known container ended in the window: by a signal, by giving the lock
     * back, by coming last to a barrier or collective operation; the container that ended
     * most, or WEFT_NONE; and how many.
     */
    uint64_t wakings;
    uint32_t waker;
    uint64_t waker_wakings;
};

/* Waits that are told apart, and not merged into one row: bits. */
enum weft_waits_apart {
    WEFT_WAITS_BY_TAG = 1,    /* of messages of one processor that differ in their tags */
    WEFT_WAITS_BY_OBJECT = 2, /* for objects that are alike (weft_objects_alike) */
};

/* The result of weft_waits_read(), to be freed with weft_waits_free(). */
struct weft_waits {
    struct weft_wait *list; /* longest total first; waits that are own below all others */
    size_t n;
    bool wakings_known; /* the trace has links of role wake-up */
};

/*
 * Returns true if a trace with SCHEMA may have waits.  Looks at the tables of the schema
 * only.
 */
bool weft_has_waits(const struct weft_schema *schema);

/*
 * Sets *OUT to the waits in the subtree of the container UNDER within WINDOW; the caller
 * frees it with weft_waits_free.  APART is 0 or bits of enum weft_waits_apart.  Walks once
 * through the states of the window on the tracks that may have waits, with one track at a
 * time on each processor, and through the messages and wake-ups.  Takes 1 MiB and 24 bytes
 * a wake-up for each track that is being walked, 8 bytes a wait (at most 80 KB a row),
 * about 250 bytes for each element of the list, and up to some 256 MiB for messages.  If
 * JOB is cancelled, returns false with WEFT_ERR_CANCELLED in *ERR and *OUT empty.
 */
bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, unsigned apart, struct weft_job *job,
                     struct weft_waits *out, struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of WAITS, not WAITS itself, and empties it.  An empty one is fine. */
void weft_waits_free(struct weft_waits *waits);

#endif
