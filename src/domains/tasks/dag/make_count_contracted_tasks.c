/* SPDX-License-Identifier: Apache-2.0 */
/* Counts contracted tasks by the places that created them and by size. */
#include "domains/tasks/dag/make_priv.h"
#include "store/time.h"

enum { SIZES = 64 }; /* size classes; 2^62 is in the 57th */

/* The size class of some ticks: below 1, below 2, below 5, below 10 ... */
static unsigned size_of(int64_t ticks)
{
    static const int64_t steps[] = { 1, 2, 5 };
    unsigned size = 0;

    for (int64_t power = 1; power <= INT64_MAX / 50; power *= 10)
        for (int i = 0; i < 3; i++, size++)
            if (ticks < steps[i] * power)
                return size;
    return size;
}

static struct weft_dag_tasks *entry_of(struct weft_dag_maker *maker, uint32_t site,
                                       int64_t work)
{
    uint64_t key = (uint64_t)site * SIZES + size_of(work);
    uint32_t index = weft_id_map_get(&maker->forgotten_index, key);

    if (index != WEFT_MAP_NONE)
        return &maker->forgotten[index];
    index = (uint32_t)maker->n_forgotten++;
    weft_id_map_put(&maker->forgotten_index, key, index);
    maker->forgotten = weft_grow(maker->forgotten, &maker->forgotten_capacity,
                                 maker->n_forgotten, sizeof *maker->forgotten);
    maker->forgotten[index] =
        (struct weft_dag_tasks){ .site = site, .smallest = work, .largest = work };
    return &maker->forgotten[index];
}

void make_count_forgotten(struct weft_dag_maker *maker, const struct make_node *create)
{
    const struct make_node *task = &maker->nodes[create->inside];
    const struct make_sum *sum = &maker->sums[task->sum];
    struct weft_dag_tasks *entry = entry_of(maker, create->end_site, sum->own_work);

    entry->count++;
    entry->work = weft_ticks_add(entry->work, sum->own_work);
    if (sum->own_work < entry->smallest)
        entry->smallest = sum->own_work;
    if (sum->own_work > entry->largest)
        entry->largest = sum->own_work;
    entry->stolen += create->worker >= 0 && sum->first_worker >= 0
                     && create->worker != sum->first_worker
                     && task->first_ready == create->end;
}

const struct weft_dag_tasks *weft_dag_make_tasks(const struct weft_dag_maker *maker,
                                                 size_t *n)
{
    *n = maker->n_forgotten;
    return maker->forgotten;
}
