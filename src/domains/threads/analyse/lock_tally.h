/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up holds of locks and waits for them.  Each part of the work fills a tally of its
 * own; the tallies can be added up in any order, with the same result.  A lock is a number
 * that the caller chooses.  All structures here are empty when their bytes are 0.
 */
#ifndef WEFT_ANALYSE_LOCK_TALLY_H
#define WEFT_ANALYSE_LOCK_TALLY_H

#include "analyse/durations.h"
#include "base/map.h"
#include "domains/threads/analyse/locks.h"
#include "domains/threads/analyse/pairs.h"
#include "store/time.h"

/* The sums of one lock in a struct lock_tally, which frees them. */
struct lock_sums {
    uint64_t acquisitions;       /* holds that began */
    uint64_t read_acquisitions;  /* those by readers */
    int64_t held, waited;        /* ticks */
    int64_t held_by_readers;     /* ticks */
    int64_t held_ready;          /* ticks in which the holder had no processor */
    bool mode_known;             /* a hold said whether readers hold the lock */
    struct weft_durations waits; /* lengths of the waits */
};

/*
 * The sums of the holds of locks and of the waits for them.  The owner clears its bytes,
 * and frees what it holds with lock_tally_free.
 */
struct lock_tally {
    struct weft_id_map index; /* lock to index in the lists */
    uint32_t *locks;          /* [n] */
    struct lock_sums *sums;   /* [n], by the same index */
    size_t n, locks_capacity, sums_capacity;
    /*
     * By lock: the ticks of holds in which others waited, by the thread that held it, and
     * by the site where it was taken; the ticks of all holds, by that site; the ticks of
     * waits, by the site of the wait, and by the thread that waited.
     */
    struct weft_pairs holders, hold_sites, held_sites, sites, waiters;
    /* by index of a pair in waiters: the ticks of waits, by the thread that ended them */
    struct weft_pairs met;
};

/*
 * Returns the sums of LOCK in TALLY, all 0 if they are new.  The tally owns them; the
 * pointer is valid until the sums of another lock are made.
 */
struct lock_sums *lock_tally_of(struct lock_tally *tally, uint32_t lock);
/* Adds TICKS that the thread WAITER waited for LOCK until the thread BY gave it back. */
void lock_tally_met(struct lock_tally *tally, uint32_t lock, uint32_t waiter, uint32_t by,
                    int64_t ticks);

/* Adds all sums of FROM to those of TO; FROM is good for lock_tally_free only, then. */
void lock_tally_add(struct lock_tally *to, struct lock_tally *from);
/* Frees the arrays that TALLY holds, but not TALLY.  Clear its bytes to use it again. */
void lock_tally_free(struct lock_tally *tally);

#endif
