/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out how often each lock was taken, how long it was held and by which threads while
 * others waited, and how long and where threads waited for it.
 *
 * Everything is found by its role.  A lock is a container with a track of states of role
 * lock-state.  On it, values of role held (contended is a kind of it) are holds.  The
 * state's fields say more about a hold: that of role acquisition (an integer) is not 0
 * where the hold begins, that of role holder (a container) is the thread that holds the
 * lock, that of role site is the place where it was taken.  A thread waits for a lock in a
 * state whose value is a kind of blocked and whose field of role object (a container) names
 * the lock; its field of role site is the place in the program.  If several fields of a
 * type have one role and kind, the first counts.  A field that names a container or a site
 * that does not exist counts as absent.
 */
#ifndef WEFT_ANALYSE_LOCKS_H
#define WEFT_ANALYSE_LOCKS_H

#include "store/source.h"

/* The part of a lock's waiting time that is due to a holder or a site. */
struct weft_lock_share {
    uint32_t of;   /* the container of a thread, or a site; WEFT_NONE if unknown */
    int64_t ticks; /* within the window */
};

struct weft_lock {
    uint32_t container;
    uint64_t acquisitions; /* holds that began within the window */
    uint64_t waits;        /* waits that overlap the window */
    int64_t waited_ticks;  /* sum of the parts of the waits within the window */
    int64_t held_ticks;    /* sum of the parts of the holds within the window */
    /* 99 % quantile and maximum, in ticks, of the whole lengths of the waits; 0 if none */
    int64_t wait_p99; /* exact up to 8,192 waits; above, too long by at most 1/128 */
    int64_t wait_max; /* exact */
    /*
     * Shares, most ticks first.  HOLDERS: threads that held the lock while others waited;
     * HOLD_SITES: where they took it; both by the ticks that others waited meanwhile.
     * SITES: where threads waited.  Sites with the same text are merged (analyse/sites.h).
     */
    const struct weft_lock_share *holders;
    const struct weft_lock_share *hold_sites;
    const struct weft_lock_share *sites;
    uint32_t n_holders, n_hold_sites, n_sites;
};

struct weft_locks {
    struct weft_lock *list; /* longest waited for first, then most often taken */
    uint32_t n;
    bool waits_known; /* waits can name their locks in this trace; else there are none */
    struct weft_lock_share *shares; /* of all locks, which point into it */
};

/* Returns true if TRACK has the states of a lock. */
bool weft_is_lock_track(const struct weft_schema *schema, uint32_t track);

/*
 * Sets *OUT to the locks in the subtree of the container UNDER, and the waits for them of
 * the threads in it, within WINDOW; the caller frees it with weft_locks_free.  Walks once
 * through the states of the window on the tracks of locks and of threads whose states name
 * objects, on all processors, even if most states belong to one lock.  Takes at most 8 MiB
 * for each processor, 64 KiB for each lock that is much waited for, and about 100 bytes for
 * each pair of a lock and a holder or a site. Fails with WEFT_ERR_CANCELLED.
 */
bool weft_locks_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, struct weft_job *job, struct weft_locks *out,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_locks_free(struct weft_locks *locks);

#endif
