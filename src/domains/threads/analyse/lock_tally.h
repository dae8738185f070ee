/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up holds of locks and waits for them.  Each part of the work fills a tally of its
 * own; the tallies can be added up in any order, with the same sums.  A lock is a number
 * that the caller chooses.  A structure whose bytes are all 0 is empty.  Sums of ticks stop
 * at INT64_MAX.
 */
#ifndef WEFT_ANALYSE_LOCK_TALLY_H
#define WEFT_ANALYSE_LOCK_TALLY_H

#include "analyse/durations.h"
#include "base/hash_map.h"
#include "domains/threads/analyse/locks.h"
#include "domains/threads/analyse/two_key_sums.h"
#include "store/time.h"

/*
 * The sums of one lock.  The struct lock_tally that holds it owns it; the caller adds to
 * its members directly.
 */
struct lock_sums {
    uint64_t acquisitions;      /* holds that began */
    uint64_t read_acquisitions; /* the part of them that readers began */
    /* Ticks in which the lock was held, once, however many readers held it. */
    int64_t held;
    int64_t waited;          /* ticks, of all waiting threads */
    int64_t held_by_readers; /* ticks, a part of `held` */
    /* Ticks, a part of `held`: the holder wanted a processor in vain. */
    int64_t held_ready;
    bool mode_known;             /* a hold said whether readers hold the lock */
    struct weft_durations waits; /* lengths of the waits */
};

/*
 * The sums of the holds of locks and of the waits for them.  The owner sets its bytes to 0
 * at first, adds to the pairs with weft_pairs_add, and frees all with lock_tally_free.
 */
struct lock_tally {
    struct weft_id_map index; /* lock to its index in `locks` and `sums` */
    uint32_t *locks;          /* [n] the caller's numbers, in order of first use */
    struct lock_sums *sums;   /* [n], by the same index */
    size_t n, locks_capacity, sums_capacity;
    /*
     * Ticks; the row of a pair is a lock.  `holders`: of holds in which others waited, by
     * the thread that held it; `hold_sites`: the same holds, by the site where the lock was
     * taken; `held_sites`: of all holds, by that site; `sites`: of waits, by the site of
     * the wait; `waiters`: of the waits given to lock_tally_met, by the waiting thread.
     */
    struct weft_pairs holders, hold_sites, held_sites, sites, waiters;
    /* ticks of waits, by the thread that ended them; row: index of a pair of `waiters` */
    struct weft_pairs met;
};

/*
 * Returns the sums of LOCK, a number of the caller's, in TALLY, which are added, all 0, if
 * it has none yet; never NULL.  The tally owns them; the pointer is valid until a lock that
 * is new to the tally gets sums.
 */
struct lock_sums *lock_tally_of(struct lock_tally *tally, uint32_t lock);
/*
 * Adds TICKS, which the thread WAITER waited for LOCK until the thread BY gave it back, to
 * `waiters` and `met` of TALLY, not to the lock's `waited`.  WAITER and BY are numbers that
 * the caller chooses.
 */
void lock_tally_met(struct lock_tally *tally, uint32_t lock, uint32_t waiter, uint32_t by,
                    int64_t ticks);

/*
 * Adds all sums of FROM to those of TO, another tally.  FROM loses the lengths of its
 * waits: the caller must still free it with lock_tally_free, and may do no more with it.
 */
void lock_tally_add(struct lock_tally *to, struct lock_tally *from);
/* Frees the arrays of TALLY, not TALLY itself; set its bytes to 0 to use it again. */
void lock_tally_free(struct lock_tally *tally);

#endif
