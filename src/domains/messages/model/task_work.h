/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of tasks over time: the rate at which it is done, and how much is done so far
 * (Heath and Finger 2003, section 5.3, "Task Work").  The program says the work of an
 * execution only at its exit; it is taken to be done evenly from entry to exit, and that of
 * an execution without length at once.  Where executions nest, each has work of its own.
 */
#ifndef WEFT_MODEL_TASK_WORK_H
#define WEFT_MODEL_TASK_WORK_H

#include "domains/messages/model/task_executions.h"

/* From `time` to the next step's the rate is the same. */
struct weft_work_step {
    int64_t time;      /* ticks */
    double rate;       /* in the program's unit, a tick */
    double cumulative; /* done until `time`, with what is done at once then */
};

/* Made by weft_work_make, freed by weft_work_free; refers to nothing else. */
struct weft_work {
    struct weft_work_step *steps; /* [n], in order of time; the last has a rate of 0 */
    size_t n;
    uint64_t known, unknown; /* executions whose work is known; others */
};

/*
 * Sums the work of TASKS of processor INDEX (in tasks->processors), or of all if it is
 * WEFT_NONE.  O(m log m) of m executions.  The caller frees the result with weft_work_free.
 * Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_work *weft_work_make(const struct weft_tasks *tasks, uint32_t index,
                                 struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
/* Frees WORK; NULL is fine. */
void weft_work_free(struct weft_work *work);
/* Returns the bytes of memory that WORK takes. */
size_t weft_work_bytes(const struct weft_work *work);

/*
 * Returns the rate at TIME, and what was done until then; both 0 before the first step.
 * O(log n).
 */
struct weft_work_step weft_work_at(const struct weft_work *work, int64_t time);

#endif
