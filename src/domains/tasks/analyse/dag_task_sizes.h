/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large the tasks of a DAG are, by the place in the program that created them: large
 * enough to be worth the overhead of a task, or not.  The work of a task excludes the tasks
 * that it created, so the work of all tasks adds up to that of the run.
 *
 * Tasks inside contracted nodes count at the places that created them if the trace knows
 * these (weft_dag_tasks_row).  If not, they count with all work of the contracted node in a
 * separate entry for that node's place: the lines that created them are unknown, and the
 * node's work may include some of the task around it.
 */
#ifndef WEFT_ANALYSE_DAG_TASK_SIZES_H
#define WEFT_ANALYSE_DAG_TASK_SIZES_H

#include "domains/tasks/dag/dag.h"

/* The tasks that were created at one place in the program. */
struct weft_dag_task_site {
    uint32_t site; /* place of the create, an index in the schema's sites; WEFT_NONE:
                        unknown, or root tasks */
    /* The tasks of this entry are those in contracted nodes that begin at `site`, or that
       are tasks created there (which count, too); only sums are known of them. */
    bool contracted;
    bool root;      /* this entry is for the root tasks of the run's programs, no others */
    uint64_t count; /* tasks */
    /*
     * Tasks with less work than BELOW of weft_dag_tasks_read(); 0 if contracted.  Tasks
     * without nodes are known by size classes only, whose bounds are 1, 2 and 5 times
     * powers of ten ticks; a class that holds the limit counts in proportion.
     */
    uint64_t small;
    uint64_t stolen;  /* tasks that began on another worker than their creator's */
    int64_t work;     /* total, in ticks */
    int64_t smallest; /* work of the smallest task, in ticks; 0 if contracted */
};

/* The tasks of a DAG, grouped by the places that created them: weft_dag_tasks_read() makes
   the list, weft_dag_tasks_free() frees it. */
struct weft_dag_task_sites {
    struct weft_dag_task_site *list; /* [n] sorted by work, largest first */
    size_t n;
    uint32_t workers; /* number of workers of the run */
    uint64_t lost;    /* unreadable nodes; if not 0, no number here is reliable */
};

/*
 * Groups all tasks by the place that created them, into *OUT.  A task with less than BELOW
 * ticks of work counts as small.  ALIKE[N_SITES], from weft_sites_alike(), gives for each
 * site of the trace's schema the first one of the same line, under which its tasks count.
 * O(nodes), with 12 bytes a node meanwhile.  Returns false with WEFT_ERR_CANCELLED if JOB
 * (may be NULL) is cancelled; else weft_dag_tasks_free() frees *OUT.
 */
bool weft_dag_tasks_read(const struct weft_dag *dag, const uint32_t *alike,
                         uint32_t n_sites, int64_t below, struct weft_job *job,
                         struct weft_dag_task_sites *out,
                         struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of places, not SITES itself, which is zeroed. */
void weft_dag_tasks_free(struct weft_dag_task_sites *sites);

#endif
