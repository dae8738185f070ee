/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/dag_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/dag_time.h"
#include "store/time.h"

enum { STEP = 1 << 14 }; /* nodes between two steps of the job: some milliseconds */

struct tally {
    const struct weft_dag *dag;
    uint32_t *task;                   /* by node: the innermost task around it, or itself */
    int64_t *work;                    /* by node: of a task's own parts */
    struct weft_dag_task_site *sites; /* [n_sites + 1], the last one for WEFT_NONE */
    uint32_t n_sites;
    int64_t below;
};

static struct weft_dag_task_site *site_at(const struct tally *tally, uint32_t site)
{
    return &tally->sites[site < tally->n_sites ? site : tally->n_sites];
}

/* N tasks of WORK ticks together, each of about as many. */
static void count_tasks(struct tally *tally, uint32_t site, uint64_t n, int64_t work)
{
    struct weft_dag_task_site *at = site_at(tally, site);
    int64_t each = n ? work / (int64_t)n : 0;
    if (!n)
        return;
    if (!at->count || each < at->smallest)
        at->smallest = each;
    at->count += n;
    at->small += each < tally->below ? n : 0;
    at->work = weft_ticks_add(at->work, work);
}

/* Where a task was created: the end of the create; of the root, nowhere. */
static uint32_t site_of_task(const struct tally *tally, uint32_t task)
{
    struct weft_dag_node node;
    weft_dag_shape(tally->dag, task, &node);
    if (node.parent == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_node(tally->dag, node.parent, &node);
    return node.end_site;
}

/* What a node that has no inside here adds to the task around it. */
static void add_node(struct tally *tally, uint32_t number)
{
    struct weft_dag_node node;
    uint32_t owner = tally->task[number];
    weft_dag_node(tally->dag, number, &node);
    int64_t own = node.work;
    if (node.kind
        == WEFT_DAG_SECTION) { /* of its tasks, and of the task that waits for them */
        uint64_t n = node.leaves[WEFT_DAG_END];
        own = node.work / (int64_t)(n + 1);
        count_tasks(tally, node.begin_site, n, node.work - own);
    }
    tally->work[owner] = weft_ticks_add(tally->work[owner], own);
}

static bool add_nodes(struct tally *tally, struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(tally->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node shape;
        if (i % STEP == 0 && !weft_job_step(job, i, 2 * (uint64_t)n, err))
            return false;
        weft_dag_shape(tally->dag, i, &shape);
        bool is_task = shape.kind == WEFT_DAG_TASK || shape.parent == WEFT_NONE;
        tally->task[i] = is_task ? i : tally->task[shape.parent];
        if (!shape.n)
            add_node(tally, i);
    }
    return true;
}

static bool count_all(struct tally *tally, struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(tally->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node node;
        if (i % STEP == 0 && !weft_job_step(job, (uint64_t)n + i, 2 * (uint64_t)n, err))
            return false;
        if (tally->task[i] != i)
            continue;
        weft_dag_shape(tally->dag, i, &node);
        uint64_t tasks = 1;
        if (!node.n && node.kind == WEFT_DAG_TASK) {
            weft_dag_node(tally->dag, i, &node);
            tasks = node.leaves[WEFT_DAG_END] ? node.leaves[WEFT_DAG_END] : 1;
        }
        count_tasks(tally, site_of_task(tally, i), tasks, tally->work[i]);
    }
    return true;
}

static bool count_stolen(struct tally *tally, struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_steals steals;
    if (!weft_dag_steals_read(tally->dag, job, &steals, err))
        return false;
    for (size_t i = 0; i < steals.n; i++)
        if (steals.list[i].edge == WEFT_DAG_EDGE_CREATE)
            site_at(tally, site_of_task(tally, steals.list[i].task))->stolen++;
    weft_dag_steals_free(&steals);
    return true;
}

static int compare_sites(const void *left, const void *right)
{
    const struct weft_dag_task_site *a = left, *b = right;
    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

static void keep_counted(const struct tally *tally, struct weft_dag_task_sites *out)
{
    out->list = tally->sites;
    for (uint32_t s = 0; s <= tally->n_sites; s++) {
        if (!tally->sites[s].count)
            continue;
        out->list[out->n] = tally->sites[s];
        out->list[out->n++].site = s < tally->n_sites ? s : WEFT_NONE;
    }
    qsort(out->list, out->n, sizeof *out->list, compare_sites);
}

bool weft_dag_tasks_read(const struct weft_dag *dag, uint32_t n_sites, int64_t below,
                         struct weft_job *job, struct weft_dag_task_sites *out,
                         struct weft_err *err)
{
    uint32_t n = weft_dag_size(dag);
    struct tally tally = { .dag = dag,
                           .task = weft_alloc(n * sizeof *tally.task),
                           .work = weft_zalloc(n, sizeof *tally.work),
                           .sites = weft_zalloc((size_t)n_sites + 1, sizeof *tally.sites),
                           .n_sites = n_sites,
                           .below = below };
    *out = (struct weft_dag_task_sites){ 0 };
    bool ok = add_nodes(&tally, job, err) && count_all(&tally, job, err)
              && count_stolen(&tally, job, err);
    free(tally.task);
    free(tally.work);
    if (ok)
        keep_counted(&tally, out);
    else
        free(tally.sites);
    return ok;
}

void weft_dag_tasks_free(struct weft_dag_task_sites *sites)
{
    free(sites->list);
    *sites = (struct weft_dag_task_sites){ 0 };
}
