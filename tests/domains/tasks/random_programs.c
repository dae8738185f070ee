/* SPDX-License-Identifier: Apache-2.0 */
#include "random_programs.h"

#include <assert.h>
#include <stdlib.h>

enum { WORKERS = 4, LEVELS = 8, SHORT = 10 };

enum phase { NEW, RUNNING, CREATING, WAITING, OTHER, DONE };

struct level { /* a section, as the program sees it */
    uint32_t id, outer;
    bool asked;
};

struct running {
    enum phase phase;
    uint32_t parent;
    uint32_t level; /* of the parent, in which it was created */
    uint32_t ops;   /* that it still does */
    int worker;
    int64_t end;
    /* The next leaf: edges into it, from where it begins, and who says so. */
    struct edge into[256];
    uint32_t n_into;
    enum weft_dag_edge in_edge;
    int64_t ready;
    struct weft_dag_place begin;
    size_t begin_point;
    struct level levels[LEVELS];
    uint32_t n_levels, asked;
    /* Of the wait that it is in. */
    uint32_t wait_leaf, wait_level;
    bool deep;
    bool since_wait; /* of a child: its parent has not waited for it since */
};

struct machine {
    struct program *program;
    struct running *tasks;
    uint32_t *level_outer; /* by id: the level around, or WEFT_NONE */
    size_t n_levels, levels_capacity, tasks_capacity;
    uint64_t random;
    int64_t now;
    uint32_t most_tasks, n_workers;
    bool openmp;          /* taskwait and task groups; else sections and waits */
    uint32_t at[WORKERS]; /* task that runs there, or WEFT_NONE */
    int64_t waited[WORKERS];
};

static uint32_t dice(struct machine *machine, uint32_t sides)
{
    machine->random =
        machine->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(machine->random >> 33) % sides;
}

static struct point *say(struct machine *machine, enum point_kind what, uint32_t task)
{
    struct program *program = machine->program;
    struct point *point;

    program->points = weft_grow(program->points, &program->points_capacity,
                                program->n_points + 1, sizeof *program->points);
    point = &program->points[program->n_points++];
    *point = (struct point){ .what = what, .task = task, .child = WEFT_NONE };
    point->place = machine->tasks[task].begin;
    point->place.time = machine->now;
    if (machine->tasks[task].worker >= 0)
        point->waited = machine->waited[machine->tasks[task].worker];
    return point;
}

static uint32_t new_task(struct machine *machine, uint32_t parent)
{
    struct program *program = machine->program;
    uint32_t task = (uint32_t)program->n_tasks++;

    machine->tasks = weft_grow(machine->tasks, &machine->tasks_capacity, program->n_tasks,
                               sizeof *machine->tasks);
    program->tasks = weft_grow(program->tasks, &program->tasks_capacity, program->n_tasks,
                               sizeof *program->tasks);
    program->tasks[task] = (struct program_task){ WEFT_NONE, WEFT_NONE };
    machine->tasks[task] = (struct running){ .parent = parent,
                                             .level = WEFT_NONE,
                                             .worker = -1,
                                             .ready = machine->now,
                                             .since_wait = true,
                                             .in_edge = WEFT_DAG_EDGE_CREATE };
    machine->tasks[task].ops = dice(machine, parent == WEFT_NONE ? 20 : 8);
    return task;
}

/* The task runs on the worker from now on; WHAT says so. */
static void run_on(struct machine *machine, uint32_t task, uint32_t worker,
                   enum point_kind what)
{
    struct running *running = &machine->tasks[task];

    running->phase = RUNNING;
    running->worker = (int)worker;
    running->begin =
        (struct weft_dag_place){ .time = machine->now,
                                 .worker = (int32_t)worker,
                                 .cpu = (int32_t)(worker * 2 + dice(machine, 2)) };
    running->begin_point = machine->program->n_points;
    machine->at[worker] = task;
    (void)say(machine, what, task);
}

static void edge_into(struct running *running, uint32_t from, enum weft_dag_edge kind,
                      uint32_t wait)
{
    assert(running->n_into < sizeof running->into / sizeof *running->into);
    running->into[running->n_into++] = (struct edge){ from, 0, kind, wait, 0, 0 };
}

/* Some intervals wait for locks.  Returns for how long. */
static int64_t wait_for_locks(struct machine *machine, uint32_t task)
{
    const struct running *running = &machine->tasks[task];
    int64_t lasted = machine->now - running->begin.time, waiting;

    if (dice(machine, 4) > 0)
        return 0;
    waiting = dice(machine, (uint32_t)lasted + 1);
    machine->waited[running->worker] += waiting;
    say(machine, POINT_WAITING, task)->ticks = waiting / 2; /* twice, for two locks */
    say(machine, POINT_WAITING, task)->ticks = waiting - waiting / 2;
    return waiting;
}

/* The interval of the task ends now, as a leaf, which the point WHAT ends. */
static uint32_t end_leaf(struct machine *machine, uint32_t task, enum weft_dag_kind kind,
                         enum point_kind what)
{
    struct program *program = machine->program;
    struct running *running = &machine->tasks[task];
    uint32_t index = (uint32_t)program->n_leaves++;
    int64_t waiting = wait_for_locks(machine, task);
    struct point *point = say(machine, what, task);
    struct leaf *leaf;

    program->leaves = weft_grow(program->leaves, &program->leaves_capacity,
                                program->n_leaves, sizeof *program->leaves);
    leaf = &program->leaves[index];
    *leaf = (struct leaf){ .kind = kind,
                           .in_edge = running->in_edge,
                           .begin = running->begin.time,
                           .end = machine->now,
                           .ready = running->ready,
                           .waiting = waiting,
                           .worker = running->worker,
                           .cpu = running->begin.cpu,
                           .first_edge = program->n_edges,
                           .n_edges = running->n_into };
    if (dice(machine, 8) == 0) { /* moved to another processor meanwhile */
        point->place.cpu = leaf->cpu + 1;
        leaf->cpu = -1;
    }
    point->place.site = index;
    program->points[running->begin_point].place.site = index;
    program->edges = weft_grow(program->edges, &program->edges_capacity,
                               program->n_edges + running->n_into, sizeof *program->edges);
    for (uint32_t i = 0; i < running->n_into; i++) {
        running->into[i].to = index;
        if (running->into[i].to_create == WEFT_NONE)
            running->into[i].to_create = index;
        program->edges[program->n_edges++] = running->into[i];
    }
    running->n_into = 0;
    running->ready = machine->now;
    return index;
}

static void leave_worker(struct machine *machine, uint32_t task)
{
    machine->at[machine->tasks[task].worker] = WEFT_NONE;
}

/* ---- What tasks do ---- */

static void open_level(struct machine *machine, struct running *running, bool asked)
{
    uint32_t id = (uint32_t)machine->n_levels++;

    machine->level_outer = weft_grow(machine->level_outer, &machine->levels_capacity,
                                     machine->n_levels, sizeof *machine->level_outer);
    machine->level_outer[id] =
        running->n_levels ? running->levels[running->n_levels - 1].id : WEFT_NONE;
    running->levels[running->n_levels++] = (struct level){ id, WEFT_NONE, asked };
}

static void create(struct machine *machine, uint32_t task)
{
    struct running *running = &machine->tasks[task];
    uint32_t leaf, child, worker = (uint32_t)running->worker;

    if (running->n_levels == 0 && running->asked == 0)
        open_level(machine, running, false);
    for (; running->asked > 0; running->asked--)
        open_level(machine, running, true);
    leaf = end_leaf(machine, task, WEFT_DAG_CREATE, POINT_CREATE);
    running->in_edge = WEFT_DAG_EDGE_CREATE_CONTINUATION;
    edge_into(running, leaf, WEFT_DAG_EDGE_CREATE_CONTINUATION, 0);
    running->phase = CREATING;
    leave_worker(machine, task);
    child = new_task(machine, task);
    running = &machine->tasks[task];
    machine->tasks[child].level = running->levels[running->n_levels - 1].id;
    machine->program->points[machine->program->n_points - 1].child = child;
    machine->program->tasks[child].create = leaf;
    edge_into(&machine->tasks[child], leaf, WEFT_DAG_EDGE_CREATE, 0);
    switch (dice(machine, 4)) {
    case 0: run_on(machine, child, worker, POINT_START); break; /* work first */
    case 1: break;
    default: run_on(machine, task, worker, POINT_CREATED); break; /* help first */
    }
}

static bool is_inside(const struct machine *machine, uint32_t level, uint32_t around)
{
    while (level != WEFT_NONE && level != around)
        level = machine->level_outer[level];
    return level == around && level != WEFT_NONE;
}

/* Was the task created below TASK, in its level LEVEL, however deep? */
static bool descends(const struct machine *machine, uint32_t of, uint32_t task,
                     uint32_t level)
{
    for (uint32_t at = of; at != 0; at = machine->tasks[at].parent)
        if (machine->tasks[at].parent == task
            && is_inside(machine, machine->tasks[at].level, level))
            return true;
    return false;
}

/* Is it one of the children that the shallow wait of the task joins? */
static bool waits_for_child(const struct machine *machine, uint32_t child, uint32_t task)
{
    return machine->tasks[child].parent == task
           && machine->program->tasks[child].joined_by == machine->tasks[task].wait_leaf;
}

static void join_children(struct machine *machine, uint32_t task, uint32_t level,
                          uint32_t leaf)
{
    for (uint32_t i = 1; i < machine->program->n_tasks; i++)
        if (machine->tasks[i].parent == task && machine->tasks[i].level == level
            && machine->tasks[i].since_wait) {
            machine->program->tasks[i].joined_by = leaf;
            machine->tasks[i].since_wait = false;
        }
}

static bool has_run(const struct machine *machine, uint32_t task, uint32_t level)
{
    for (uint32_t i = 1; i < machine->program->n_tasks; i++)
        if (machine->tasks[i].parent == task && machine->tasks[i].level == level
            && machine->tasks[i].since_wait)
            return true;
    return false;
}

/* Begin to wait in the level with index KEEP, which is closed, or, WRAPS, goes on. */
static void begin_wait(struct machine *machine, uint32_t task, uint32_t keep, bool wraps,
                       bool deep)
{
    struct running *running = &machine->tasks[task];
    uint32_t level = running->levels[keep].id, leaf;

    leaf = end_leaf(machine, task, WEFT_DAG_WAIT, POINT_WAIT);
    running->in_edge = WEFT_DAG_EDGE_WAIT_CONTINUATION;
    edge_into(running, leaf, WEFT_DAG_EDGE_WAIT_CONTINUATION, leaf);
    running->phase = WAITING;
    running->wait_leaf = leaf;
    running->wait_level = level;
    running->deep = deep;
    leave_worker(machine, task);
    if (!deep)
        join_children(machine, task, level, leaf);
    running->n_levels = wraps ? keep + 1 : keep;
}

static void wait_for(struct machine *machine, uint32_t task, enum weft_dag_wait wait)
{
    struct running *running = &machine->tasks[task];
    size_t point = machine->program->n_points;
    uint32_t level = running->n_levels;
    bool asked = running->asked > 0, wraps = false;

    if (wait == WEFT_DAG_WAIT_CHILDREN && level > 0 && running->levels[level - 1].asked) {
        wraps = has_run(machine, task, running->levels[level - 1].id);
        level = wraps ? level : 0;
    }
    while (wait == WEFT_DAG_WAIT_GROUP && level > 0 && !running->levels[level - 1].asked)
        level--;
    if (wait == WEFT_DAG_WAIT_ALL && level > 0)
        level = 1;
    if ((wait == WEFT_DAG_WAIT_SECTION || wait == WEFT_DAG_WAIT_GROUP) && asked)
        level = 0;
    if (level > 0) {
        if (wait == WEFT_DAG_WAIT_ALL)
            running->asked = 0;
        begin_wait(machine, task, level - 1, wraps, wait >= WEFT_DAG_WAIT_GROUP);
    } else {
        if (wait == WEFT_DAG_WAIT_SECTION || wait == WEFT_DAG_WAIT_GROUP)
            running->asked -= asked;
        (void)say(machine, POINT_WAIT, task);
        (void)say(machine, POINT_WAITED, task);
        machine->program->points[point + 1].wait = wait;
    }
    while (machine->program->points[point].what == POINT_WAITING)
        point++;
    machine->program->points[point].wait = wait;
}

static void begin_section(struct machine *machine, uint32_t task)
{
    struct running *running = &machine->tasks[task];

    if (running->n_levels + running->asked + 1 < LEVELS) {
        running->asked++;
        (void)say(machine, POINT_SECTION, task);
    }
}

static void end_task(struct machine *machine, uint32_t task)
{
    struct running *running = &machine->tasks[task];

    (void)end_leaf(machine, task, WEFT_DAG_END, POINT_END);
    running->wait_leaf = (uint32_t)machine->program->n_leaves - 1; /* its last */
    running->phase = DONE;
    running->end = machine->now;
    leave_worker(machine, task);
}

static void act(struct machine *machine, uint32_t task)
{
    struct running *running = &machine->tasks[task];
    static const enum weft_dag_wait waits[] = { WEFT_DAG_WAIT_CHILDREN,
                                                WEFT_DAG_WAIT_CHILDREN, WEFT_DAG_WAIT_GROUP,
                                                WEFT_DAG_WAIT_ALL };

    if (running->ops == 0) {
        end_task(machine, task);
        return;
    }
    running->ops--;
    switch (dice(machine, 9)) {
    case 0: begin_section(machine, task); break;
    case 1:
        leave_worker(machine, task);
        (void)end_leaf(machine, task, WEFT_DAG_OTHER, POINT_OTHER);
        edge_into(running, (uint32_t)machine->program->n_leaves - 1,
                  WEFT_DAG_EDGE_OTHER_CONTINUATION, 0);
        running->in_edge = WEFT_DAG_EDGE_OTHER_CONTINUATION;
        running->phase = OTHER;
        break;
    case 2:
    case 3:
        wait_for(machine, task,
                 machine->openmp ? waits[dice(machine, 4)] : WEFT_DAG_WAIT_SECTION);
        break;
    default:
        if (machine->program->n_tasks < machine->most_tasks)
            create(machine, task);
        break;
    }
}

/* ---- Who runs next ---- */

static bool may_go_on(const struct machine *machine, uint32_t task)
{
    const struct running *running = &machine->tasks[task];

    if (running->phase != WAITING)
        return running->phase == NEW || running->phase == CREATING
               || running->phase == OTHER;
    for (uint32_t i = 1; i < machine->program->n_tasks; i++)
        if (machine->tasks[i].phase != DONE
            && (running->deep ? descends(machine, i, task, running->wait_level)
                              : waits_for_child(machine, i, task)))
            return false;
    return true;
}

/* The wait of the task is over: edges from all that it joined, and when the last one ended. */
static void join(struct machine *machine, uint32_t task)
{
    struct running *running = &machine->tasks[task];
    int64_t latest = running->ready;

    for (uint32_t i = 1; i < machine->program->n_tasks; i++) {
        struct program_task *other = &machine->program->tasks[i];
        bool joined = running->deep ? other->joined_by == WEFT_NONE
                                          && descends(machine, i, task, running->wait_level)
                                    : waits_for_child(machine, i, task);
        /* All that is inside is over, whoever has joined it. */
        if (running->deep && descends(machine, i, task, running->wait_level)
            && machine->tasks[i].end > latest)
            latest = machine->tasks[i].end;
        if (!joined)
            continue;
        other->joined_by = running->wait_leaf;
        edge_into(running, machine->tasks[i].wait_leaf, WEFT_DAG_EDGE_END,
                  running->wait_leaf);
        if (machine->tasks[i].end > latest)
            latest = machine->tasks[i].end;
    }
    if (latest > running->ready) {
        running->ready = latest;
        running->in_edge = WEFT_DAG_EDGE_END;
    }
}

/* TASK begins only after some of the tasks that CREATOR, which may be TASK, created before and
   has not waited for: some of those that happen to have ended. */
static void order_after_some(struct machine *machine, uint32_t task, uint32_t creator)
{
    struct running *running = &machine->tasks[task];

    if (dice(machine, 3) != 0)
        return;
    for (uint32_t i = 1; i < machine->program->n_tasks; i++) {
        const struct running *other = &machine->tasks[i];
        const struct program_task *joined = &machine->program->tasks[i];
        if (other->parent != creator || other->phase != DONE || dice(machine, 3) != 0
            || (task != creator && i > task)
            || (joined->joined_by != WEFT_NONE
                && (task == creator
                    || joined->joined_by != machine->program->tasks[task].joined_by)))
            continue;
        say(machine, POINT_ORDER, task)->child = i;
        edge_into(running, other->wait_leaf, (enum weft_dag_edge)ORDER_EDGE, 0);
        running->into[running->n_into - 1].from_create = joined->create;
        running->into[running->n_into - 1].to_create =
            task == creator ? WEFT_NONE : machine->program->tasks[task].create;
        if (other->end > running->ready)
            running->ready = other->end;
    }
}

static void resume(struct machine *machine, uint32_t task, uint32_t worker)
{
    struct running *running = &machine->tasks[task];
    int64_t from = running->ready;

    switch (running->phase) {
    case NEW:
        order_after_some(machine, task, running->parent);
        run_on(machine, task, worker, POINT_START);
        break;
    case CREATING:
        order_after_some(machine, task, task);
        run_on(machine, task, worker, POINT_CREATED);
        break;
    case WAITING:
        join(machine, task);
        run_on(machine, task, worker, POINT_WAITED);
        break;
    case OTHER:
        running->ready += dice(machine, (uint32_t)(machine->now - from) + 1);
        run_on(machine, task, worker, POINT_OTHER_DONE);
        machine->program->points[machine->program->n_points - 1].ready = running->ready;
        break;
    default: break;
    }
}

/* A worker without a task looks at all, from a random one on. */
static void find_work(struct machine *machine, uint32_t worker)
{
    uint32_t n = (uint32_t)machine->program->n_tasks, first = dice(machine, n);

    for (uint32_t i = 0; i < n; i++)
        if (may_go_on(machine, (first + i) % n)) {
            resume(machine, (first + i) % n, worker);
            return;
        }
}

struct program random_program(uint32_t seed)
{
    struct program program = { 0 };
    struct machine machine = { .program = &program, .random = seed };

    (void)dice(&machine, 2);
    machine.n_workers = 1 + dice(&machine, WORKERS);
    machine.most_tasks = 1 + dice(&machine, 40);
    machine.openmp = dice(&machine, 2) == 0;
    for (int i = 0; i < WORKERS; i++)
        machine.at[i] = WEFT_NONE;
    run_on(&machine, new_task(&machine, WEFT_NONE), 0, POINT_ROOT);
    while (machine.tasks[0].phase != DONE || may_go_on(&machine, 0)) {
        uint32_t worker = dice(&machine, machine.n_workers);
        machine.now += dice(&machine, SHORT);
        if (machine.at[worker] == WEFT_NONE)
            find_work(&machine, worker);
        else
            act(&machine, machine.at[worker]);
    }
    /* The root may end before tasks that nobody joins. */
    for (bool busy = true; busy;) {
        busy = false;
        machine.now += dice(&machine, SHORT);
        for (uint32_t worker = 0; worker < machine.n_workers; worker++)
            if (machine.at[worker] == WEFT_NONE)
                find_work(&machine, worker);
            else
                act(&machine, machine.at[worker]);
        for (uint32_t i = 0; i < program.n_tasks; i++)
            busy = busy || machine.tasks[i].phase != DONE;
    }
    free(machine.tasks);
    free(machine.level_outer);
    return program;
}

static bool depends(const struct point *first, const struct point *second)
{
    return first->task == second->task
           || (first->what == POINT_CREATE && first->child == second->task)
           || (first->what == POINT_CREATE && second->what == POINT_ORDER
               && first->child == second->child)
           || (first->what == POINT_END
               && (second->what == POINT_WAITED || second->what == POINT_START
                   || second->what == POINT_CREATED));
}

void random_order(struct program *program, uint32_t seed)
{
    struct machine machine = { .random = seed };

    for (size_t n = program->n_points * 20; n > 0; n--) {
        uint32_t i = dice(&machine, (uint32_t)program->n_points);
        struct point *first = &program->points[i], *second = first + 1, moved;
        if (i + 1 == program->n_points || depends(first, second))
            continue;
        moved = *first;
        *first = *second;
        *second = moved;
    }
}

void random_program_free(struct program *program)
{
    free(program->points);
    free(program->leaves);
    free(program->edges);
    free(program->tasks);
}

/* ---- Replaying ---- */

static void replay_point(struct weft_dag_maker *maker, const struct point *given,
                         uint32_t *numbers, struct weft_dag_ref *refs)
{
    struct point counted = *given, *point = &counted;
    uint32_t task = point->what == POINT_ROOT ? 0 : numbers[point->task];

    /* Workers count thrice as fast as time goes by in which they work, and each from a number
       of its own. */
    point->place.counters[1] =
        3 * (point->place.time - point->waited) + 1000 * point->place.worker;

    switch (point->what) {
    case POINT_ROOT: numbers[0] = weft_dag_make_root(maker, &point->place); break;
    case POINT_CREATE:
        numbers[point->child] = weft_dag_make_create(maker, task, &point->place);
        refs[point->child] = weft_dag_make_ref(maker, numbers[point->child]);
        break;
    case POINT_CREATED: weft_dag_make_created(maker, task, &point->place); break;
    case POINT_ORDER:
        weft_dag_make_order(maker, refs[point->child], task, WEFT_DAG_ORDER_DEPENDENCE);
        break;
    case POINT_START: weft_dag_make_start(maker, task, &point->place); break;
    case POINT_SECTION: weft_dag_make_section(maker, task); break;
    case POINT_WAIT: weft_dag_make_wait(maker, task, point->wait, &point->place); break;
    case POINT_WAITED: weft_dag_make_waited(maker, task, &point->place); break;
    case POINT_OTHER: weft_dag_make_other(maker, task, &point->place); break;
    case POINT_OTHER_DONE:
        weft_dag_make_other_done(maker, task, point->ready, &point->place);
        break;
    case POINT_WAITING: weft_dag_make_waiting(maker, task, point->ticks); break;
    case POINT_END: weft_dag_make_end(maker, task, &point->place); break;
    }
}

void program_replay(const struct program *program, struct weft_dag_maker *maker)
{
    uint32_t *numbers = weft_zalloc(program->n_tasks, sizeof *numbers);
    struct weft_dag_ref *refs = weft_zalloc(program->n_tasks, sizeof *refs);

    for (size_t i = 0; i < program->n_points; i++)
        replay_point(maker, &program->points[i], numbers, refs);
    free(numbers);
    free(refs);
}
