/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the curves of a depth.  Nodes are visited roughly in order of time: a node that
 * becomes ready after the current bucket of time waits in its own bucket, together with the
 * nodes that follow it.  When no node waits in a bucket any more, the curves up to its end
 * are complete, so only nodes that are ready or running at a time are in memory.  In a DAG
 * whose times contradict its order, the nodes are visited in any order instead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/parallel.h"
#include "domains/tasks/analyse/dag_parallelism_over_time_priv.h"

enum {
    STEP = 1 << 8,   /* nodes between two steps of the job */
    NODES = 1 << 14, /* nodes of a bucket, approximately */
    FEWEST_BUCKETS = 16,
    MAX_BUCKETS = 1 << 10,
};

/* Consecutive nodes that are still to be visited. */
struct node_run {
    uint32_t first, n, depth;
};

struct runs {
    struct node_run *list;
    size_t n, capacity;
};

struct sweep {
    const struct weft_dag *dag;
    uint32_t limit;
    struct weft_step_curve **curves; /* [WEFT_DAG_CURVES] */
    struct weft_time_buckets buckets;
    bool in_order;
    struct runs *waiting; /* [buckets.n] */
    size_t now;           /* the current bucket */
    uint64_t seen;
    struct weft_job *job;
};

static void push(struct runs *runs, uint32_t first, uint32_t n, uint32_t depth)
{
    runs->list = weft_grow(runs->list, &runs->capacity, runs->n + 1, sizeof *runs->list);
    runs->list[runs->n++] = (struct node_run){ first, n, depth };
}

/* Returns false if the node begins in a bucket that is settled. */
static bool add_node(struct sweep *sweep, const struct weft_dag_node *node)
{
    bool fits = weft_step_curve_spread(sweep->curves[WEFT_DAG_ACTUAL], node->begin,
                                       node->end, node->work);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        fits = weft_step_curve_spread(sweep->curves[WEFT_DAG_AVAILABLE + k],
                                      node->first_ready, node->last_start, node->ready[k])
               && fits;
    return fits;
}

enum looked { DONE, WAITS, COMES_LATE };

static enum looked look_at(struct sweep *sweep, uint32_t number, uint32_t depth)
{
    struct runs *runs = &sweep->waiting[sweep->now];
    struct weft_dag_node node;
    weft_dag_shape(sweep->dag, number, &node);
    bool opens = node.n && depth < sweep->limit;
    uint32_t created = node.created;
    if (!opens) {
        weft_dag_node(sweep->dag, number, &node);
        if (sweep->in_order
            && weft_time_bucket(&sweep->buckets, node.first_ready) > sweep->now)
            return WAITS;
        if (!add_node(sweep, &node))
            return COMES_LATE;
    }
    if (created != WEFT_NONE)
        push(runs, created, 1, depth);
    if (opens)
        push(runs, node.first, node.n, depth + 1);
    return DONE;
}

/* Puts a run into the bucket in which its first node becomes ready. */
static void put_off(struct sweep *sweep, struct node_run run)
{
    struct weft_dag_node node;
    weft_dag_node(sweep->dag, run.first, &node);
    push(&sweep->waiting[weft_time_bucket(&sweep->buckets, node.first_ready)], run.first,
         run.n, run.depth);
}

/* Returns false if cancelled. */
static bool step(const struct sweep *sweep)
{
    weft_mappings_rest(WEFT_MAPPED_MAX);
    return weft_job_step(sweep->job, sweep->seen, weft_dag_size(sweep->dag), NULL);
}

/* Visits all nodes that wait in the bucket.  COMES_LATE if a node belongs to a settled
   bucket. */
static enum looked look_at_bucket(struct sweep *sweep)
{
    struct runs *runs = &sweep->waiting[sweep->now];
    while (runs->n && !weft_job_cancelled(sweep->job)) {
        struct node_run run = runs->list[--runs->n];
        enum looked looked = DONE;
        for (; run.n && looked == DONE;
             run.first += looked == DONE, run.n -= looked == DONE) {
            looked = look_at(sweep, run.first, run.depth);
            if (++sweep->seen % STEP == 0 && !step(sweep))
                return DONE;
        }
        if (looked == COMES_LATE)
            return COMES_LATE;
        if (run.n)
            put_off(sweep, run);
    }
    free(runs->list);
    *runs = (struct runs){ 0 };
    return DONE;
}

static void settle_curve(void *user, size_t index)
{
    const struct sweep *sweep = user;
    weft_step_curve_settle(sweep->curves[index], sweep->now + 1);
}

/* Returns false if times contradict the order of the nodes. */
static bool sweep_buckets(struct sweep *sweep)
{
    push(&sweep->waiting[0], 0, 1, 0);
    for (; sweep->now < sweep->buckets.n && !weft_job_cancelled(sweep->job); sweep->now++) {
        if (look_at_bucket(sweep) == COMES_LATE)
            return false;
        if (sweep->in_order)
            weft_parallel(WEFT_DAG_CURVES, 1, settle_curve, sweep);
    }
    return true;
}

/* Makes the curves, in order of time if IN_ORDER. */
static bool try_to_sweep(struct sweep *sweep, bool in_order)
{
    size_t n = weft_dag_size(sweep->dag) / NODES + FEWEST_BUCKETS;
    struct weft_dag_node root;
    weft_dag_node(sweep->dag, 0, &root);
    sweep->buckets =
        weft_time_buckets_over((struct weft_span){ root.first_ready, root.end },
                               n < MAX_BUCKETS ? n : MAX_BUCKETS);
    sweep->in_order = in_order;
    sweep->waiting = weft_zalloc(sweep->buckets.n, sizeof *sweep->waiting);
    sweep->now = 0;
    sweep->seen = 0;
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++) {
        weft_step_curve_free(sweep->curves[k]);
        sweep->curves[k] = weft_step_curve_new(sweep->buckets);
    }
    bool done = sweep_buckets(sweep);
    for (size_t i = 0; i < sweep->buckets.n; i++)
        free(sweep->waiting[i].list);
    free(sweep->waiting);
    return done;
}

bool dag_sweep_curves(const struct weft_dag *dag, uint32_t depth,
                      struct weft_step_curve *curves[WEFT_DAG_CURVES], struct weft_job *job,
                      struct weft_err *err)
{
    struct sweep sweep = { .dag = dag, .limit = depth, .curves = curves, .job = job };
    if (!try_to_sweep(&sweep, true))
        (void)try_to_sweep(&sweep, false); /* settles nothing before the end */
    bool ok = weft_job_step(job, 1, 1, err);
    for (size_t k = 0; ok && k < WEFT_DAG_CURVES; k++)
        ok = weft_step_curve_end(curves[k], err);
    return ok;
}

bool dag_reaches_below(const struct weft_dag *dag, uint32_t depth, struct weft_job *job)
{
    struct runs runs = { 0 };
    bool found = false;
    uint64_t seen = 0;
    push(&runs, 0, 1, 0);
    while (runs.n && !found) {
        struct node_run *run = &runs.list[runs.n - 1];
        struct weft_dag_node node;
        uint32_t below = run->depth;
        weft_dag_shape(dag, run->first++, &node);
        runs.n -= --run->n == 0;
        if (node.created != WEFT_NONE)
            push(&runs, node.created, 1, below);
        found = node.n && below >= depth;
        if (node.n)
            push(&runs, node.first, node.n, below + 1);
        if (++seen % STEP == 0 && !weft_job_step(job, 0, 0, NULL))
            break;
    }
    free(runs.list);
    return found;
}
