/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tree of tasks of a DAG, by creation, as a VISTA trace
   (domains/trees/read/vista_priv.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "domains/tasks/dag/dag.h"
#include "domains/tasks/write/dag_text.h"
#include "store/build/sort_runs.h"
#include "store/time.h"

enum { STEP = 1 << 16 }; /* nodes between two steps of the job: some milliseconds */

struct task_tree {
    const struct weft_dag *dag;
    FILE *stream;
    uint32_t *owners;  /* by node: the innermost task around it, or itself */
    int64_t *begins;   /* by task: at the earliest that of the task that created it */
    uint32_t *workers; /* by task that is written: worker on which it began */
    uint32_t *indices; /* by task: its number on its worker, from 1; 0 if not written */
    uint32_t *counts;  /* by worker: tasks so far */
    struct weft_sort_runs tasks; /* by begin */
    const struct weft_schema *schema;
};

/* The worker on which a task began; 0 if unknown. */
static uint32_t worker_of(const struct task_tree *tree, uint32_t task,
                          struct weft_dag_node *node)
{
    uint32_t first = weft_dag_first(tree->dag, task);
    weft_dag_node(tree->dag, first, node);
    return node->worker >= 0 ? (uint32_t)node->worker : 0;
}

/* The task that created a task; WEFT_NONE for the root. */
static uint32_t maker_of(const struct task_tree *tree, uint32_t task)
{
    struct weft_dag_node shape;
    weft_dag_shape(tree->dag, task, &shape);
    return shape.parent == WEFT_NONE ? WEFT_NONE : tree->owners[shape.parent];
}

/* Sorts all tasks by begin; a begin before that of the creating task is raised to it. */
static bool sort_tasks(struct task_tree *tree, struct weft_job *job, struct weft_err *err)
{
    uint32_t n = weft_dag_size(tree->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node node;
        weft_dag_node(tree->dag, i, &node);
        bool task = node.kind == WEFT_DAG_TASK || i == 0;
        tree->owners[i] = task ? i : tree->owners[node.parent];
        tree->begins[i] = node.begin;
        if (task && i) {
            int64_t made = tree->begins[maker_of(tree, i)];
            int64_t begin = node.begin > made ? node.begin : made;
            tree->begins[i] = begin;
            weft_sort_runs_add(&tree->tasks, (uint64_t)begin ^ UINT64_C(1) << 63, i);
        } else if (task) {
            weft_sort_runs_add(&tree->tasks, 0, i);
        }
        if (i % STEP == 0 && !weft_job_step(job, i, n, err))
            return false;
    }
    return weft_sort_runs_merge(&tree->tasks, err);
}

static void put_task(struct task_tree *tree, uint32_t task)
{
    struct weft_dag_node node;
    uint32_t maker = maker_of(tree, task), worker = worker_of(tree, task, &node);
    int64_t microseconds = weft_ticks_to_ns(tree->schema, tree->begins[task]) / 1000;
    /* In a damaged DAG the creating task may come later; it is then unknown. */
    bool known = maker != WEFT_NONE && tree->indices[maker];
    tree->indices[task] = ++tree->counts[worker];
    fprintf(tree->stream,
            "%" PRId64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32
            "\n",
            microseconds, node.begin_site == WEFT_NONE ? 1 : node.begin_site + 2, worker,
            tree->indices[task], known ? tree->workers[maker] : 0,
            known ? tree->indices[maker] : 0);
    tree->workers[task] = worker;
}

static bool put_tasks(struct task_tree *tree, struct weft_job *job, struct weft_err *err)
{
    struct weft_sort_item item;
    fprintf(tree->stream, "%" PRIu32 "\n", weft_dag_worker_limit(tree->dag));
    for (uint64_t i = 0; weft_sort_runs_next(&tree->tasks, &item); i++) {
        put_task(tree, (uint32_t)item.payload);
        if (i % STEP == 0 && !weft_job_step(job, i, tree->tasks.count, err))
            return false;
    }
    return !ferror(tree->stream)
           || weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the tree");
}

bool weft_write_task_tree(const struct weft_source *source, FILE *stream,
                          const char *folder, struct weft_job *job, struct weft_err *err)
{
    if (!weft_dag_fills(source))
        return weft_fail(err, WEFT_ERR_FORMAT, "the trace has no task DAG");
    struct weft_dag *dag = weft_dag_open(source, err);
    if (!dag)
        return false;
    size_t n = weft_dag_size(dag);
    struct task_tree tree = { .dag = dag,
                              .stream = stream,
                              .owners = weft_alloc(n * sizeof *tree.owners),
                              .begins = weft_alloc(n * sizeof *tree.begins),
                              .workers = weft_zalloc(n, sizeof *tree.workers),
                              .indices = weft_zalloc(n, sizeof *tree.indices),
                              .counts = weft_zalloc(weft_dag_worker_limit(dag),
                                                    sizeof *tree.counts),
                              .schema = source->schema };
    weft_sort_runs_begin(&tree.tasks, folder);
    bool ok = sort_tasks(&tree, job, err) && put_tasks(&tree, job, err);
    weft_sort_runs_end(&tree.tasks);
    free(tree.owners);
    free(tree.begins);
    free(tree.workers);
    free(tree.indices);
    free(tree.counts);
    weft_dag_close(dag);
    return ok;
}
