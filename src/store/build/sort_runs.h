/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External merge sort: items are collected, cut into runs, each run is sorted by key, and
 * the runs are merged.  Sorting a run takes 16 MiB; items beyond some megabytes wait in a
 * temporary file.  Items of one key come out in the order in which they were added.
 */
#ifndef WEFT_STORE_SORT_RUNS_H
#define WEFT_STORE_SORT_RUNS_H

#include "base/progress_and_cancel.h"
#include "base/radix_sort.h"
#include "store/build/spill.h"

/*
 * A list of items and its sorting; begun by weft_sort_runs_begin, freed by
 * weft_sort_runs_end.
 */
struct weft_sort_runs {
    struct weft_spill items;     /* struct weft_sort_item, as added */
    const char *folder;          /* for the temporary file; borrowed */
    uint64_t count;              /* items added */
    struct weft_sort_item *rows; /* [count], sorted in runs; owned by `items` */
    struct weft_run_head *heap;  /* binary heap of the runs by their next item */
    size_t n;                    /* runs that are not at their end */
    const struct weft_job *job;  /* may cancel merging; NULL unless set before it */
};

/* Begins with no items.  FOLDER, for temporary files, is not copied; it outlives RUNS. */
void weft_sort_runs_begin(struct weft_sort_runs *runs, const char *folder);
/*
 * Adds an item of KEY and PAYLOAD; a failure of the temporary file is reported by
 * weft_sort_runs_merge().
 */
void weft_sort_runs_add(struct weft_sort_runs *runs, uint64_t key, uint64_t payload);
/*
 * Sorts all runs, on several threads, for weft_sort_runs_next(); call it once, and add
 * nothing afterwards.  Returns false with WEFT_ERR_WRITE (a temporary file, also while
 * items were added) or, if runs->job is cancelled, WEFT_ERR_CANCELLED.
 */
bool weft_sort_runs_merge(struct weft_sort_runs *runs,
                          struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets *ITEM to the next item in order of key, of equal keys the one that was added first;
 * returns false at the end.
 * weft_sort_runs_merge() has returned true before.
 */
bool weft_sort_runs_next(struct weft_sort_runs *runs, struct weft_sort_item *item);
/* Frees the items and the temporary file; also after a failure. */
void weft_sort_runs_end(struct weft_sort_runs *runs);

#endif
