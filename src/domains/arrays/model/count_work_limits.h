/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a count and its limits.  Used in this folder only.
 *
 * A pattern of a hundred bytes may stand for 2^48 references, which are visited one by one
 * if no formula counts them.  So every walk reports its steps to a struct array_work, which
 * checks the job now and then.  If it returns false, the count was cancelled or exceeded a
 * limit, its result is invalid, and all callers return as soon as possible with any result.
 */
#ifndef WEFT_ARRAY_COUNT_WORK_LIMITS_H
#define WEFT_ARRAY_COUNT_WORK_LIMITS_H

#include "base/progress_and_cancel.h"
#include "domains/arrays/model/reference_profile.h"

/* The work of a count, or of one of its threads. */
struct array_work {
    struct weft_job *job; /* NULL: it cannot be cancelled */
    /* Limit of *TAKEN, in steps of work: minutes to an hour, at 1 to 10 ns a step. */
    uint64_t most;
    uint64_t most_rows; /* limit of rows kept in memory: one or two gigabytes */
    uint64_t words; /* 64-bit words left for bitmaps of indices: at first half a gigabyte */
    _Atomic uint64_t *taken; /* steps of all threads of a count; &own if there is one */
    _Atomic uint64_t own;    /* the count if there is one thread */
    uint64_t since;          /* steps since the job was checked last, not in *TAKEN yet */
    bool cancelled, too_far; /* too_far: a limit was exceeded */
};

/*
 * Initializes *WORK, with limits that grow with the number of patterns of PROFILE, and with
 * JOB (or NULL), which may cancel it.  *SHARED counts the steps of work of all threads and
 * is 0 at first; NULL if there is one thread, and *WORK must then stay where it is.
 */
void array_work_begin(struct array_work *work, const struct weft_profile *profile,
                      struct weft_job *job, _Atomic uint64_t *shared);

/* Adds work->since to *work->taken, and looks whether the job was cancelled or *work->taken
   exceeds work->most; returns false if so, or if array_work_keep() found too many rows: the
   count must end. */
bool array_work_look(struct array_work *work);

/* Returns false if the count must end, since it was cancelled or exceeded a limit when
   array_work_look() or array_work_keep() looked last.  True if WORK is NULL. */
static inline bool array_work_goes_on(const struct array_work *work)
{
    return !work || !(work->cancelled || work->too_far);
}

/* Steps between two checks of the job: less than a millisecond. */
enum { ARRAY_WORK_STRIDE = 1 << 16 };

/* Reports N steps of work, such as visits of a reference; returns false if the count must
   end, since it was cancelled or exceeds a limit; true if WORK is NULL. */
static inline bool array_work_report(struct array_work *work, uint64_t n)
{
    if (!work)
        return true;
    work->since += n;
    return work->since < ARRAY_WORK_STRIDE ? array_work_goes_on(work)
                                           : array_work_look(work);
}

/* Reports that ROWS rows are kept in memory now, in all; returns false if the count must
   end, since they are too many or for an earlier reason; true if WORK is NULL. */
bool array_work_keep(struct array_work *work, uint64_t rows);
/*
 * Reserves WORDS 64-bit words for bitmaps of indices, until the end of the count.  Returns
 * false, reserving none, if too few are left; the count goes on without them.  True if WORK
 * is NULL.
 */
bool array_work_room(struct array_work *work, uint64_t words);
/* Returns true if the count is valid; else false with WEFT_ERR_CANCELLED, or WEFT_ERR_LIMIT
   if it took too many steps or rows.  There is nothing to free. */
bool array_work_end(const struct array_work *work, struct weft_err *err);

/* Sorts N rows of SIZE bytes like qsort(), reporting steps to WORK (NULL: no limit), in
   memory for N more rows.  Returns false if the count must end (array_work_report()); the
   rows are then unsorted and may be partly duplicated. */
bool array_work_sort(struct array_work *work, void *rows, size_t n, size_t size,
                     int (*compare)(const void *, const void *));

#endif
