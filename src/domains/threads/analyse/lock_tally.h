/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up holds of locks and waits for them.  Each part of the work fills a tally of its
 * own; the tallies can be added up in any order, with the same result.  A lock is an index.
 */
#ifndef WEFT_ANALYSE_LOCK_TALLY_H
#define WEFT_ANALYSE_LOCK_TALLY_H

#include "base/map.h"
#include "domains/threads/analyse/locks.h"
#include "store/time.h"

/* Lengths of waits: a list while they are few, then a histogram. */
struct lock_waits {
    uint64_t n;
    int64_t longest;
    int64_t *each; /* [n]: lengths in ticks; NULL once there is a histogram */
    size_t capacity;
    uint64_t *buckets; /* the histogram, or NULL */
};

struct lock_sums {
    uint64_t acquisitions;
    int64_t held, waited; /* ticks */
    struct lock_waits waits;
};

/* Ticks by lock and a second key, OF: the container of a thread, or a site. */
struct lock_pairs {
    struct weft_id_map index; /* lock << 32 | of, to index in the list */
    struct lock_pair {
        uint32_t lock, of;
        int64_t ticks;
    } * list;
    size_t n, capacity;
};

struct lock_tally {
    struct weft_id_map index; /* lock to index in the lists */
    uint32_t *locks;          /* [n] */
    struct lock_sums *sums;   /* [n], by the same index */
    size_t n, locks_capacity, sums_capacity;
    struct lock_pairs holders, hold_sites, sites; /* as in struct weft_lock */
};

/* Returns the sums of LOCK in TALLY, made if needed; valid until the next call. */
struct lock_sums *lock_tally_of(struct lock_tally *tally, uint32_t lock);
/* Adds TICKS to the pair of LOCK and OF, made if needed. */
void lock_pairs_add(struct lock_pairs *pairs, uint32_t lock, uint32_t of, int64_t ticks);
/* Adds a wait of LENGTH ticks. */
void lock_waits_add(struct lock_waits *waits, int64_t length);
/* Returns the Q-quantile (0 to 1) of the waits in ticks, as weft_lock.wait_p99; or 0. */
int64_t lock_waits_quantile(struct lock_waits *waits, double q);

/* Adds the sums of FROM to those of TO. */
void lock_tally_add(struct lock_tally *to, const struct lock_tally *from);
void lock_tally_free(struct lock_tally *tally);

#endif
