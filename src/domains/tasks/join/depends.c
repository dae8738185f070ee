/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/join/depends.h"

#include <stdlib.h>

#include "base/hash_map.h"

/*
 * An address.  The tasks that named it form groups in which none depends on another: one
 * `out`, or consecutive ones of the same other kind.  Each task depends on all of the group
 * before its own.
 */
struct dependence {
    enum weft_omp_depend how; /* of the tasks in `now` */
    struct omp_predecessors now, before;
};

struct omp_depends {
    struct weft_id_map by_address;
    struct dependence *all; /* [n] */
    size_t n, capacity;
    struct weft_dag_ref latest_all; /* latest task that named all memory */
};

struct omp_depends *omp_depends_new(void)
{
    return weft_zalloc(1, sizeof(struct omp_depends));
}

static void forget(struct omp_depends *depends)
{
    for (size_t i = 0; i < depends->n; i++) {
        free(depends->all[i].now.tasks);
        free(depends->all[i].before.tasks);
    }
    depends->n = 0;
    weft_id_map_free(&depends->by_address);
    depends->by_address = (struct weft_id_map){ 0 };
}

void omp_depends_free(struct omp_depends *depends)
{
    if (!depends)
        return;
    forget(depends);
    free(depends->all);
    free(depends);
}

static bool same(struct weft_dag_ref a, struct weft_dag_ref b)
{
    return a.node == b.node && a.stamp == b.stamp;
}

static void add(struct omp_predecessors *to, struct weft_dag_ref task)
{
    to->tasks = weft_grow(to->tasks, &to->capacity, to->n + 1, sizeof *to->tasks);
    to->tasks[to->n++] = task;
}

/* Adds FROM but for TASK itself, which may name an address twice. */
static void add_all(struct omp_predecessors *to, const struct omp_predecessors *from,
                    struct weft_dag_ref task)
{
    for (size_t i = 0; i < from->n; i++)
        if (!same(from->tasks[i], task))
            add(to, from->tasks[i]);
}

static struct dependence *find(struct omp_depends *depends, uint64_t address)
{
    uint32_t index = weft_id_map_get(&depends->by_address, address);
    struct dependence *new;

    if (index != WEFT_MAP_NONE)
        return &depends->all[index];
    depends->all =
        weft_grow(depends->all, &depends->capacity, depends->n + 1, sizeof *depends->all);
    weft_id_map_put(&depends->by_address, address, (uint32_t)depends->n);
    new = &depends->all[depends->n++];
    *new = (struct dependence){ .how = WEFT_OMP_OUT };
    if (depends->latest_all.stamp != 0)
        add(&new->now, depends->latest_all);
    return new;
}

/* A group of tasks of the kind HOW begins. */
static void begin_group(struct dependence *dependence, enum weft_omp_depend how)
{
    struct omp_predecessors emptied = dependence->before;

    dependence->before = dependence->now;
    dependence->now = emptied;
    dependence->now.n = 0;
    dependence->how = how;
}

/* TASK comes after all that named any address, and before all that will. */
static void add_to_all(struct omp_depends *depends, struct weft_dag_ref task,
                       struct omp_predecessors *out)
{
    for (size_t i = 0; i < depends->n; i++)
        add_all(out, &depends->all[i].now, task);
    if (depends->latest_all.stamp != 0)
        add(out, depends->latest_all);
    if (task.stamp == 0)
        return;
    forget(depends);
    depends->latest_all = task;
}

struct weft_dag_ref omp_depends_add(struct omp_depends *depends, struct weft_dag_ref task,
                                    uint64_t address, enum weft_omp_depend how,
                                    struct omp_predecessors *out)
{
    struct weft_dag_ref excluded = { 0 };
    struct dependence *dependence;
    bool joins;

    if (how == WEFT_OMP_ALL) {
        add_to_all(depends, task, out);
        return excluded;
    }
    dependence = find(depends, address);
    joins = how == dependence->how && how != WEFT_OMP_OUT;
    add_all(out, joins ? &dependence->before : &dependence->now, task);
    if (task.stamp == 0)
        return excluded;
    if (joins && how == WEFT_OMP_EXCLUSIVE)
        excluded = dependence->now.tasks[dependence->now.n - 1];
    if (!joins)
        begin_group(dependence, how);
    add(&dependence->now, task);
    return excluded;
}
