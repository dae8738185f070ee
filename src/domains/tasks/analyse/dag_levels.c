/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_levels.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 1 << 14 }; /* nodes between two steps of the job: milliseconds */

struct level_search {
    const struct weft_dag *dag;
    struct weft_dag_levels *out;
    uint32_t *waits; /* by task: what it still waits for: its creator, and orders */
    uint32_t *made;  /* by task: the first task that it created, or WEFT_NONE ... */
    uint32_t *next;  /* ... and by task the next one of the same creator */
    uint32_t
        *reached; /* [n_reached], in an order in which each comes after all before it */
    uint32_t n_reached;
};

/* The task that must have ended before another one, by an order; false if it is none of two
   tasks. */
static bool is_of_tasks(const struct level_search *search,
                        const struct weft_dag_order *order)
{
    return search->out->of[order->before] != WEFT_NONE
           && search->out->of[order->after] != WEFT_NONE;
}

/* Finds all tasks, who created whom, and how much each waits for. */
static bool find_tasks(struct level_search *search, struct weft_job *job,
                       struct weft_err *err)
{
    uint32_t n = weft_dag_size(search->dag);
    struct weft_dag_joins *joins = weft_dag_joins_new();
    bool ok = true;

    memset(search->made, 0xff, n * sizeof *search->made);
    memset(search->out->of, 0xff, n * sizeof *search->out->of);
    for (uint32_t i = n; ok && i-- > 0;) { /* backwards, so that lists are in order */
        struct weft_dag_node shape;
        uint32_t creator;
        ok = i % STEP || weft_job_step(job, n - i, 2 * (uint64_t)n, err);
        weft_dag_shape(search->dag, i, &shape);
        if (i != 0 && shape.kind != WEFT_DAG_TASK)
            continue;
        search->out->of[i] = 0;
        search->out->n_tasks++;
        creator = shape.parent == WEFT_NONE
                      ? WEFT_NONE
                      : weft_dag_task_of(search->dag, shape.parent, joins);
        if (creator == WEFT_NONE)
            continue;
        search->next[i] = search->made[creator];
        search->made[creator] = i;
        search->waits[i] = 1;
    }
    weft_dag_joins_free(joins);
    for (uint64_t row = 0; ok && row < weft_dag_orders(search->dag); row++) {
        struct weft_dag_order order;
        if (weft_dag_order(search->dag, row, &order) && is_of_tasks(search, &order))
            search->waits[order.after]++;
    }
    return ok;
}

/* A task that TASK waits for, of LEVEL, has its level. */
static void lower(struct level_search *search, uint32_t task, uint32_t level)
{
    if (level >= search->out->of[task])
        search->out->of[task] = level + 1;
    if (--search->waits[task] == 0)
        search->reached[search->n_reached++] = task;
}

static bool walk(struct level_search *search, struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(search->dag);
    uint64_t n_orders = weft_dag_orders(search->dag);

    for (uint32_t i = 0; i < n; i++)
        if (search->out->of[i] != WEFT_NONE && search->waits[i] == 0)
            search->reached[search->n_reached++] = i;
    for (uint32_t i = 0; i < search->n_reached; i++) {
        uint32_t task = search->reached[i], level = search->out->of[task];
        struct weft_dag_order order;
        for (uint32_t made = search->made[task]; made != WEFT_NONE;
             made = search->next[made])
            lower(search, made, level);
        for (uint64_t row = n_orders ? weft_dag_orders_from(search->dag, task) : 0;
             row < n_orders && weft_dag_order_by_before(search->dag, row, &order)
             && order.before == task;
             row++)
            if (search->out->of[order.after] != WEFT_NONE && search->waits[order.after] > 0)
                lower(search, order.after, level);
        if (i % STEP == 0 && !weft_job_step(job, n + i, 2 * (uint64_t)n, err))
            return false;
    }
    return true;
}

/* Lists the tasks by level; those that were not reached have none. */
static void list_tasks(struct level_search *search)
{
    struct weft_dag_levels *out = search->out;
    uint32_t n = weft_dag_size(search->dag);

    for (uint32_t i = 0; i < n; i++)
        if (search->waits[i] > 0)
            out->of[i] = WEFT_NONE;
        else if (out->of[i] != WEFT_NONE && out->of[i] >= out->n)
            out->n = out->of[i] + 1;
    out->n_tasks = search->n_reached;
    out->tasks = weft_alloc((out->n_tasks + 1) * sizeof *out->tasks);
    out->begin = weft_zalloc(out->n + 2, sizeof *out->begin);
    for (uint32_t i = 0; i < n; i++)
        if (out->of[i] != WEFT_NONE)
            out->begin[out->of[i] + 2]++;
    for (uint32_t level = 0; level < out->n; level++) {
        uint64_t here = out->begin[level + 2];
        if (here > out->widest)
            out->widest = (uint32_t)here;
        out->begin[level + 2] += out->begin[level + 1];
    }
    for (uint32_t i = 0; i < n; i++)
        if (out->of[i] != WEFT_NONE)
            out->tasks[out->begin[out->of[i] + 1]++] = i;
}

bool weft_dag_levels_read(const struct weft_dag *dag, struct weft_job *job,
                          struct weft_dag_levels *out, struct weft_err *err)
{
    uint32_t n = weft_dag_size(dag);
    struct level_search search = { .dag = dag, .out = out };
    bool ok;

    *out = (struct weft_dag_levels){ .of = weft_alloc(n * sizeof *out->of) };
    search.waits = weft_zalloc(n, sizeof *search.waits);
    search.made = weft_alloc(n * sizeof *search.made);
    search.next = weft_alloc(n * sizeof *search.next);
    search.reached = weft_alloc(n * sizeof *search.reached);
    ok = find_tasks(&search, job, err) && walk(&search, job, err);
    if (ok)
        list_tasks(&search);
    else
        weft_dag_levels_free(out);
    free(search.waits);
    free(search.made);
    free(search.next);
    free(search.reached);
    return ok;
}

void weft_dag_levels_free(struct weft_dag_levels *levels)
{
    free(levels->of);
    free(levels->tasks);
    free(levels->begin);
    *levels = (struct weft_dag_levels){ 0 };
}
