/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of locks: how often each lock was taken, how long it was held and by whom while
 * others waited, and how long and where threads waited for it.
 *
 * Everything is known by its role.  A lock is a container with a track of states of role
 * lock-state.  On it, values of role held (contended is a kind of it) are holds; the state's
 * field of role acquisition (an integer) is not 0 where the hold begins, and its field of role
 * holder (a container) says who holds it, that of role site where it was taken.  A thread
 * waits for a lock in a state whose value is a kind of blocked and whose field of role
 * object (a container) names the lock; its field of role site says where in the program.
 * Of several fields of a type with one role and kind the first counts.  Whatever names a
 * container or a site that is not there counts as absent.
 */
#ifndef WEFT_ANALYSE_LOCKS_H
#define WEFT_ANALYSE_LOCKS_H

#include "store/source.h"

struct weft_lock_share {
    uint32_t of;   /* a container or a site; WEFT_NONE: not known */
    int64_t ticks; /* within the window */
};

struct weft_lock {
    uint32_t container;
    uint64_t acquisitions; /* holds that began within the window */
    uint64_t waits;        /* waits that overlap the window */
    int64_t waited_ticks;  /* the parts of all waits within the window, added */
    int64_t held_ticks;    /* the same of the holds */
    /* Of the whole lengths of the waits that overlap the window; 0 without one. */
    int64_t
        wait_p99; /* exact up to 8,192 waits; else at most 1/128 too long, never short */
    int64_t wait_max; /* exact */
    /*
     * Worst first: who held it while others waited and where those took it, by how long
     * others waited meanwhile; and where it was waited for.  Sites that read alike are one
     * (analyse/sites.h).
     */
    const struct weft_lock_share *holders;
    const struct weft_lock_share *hold_sites;
    const struct weft_lock_share *sites;
    uint32_t n_holders, n_hold_sites, n_sites;
};

struct weft_locks {
    struct weft_lock *list; /* longest waited for first, then most often taken */
    uint32_t n;
    /* Could a wait name its lock?  Not in every trace: then nothing is known of waits. */
    bool waits_known;
    struct weft_lock_share *shares; /* those of all locks */
};

/* Is TRACK one of a lock's states? */
bool weft_is_lock_track(const struct weft_schema *schema, uint32_t track);

/*
 * The locks of the subtree of the container UNDER, and the waits for them of the threads in
 * it, in WINDOW.  Costs one walk through the states of the window on the tracks of locks and
 * of threads whose states name objects, on all processors, also where one lock has most of the
 * states.  Takes at most 8 MiB for each processor, 64 KiB for each lock that is much waited
 * for, and about 100 bytes for each pair of a lock and a holder or a site.  WEFT_ERR_CANCELLED.
 */
bool weft_locks_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, struct weft_job *job, struct weft_locks *out,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_locks_free(struct weft_locks *locks);

#endif
