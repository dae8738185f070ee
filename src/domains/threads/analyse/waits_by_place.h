/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups waits by their object and place: the cost of waiting for each condition, join,
 * read, sleep or message (and its partner) at each line of the program, and the thread that
 * ended most of them.
 *
 * Everything is found by its role.  A wait is a state whose value is a kind of blocked, of
 * sleeping or of blocking send; its field of role object (a container) names the object of
 * the wait, its field of role site the place in the program.  A field that names a thing
 * that does not exist counts as absent.  Where states have no object it is the communicator
 * (of MPI): that of the call (communicator-of), or of the message that was waited for.
 * analyse/awaited_processor.h finds the partner: the processor whose message was waited
 * for.
 */
#ifndef WEFT_ANALYSE_WAITS_BY_PLACE_H
#define WEFT_ANALYSE_WAITS_BY_PLACE_H

#include "store/source.h"

/*
 * A row: the waits of all containers of one kind for one object (and partner and tag) at
 * one place in the program, within the window of weft_waits_read().
 */
struct weft_wait {
    uint32_t value; /* value of their states: the kind of wait */
    /* the container of lowest index among the row's objects; WEFT_NONE: none is named */
    uint32_t object;
    /* number of the row's objects; never above 1 with WEFT_WAITS_BY_OBJECT */
    uint32_t objects;
    /* place: the first site with the same text (analyse/sites_by_line.h), or WEFT_NONE */
    uint32_t site;
    uint32_t partner; /* container of the processor that was waited for, or WEFT_NONE */
    int64_t partner_number; /* the partner's rank or other number; 0 if unknown */
    int64_t tag;            /* of the messages if `tagged`, else 0 */
    bool tagged;            /* waits are grouped by tag, and the messages have one */
    uint64_t count;         /* waits that overlap the window */
    int64_t ticks; /* sum of their parts within the window, less states nested in them */
    /*
     * Ticks of the longest wait, its part outside the window included, less the nested
     * states that overlap the window.
     */
    int64_t longest;
    int64_t p50, p99;    /* median, 99 % quantile of such ticks (analyse/durations.h) */
    uint32_t worst;      /* the container with most of `ticks`; if equal, lowest index */
    int64_t worst_ticks; /* its part of `ticks` */
    uint32_t waiters;    /* number of tracks, in general one a thread, that waited */
    /* the thread chose to wait: it slept, or waited until a thread or process ended */
    bool own;
    /*
     * Number of waits that a known container ended: by a signal, by giving the lock back,
     * by coming last to a barrier or collective operation.  The container that ended most
     * (WEFT_NONE: none is known; if equal, the lowest index), and how many.
     */
    uint64_t wakings;
    uint32_t waker;
    uint64_t waker_wakings;
};

/* Bits: which waits get rows of their own; without the bit they share one. */
enum weft_waits_apart {
    WEFT_WAITS_BY_TAG = 1, /* waits for messages of one partner with different tags */
    /* waits for different objects that are alike (alike_objects.h) */
    WEFT_WAITS_BY_OBJECT = 2,
};

/*
 * Waits, summed by object and place; made by weft_waits_read(), to be freed with
 * weft_waits_free().
 */
struct weft_waits {
    struct weft_wait *list; /* [n] rows that are `own` last; in both, most ticks first */
    size_t n;
    bool wakings_known; /* the trace has links of role wake-up */
};

/*
 * Returns true if SCHEMA has a track whose type has values that mean waits; there may be no
 * such states on it.  Looks at the tables of the schema only.
 */
bool weft_has_waits(const struct weft_schema *schema);

/*
 * Sets *OUT to the waits in the subtree of the container UNDER within WINDOW; the caller
 * frees it with weft_waits_free.  APART is 0 or bits of enum weft_waits_apart.  Walks once
 * through the states of the window on the tracks that may have waits, with one track at a
 * time on each processor, and through the messages and wake-ups.  Takes 1 MiB and 24 bytes
 * a wake-up for each track that is being walked, 8 bytes a wait (at most 80 KB a row),
 * about 250 bytes for each element of the list, and up to some 256 MiB for messages.
 * Returns false, with *ERR and *OUT empty, if JOB (or NULL) is cancelled
 * (WEFT_ERR_CANCELLED) or messages cannot be read.
 */
bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, unsigned apart, struct weft_job *job,
                     struct weft_waits *out, struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of WAITS, not WAITS itself, and sets it to 0; all 0 is allowed. */
void weft_waits_free(struct weft_waits *waits);

#endif
