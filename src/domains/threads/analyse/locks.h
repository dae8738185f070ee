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
 * innermost state is of role ready.  A link of role wake-up to a waiting thread comes from
 * the one that gave the lock back.  A thread waits for a lock in a
 * state whose value is a kind of blocked and whose field of role object (a container) names
 * the lock; its field of role site is the place in the program.  If several fields of a
 * type have one role and kind, the first counts.  A field that names a container or a site
 * that does not exist counts as absent.
 */
#ifndef WEFT_ANALYSE_LOCKS_H
#define WEFT_ANALYSE_LOCKS_H

#include "store/source.h"

/*
 * The ticks that one lock was held by one thread, or from one site (place in the program)
 * on, while others waited; or that threads waited for it at one site.  Part of a struct
 * weft_locks.
 */
struct weft_lock_share {
    uint32_t of;   /* container of the holder (WEFT_NONE: unknown), or index of the site */
    int64_t ticks; /* within the window */
};

/*
 * The ticks that WAITER waited for one lock until BY gave it back.  Part of a struct
 * weft_locks.
 */
struct weft_lock_meeting {
    uint32_t waiter, by; /* containers */
    int64_t ticks;       /* within the window */
};

/* One lock and what it cost within a window of time.  Part of a struct weft_locks. */
struct weft_lock {
    uint32_t container;         /* the lock itself */
    uint64_t acquisitions;      /* holds that began within the window */
    uint64_t read_acquisitions; /* those by readers */
    uint64_t waits;             /* waits that overlap the window */
    int64_t waited_ticks;       /* sum of the parts of the waits within the window */
    int64_t held_ticks;         /* sum of the parts of the holds within the window */
    int64_t read_ticks;         /* those in which readers held it */
    int64_t ready_ticks;        /* those in which its holder had no processor */
    bool mode_known;            /* holds say whether they are readers' */
    /* 99 % quantile and maximum, in ticks, of the whole lengths of the waits; 0 if none */
    int64_t wait_p99; /* exact up to 10,000 waits; above, within 1 % */
    int64_t wait_max; /* exact */
    /*
     * Shares, most ticks first.  HOLDERS: threads that held the lock while others waited;
     * HOLD_SITES: where they took it; both by the ticks of holds in which others waited.
     * HELD_SITES: where the lock was taken, by the ticks of all holds.
     * SITES: where threads waited.  Sites with the same text are merged (analyse/sites.h);
     * ticks at unknown sites are in no share.
     */
    const struct weft_lock_share *holders;
    const struct weft_lock_share *hold_sites;
    const struct weft_lock_share *held_sites;
    const struct weft_lock_share *sites;
    uint32_t n_holders, n_hold_sites, n_held_sites, n_sites;
    /* waits that another thread is known to have ended, most ticks first */
    const struct weft_lock_meeting *met;
    uint32_t n_met;
};

/* The result of weft_locks_read(), to be freed with weft_locks_free(). */
struct weft_locks {
    struct weft_lock *list; /* longest waited for first, then most often taken */
    uint32_t n;
    bool waits_known; /* states can name the lock they wait for; else no waits are found */
    bool ready_known; /* threads were seen ready: else ready_ticks is 0, and unknown */
    struct weft_lock_share *shares;     /* of all locks, which point into it */
    struct weft_lock_meeting *meetings; /* the same */
};

/* Returns true if TRACK, an index into SCHEMA's tracks, has states of role lock-state. */
bool weft_is_lock_track(const struct weft_schema *schema, uint32_t track);

/*
 * Sets *OUT to the locks in the subtree of the container UNDER, with the waits for them of
 * the threads in that subtree, within WINDOW; the caller frees it with weft_locks_free.
 * Walks once through the states of the window on the tracks of locks and of threads whose
 * states name objects, on all processors, even if most states belong to one lock.  Takes at
 * most 24 MiB for each processor and 24 bytes for each wake-up in that, 80 KB for each lock
 * that is much waited for, and about 100 bytes for each pair of a lock and a holder or a
 * site, and for each meeting.  If JOB is cancelled, returns
 * false with WEFT_ERR_CANCELLED in *ERR and *OUT empty.
 */
bool weft_locks_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, struct weft_job *job, struct weft_locks *out,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the lists of LOCKS, not LOCKS itself, and empties it.  An empty one is fine. */
void weft_locks_free(struct weft_locks *locks);

#endif
