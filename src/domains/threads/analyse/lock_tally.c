/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/lock_tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"

/*
 * Lengths below 2^(FINE + 1) have a bucket each; above, each power of two has 2^FINE
 * buckets, so the width of a bucket is at most 1/128 of its lengths.
 */
enum {
    FINE = 7,
    MAX_EXACT_WAITS = 8192, /* waits: about as much memory as the buckets */
    BUCKETS = (64 - FINE) << FINE,
};

static size_t bucket_of(int64_t length)
{
    uint64_t ticks = (uint64_t)length;
    if (ticks < 2u << FINE)
        return (size_t)ticks;
    unsigned shift = 63u - (unsigned)__builtin_clzll(ticks) - FINE;
    return ((size_t)shift << FINE) + (size_t)(ticks >> shift);
}

/* Returns the longest length of a bucket. */
static int64_t bucket_most(size_t bucket)
{
    if (bucket < 2u << FINE)
        return (int64_t)bucket;
    unsigned shift = (unsigned)(bucket >> FINE) - 1;
    uint64_t top = bucket - ((size_t)shift << FINE);
    return (int64_t)(((top + 1) << shift) - 1);
}

static void use_buckets(struct lock_waits *waits)
{
    if (waits->buckets)
        return;
    waits->buckets = weft_zalloc(BUCKETS, sizeof *waits->buckets);
    for (uint64_t i = 0; i < waits->n; i++)
        waits->buckets[bucket_of(waits->each[i])]++;
    free(waits->each);
    waits->each = NULL;
}

void lock_waits_add(struct lock_waits *waits, int64_t length)
{
    if (waits->n == MAX_EXACT_WAITS)
        use_buckets(waits);
    if (waits->buckets) {
        waits->buckets[bucket_of(length)]++;
    } else {
        waits->each = weft_grow(waits->each, &waits->capacity, (size_t)waits->n + 1,
                                sizeof *waits->each);
        waits->each[waits->n] = length;
    }
    waits->n++;
    waits->longest = length > waits->longest ? length : waits->longest;
}

static void waits_merge(struct lock_waits *to, const struct lock_waits *from)
{
    for (uint64_t i = 0; from->each && i < from->n; i++)
        lock_waits_add(to, from->each[i]);
    if (!from->buckets)
        return;
    use_buckets(to);
    for (size_t b = 0; b < BUCKETS; b++)
        to->buckets[b] += from->buckets[b];
    to->n += from->n;
    to->longest = from->longest > to->longest ? from->longest : to->longest;
}

int64_t lock_waits_quantile(struct lock_waits *waits, double q)
{
    if (!waits->n)
        return 0;
    uint64_t rank = (uint64_t)ceil(q * (double)waits->n), seen = 0;
    rank = rank ? rank : 1;
    if (waits->each) {
        qsort(waits->each, (size_t)waits->n, sizeof *waits->each, weft_by_i64);
        return waits->each[rank - 1];
    }
    for (size_t b = 0; b < BUCKETS; b++)
        if ((seen += waits->buckets[b]) >= rank)
            return bucket_most(b) < waits->longest ? bucket_most(b) : waits->longest;
    return waits->longest;
}

void lock_pairs_add(struct lock_pairs *pairs, uint32_t lock, uint32_t of, int64_t ticks)
{
    uint64_t key = (uint64_t)lock << 32 | of;
    uint32_t at = weft_id_map_get(&pairs->index, key);
    if (at == WEFT_MAP_NONE) {
        at = (uint32_t)pairs->n;
        weft_id_map_put(&pairs->index, key, at);
        pairs->list =
            weft_grow(pairs->list, &pairs->capacity, pairs->n + 1, sizeof *pairs->list);
        pairs->list[pairs->n++] = (struct lock_pair){ lock, of, 0 };
    }
    pairs->list[at].ticks = weft_ticks_add(pairs->list[at].ticks, ticks);
}

struct lock_sums *lock_tally_of(struct lock_tally *tally, uint32_t lock)
{
    uint32_t at = weft_id_map_get(&tally->index, lock);
    if (at == WEFT_MAP_NONE) {
        at = (uint32_t)tally->n;
        weft_id_map_put(&tally->index, lock, at);
        tally->locks = weft_grow(tally->locks, &tally->locks_capacity, tally->n + 1,
                                 sizeof *tally->locks);
        tally->sums = weft_grow(tally->sums, &tally->sums_capacity, tally->n + 1,
                                sizeof *tally->sums);
        tally->locks[tally->n] = lock;
        tally->sums[tally->n++] = (struct lock_sums){ 0 };
    }
    return &tally->sums[at];
}

static void pairs_merge(struct lock_pairs *to, const struct lock_pairs *from)
{
    for (size_t i = 0; i < from->n; i++)
        lock_pairs_add(to, from->list[i].lock, from->list[i].of, from->list[i].ticks);
}

void lock_tally_add(struct lock_tally *to, const struct lock_tally *from)
{
    for (size_t i = 0; i < from->n; i++) {
        struct lock_sums *sums = lock_tally_of(to, from->locks[i]);
        const struct lock_sums *more = &from->sums[i];
        sums->acquisitions += more->acquisitions;
        sums->held = weft_ticks_add(sums->held, more->held);
        sums->waited = weft_ticks_add(sums->waited, more->waited);
        waits_merge(&sums->waits, &more->waits);
    }
    pairs_merge(&to->holders, &from->holders);
    pairs_merge(&to->hold_sites, &from->hold_sites);
    pairs_merge(&to->sites, &from->sites);
}

void lock_tally_free(struct lock_tally *tally)
{
    for (size_t i = 0; i < tally->n; i++) {
        free(tally->sums[i].waits.each);
        free(tally->sums[i].waits.buckets);
    }
    free(tally->locks);
    free(tally->sums);
    free(tally->holders.list);
    free(tally->hold_sites.list);
    free(tally->sites.list);
    weft_id_map_free(&tally->index);
    weft_id_map_free(&tally->holders.index);
    weft_id_map_free(&tally->hold_sites.index);
    weft_id_map_free(&tally->sites.index);
}
