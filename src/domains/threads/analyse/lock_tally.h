/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up holds of locks and waits for them.  Each part of the work fills a tally of its
 * own; the tallies can be added up in any order, with the same result.  A lock is a number
 * that the caller chooses.  All structures here are empty when their bytes are 0.
 */
#ifndef WEFT_ANALYSE_LOCK_TALLY_H
#define WEFT_ANALYSE_LOCK_TALLY_H

#include "base/map.h"
#include "domains/threads/analyse/locks.h"
#include "store/time.h"

/*
 * The lengths of all waits for one lock: a list of up to 8,192, then a histogram.  Empty
 * when all bytes are 0; part of a struct lock_sums, and lock_tally_free frees its arrays.
 */
struct lock_waits {
    uint64_t n;      /* waits */
    int64_t longest; /* ticks */
    int64_t *each;   /* [n]: lengths in ticks; NULL once there is a histogram */
    size_t capacity;
    uint64_t *buckets; /* the histogram, or NULL */
};

/* The sums of one lock in a struct lock_tally, which frees them. */
struct lock_sums {
    uint64_t acquisitions; /* holds that began */
    int64_t held, waited;  /* ticks */
    struct lock_waits waits;
};

/*
 * Ticks by lock and a second key, OF: the container of a thread, or a site.  Part of a
 * struct lock_tally, which frees it.
 */
struct lock_pairs {
    struct weft_id_map index; /* lock << 32 | of, to index in the list */
    struct lock_pair {
        uint32_t lock, of;
        int64_t ticks;
    } * list;
    size_t n, capacity;
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
     * by the site where it was taken; and the ticks of waits, by the site of the wait.
     */
    struct lock_pairs holders, hold_sites, sites;
};

/*
 * Returns the sums of LOCK in TALLY, all 0 if they are new.  The tally owns them; the
 * pointer is valid until the sums of another lock are made.
 */
struct lock_sums *lock_tally_of(struct lock_tally *tally, uint32_t lock);
/*
 * Adds TICKS to the entry of PAIRS for LOCK and OF, the container of a thread or a site.
 * Makes the entry if there is none.
 */
void lock_pairs_add(struct lock_pairs *pairs, uint32_t lock, uint32_t of, int64_t ticks);
/* Adds one wait of LENGTH ticks, at least 0, to WAITS. */
void lock_waits_add(struct lock_waits *waits, int64_t length);
/*
 * Returns the Q-quantile (0 to 1) of the lengths in WAITS, in ticks; 0 if there are none.
 * Exact for up to 8,192 waits, which it sorts; for more it may be too long by 1/128.
 */
int64_t lock_waits_quantile(struct lock_waits *waits, double q);

/* Adds all sums of FROM to those of TO; FROM stays as it is. */
void lock_tally_add(struct lock_tally *to, const struct lock_tally *from);
/* Frees the arrays that TALLY holds, but not TALLY.  Clear its bytes to use it again. */
void lock_tally_free(struct lock_tally *tally);

#endif
