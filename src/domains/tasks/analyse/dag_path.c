/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_path.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "store/time.h"

enum { STEP = 1 << 12 }; /* steps between two of the job: about a millisecond */

struct path_search {
    const struct weft_dag *dag;
    struct weft_job *job;
    struct weft_err *err;
    struct weft_dag_path *path;
    size_t capacity;
};

static int64_t at_least_0(int64_t ticks)
{
    return ticks > 0 ? ticks : 0;
}

/* READY is when the node could have begun.  Returns false if cancelled. */
static bool add_step(struct path_search *search, uint32_t number,
                     const struct weft_dag_node *node, int64_t work, int64_t ready)
{
    struct weft_dag_path *path = search->path;
    int64_t beyond = at_least_0(node->end - node->begin - work);
    int64_t waiting = node->worker < 0         ? 0
                      : node->waiting < beyond ? node->waiting
                                               : beyond;
    int64_t delay = weft_ticks_add(at_least_0(node->begin - ready), beyond - waiting);
    path->steps =
        weft_grow(path->steps, &search->capacity, path->n + 1, sizeof *path->steps);
    path->steps[path->n++] = (struct weft_dag_step){ .node = number,
                                                     .site = node->begin_site,
                                                     .last = node->end_site,
                                                     .work = work,
                                                     .waiting = waiting,
                                                     .delay = delay };
    path->lost += weft_dag_is_lost(node);
    path->work = weft_ticks_add(path->work, work);
    path->waiting = weft_ticks_add(path->waiting, waiting);
    path->delay = weft_ticks_add(path->delay, delay);
    return path->n % STEP
           || weft_job_step(search->job, path->n, weft_dag_size(search->dag), search->err);
}

/* ---- Steps back ---- */

/* The predecessor of a node that ends last among those looked at so far. */
struct latest {
    uint32_t node; /* WEFT_NONE before the first */
    int64_t end;   /* as end_of() says */
    int64_t limit; /* a predecessor does not end later: the node's begin */
};

/* The time at which a node ends: on unlimited workers BY_WORK, in the run BY_TIME. */
static int64_t end_of(const struct path_search *search, const struct weft_dag_node *node)
{
    return search->path->way == WEFT_DAG_BY_WORK
               ? weft_ticks_add(node->earliest, node->critical_path)
               : node->end;
}

/* Looks at the last leaf of NUMBER as a predecessor.  FIRST: it goes before others that end
   at the same time. */
static void look_at(const struct path_search *search, uint32_t number, bool first,
                    struct latest *latest)
{
    struct weft_dag_node node;
    uint32_t last = weft_dag_last(search->dag, number);
    weft_dag_node(search->dag, last, &node);
    search->path->lost += weft_dag_is_lost(&node);
    int64_t end = end_of(search, &node);
    if (latest->node != WEFT_NONE && (end < latest->end || (end == latest->end && !first)))
        return;
    if (search->path->way == WEFT_DAG_BY_WORK && end > latest->limit)
        return;
    latest->node = last;
    latest->end = end;
}

/* Looks at the tasks that NODE, a task or leaf, is ordered after. */
static void look_at_orders(const struct path_search *search, uint32_t node,
                           struct latest *latest)
{
    const struct weft_dag *dag = search->dag;
    uint64_t n = weft_dag_orders(dag);
    struct weft_dag_order order;
    for (uint64_t row = n ? weft_dag_orders_into(dag, node) : 0; row < n; row++) {
        if (!weft_dag_order(dag, row, &order) || order.after != node)
            break;
        struct weft_dag_node task, self;
        weft_dag_node(dag, order.before, &task);
        weft_dag_node(dag, node, &self);
        if (order.kind != WEFT_DAG_ORDER_EXCLUSION || task.end <= self.begin)
            look_at(search, order.before, true, latest);
    }
}

/* Returns true if the wait at the end of a section joins all inside. */
static bool waits_for_all(const struct weft_dag *dag, uint32_t section)
{
    struct weft_dag_node shape;
    weft_dag_shape(dag, section, &shape);
    if (!shape.n)
        return false;
    weft_dag_shape(dag, shape.first + shape.n - 1, &shape);
    return shape.kind == WEFT_DAG_WAIT && shape.joins_all;
}

/* Returns true if the section or task NODE may hold a task that no wait inside has joined
   and that ends later than LATEST.  Orders may hold up what is inside a section for longer
   than its own critical path says. */
static bool may_end_later(const struct path_search *search, uint32_t number,
                          const struct latest *latest)
{
    struct weft_dag_node node;
    weft_dag_node(search->dag, number, &node);
    if (!node.n || (node.kind == WEFT_DAG_SECTION && waits_for_all(search->dag, number)))
        return false;
    if (search->path->way == WEFT_DAG_BY_WORK && node.kind == WEFT_DAG_SECTION
        && weft_dag_orders(search->dag) > 0)
        return true;
    return latest->node == WEFT_NONE || end_of(search, &node) >= latest->end;
}

/* Looks at the tasks that a section's wait joined: its own creates' tasks, and if it joins
   all, also those inside that no wait has joined. */
static void look_at_joined(const struct path_search *search, uint32_t section,
                           struct latest *latest)
{
    const struct weft_dag *dag = search->dag;
    bool joins_all = waits_for_all(dag, section);
    bool by_time = search->path->way == WEFT_DAG_BY_TIME;
    uint32_t *stack = NULL;
    size_t n = 0, capacity = 0;
    stack = weft_grow(stack, &capacity, 1, sizeof *stack);
    stack[n++] = section;
    while (n > 0) {
        struct weft_dag_node around, child;
        uint32_t of = stack[--n];
        weft_dag_shape(dag, of, &around);
        for (uint32_t i = around.first; i < around.first + around.n; i++) {
            weft_dag_shape(dag, i, &child);
            uint32_t inner = child.created != WEFT_NONE ? child.created : i;
            if (inner != i)
                look_at(search, inner, by_time, latest);
            if (!joins_all || !may_end_later(search, inner, latest))
                continue;
            stack = weft_grow(stack, &capacity, n + 1, sizeof *stack);
            stack[n++] = inner;
        }
    }
    free(stack);
}

/* Looks at all that what follows a section may have waited for.  A section that ends with
   another one ends with what that waits for.  One without a wait joins no task; by time its
   tasks count nevertheless. */
static void look_at_section(const struct path_search *search, uint32_t section,
                            struct latest *latest)
{
    struct weft_dag_node shape, last;
    look_at(search, section, true, latest);
    weft_dag_shape(search->dag, section, &shape);
    for (; shape.kind == WEFT_DAG_SECTION && shape.n; shape = last) {
        uint32_t end = shape.first + shape.n - 1;
        weft_dag_shape(search->dag, end, &last);
        if (last.kind == WEFT_DAG_WAIT || search->path->way == WEFT_DAG_BY_TIME)
            look_at_joined(search, section, latest);
        section = end;
    }
}

/* The predecessor of a leaf or contracted node that ends last; WEFT_NONE for the first
   node. */
static uint32_t before(const struct path_search *search, uint32_t node)
{
    const struct weft_dag *dag = search->dag;
    struct weft_dag_node shape, around;
    weft_dag_node(dag, node, &shape);
    struct latest latest = { .node = WEFT_NONE, .limit = shape.earliest };
    for (;; node = shape.parent) {
        look_at_orders(search, node, &latest);
        weft_dag_shape(dag, node, &shape);
        if (shape.parent == WEFT_NONE)
            return latest.node;
        weft_dag_shape(dag, shape.parent, &around);
        if (around.kind == WEFT_DAG_CREATE) {
            look_at(search, shape.parent, true, &latest);
            return latest.node == WEFT_NONE ? shape.parent : latest.node;
        }
        if (node != around.first)
            break;
    }
    weft_dag_shape(dag, node - 1, &shape);
    if (shape.kind == WEFT_DAG_SECTION && shape.n)
        look_at_section(search, node - 1, &latest);
    else
        look_at(search, node - 1, true, &latest);
    return latest.node == WEFT_NONE ? weft_dag_last(dag, node - 1) : latest.node;
}

/* ---- The last node ---- */

/* The child, or task that a child created, with the longest path that ends in it. */
struct furthest {
    uint32_t node;
    int64_t end;
};

static void consider(const struct path_search *search, uint32_t number,
                     struct furthest *furthest)
{
    struct weft_dag_node node;
    weft_dag_node(search->dag, number, &node);
    search->path->lost += weft_dag_is_lost(&node);
    if (furthest->node == WEFT_NONE || end_of(search, &node) >= furthest->end)
        *furthest = (struct furthest){ number, end_of(search, &node) };
}

/*
 * Looks for the end of the longest path in the section or task AROUND.  Orders may hold up
 * what is inside a section for longer than its own critical path says, so in a DAG with
 * orders all inside the sections of a task is looked at.
 */
static uint32_t furthest_inside(const struct path_search *search, uint32_t around)
{
    const struct weft_dag *dag = search->dag;
    struct furthest furthest = { .node = WEFT_NONE };
    bool ordered = weft_dag_orders(dag) > 0;
    uint32_t *stack = NULL;
    size_t n = 0, capacity = 0;
    stack = weft_grow(stack, &capacity, 1, sizeof *stack);
    stack[n++] = around;
    while (n > 0) {
        struct weft_dag_node shape, child;
        weft_dag_shape(dag, stack[--n], &shape);
        for (uint32_t i = shape.first; i < shape.first + shape.n; i++) {
            weft_dag_shape(dag, i, &child);
            if (ordered && child.kind == WEFT_DAG_SECTION && child.n) {
                stack = weft_grow(stack, &capacity, n + 1, sizeof *stack);
                stack[n++] = i;
                continue;
            }
            if (child.created != WEFT_NONE)
                consider(search, child.created, &furthest);
            consider(search, i, &furthest);
        }
    }
    free(stack);
    return furthest.node;
}

/* The node at which the path ends.  In the run that is the root's last. */
static uint32_t last_of_path(const struct path_search *search)
{
    struct weft_dag_node shape;
    uint32_t node = 0;
    if (search->path->way == WEFT_DAG_BY_TIME)
        return weft_dag_last(search->dag, 0);
    for (weft_dag_shape(search->dag, 0, &shape); shape.n;
         weft_dag_shape(search->dag, node, &shape))
        node = furthest_inside(search, node);
    return node;
}

/* ---- The path ---- */

static void turn_around(struct weft_dag_path *path)
{
    for (size_t i = 0; i < path->n / 2; i++) {
        struct weft_dag_step step = path->steps[i];
        path->steps[i] = path->steps[path->n - 1 - i];
        path->steps[path->n - 1 - i] = step;
    }
}

/* Adds the step NODE, which follows EARLIER, or NULL.  Returns false if cancelled. */
static bool step_to(struct path_search *search, uint32_t number,
                    const struct weft_dag_node *node, const struct weft_dag_node *earlier)
{
    int64_t lasts = node->end - node->begin;
    int64_t work = node->worker >= 0 ? node->work : node->critical_path;
    if (search->path->way == WEFT_DAG_BY_WORK)
        return add_step(search, number, node, node->critical_path, node->first_ready);
    return add_step(search, number, node, work < lasts ? work : lasts,
                    earlier ? earlier->end : node->first_ready);
}

bool weft_dag_path_read(const struct weft_dag *dag, enum weft_dag_way way,
                        struct weft_job *job, struct weft_dag_path *out,
                        struct weft_err *err)
{
    struct path_search search = { dag, job, err, out, 0 };
    *out = (struct weft_dag_path){ .way = way };
    bool ok = true;
    /* In a damaged file predecessors may form a cycle, so the number of steps is limited to
       that of nodes. */
    for (uint32_t at = last_of_path(&search), next;
         ok && at != WEFT_NONE && out->n < weft_dag_size(dag); at = next) {
        struct weft_dag_node node, earlier;
        weft_dag_node(dag, at, &node);
        next = before(&search, at);
        if (next != WEFT_NONE)
            weft_dag_node(dag, next, &earlier);
        ok = step_to(&search, at, &node, next == WEFT_NONE ? NULL : &earlier);
    }
    turn_around(out);
    if (!ok)
        weft_dag_path_free(out);
    return ok;
}

void weft_dag_path_free(struct weft_dag_path *path)
{
    free(path->steps);
    *path = (struct weft_dag_path){ 0 };
}

/* ---- By places ---- */

static int compare(const struct weft_dag_path_place *a, const struct weft_dag_path_place *b,
                   int64_t first, int64_t second)
{
    return WEFT_COMPARE(second, first) ?: WEFT_COMPARE(a->site, b->site)
           ?: WEFT_COMPARE(a->last, b->last);
}

static int64_t time_of(int64_t work, int64_t waiting, int64_t delay)
{
    return weft_ticks_add(weft_ticks_add(work, waiting), delay);
}

static int compare_work(const void *left, const void *right)
{
    const struct weft_dag_path_place *a = left, *b = right;
    return compare(a, b, a->work, b->work);
}

static int compare_time(const void *left, const void *right)
{
    const struct weft_dag_path_place *a = left, *b = right;
    return compare(a, b, time_of(a->work, a->waiting, a->delay),
                   time_of(b->work, b->waiting, b->delay));
}

size_t weft_dag_path_places(const struct weft_dag_path *path, const uint32_t *alike,
                            uint32_t n_sites, struct weft_dag_path_place **out)
{
    struct weft_id_map numbers = { 0 };
    size_t n = 0, capacity = 0;
    *out = NULL;
    for (size_t i = 0; i < path->n; i++) {
        const struct weft_dag_step *step = &path->steps[i];
        uint32_t site = step->site < n_sites ? alike[step->site] : WEFT_NONE;
        uint32_t last = step->last < n_sites ? alike[step->last] : WEFT_NONE;
        uint64_t key = (uint64_t)site << 32 | last;
        uint32_t number = weft_id_map_get(&numbers, key);
        if (number == WEFT_MAP_NONE) {
            number = (uint32_t)n;
            weft_id_map_put(&numbers, key, number);
            *out = weft_grow(*out, &capacity, n + 1, sizeof **out);
            (*out)[n++] = (struct weft_dag_path_place){ .site = site,
                                                        .last = last,
                                                        .longest_ticks = -1 };
        }
        struct weft_dag_path_place *place = &(*out)[number];
        place->count++;
        place->begins |= i == 0;
        place->ends |= i + 1 == path->n;
        place->work = weft_ticks_add(place->work, step->work);
        place->waiting = weft_ticks_add(place->waiting, step->waiting);
        place->delay = weft_ticks_add(place->delay, step->delay);
        int64_t ticks = path->way == WEFT_DAG_BY_TIME
                            ? time_of(step->work, step->waiting, step->delay)
                            : step->work;
        if (ticks > place->longest_ticks) {
            place->longest = step->node;
            place->longest_ticks = ticks;
        }
    }
    weft_id_map_free(&numbers);
    if (n)
        qsort(*out, n, sizeof **out,
              path->way == WEFT_DAG_BY_TIME ? compare_time : compare_work);
    return n;
}
