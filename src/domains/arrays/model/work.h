/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a count has gone, and where it ends: inside this folder.
 *
 * A pattern of a hundred bytes may stand for 2^48 references, and where no formula counts
 * them they are looked at one by one.  So whoever walks says so in a struct array_work,
 * which looks at the job now and then: false means that the count was cancelled or goes too
 * far, and what it has come to is worth nothing.  Everybody then returns as soon as
 * possible, whatever the result.
 */
#ifndef WEFT_ARRAY_WORK_H
#define WEFT_ARRAY_WORK_H

#include "domains/arrays/model/profile.h"
#include "base/job.h"

struct array_work {
    struct weft_job *job; /* or NULL */
    uint64_t most;        /* looks: minutes to an hour, as a look takes 1 to 10 ns */
    uint64_t most_rows;   /* that may be kept of what is looked at: one or two gigabytes */
    uint64_t words;       /* that sets of indices may still take: half a gigabyte */
    _Atomic uint64_t *taken; /* by all threads of a question */
    _Atomic uint64_t own;
    uint64_t since; /* the job was looked at */
    bool cancelled, too_far;
};

/*
 * SHARED: the count of all threads' looks, which begins with 0; NULL: there is one thread.
 */
void array_work_begin(struct array_work *work, const struct weft_profile *profile,
                      struct weft_job *job, _Atomic uint64_t *shared);

bool array_work_look(struct array_work *work);

static inline bool array_work_goes_on(const struct array_work *work)
{
    return !work || !(work->cancelled || work->too_far);
}

/* Looks between two at the job: below a millisecond. */
enum { ARRAY_WORK_STRIDE = 1 << 16 };

/* N more looks.  WORK NULL: nobody counts. */
static inline bool array_work_take(struct array_work *work, uint64_t n)
{
    if (!work)
        return true;
    work->since += n;
    return work->since < ARRAY_WORK_STRIDE ? array_work_goes_on(work)
                                           : array_work_look(work);
}

/* So many rows are kept. */
bool array_work_keep(struct array_work *work, uint64_t rows);
/* Sets of so many more words: false, and nothing else, when there is no room for them. */
bool array_work_room(struct array_work *work, uint64_t words);
/* True, or WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT. */
bool array_work_end(const struct array_work *work, struct weft_err *err);

/* As qsort(), in between looks; rows are in no order when it returns false. */
bool array_work_sort(struct array_work *work, void *rows, size_t n, size_t size,
                     int (*compare)(const void *, const void *));

#endif
