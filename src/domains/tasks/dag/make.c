/* SPDX-License-Identifier: Apache-2.0 */
/* The maker's points: intervals become leaves, creations and waits form sections. */
#include "domains/tasks/dag/make.h"

#include <stdlib.h>

#include "base/err.h"
#include "domains/tasks/dag/make_priv.h"
#include "store/time.h"

struct weft_dag_maker *weft_dag_maker_new(const struct weft_dag_contraction *contraction)
{
    struct weft_dag_maker *maker = weft_zalloc(1, sizeof *maker);

    maker->contraction = *contraction;
    maker->free_node = maker->free_sum = maker->free_task = maker->free_order = WEFT_NONE;
    maker->root = WEFT_NONE;
    return maker;
}

void weft_dag_maker_counts(struct weft_dag_maker *maker)
{
    WEFT_REQUIRE(maker->root == WEFT_NONE, "a task DAG is counted from its root on");
    maker->counts = true;
}

void weft_dag_maker_free(struct weft_dag_maker *maker)
{
    if (!maker)
        return;
    free(maker->nodes);
    free(maker->sums);
    free(maker->tasks);
    free(maker->node_counters);
    free(maker->sum_counts);
    free(maker->stack);
    free(maker->roots);
    free(maker->frames);
    free(maker->orders);
    free(maker->given_orders);
    free(maker->forgotten);
    weft_id_map_free(&maker->forgotten_index);
    free(maker);
}

uint64_t weft_dag_make_size(const struct weft_dag_maker *maker)
{
    return maker->used;
}

/* ---- Places for nodes, figures and tasks ---- */

static uint32_t new_sum(struct weft_dag_maker *maker)
{
    uint32_t index = maker->free_sum;

    if (index != WEFT_NONE) {
        maker->free_sum = maker->sums[index].last;
    } else {
        maker->sums = weft_grow(maker->sums, &maker->sums_capacity, maker->n_sums + 1,
                                sizeof *maker->sums);
        index = (uint32_t)maker->n_sums++;
    }
    if (maker->counts) {
        maker->sum_counts = weft_grow(maker->sum_counts, &maker->sum_counts_capacity,
                                      maker->n_sums, sizeof *maker->sum_counts);
        maker->sum_counts[index] = (struct make_counts){ 0 };
    }
    maker->sums[index] = (struct make_sum){ .last = WEFT_NONE,
                                            .run = WEFT_NONE,
                                            .before_run = WEFT_NONE,
                                            .latest = INT64_MIN,
                                            .latest_inside = INT64_MIN };
    return index;
}

static uint32_t new_node(struct weft_dag_maker *maker, enum weft_dag_kind kind)
{
    uint32_t index = maker->free_node;

    if (index != WEFT_NONE) {
        maker->free_node = maker->nodes[index].next;
    } else {
        WEFT_REQUIRE(maker->n_nodes < WEFT_NONE, "a task DAG has fewer than 2^32 nodes");
        maker->nodes = weft_grow(maker->nodes, &maker->nodes_capacity, maker->n_nodes + 1,
                                 sizeof *maker->nodes);
        index = (uint32_t)maker->n_nodes++;
    }
    maker->used++;
    maker->nodes[index] = (struct make_node){ .next = WEFT_NONE,
                                              .parent = WEFT_NONE,
                                              .inside = WEFT_NONE,
                                              .sum = WEFT_NONE,
                                              .begin_site = WEFT_NONE,
                                              .end_site = WEFT_NONE,
                                              .worker = -1,
                                              .cpu = -1,
                                              .gap = MAKE_NO_GAP,
                                              .kind = kind,
                                              .orders = WEFT_NONE };
    if (kind >= WEFT_DAG_LEAF_KINDS)
        maker->nodes[index].sum = new_sum(maker);
    if (maker->counts)
        maker->node_counters =
            weft_grow(maker->node_counters, &maker->node_counters_capacity, maker->n_nodes,
                      sizeof *maker->node_counters);
    return index;
}

void make_free_node(struct weft_dag_maker *maker, uint32_t index)
{
    struct make_node *node = &maker->nodes[index];

    make_orders_free(maker, node->orders);
    if (node->sum != WEFT_NONE) {
        maker->sums[node->sum].stamp = 0;
        maker->sums[node->sum].last = maker->free_sum;
        maker->free_sum = node->sum;
    }
    node->next = maker->free_node;
    maker->free_node = index;
    maker->used--;
}

static uint32_t new_task(struct weft_dag_maker *maker, uint32_t parent, int64_t ready)
{
    uint32_t node = new_node(maker, WEFT_DAG_TASK), index = maker->free_task;

    if (index != WEFT_NONE) {
        maker->free_task = maker->tasks[index].next_free;
    } else {
        maker->tasks = weft_grow(maker->tasks, &maker->tasks_capacity, maker->n_tasks + 1,
                                 sizeof *maker->tasks);
        index = (uint32_t)maker->n_tasks++;
    }
    maker->nodes[node].parent = parent;
    make_sum_of(maker, node)->stamp = ++maker->stamp;
    maker->tasks[index] = (struct make_task){ .node = node,
                                              .section = WEFT_NONE,
                                              .waited = WEFT_NONE,
                                              .create = WEFT_NONE,
                                              .orders = WEFT_NONE,
                                              .phase = MAKE_NEW,
                                              .in_edge = WEFT_DAG_EDGE_CREATE,
                                              .first_ready = ready };
    return index;
}

static struct make_task *task_of(const struct weft_dag_maker *maker, uint32_t task)
{
    WEFT_REQUIRE(task < maker->n_tasks && maker->tasks[task].node != WEFT_NONE,
                 "a point of a task that has ended");
    return &maker->tasks[task];
}

/* ---- Intervals ---- */

/* An interval that follows the create begins at BEGIN.  If it is on the same worker, the
   create's gap ends there. */
static void end_gap(struct weft_dag_maker *maker, uint32_t create,
                    const struct weft_dag_place *begin)
{
    struct make_node *node = &maker->nodes[create];

    if (node->worker >= 0 && begin->worker == node->worker
        && begin->time - node->end < node->gap)
        node->gap = begin->time - node->end;
}

/* The next interval of the task, which begins at PLACE, was not ready before TIME. */
static void hold_until(struct make_task *task, int64_t time,
                       const struct weft_dag_place *place)
{
    if (time > place->time)
        time = place->time;
    if (time > task->first_ready)
        task->first_ready = time;
}

/* Starts an interval of the task at PLACE; it was ready at first_ready. */
static void go_on(struct weft_dag_maker *maker, struct make_task *task,
                  const struct weft_dag_place *place)
{
    uint32_t create = task->phase == MAKE_CREATING ? task->create
                      : task->phase == MAKE_NEW    ? maker->nodes[task->node].parent
                                                   : WEFT_NONE;
    uint32_t orders =
        task->phase == MAKE_NEW ? maker->nodes[task->node].orders : task->orders;

    hold_until(task, make_orders_end(maker, orders), place);
    task->begin = *place;
    if (task->begin.time < task->first_ready)
        task->begin.time = task->first_ready;
    task->phase = MAKE_RUNNING;
    task->waiting = 0;
    if (create != WEFT_NONE)
        end_gap(maker, create, &task->begin);
}

/* Appends a child to a section or task. */
static void append(struct weft_dag_maker *maker, uint32_t to, uint32_t child)
{
    struct make_sum *sum = make_sum_of(maker, to);
    struct make_node *node = &maker->nodes[child];

    node->parent = to;
    if (sum->last == WEFT_NONE)
        maker->nodes[to].inside = child;
    else
        maker->nodes[sum->last].next = child;
    if (node->kind == WEFT_DAG_SECTION) {
        if (!make_sum_of(maker, child)->asked)
            sum->run = WEFT_NONE;
    } else if (node->kind == WEFT_DAG_CREATE && sum->run == WEFT_NONE) {
        sum->run = child;
        sum->before_run = sum->last;
    }
    sum->last = child;
    sum->n++;
    sum->unsummed += node->kind == WEFT_DAG_SECTION;
    sum->creates += node->kind == WEFT_DAG_CREATE;
}

/* The worker's counters between begin and end of an interval; 0 if a counter went
   backwards. */
static void count(struct weft_dag_maker *maker, const struct make_task *task,
                  uint32_t index, const struct weft_dag_place *place)
{
    struct make_counters *counters = &maker->node_counters[index];
    bool known = task->begin.worker == place->worker && place->worker >= 0;

    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        counters->of[k] = known && place->counters[k] > task->begin.counters[k]
                              ? place->counters[k] - task->begin.counters[k]
                              : 0;
}

/* Ends the interval: makes it a leaf in the section or task TO; the next interval is ready
   then. */
static uint32_t end_interval(struct weft_dag_maker *maker, struct make_task *task,
                             uint32_t to, enum weft_dag_kind kind,
                             const struct weft_dag_place *place)
{
    uint32_t index = new_node(maker, kind);
    struct make_node *node = &maker->nodes[index];

    if (task->phase != MAKE_RUNNING)
        go_on(maker, task, place);
    node->begin = task->begin.time;
    node->end = place->time > node->begin ? place->time : node->begin;
    node->waiting =
        task->waiting < node->end - node->begin ? task->waiting : node->end - node->begin;
    node->first_ready = task->first_ready;
    node->in_edge = task->in_edge;
    node->worker = task->begin.worker == place->worker ? place->worker : -1;
    node->cpu = task->begin.cpu == place->cpu ? place->cpu : -1;
    node->begin_site = task->begin.site;
    node->end_site = place->site;
    if (maker->counts)
        count(maker, task, index, place);
    append(maker, to, index);
    make_orders_attach(maker, task, index);
    task->first_ready = maker->nodes[index].end;
    return index;
}

/* ---- Sections ---- */

static void open_section(struct weft_dag_maker *maker, struct make_task *task, bool asked)
{
    uint32_t around = task->section == WEFT_NONE ? task->node : task->section;
    uint32_t section = new_node(maker, WEFT_DAG_SECTION);

    make_sum_of(maker, section)->asked = asked;
    append(maker, around, section);
    task->section = section;
}

/* The section of the same task around a section, or WEFT_NONE. */
static uint32_t around_section(const struct weft_dag_maker *maker, uint32_t section)
{
    uint32_t parent = maker->nodes[section].parent;

    return maker->nodes[parent].kind == WEFT_DAG_SECTION ? parent : WEFT_NONE;
}

/* Closes the innermost section, with or without the wait that was just appended. */
static void close_section(struct weft_dag_maker *maker, struct make_task *task, bool waits,
                          bool deep)
{
    uint32_t section = task->section;
    struct make_sum *sum = make_sum_of(maker, section);

    sum->closed = true;
    sum->waits = waits;
    sum->deep = deep;
    task->section = around_section(maker, section);
    make_settle(maker, section);
}

/* Moves a child from the section FROM to TO, and its contribution to the figures. */
static void move_child(struct weft_dag_maker *maker, uint32_t child, uint32_t from,
                       uint32_t to)
{
    struct make_sum *old = make_sum_of(maker, from), *new = make_sum_of(maker, to);
    bool creates = maker->nodes[child].kind == WEFT_DAG_CREATE;
    uint32_t part = creates ? maker->nodes[child].inside : child;
    const struct make_sum *sum;

    maker->nodes[child].parent = to;
    old->n--;
    new->n++;
    old->creates -= creates;
    new->creates += creates;
    if (maker->nodes[part].sum == WEFT_NONE)
        return;
    sum = make_sum_of(maker, part);
    if (!sum->over) {
        old->unsummed--;
        new->unsummed++;
    } else if (maker->nodes[part].end > new->latest_inside) {
        new->latest_inside = maker->nodes[part].end;
    }
    if (creates && sum->closed && sum->own_end > new->latest)
        new->latest = sum->own_end;
}

/* For a taskwait in a task group: wraps the children from the first create since the last
   wait in a section of their own, which becomes the innermost. */
static void wrap_run(struct weft_dag_maker *maker, struct make_task *task)
{
    uint32_t around = task->section, section = new_node(maker, WEFT_DAG_SECTION);
    struct make_sum *outer = make_sum_of(maker, around);
    struct make_sum *inner = make_sum_of(maker, section);
    uint32_t run = outer->run, before = outer->before_run;

    maker->nodes[section].inside = run;
    inner->last = outer->last;
    for (uint32_t i = run; i != WEFT_NONE; i = maker->nodes[i].next)
        move_child(maker, i, around, section);
    outer->last = before;
    if (before == WEFT_NONE)
        maker->nodes[around].inside = WEFT_NONE;
    else
        maker->nodes[before].next = WEFT_NONE;
    append(maker, around, section);
    task->section = section;
    make_orders_cross(maker, section);
}

/* The section that a wait closes, or WEFT_NONE.  *WRAPS is true if only its children since
   the last wait are to be wrapped and closed. */
static uint32_t section_of_wait(const struct weft_dag_maker *maker,
                                const struct make_task *task, enum weft_dag_wait wait,
                                bool *wraps)
{
    uint32_t section = task->section;

    *wraps = false;
    switch (wait) {
    case WEFT_DAG_WAIT_SECTION: return task->asked > 0 ? WEFT_NONE : section;
    case WEFT_DAG_WAIT_CHILDREN:
        if (section == WEFT_NONE || !make_sum_of(maker, section)->asked)
            return section;
        *wraps = make_sum_of(maker, section)->run != WEFT_NONE;
        return *wraps ? section : WEFT_NONE;
    case WEFT_DAG_WAIT_GROUP:
        if (task->asked > 0)
            return WEFT_NONE;
        while (section != WEFT_NONE && !make_sum_of(maker, section)->asked)
            section = around_section(maker, section);
        return section;
    case WEFT_DAG_WAIT_ALL:
        while (section != WEFT_NONE && around_section(maker, section) != WEFT_NONE)
            section = around_section(maker, section);
        return section;
    }
    return WEFT_NONE;
}

bool weft_dag_make_joins(const struct weft_dag_maker *maker, uint32_t task,
                         enum weft_dag_wait wait)
{
    bool wraps;

    return section_of_wait(maker, task_of(maker, task), wait, &wraps) != WEFT_NONE;
}

bool weft_dag_make_runs(const struct weft_dag_maker *maker, uint32_t task)
{
    return task_of(maker, task)->phase == MAKE_RUNNING;
}

int64_t weft_dag_make_ready(const struct weft_dag_maker *maker, uint32_t task)
{
    WEFT_REQUIRE(weft_dag_make_runs(maker, task), "the readiness of a task that pauses");
    return task_of(maker, task)->first_ready;
}

/* ---- Points ---- */

uint32_t weft_dag_make_root(struct weft_dag_maker *maker,
                            const struct weft_dag_place *place)
{
    uint32_t task = new_task(maker, WEFT_NONE, place->time);

    if (maker->root == WEFT_NONE)
        maker->root = maker->tasks[task].node;
    maker->roots = weft_grow(maker->roots, &maker->roots_capacity, maker->n_roots + 1,
                             sizeof *maker->roots);
    maker->roots[maker->n_roots++] = maker->tasks[task].node;
    go_on(maker, &maker->tasks[task], place);
    return task;
}

uint32_t weft_dag_make_create(struct weft_dag_maker *maker, uint32_t index,
                              const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);
    uint32_t create, child;

    if (task->asked == 0 && task->section == WEFT_NONE)
        open_section(maker, task, false);
    for (; task->asked > 0; task->asked--)
        open_section(maker, task, true);
    create = end_interval(maker, task, task->section, WEFT_DAG_CREATE, place);
    task->in_edge = WEFT_DAG_EDGE_CREATE_CONTINUATION;
    task->phase = MAKE_CREATING;
    task->create = create;
    make_sum_of(maker, task->section)->unsummed++;
    child = new_task(maker, create, task->first_ready);
    maker->nodes[create].inside = maker->tasks[child].node;
    return child;
}

void weft_dag_make_created(struct weft_dag_maker *maker, uint32_t index,
                           const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);

    if (task->phase == MAKE_CREATING)
        go_on(maker, task, place);
}

void weft_dag_make_start(struct weft_dag_maker *maker, uint32_t index,
                         const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);

    if (task->phase == MAKE_NEW)
        go_on(maker, task, place);
}

void weft_dag_make_section(struct weft_dag_maker *maker, uint32_t index)
{
    task_of(maker, index)->asked++;
}

void weft_dag_make_wait(struct weft_dag_maker *maker, uint32_t index,
                        enum weft_dag_wait wait, const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);
    bool wraps;
    uint32_t section = section_of_wait(maker, task, wait, &wraps);

    if (section == WEFT_NONE) {
        if (wait == WEFT_DAG_WAIT_SECTION || wait == WEFT_DAG_WAIT_GROUP)
            task->asked -= task->asked > 0;
        return;
    }
    if (wait == WEFT_DAG_WAIT_ALL)
        task->asked = 0;
    if (wraps)
        wrap_run(maker, task);
    else
        while (task->section != section)
            close_section(maker, task, false, false);
    task->waited = task->section;
    (void)end_interval(maker, task, task->section, WEFT_DAG_WAIT, place);
    task->phase = MAKE_WAITING;
    close_section(maker, task, true, wait >= WEFT_DAG_WAIT_GROUP);
}

void weft_dag_make_waited(struct weft_dag_maker *maker, uint32_t index,
                          const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);
    const struct make_sum *sum;
    int64_t latest;

    if (task->phase != MAKE_WAITING)
        return;
    sum = make_sum_of(maker, task->waited);
    latest =
        sum->deep && sum->latest_inside > sum->latest ? sum->latest_inside : sum->latest;
    task->in_edge = WEFT_DAG_EDGE_WAIT_CONTINUATION;
    if (latest > task->first_ready) {
        hold_until(task, latest, place);
        task->in_edge = WEFT_DAG_EDGE_END;
    }
    go_on(maker, task, place);
}

void weft_dag_make_waiting(struct weft_dag_maker *maker, uint32_t index, int64_t ticks)
{
    struct make_task *task = task_of(maker, index);

    if (task->phase == MAKE_RUNNING && ticks > 0)
        task->waiting = weft_ticks_add(task->waiting, ticks);
}

void weft_dag_make_other(struct weft_dag_maker *maker, uint32_t index,
                         const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);

    if (task->phase != MAKE_RUNNING)
        return;
    (void)end_interval(maker, task, task->section == WEFT_NONE ? task->node : task->section,
                       WEFT_DAG_OTHER, place);
    task->in_edge = WEFT_DAG_EDGE_OTHER_CONTINUATION;
    task->phase = MAKE_OTHER;
}

void weft_dag_make_other_done(struct weft_dag_maker *maker, uint32_t index, int64_t ready,
                              const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);

    if (task->phase != MAKE_OTHER)
        return;
    hold_until(task, ready, place);
    go_on(maker, task, place);
}

void weft_dag_make_end(struct weft_dag_maker *maker, uint32_t index,
                       const struct weft_dag_place *place)
{
    struct make_task *task = task_of(maker, index);
    uint32_t node = task->node, section = make_section_of_task(maker, node);
    struct make_sum *sum;

    while (task->section != WEFT_NONE)
        close_section(maker, task, false, false);
    (void)end_interval(maker, task, node, WEFT_DAG_END, place);
    sum = make_sum_of(maker, node);
    sum->closed = true;
    sum->own_end = task->first_ready;
    if (section != WEFT_NONE && make_sum_of(maker, section)->latest < sum->own_end)
        make_sum_of(maker, section)->latest = sum->own_end;
    task->node = WEFT_NONE;
    task->next_free = maker->free_task;
    maker->free_task = index;
    make_settle(maker, node);
}

/* Starts the next interval of the task around all programs at TIME: it is never ready
   before it runs. */
static void go_on_around(struct weft_dag_maker *maker, struct make_task *task, int64_t time)
{
    struct weft_dag_place place = {
        .time = time, .worker = -1, .cpu = -1, .site = WEFT_NONE
    };

    task->first_ready = time;
    go_on(maker, task, &place);
}

/* Makes the task around the roots of all programs, which have ended. */
static void make_around(struct weft_dag_maker *maker)
{
    int64_t end = INT64_MIN;
    uint32_t index;
    struct make_task *task;

    /* By begin, which is the order of creation but for programs on machines whose clocks
       differ. */
    for (size_t i = 1; i < maker->n_roots; i++)
        for (size_t k = i; k > 0
                           && maker->nodes[maker->roots[k]].first_ready
                                  < maker->nodes[maker->roots[k - 1]].first_ready;
             k--) {
            uint32_t root = maker->roots[k];
            maker->roots[k] = maker->roots[k - 1];
            maker->roots[k - 1] = root;
        }
    index = new_task(maker, WEFT_NONE, maker->nodes[maker->roots[0]].first_ready);
    task = &maker->tasks[index];
    maker->root = task->node;
    open_section(maker, task, false);
    for (size_t i = 0; i < maker->n_roots; i++) {
        uint32_t root = maker->roots[i], create;
        go_on_around(maker, task, maker->nodes[root].first_ready);
        create = end_interval(maker, task, task->section, WEFT_DAG_CREATE, &task->begin);
        task->in_edge = WEFT_DAG_EDGE_CREATE_CONTINUATION;
        task->phase = MAKE_CREATING;
        task->create = create;
        maker->nodes[create].inside = root;
        maker->nodes[root].parent = create;
        if (maker->nodes[root].end > end)
            end = maker->nodes[root].end;
    }
    go_on_around(maker, task, end > task->first_ready ? end : task->first_ready);
    weft_dag_make_end(
        maker, index,
        &(struct weft_dag_place){
            .time = task->begin.time, .worker = -1, .cpu = -1, .site = WEFT_NONE });
}

uint64_t weft_dag_make_finish(struct weft_dag_maker *maker, int64_t time)
{
    uint64_t ended = 0;

    for (uint32_t i = 0; i < maker->n_tasks; i++) {
        struct make_task *task = &maker->tasks[i];
        struct weft_dag_place place = task->begin;
        if (task->node == WEFT_NONE)
            continue;
        if (task->phase == MAKE_NEW)
            place = (struct weft_dag_place){ .worker = -1, .cpu = -1, .site = WEFT_NONE };
        if (task->phase == MAKE_WAITING && task->first_ready < time)
            task->first_ready = time; /* the tasks it waited for are unknown */
        place.time = time;
        place.site = WEFT_NONE;
        weft_dag_make_end(maker, i, &place);
        ended++;
    }
    if (maker->n_roots > 1)
        make_around(maker);
    return ended;
}
