/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job connects a long call (the worker) with the threads that wait for it: the call
 * reports its progress, and a waiting thread may cancel it.  Every call that may take
 * longer than a screen frame has a job parameter; NULL: no progress and no cancelling.  The
 * worker must call weft_job_step() regularly; any thread, and a signal handler, may set
 * `cancelled`.
 */
#ifndef WEFT_BASE_PROGRESS_AND_CANCEL_H
#define WEFT_BASE_PROGRESS_AND_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * How a long call and the threads that wait for it communicate.  The waiting side owns it,
 * zeroed at first, and may set `cancelled` in any thread or signal handler.
 */
struct weft_job {
    _Atomic bool cancelled;
    /* progress: how much of `total`, in a unit that the call chooses (bytes, tracks) */
    _Atomic uint64_t done;
    _Atomic uint64_t total; /* 0: not known yet */
    /* Called by each weft_job_step(), in the worker's thread, with the job and its `user`:
       draws a progress bar.  NULL: nothing to call. */
    void (*progress)(struct weft_job *job, void *user);
    /*
     * Called by weft_job_waits(), in the worker's thread, before it blocks on another
     * thread (BEGINS) and after; NULL: nothing to call.  A thread pool lets another worker
     * run meanwhile.  Returns false, only before, if too many workers are blocked already.
     */
    bool (*waits)(struct weft_job *job, void *user, bool begins);
    void *user; /* for these two functions */
};

/* Returns true if the work of JOB is to stop; false if JOB is NULL. */
static inline bool weft_job_cancelled(const struct weft_job *job)
{
    return job && atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

/*
 * Stores in JOB that DONE of TOTAL (0: unknown) is done, and calls its function `progress`,
 * if it has one.  Returns false with WEFT_ERR_CANCELLED if JOB is cancelled, else true.
 * Returns true without effect if JOB is NULL.
 */
static inline bool weft_job_step(struct weft_job *job, uint64_t done, uint64_t total,
                                 struct weft_err *err)
{
    if (!job)
        return true;
    atomic_store_explicit(&job->done, done, memory_order_relaxed);
    atomic_store_explicit(&job->total, total, memory_order_relaxed);
    if (job->progress)
        job->progress(job, job->user);
    if (weft_job_cancelled(job))
        return weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    return true;
}

/*
 * To be called before blocking on another thread (BEGINS) and after it (not BEGINS).  The
 * former returns false with WEFT_ERR_CANCELLED if too many workers are blocked already:
 * then the worker must neither block nor call it with BEGINS false.  The latter returns
 * true.  Returns true without effect if JOB or job->waits is NULL.
 */
static inline bool weft_job_waits(struct weft_job *job, bool begins, struct weft_err *err)
{
    if (job && job->waits && !job->waits(job, job->user, begins) && begins)
        return weft_fail(err, WEFT_ERR_CANCELLED, "too many wait already");
    return true;
}

#endif
