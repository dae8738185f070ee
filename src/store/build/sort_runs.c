/* SPDX-License-Identifier: Apache-2.0 */
#include "store/build/sort_runs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"

enum { RUN = 1 << 19 }; /* items of a run */

struct weft_run_head {
    uint64_t at, end;
};

void weft_sort_runs_begin(struct weft_sort_runs *runs, const char *folder)
{
    *runs = (struct weft_sort_runs){ .folder = folder };
    weft_spill_init(&runs->items);
}

void weft_sort_runs_add(struct weft_sort_runs *runs, uint64_t key, uint64_t payload)
{
    struct weft_sort_item item = { key, payload };
    weft_spill_append(&runs->items, runs->folder, &item, sizeof item);
    runs->count++;
}

static void sort_run(void *user, size_t i)
{
    const struct weft_sort_runs *runs = user;
    uint64_t first = (uint64_t)i * RUN;
    if (weft_job_cancelled(runs->job))
        return;
    weft_sort(runs->rows + first, runs->count - first < RUN ? runs->count - first : RUN);
}

/* Among equal keys, the item of the earlier run comes first, as it was added first. */
static bool comes_before(const struct weft_sort_runs *runs, size_t a, size_t b)
{
    uint64_t left = runs->rows[runs->heap[a].at].key;
    uint64_t right = runs->rows[runs->heap[b].at].key;
    return left != right ? left < right : runs->heap[a].at < runs->heap[b].at;
}

static void sink(struct weft_sort_runs *runs, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < runs->n; child++)
            if (comes_before(runs, child, least))
                least = child;
        if (least == i)
            return;
        struct weft_run_head swap = runs->heap[i];
        runs->heap[i] = runs->heap[least];
        runs->heap[least] = swap;
        i = least;
    }
}

bool weft_sort_runs_merge(struct weft_sort_runs *runs, struct weft_err *err)
{
    uint64_t size;
    runs->rows = weft_spill_read(&runs->items, &size, err);
    if (!runs->rows)
        return false;
    runs->n = (size_t)((runs->count + RUN - 1) / RUN);
    weft_parallel(runs->n, 1, sort_run, runs);
    if (weft_job_cancelled(runs->job)) {
        runs->n = 0;
        return weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    }
    runs->heap = weft_alloc((runs->n + 1) * sizeof *runs->heap);
    for (size_t i = 0; i < runs->n; i++) {
        uint64_t end = (uint64_t)(i + 1) * RUN;
        runs->heap[i] = (struct weft_run_head){ (uint64_t)i * RUN,
                                                end < runs->count ? end : runs->count };
    }
    for (size_t i = runs->n; i-- > 0;)
        sink(runs, i);
    return true;
}

bool weft_sort_runs_next(struct weft_sort_runs *runs, struct weft_sort_item *item)
{
    if (!runs->n)
        return false;
    *item = runs->rows[runs->heap[0].at];
    if (++runs->heap[0].at == runs->heap[0].end)
        runs->heap[0] = runs->heap[--runs->n];
    sink(runs, 0);
    return true;
}

void weft_sort_runs_end(struct weft_sort_runs *runs)
{
    weft_spill_free(&runs->items);
    free(runs->heap);
    runs->heap = NULL;
}
