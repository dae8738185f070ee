/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/task_work.h"

#include <math.h>
#include <stdlib.h>

/* The begin or the end of an execution, or one that is done at once. */
struct change {
    int64_t time;
    double rate;    /* begins (above 0) or ends (below) */
    double at_once; /* work without time */
    int active;     /* 1: begins; -1: ends; 0: neither */
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->rate > y->rate) - (x->rate < y->rate);
}

static size_t list_changes(const struct weft_tasks *tasks, uint32_t first, uint32_t after,
                           struct change *changes, struct weft_work *work)
{
    size_t n = 0;
    for (uint32_t i = first; i < after; i++) {
        const struct weft_task_execution *of = &tasks->executions[i];
        if (isnan(of->work)) {
            work->unknown++;
            continue;
        }
        work->known++;
        double rate = of->work / (double)(of->end - of->begin);
        if (of->end <= of->begin) {
            changes[n++] = (struct change){ of->begin, 0, of->work, 0 };
            continue;
        }
        changes[n++] = (struct change){ of->begin, rate, 0, 1 };
        changes[n++] = (struct change){ of->end, -rate, 0, -1 };
    }
    return n;
}

/* Adds up N changes in order of time; without any that is active the rate is exactly 0. */
static void add_up(const struct change *changes, size_t n, struct weft_work *work)
{
    struct weft_work_step now = { 0 };
    int64_t active = 0;
    for (size_t i = 0; i < n; i++) {
        now.cumulative += now.rate * (double)(changes[i].time - now.time);
        now.time = changes[i].time;
        now.cumulative += changes[i].at_once;
        active += changes[i].active;
        now.rate = active ? now.rate + changes[i].rate : 0;
        if (work->n && work->steps[work->n - 1].time == now.time)
            work->n--;
        work->steps[work->n++] = now;
    }
}

struct weft_work *weft_work_make(const struct weft_tasks *tasks, uint32_t index,
                                 struct weft_job *job, struct weft_err *err)
{
    uint32_t all = index == WEFT_NONE;
    uint32_t first = all ? 0 : tasks->first_execution[index],
             after = tasks->first_execution[all ? tasks->processors->n : index + 1];
    struct weft_work *work = weft_zalloc(1, sizeof *work);
    struct change *changes =
        weft_alloc((2 * (size_t)(after - first) + 1) * sizeof *changes);
    size_t n = list_changes(tasks, first, after, changes, work);
    qsort(changes, n, sizeof *changes, by_time);
    work->steps = weft_alloc((n + 1) * sizeof *work->steps);
    add_up(changes, n, work);
    free(changes);
    if (weft_job_step(job, 1, 1, err))
        return work;
    weft_work_free(work);
    return NULL;
}

void weft_work_free(struct weft_work *work)
{
    if (work)
        free(work->steps);
    free(work);
}

size_t weft_work_bytes(const struct weft_work *work)
{
    return sizeof *work + (2 * (work->known + work->unknown) + 1) * sizeof *work->steps;
}

struct weft_work_step weft_work_at(const struct weft_work *work, int64_t time)
{
    size_t low = 0, high = work->n;
    while (low < high) { /* the first step after TIME */
        size_t middle = low + (high - low) / 2;
        if (work->steps[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return (struct weft_work_step){ time, 0, 0 };
    struct weft_work_step step = work->steps[low - 1];
    step.cumulative += step.rate * (double)(time - step.time);
    step.time = time;
    return step;
}
