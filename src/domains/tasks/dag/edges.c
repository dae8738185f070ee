/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the first and last nodes of sections and tasks, and the edges, from the structure.
 */
#include "domains/tasks/dag/dag.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash_map.h"
#include "base/memory.h"

uint32_t weft_dag_first(const struct weft_dag *dag, uint32_t node)
{
    for (;;) {
        struct weft_dag_node shape;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n)
            return node;
        node = shape.first;
    }
}

uint32_t weft_dag_last(const struct weft_dag *dag, uint32_t node)
{
    for (;;) {
        struct weft_dag_node shape;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n)
            return node;
        node = shape.first + shape.n - 1;
    }
}

/* The next sibling of NODE; WEFT_NONE if it is the last child, or a task. */
static uint32_t next_of(const struct weft_dag *dag, uint32_t node,
                        const struct weft_dag_node *shape)
{
    struct weft_dag_node parent;
    if (shape->parent == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_shape(dag, shape->parent, &parent);
    return parent.n && node - parent.first < parent.n - 1 ? node + 1 : WEFT_NONE;
}

/* The node at which NODE's task continues after it; WEFT_NONE at its end.  A section
   without a wait is left at its last child. */
static uint32_t continued_at(const struct weft_dag *dag, uint32_t node,
                             struct weft_dag_node shape)
{
    uint32_t next = next_of(dag, node, &shape);
    while (next == WEFT_NONE && shape.parent != WEFT_NONE) {
        node = shape.parent;
        weft_dag_shape(dag, node, &shape);
        if (shape.kind != WEFT_DAG_SECTION)
            return WEFT_NONE;
        next = next_of(dag, node, &shape);
    }
    return next;
}

struct weft_dag_joins {
    pthread_mutex_t lock;
    struct weft_id_map next; /* by section: node after its wait + 1; 0 if it has no wait */
    struct weft_id_map near; /* by node | kind << 32: node around it + 1; 0 if none */
};

struct weft_dag_joins *weft_dag_joins_new(void)
{
    struct weft_dag_joins *joins = weft_zalloc(1, sizeof *joins);
    pthread_mutex_init(&joins->lock, NULL);
    return joins;
}

void weft_dag_joins_free(struct weft_dag_joins *joins)
{
    if (!joins)
        return;
    weft_id_map_free(&joins->next);
    weft_id_map_free(&joins->near);
    pthread_mutex_destroy(&joins->lock);
    free(joins);
}

/* Selects one node in 32, by a hash: the results of their climbs are cached. */
static bool is_kept(uint32_t node)
{
    return node * UINT32_C(2654435761) >> 27 == 0;
}

static bool is_known(struct weft_dag_joins *joins, const struct weft_id_map *map,
                     uint64_t key, uint32_t *found)
{
    pthread_mutex_lock(&joins->lock);
    uint32_t known = weft_id_map_get(map, key);
    pthread_mutex_unlock(&joins->lock);
    if (known != WEFT_MAP_NONE)
        *found = known - 1;
    return known != WEFT_MAP_NONE;
}

static void keep(struct weft_dag_joins *joins, struct weft_id_map *map,
                 const uint64_t *passed, size_t n, uint32_t found)
{
    pthread_mutex_lock(&joins->lock);
    for (size_t i = 0; i < n; i++)
        weft_id_map_put(map, passed[i], found + 1);
    pthread_mutex_unlock(&joins->lock);
}

/* The innermost node of a KIND around NODE, or WEFT_NONE.  It is usually one or two levels
   up; if a file nests deeply, results are cached in JOINS, which may be NULL. */
static uint32_t nearest(const struct weft_dag *dag, uint32_t node, enum weft_dag_kind kind,
                        struct weft_dag_joins *joins)
{
    enum { USUAL = 32 /* steps */ };
    uint64_t *passed = NULL;
    size_t n_passed = 0, capacity = 0;
    struct weft_dag_node shape;
    weft_dag_shape(dag, node, &shape);
    for (size_t steps = 0;; steps++) {
        uint64_t key = (uint64_t)kind << 32 | node;
        if (joins && steps > USUAL && is_kept(node)) {
            if (is_known(joins, &joins->near, key, &node))
                break;
            passed = weft_grow(passed, &capacity, n_passed + 1, sizeof *passed);
            passed[n_passed++] = key;
        }
        node = shape.parent;
        if (node == WEFT_NONE)
            break;
        weft_dag_shape(dag, node, &shape);
        if (shape.kind == kind)
            break;
    }
    if (n_passed)
        keep(joins, &joins->near, passed, n_passed, node);
    free(passed);
    return node;
}

/* The section around a create, section or task; WEFT_NONE if there is none. */
static uint32_t section_around(const struct weft_dag *dag, uint32_t node,
                               struct weft_dag_joins *joins)
{
    return nearest(dag, node, WEFT_DAG_SECTION, joins);
}

uint32_t weft_dag_task_of(const struct weft_dag *dag, uint32_t node,
                          struct weft_dag_joins *joins)
{
    struct weft_dag_node shape;
    weft_dag_shape(dag, node, &shape);
    return shape.kind == WEFT_DAG_TASK ? node : nearest(dag, node, WEFT_DAG_TASK, joins);
}

/* The node after the innermost wait that joins all tasks, in SECTION or around it.  JOINS
   may be NULL. */
static uint32_t all_joined_at(const struct weft_dag *dag, uint32_t section,
                              struct weft_dag_joins *joins)
{
    uint32_t next = WEFT_NONE;
    uint64_t *passed = NULL;
    size_t n_passed = 0, capacity = 0;
    for (; section != WEFT_NONE; section = section_around(dag, section, joins)) {
        struct weft_dag_node shape, wait;
        if (joins && is_kept(section)) {
            if (is_known(joins, &joins->next, section, &next))
                break;
            passed = weft_grow(passed, &capacity, n_passed + 1, sizeof *passed);
            passed[n_passed++] = section;
        }
        weft_dag_shape(dag, section, &shape);
        weft_dag_shape(dag, shape.n ? shape.first + shape.n - 1 : section, &wait);
        if (wait.kind == WEFT_DAG_WAIT && wait.joins_all) {
            next = continued_at(dag, section, shape);
            break;
        }
    }
    if (n_passed)
        keep(joins, &joins->next, passed, n_passed, next);
    free(passed);
    return next;
}

/* The node after the wait that joins NODE's task (or NODE, if it is a task). */
static uint32_t task_joined_at(const struct weft_dag *dag, uint32_t node,
                               struct weft_dag_joins *joins)
{
    struct weft_dag_node shape, wait;
    node = weft_dag_task_of(dag, node, joins);
    if (node == WEFT_NONE)
        return WEFT_NONE;
    /* In the section of the task's create any wait joins it. */
    uint32_t own = section_around(dag, node, joins);
    if (own == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_shape(dag, own, &shape);
    weft_dag_shape(dag, shape.n ? shape.first + shape.n - 1 : own, &wait);
    return wait.kind == WEFT_DAG_WAIT
               ? continued_at(dag, own, shape)
               : all_joined_at(dag, section_around(dag, own, joins), joins);
}

/* The node after the wait NODE: the one after its section. */
static uint32_t waited_at(const struct weft_dag *dag, uint32_t node,
                          struct weft_dag_joins *joins)
{
    struct weft_dag_node shape;
    uint32_t section = section_around(dag, node, joins);
    if (section == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_shape(dag, section, &shape);
    return continued_at(dag, section, shape);
}

static bool all_open(void *user, uint32_t node)
{
    (void)user;
    (void)node;
    return true;
}

/* The first leaf or closed node in NODE. */
static uint32_t entry_of(const struct weft_dag *dag, uint32_t node,
                         bool (*is_open)(void *user, uint32_t node), void *user)
{
    for (;;) {
        struct weft_dag_node shape;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n || !is_open(user, node))
            return node;
        node = shape.first;
    }
}

static size_t successors(const struct weft_dag *dag, uint32_t node,
                         bool (*is_open)(void *user, uint32_t node), void *user,
                         struct weft_dag_joins *joins,
                         struct weft_dag_arc out[WEFT_DAG_ARCS])
{
    static const enum weft_dag_edge along[WEFT_DAG_KINDS] = {
        [WEFT_DAG_CREATE] = WEFT_DAG_EDGE_CREATE_CONTINUATION,
        [WEFT_DAG_WAIT] = WEFT_DAG_EDGE_WAIT_CONTINUATION,
        [WEFT_DAG_OTHER] = WEFT_DAG_EDGE_OTHER_CONTINUATION,
        [WEFT_DAG_END] = WEFT_DAG_EDGE_END,
        [WEFT_DAG_SECTION] = WEFT_DAG_EDGE_WAIT_CONTINUATION,
        [WEFT_DAG_TASK] = WEFT_DAG_EDGE_END,
    };
    struct weft_dag_node shape;
    size_t n = 0;
    weft_dag_shape(dag, node, &shape);
    if (shape.n && is_open(user, node))
        return 0;
    if (shape.created != WEFT_NONE)
        out[n++] = (struct weft_dag_arc){ entry_of(dag, shape.created, is_open, user),
                                          WEFT_DAG_EDGE_CREATE };
    uint32_t next = shape.kind == WEFT_DAG_TASK ? WEFT_NONE : next_of(dag, node, &shape);
    if (next == WEFT_NONE && shape.kind == WEFT_DAG_WAIT)
        next = waited_at(dag, node, joins);
    else if (next == WEFT_NONE
             && (shape.kind == WEFT_DAG_END || shape.kind == WEFT_DAG_TASK))
        next = task_joined_at(dag, node, joins);
    else if (next == WEFT_NONE)
        next = continued_at(dag, node, shape);
    if (next != WEFT_NONE)
        out[n++] =
            (struct weft_dag_arc){ entry_of(dag, next, is_open, user), along[shape.kind] };
    return n;
}

size_t weft_dag_successors(const struct weft_dag *dag, uint32_t node,
                           struct weft_dag_arc out[WEFT_DAG_ARCS])
{
    return successors(dag, node, all_open, NULL, NULL, out);
}

size_t weft_dag_successors_of_many(const struct weft_dag *dag, uint32_t node,
                                   struct weft_dag_joins *joins,
                                   struct weft_dag_arc out[WEFT_DAG_ARCS])
{
    return successors(dag, node, all_open, NULL, joins, out);
}

size_t weft_dag_successors_of_closed(const struct weft_dag *dag, uint32_t node,
                                     bool (*is_open)(void *user, uint32_t node), void *user,
                                     struct weft_dag_arc out[WEFT_DAG_ARCS])
{
    return successors(dag, node, is_open, user, NULL, out);
}
