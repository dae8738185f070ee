/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/lock_tally.h"

#include <stdlib.h>

void lock_tally_met(struct lock_tally *tally, uint32_t lock, uint32_t waiter, uint32_t by,
                    int64_t ticks)
{
    uint32_t at = weft_pairs_add(&tally->waiters, lock, waiter, ticks);
    (void)weft_pairs_add(&tally->met, at, by, ticks);
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

static void add_sums(struct lock_sums *sums, struct lock_sums *more)
{
    sums->acquisitions += more->acquisitions;
    sums->read_acquisitions += more->read_acquisitions;
    sums->held = weft_ticks_add(sums->held, more->held);
    sums->held_by_readers = weft_ticks_add(sums->held_by_readers, more->held_by_readers);
    sums->held_ready = weft_ticks_add(sums->held_ready, more->held_ready);
    sums->waited = weft_ticks_add(sums->waited, more->waited);
    sums->mode_known |= more->mode_known;
    weft_durations_merge(&sums->waits, &more->waits);
}

void lock_tally_add(struct lock_tally *to, struct lock_tally *from)
{
    for (size_t i = 0; i < from->n; i++)
        add_sums(lock_tally_of(to, from->locks[i]), &from->sums[i]);
    weft_pairs_merge(&to->holders, &from->holders, NULL);
    weft_pairs_merge(&to->hold_sites, &from->hold_sites, NULL);
    weft_pairs_merge(&to->held_sites, &from->held_sites, NULL);
    weft_pairs_merge(&to->sites, &from->sites, NULL);
    for (size_t i = 0; i < from->met.n; i++) {
        const struct weft_pair *met = &from->met.list[i];
        const struct weft_pair *waiter = &from->waiters.list[met->row];
        lock_tally_met(to, waiter->row, waiter->of, met->of, met->sum);
    }
}

void lock_tally_free(struct lock_tally *tally)
{
    for (size_t i = 0; i < tally->n; i++)
        weft_durations_end(&tally->sums[i].waits);
    free(tally->locks);
    free(tally->sums);
    weft_id_map_free(&tally->index);
    weft_pairs_free(&tally->holders);
    weft_pairs_free(&tally->hold_sites);
    weft_pairs_free(&tally->held_sites);
    weft_pairs_free(&tally->sites);
    weft_pairs_free(&tally->waiters);
    weft_pairs_free(&tally->met);
}
