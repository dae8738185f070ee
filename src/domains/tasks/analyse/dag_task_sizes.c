/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_task_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/tasks/analyse/dag_time_breakdown.h"
#include "store/time.h"

enum { STEP = 1 << 14 }; /* nodes between two steps of the job: some milliseconds */

struct task_tally {
    const struct weft_dag *dag;
    uint32_t *task; /* by node: the innermost task around it, or itself */
    int64_t *work;  /* by node: work of a task's own parts */
    /* Entries by site ([n_sites] for WEFT_NONE); then those of contracted nodes by site;
       then the root's. */
    struct weft_dag_task_site *sites;
    const uint32_t *alike; /* [n_sites], first site of the same place */
    uint32_t n_sites;
    int64_t below;
    uint64_t lost; /* unreadable nodes */
};

static size_t index_of(const struct task_tally *tally, uint32_t site)
{
    return site < tally->n_sites ? tally->alike[site] : tally->n_sites;
}

/* The entry of unknown tasks inside contracted nodes at a site. */
static struct weft_dag_task_site *contracted_at(const struct task_tally *tally,
                                                uint32_t site)
{
    return &tally->sites[tally->n_sites + 1 + index_of(tally, site)];
}

/* The entry of the programs' root tasks. */
static struct weft_dag_task_site *root_entry(const struct task_tally *tally)
{
    return &tally->sites[2 * ((size_t)tally->n_sites + 1)];
}

static struct weft_dag_task_site *site_at(const struct task_tally *tally, uint32_t site)
{
    return &tally->sites[index_of(tally, site)];
}

/* Counts N equal tasks with WORK ticks in total. */
static void count_tasks(struct weft_dag_task_site *at, uint64_t n, int64_t work,
                        int64_t smallest, uint64_t small)
{
    if (!at->count || smallest < at->smallest)
        at->smallest = smallest;
    at->count = (uint64_t)weft_ticks_add((int64_t)at->count, (int64_t)n);
    at->small = (uint64_t)weft_ticks_add((int64_t)at->small, (int64_t)small);
    at->work = weft_ticks_add(at->work, work);
}

/* Estimates how many of these tasks have less work than BELOW, as if sizes were uniform. */
static uint64_t small_of(const struct weft_dag_tasks *tasks, int64_t below)
{
    if (below <= tasks->smallest || below > tasks->largest)
        return below > tasks->largest ? tasks->count : 0;
    return (uint64_t)((double)tasks->count * (double)(below - tasks->smallest)
                      / ((double)(tasks->largest - tasks->smallest) + 1));
}

/* Counts tasks without nodes at the places that created them. */
static void count_rows(struct task_tally *tally)
{
    for (uint64_t r = 0; r < weft_dag_tasks_rows(tally->dag); r++) {
        struct weft_dag_tasks tasks;
        weft_dag_tasks_row(tally->dag, r, &tasks);
        if (!tasks.count)
            continue;
        struct weft_dag_task_site *at = site_at(tally, tasks.site);
        count_tasks(at, tasks.count, tasks.work, tasks.smallest,
                    small_of(&tasks, tally->below));
        at->stolen = (uint64_t)weft_ticks_add((int64_t)at->stolen, (int64_t)tasks.stolen);
    }
}

/* The site where a task was created: the end of its create; WEFT_NONE for the root. */
static uint32_t site_of_task(const struct task_tally *tally, uint32_t task)
{
    struct weft_dag_node node;
    weft_dag_shape(tally->dag, task, &node);
    if (node.parent == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_node(tally->dag, node.parent, &node);
    return node.end_site;
}

/*
 * Returns true if a node is contracted and has tasks inside that are not known one by one.
 */
static bool hides_tasks(const struct weft_dag *dag, uint32_t number)
{
    struct weft_dag_node node;
    weft_dag_node(dag, number, &node);
    return !node.n && node.kind >= WEFT_DAG_LEAF_KINDS && !node.knows_inside
           && node.leaves[WEFT_DAG_END] > (node.kind == WEFT_DAG_TASK);
}

/* Adds a leaf or contracted node to the task around it. */
static void add_node(struct task_tally *tally, uint32_t number)
{
    struct weft_dag_node node;
    uint32_t owner = tally->task[number];
    weft_dag_node(tally->dag, number, &node);
    tally->lost += weft_dag_is_lost(&node);
    if (node.knows_inside)
        tally->work[owner] = weft_ticks_add(tally->work[owner], node.own_work);
    else if (hides_tasks(tally->dag, number))
        count_tasks(contracted_at(tally, owner == number ? site_of_task(tally, number)
                                                         : node.begin_site),
                    node.leaves[WEFT_DAG_END], node.work, 0, 0);
    else
        tally->work[owner] = weft_ticks_add(tally->work[owner], node.work);
}

static bool add_nodes(struct task_tally *tally, struct weft_job *job, struct weft_err *err)
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

static bool count_all(struct task_tally *tally, struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(tally->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node node;
        if (i % STEP == 0 && !weft_job_step(job, (uint64_t)n + i, 2 * (uint64_t)n, err))
            return false;
        if (tally->task[i] != i)
            continue;
        weft_dag_shape(tally->dag, i, &node);
        if (!node.n && hides_tasks(tally->dag, i))
            continue;
        if (i == 0 && weft_dag_has_several(tally->dag))
            continue; /* it is around the programs, and no task of one */
        count_tasks(weft_dag_is_program(tally->dag, i)
                        ? root_entry(tally)
                        : site_at(tally, site_of_task(tally, i)),
                    1, tally->work[i], tally->work[i], tally->work[i] < tally->below);
    }
    count_rows(tally);
    return true;
}

static bool count_stolen(struct task_tally *tally, struct weft_job *job,
                         struct weft_err *err)
{
    struct weft_dag_steals steals;
    if (!weft_dag_steals_read(tally->dag, job, &steals, err))
        return false;
    for (size_t i = 0; i < steals.n; i++)
        if (steals.list[i].edge == WEFT_DAG_EDGE_CREATE) {
            uint32_t task = steals.list[i].task, site = site_of_task(tally, task);
            struct weft_dag_task_site *at = hides_tasks(tally->dag, task)
                                                ? contracted_at(tally, site)
                                                : site_at(tally, site);
            at->stolen++;
        }
    weft_dag_steals_free(&steals);
    return true;
}

static int compare_sites(const void *left, const void *right)
{
    const struct weft_dag_task_site *a = left, *b = right;
    return WEFT_COMPARE(b->work, a->work) ?: WEFT_COMPARE(a->site, b->site)
           ?: a->contracted - b->contracted;
}

static void keep_counted(const struct task_tally *tally, struct weft_dag_task_sites *out)
{
    size_t each = (size_t)tally->n_sites + 1;
    out->list = tally->sites;
    for (size_t s = 0; s <= 2 * each; s++) {
        struct weft_dag_task_site site = tally->sites[s];
        if (!site.count)
            continue;
        site.root = s == 2 * each;
        site.contracted = s >= each && !site.root;
        site.site =
            s % each < tally->n_sites && !site.root ? (uint32_t)(s % each) : WEFT_NONE;
        out->list[out->n++] = site;
    }
    qsort(out->list, out->n, sizeof *out->list, compare_sites);
}

bool weft_dag_tasks_read(const struct weft_dag *dag, const uint32_t *alike,
                         uint32_t n_sites, int64_t below, struct weft_job *job,
                         struct weft_dag_task_sites *out, struct weft_err *err)
{
    uint32_t n = weft_dag_size(dag);
    struct task_tally tally = { .dag = dag,
                                .task = weft_alloc(n * sizeof *tally.task),
                                .work = weft_zalloc(n, sizeof *tally.work),
                                .sites = weft_zalloc(2 * (size_t)n_sites + 3,
                                                     sizeof *tally.sites),
                                .alike = alike,
                                .n_sites = n_sites,
                                .below = below };
    *out = (struct weft_dag_task_sites){ .workers = weft_dag_workers(dag) };
    bool ok = add_nodes(&tally, job, err) && count_all(&tally, job, err)
              && count_stolen(&tally, job, err);
    free(tally.task);
    free(tally.work);
    out->lost = tally.lost;
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
