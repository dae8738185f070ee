/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out how often each lock was taken, how long it was held and by which threads while
 * others waited, and how long and where threads waited for it.
 *
 * Everything is found by its role.  A lock is a container with a track of states of role
 * lock-state.  On it, values of role held (contended is a kind of it) are holds.  The
 * state's fields say more about a hold: that of role acquisition (an integer) is not 0
 * where the hold begins, that of role holder (a container) is the thread that holds the
 * lock, that of role site is the place where it was taken, that of role shared (an integer)
 * is not 0 while readers hold it.  A holder wants a processor and has none while its own
 * innermost state is of role ready.  A thread waits for a lock in a state whose value is a
 * kind of blocked and whose field of role object (a container) names the lock; its field of
 * role site is the place in the program.  A link of role wake-up to the waiting thread
 * comes from the thread that gave the lock back (wakings.h).  If several fields of a type
 * have one role and kind, the first counts.  A field that names a container or a site that
 * does not exist counts as absent.
 */
#ifndef WEFT_ANALYSE_LOCKS_H
#define WEFT_ANALYSE_LOCKS_H

#include "store/source.h"

/*
 * The part of one thread, or of one site (place in the program), in the ticks that a lock
 * was held or waited for; the list that it is in says which (struct weft_lock).
 */
struct weft_lock_share {
    /* `holders`: container of the thread (WEFT_NONE: unknown); else index of the site */
    uint32_t of;
    int64_t ticks; /* within the window */
};

/*
 * The ticks of all waits of WAITER for one lock that BY ended by giving it back.
 */
struct weft_lock_meeting {
    uint32_t waiter, by; /* containers */
    int64_t ticks;       /* within the window */
};

/* One lock, and how it was held and waited for within the window of weft_locks_read(). */
struct weft_lock {
    uint32_t container;         /* the lock itself */
    uint64_t acquisitions;      /* holds that began within the window */
    uint64_t read_acquisitions; /* the part of them that readers began */
    uint64_t waits;             /* waits that overlap the window */
    int64_t waited_ticks;       /* sum of the parts of the waits within the window */
    int64_t held_ticks;         /* sum of the parts of the holds within the window */
    int64_t read_ticks;         /* part of held_ticks: readers held it */
    int64_t ready_ticks;        /* part of held_ticks: the holder wanted a processor */
    bool mode_known; /* some hold says whether a reader's; else the read_ counts are 0 */
    /*
     * 99 % quantile and maximum, in ticks, of the lengths of the waits, with what lies
     * outside the window; 0 if none.
     */
    int64_t wait_p99; /* exact up to 10,000 waits; above, within 1 % */
    int64_t wait_max; /* exact */
    /*
     * Shares, most ticks first; NULL if there are none.  `holders` and `hold_sites`: ticks
     * of the holds in which others waited, by the thread that held the lock, and by the
     * site where it was taken; `held_sites`: ticks of all holds, by that site; `sites`:
     * ticks of waits, by the site of the wait.  Sites with the same text count as one
     * (analyse/sites_by_line.h); ticks at unknown sites are in no share.
     */
    const struct weft_lock_share *holders;
    const struct weft_lock_share *hold_sites;
    const struct weft_lock_share *held_sites;
    const struct weft_lock_share *sites;
    uint32_t n_holders, n_hold_sites, n_held_sites, n_sites;
    /* waits that ended in the window, by a known thread: most ticks first */
    const struct weft_lock_meeting *met;
    uint32_t n_met;
};

/*
 * Locks, and how each was held and waited for; made by weft_locks_read(), to be freed with
 * weft_locks_free().
 */
struct weft_locks {
    /* [n] most waited_ticks first, then most acquisitions; also locks that nobody took */
    struct weft_lock *list;
    uint32_t n;
    /* a type of states has a field of role object; if not, no waits can be found */
    bool waits_known;
    bool ready_known; /* some thread of the trace was ready; if not, ready_ticks says 0 */
    struct weft_lock_share *shares;     /* memory of the locks' shares */
    struct weft_lock_meeting *meetings; /* memory of the locks' `met` */
};

/*
 * Returns true if the type of TRACK, an index into SCHEMA's tracks, is one of states of
 * role lock-state; the track may be empty.
 */
bool weft_is_lock_track(const struct weft_schema *schema, uint32_t track);

/*
 * Sets *OUT to all locks in the subtree of the container UNDER, with their holds and the
 * waits of that subtree's threads for them, within WINDOW; the caller frees it with
 * weft_locks_free.  Returns false, with WEFT_ERR_CANCELLED in *ERR and *OUT empty, only if
 * JOB (or NULL) is cancelled.  Walks once through the states of the window on the tracks of
 * locks and on tracks whose states name objects, on all processors.  Takes at most 24 MiB a
 * processor, 24 bytes a wake-up, 80 KB a lock that is much waited for, and about 100 bytes
 * for each pair of a lock and a holder or site, and for each meeting.
 */
bool weft_locks_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, struct weft_job *job, struct weft_locks *out,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the lists of LOCKS, not LOCKS itself, and sets it to 0; all 0 is allowed. */
void weft_locks_free(struct weft_locks *locks);

#endif
