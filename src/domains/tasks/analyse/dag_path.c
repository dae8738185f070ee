/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_path.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/map.h"
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
    int64_t delay = weft_ticks_add(at_least_0(node->begin - ready), beyond);
    path->steps =
        weft_grow(path->steps, &search->capacity, path->n + 1, sizeof *path->steps);
    path->steps[path->n++] =
        (struct weft_dag_step){ number, node->begin_site, node->end_site, work, delay };
    path->lost += weft_dag_is_lost(node);
    path->work = weft_ticks_add(path->work, work);
    path->delay = weft_ticks_add(path->delay, delay);
    return path->n % STEP
           || weft_job_step(search->job, path->n, weft_dag_size(search->dag), search->err);
}

/* ---- By work ---- */

/* The rest of a section or task on the path: its children up to the last one, and that
   one's created task if the path continues in it. */
struct inside {
    uint32_t next, last;
    uint32_t task; /* or WEFT_NONE */
};

/* How the path goes through a section or task: along its children, and at one create, if
   any, into the created task, whose end leads to the end of the children. */
static struct inside way_inside(const struct path_search *search,
                                const struct weft_dag_node *around)
{
    const struct weft_dag *dag = search->dag;
    struct inside way = { around->first, around->first + around->n - 1, WEFT_NONE };
    struct weft_dag_node node, task;
    int64_t along = 0, longest = -1, leave = 0;
    uint32_t at = WEFT_NONE, made = WEFT_NONE;
    for (uint32_t i = way.next; i <= way.last; i++) {
        weft_dag_node(dag, i, &node);
        search->path->lost += weft_dag_is_lost(&node);
        along = weft_ticks_add(along, node.critical_path);
        if (node.created == WEFT_NONE)
            continue;
        weft_dag_node(dag, node.created, &task);
        search->path->lost += weft_dag_is_lost(&task);
        leave = weft_ticks_add(along, task.critical_path);
        if (leave > longest) {
            longest = leave;
            at = i;
            made = node.created;
        }
    }
    if (longest > along) {
        way.last = at;
        way.task = made;
    }
    return way;
}

/* Enters a node on the path that has children, or makes it a step. */
static bool visit(struct path_search *search, uint32_t number, struct inside **stack,
                  size_t *n, size_t *capacity)
{
    struct weft_dag_node node;
    weft_dag_node(search->dag, number, &node);
    if (!node.n)
        return add_step(search, number, &node, node.critical_path, node.first_ready);
    *stack = weft_grow(*stack, capacity, *n + 1, sizeof **stack);
    (*stack)[(*n)++] = way_inside(search, &node);
    return true;
}

static bool read_by_work(struct path_search *search)
{
    struct inside *stack = NULL;
    size_t n = 0, capacity = 0;
    bool ok = visit(search, 0, &stack, &n, &capacity);
    while (ok && n > 0) {
        struct inside *way = &stack[n - 1];
        uint32_t next = way->next <= way->last ? way->next++ : way->task;
        /* A finished level is left before its last child is entered, so chains need no
           stack. */
        if (way->next > way->last && (way->task == WEFT_NONE || next == way->task))
            n--;
        if (next != WEFT_NONE)
            ok = visit(search, next, &stack, &n, &capacity);
    }
    free(stack);
    return ok;
}

/* ---- By time ---- */

/* The latest end among the nodes that a section's wait may have waited for. */
struct latest {
    uint32_t node;
    int64_t end;
};

static void look_at_end(const struct path_search *search, uint32_t number,
                        struct latest *latest)
{
    struct weft_dag_node node;
    uint32_t last = weft_dag_last(search->dag, number);
    weft_dag_node(search->dag, last, &node);
    search->path->lost += weft_dag_is_lost(&node);
    if (latest->node != WEFT_NONE && node.end <= latest->end)
        return;
    *latest = (struct latest){ last, node.end };
}

/* Returns true if a section has children but no wait that joined its tasks. */
static bool is_open(const struct weft_dag *dag, uint32_t section)
{
    struct weft_dag_node shape, last;
    weft_dag_shape(dag, section, &shape);
    if (shape.kind != WEFT_DAG_SECTION || !shape.n)
        return false;
    weft_dag_shape(dag, shape.first + shape.n - 1, &last);
    return last.kind != WEFT_DAG_WAIT;
}

static bool waits_for_all(const struct weft_dag *dag, uint32_t section)
{
    struct weft_dag_node shape;
    weft_dag_shape(dag, section, &shape);
    weft_dag_shape(dag, shape.first + shape.n - 1, &shape);
    return shape.joins_all;
}

/* The node that ended last in a section and the tasks that its wait joined: its own
   creates' tasks, and if it joins all, also the unjoined tasks of open sections inside. */
static uint32_t last_of_section(const struct path_search *search, uint32_t section)
{
    const struct weft_dag *dag = search->dag;
    struct latest latest = { .node = WEFT_NONE };
    uint32_t *stack = NULL;
    size_t n = 0, capacity = 0;
    bool joins_all = waits_for_all(dag, section);
    stack = weft_grow(stack, &capacity, 1, sizeof *stack);
    stack[n++] = section;
    while (n > 0) {
        struct weft_dag_node around, child;
        uint32_t of = stack[--n];
        weft_dag_shape(dag, of, &around);
        for (uint32_t i = around.first; i < around.first + around.n; i++) {
            weft_dag_shape(dag, i, &child);
            uint32_t inner = child.created != WEFT_NONE && around.kind == WEFT_DAG_SECTION
                                 ? child.created
                                 : i;
            if (inner != i)
                look_at_end(search, inner, &latest);
            if (!joins_all || (inner == i && !is_open(dag, i)))
                continue;
            stack = weft_grow(stack, &capacity, n + 1, sizeof *stack);
            stack[n++] = inner;
        }
    }
    free(stack);
    uint32_t own = weft_dag_last(dag, section);
    struct weft_dag_node node;
    weft_dag_node(dag, own, &node);
    return latest.node != WEFT_NONE && latest.end >= node.end ? latest.node : own;
}

/* The predecessor of a node that ended last; WEFT_NONE for the first node. */
static uint32_t before(const struct path_search *search, uint32_t node)
{
    const struct weft_dag *dag = search->dag;
    for (;;) {
        struct weft_dag_node shape, around;
        weft_dag_shape(dag, node, &shape);
        if (shape.parent == WEFT_NONE)
            return WEFT_NONE;
        weft_dag_shape(dag, shape.parent, &around);
        if (around.kind == WEFT_DAG_CREATE)
            return shape.parent;
        if (node == around.first) {
            node = shape.parent;
            continue;
        }
        weft_dag_shape(dag, node - 1, &shape);
        return shape.kind == WEFT_DAG_SECTION && shape.n ? last_of_section(search, node - 1)
                                                         : weft_dag_last(dag, node - 1);
    }
}

static void turn_around(struct weft_dag_path *path)
{
    for (size_t i = 0; i < path->n / 2; i++) {
        struct weft_dag_step step = path->steps[i];
        path->steps[i] = path->steps[path->n - 1 - i];
        path->steps[path->n - 1 - i] = step;
    }
}

/* In a damaged file predecessors may form a cycle, so the number of steps is limited to
   that of nodes. */
static bool read_by_time(struct path_search *search)
{
    const struct weft_dag *dag = search->dag;
    uint32_t at = weft_dag_last(dag, 0), next;
    bool ok = true;
    for (; ok && at != WEFT_NONE && search->path->n < weft_dag_size(dag); at = next) {
        struct weft_dag_node node, earlier;
        weft_dag_node(dag, at, &node);
        next = before(search, at);
        int64_t ready = node.first_ready, lasts = node.end - node.begin;
        if (next != WEFT_NONE) {
            weft_dag_node(dag, next, &earlier);
            ready = earlier.end;
        }
        int64_t work = node.worker >= 0 ? node.work : node.critical_path;
        ok = add_step(search, at, &node, work < lasts ? work : lasts, ready);
    }
    turn_around(search->path);
    return ok;
}

bool weft_dag_path_read(const struct weft_dag *dag, enum weft_dag_way way,
                        struct weft_job *job, struct weft_dag_path *out,
                        struct weft_err *err)
{
    struct path_search search = { dag, job, err, out, 0 };
    *out = (struct weft_dag_path){ .way = way };
    bool ok = way == WEFT_DAG_BY_WORK ? read_by_work(&search) : read_by_time(&search);
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

static int compare_work(const void *left, const void *right)
{
    const struct weft_dag_path_place *a = left, *b = right;
    return compare(a, b, a->work, b->work);
}

static int compare_time(const void *left, const void *right)
{
    const struct weft_dag_path_place *a = left, *b = right;
    return compare(a, b, weft_ticks_add(a->work, a->delay),
                   weft_ticks_add(b->work, b->delay));
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
        place->delay = weft_ticks_add(place->delay, step->delay);
        int64_t ticks = path->way == WEFT_DAG_BY_TIME
                            ? weft_ticks_add(step->work, step->delay)
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
