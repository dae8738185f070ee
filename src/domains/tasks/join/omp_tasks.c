/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts OpenMP's task records.  A parallel region is a section of the encountering task,
 * which creates the implicit tasks.  A barrier is a wait for the tasks that the implicit
 * task has created, or an "other" if there are none.  LLVM's workers leave the last barrier
 * of a region only when they are needed again, so their implicit tasks end at their arrival
 * there.
 */
#include <stdlib.h>

#include "domains/tasks/join/omp_join.h"

static struct omp_region *find_region(const struct omp_join *omp,
                                      const struct join_thread *thread, uint64_t number)
{
    uint32_t index = weft_id_map_get(&omp->regions, omp_key(thread->image, number));

    return index == WEFT_MAP_NONE ? NULL : omp->all_regions[index];
}

/* Resumes a task after a creation.  OMPT does not tell when a creation ends, so unless
   another record came in between, the interval begins with the creation. */
static void go_on(struct omp_join *omp, struct omp_task *task)
{
    if (!task->creates)
        return;
    weft_dag_make_created(omp->maker, task->made, &task->pause);
    omp->untold += !task->resumed;
    task->creates = task->resumed = false;
}

/* The task that the thread runs; NULL if unknown, or if it has ended on another thread. */
static struct omp_task *running(const struct omp_join *omp,
                                const struct join_thread *thread)
{
    const struct omp_thread *own = &omp->threads[thread->index];

    return own->task && own->task->number == own->number && !own->task->ended ? own->task
                                                                              : NULL;
}

static void run(struct omp_join *omp, const struct join_thread *thread,
                struct omp_task *task)
{
    struct omp_thread *own = &omp->threads[thread->index];

    own->task = task;
    own->number = task ? task->number : 0;
}

/* The task that encountered the region; NULL if it has ended, which no correct program
   does. */
static struct omp_task *met_by(const struct omp_region *region)
{
    struct omp_task *task = region->met_by;

    return task->number == region->met_by_number && !task->ended ? task : NULL;
}

/* ---- Regions ---- */

static void begin_region(struct omp_join *omp, struct join_thread *thread,
                         const struct record *record, int64_t time)
{
    struct omp_task *task = running(omp, thread);
    struct omp_region *region;

    if (!task)
        return;
    region = weft_arena_zalloc(&omp->join->arena, 1, sizeof *region);
    region->number = omp_key(thread->image, record->words[0]);
    region->met_by = task;
    region->met_by_number = task->number;
    region->begin = omp_place(omp, thread, record->words[2], time);
    region->after = sites_find_after(omp->join->sites, thread->image, record->words[2]);
    region->arrived[0] = region->arrived[1] = region->completed = INT64_MIN;
    go_on(omp, task);
    weft_dag_make_section(omp->maker, task->made);
    omp->all_regions = weft_grow(omp->all_regions, &omp->regions_capacity,
                                 omp->n_regions + 1, sizeof *omp->all_regions);
    weft_id_map_put(&omp->regions, region->number, (uint32_t)omp->n_regions);
    omp->all_regions[omp->n_regions++] = region;
    join_let_go(omp->join, &omp->unknown, time);
}

static bool begin_implicit(struct omp_join *omp, struct join_thread *thread,
                           const struct record *record, int64_t time)
{
    struct omp_region *region = find_region(omp, thread, record->words[0]);
    struct weft_dag_place place = omp_place(omp, thread, 0, time);
    struct omp_task *task;
    uint32_t made, outer;

    if (!region)
        return false;
    run(omp, thread, NULL);
    if (region->over || !met_by(region))
        return true;
    outer = region->met_by->made;
    made = weft_dag_make_create(omp->maker, outer, &region->begin);
    weft_dag_make_created(omp->maker, outer, &region->begin);
    place.site = region->begin.site;
    weft_dag_make_start(omp->maker, made, &place);
    task = omp_add_task(omp, thread, record->words[1], made, region->begin.site);
    task->started = task->stays = true;
    task->pause = place; /* used if damage hides its barrier */
    task->region = region;
    task->next_member = region->members;
    region->members = task;
    run(omp, thread, task);
    return true;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Ends an implicit task at PLACE, or at its arrival at the barrier that it is in. */
static void end_implicit(struct omp_join *omp, struct omp_task *task,
                         const struct weft_dag_place *place)
{
    struct weft_dag_place end = *place;

    go_on(omp, task);
    if (task->in_barrier && task->joins)
        weft_dag_make_waited(omp->maker, task->made, place);
    else if (task->in_barrier)
        end = task->pause;
    task->in_barrier = false;
    omp_end_task(omp, task, &end);
}

static void end_implicit_task(struct omp_join *omp, struct join_thread *thread,
                              const struct record *record, int64_t time)
{
    struct omp_task *task = omp_find_task(omp, thread, record->words[0]);
    struct weft_dag_place place;

    if (!task)
        return;
    place = omp_place(omp, thread, 0, time);
    place.site = task->site;
    if (omp->threads[thread->index].task == task)
        run(omp, thread, NULL);
    if (!task->ended)
        end_implicit(omp, task, &place);
}

static void end_region(struct omp_join *omp, struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    struct omp_region *region = find_region(omp, thread, record->words[0]);
    struct weft_dag_place place;

    if (!region || region->over)
        return;
    region->over = true;
    place = omp_place(omp, thread, 0, time);
    place.site = region->after;
    for (struct omp_task *task = region->members; task; task = task->next_member)
        if (!task->ended) {
            struct weft_dag_place end = task->pause;
            end.time = time;
            end_implicit(omp, task, &end);
        }
    run(omp, thread, met_by(region));
    if (!met_by(region))
        return;
    weft_dag_make_wait(omp->maker, region->met_by->made, WEFT_DAG_WAIT_GROUP,
                       &region->begin);
    weft_dag_make_waited(omp->maker, region->met_by->made, &place);
}

/* ---- Tasks ---- */

static void create_task(struct omp_join *omp, struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    struct omp_task *task = running(omp, thread), *made;
    struct weft_dag_place place;

    if (!task)
        return;
    place = omp_place(omp, thread, record->words[1], time);
    if (record->words[1] == 0)
        place.site = task->site; /* the runtime created it for the program's construct */
    go_on(omp, task);
    if (record->argument & WEFT_OMP_TASKWAIT) {
        task->waits_for = record->words[0];
        task->waits = false;
        task->wait_address = record->words[1];
        task->wait = place;
        return;
    }
    omp->tasks_made++;
    made = omp_add_task(omp, thread, record->words[0],
                        weft_dag_make_create(omp->maker, task->made, &place), place.site);
    if (record->argument & WEFT_OMP_UNDEFERRED || task->final)
        weft_dag_make_order(omp->maker, weft_dag_make_ref(omp->maker, made->made),
                            task->made, WEFT_DAG_ORDER_INCLUDED);
    made->final = record->argument & WEFT_OMP_FINAL;
    made->region = task->region;
    made->creator = task->number;
    task->creates = true;
    task->pause = place;
    join_let_go(omp->join, &omp->unknown, time);
}

/* Marks TASK as complete. */
static void complete(struct omp_join *omp, struct omp_task *task,
                     struct weft_dag_place place)
{
    go_on(omp, task);
    place.site = task->site;
    if (task->region)
        task->region->completed = later(task->region->completed, place.time);
    omp_end_task(omp, task, &place);
}

/* The thread switches from the task to another one, mostly at a wait or just after creating
   that one, so the task's interval ends. */
static void leave_task(struct omp_join *omp, struct omp_task *task, uint32_t status,
                       struct weft_dag_place place)
{
    if (status == WEFT_OMP_COMPLETE || status == WEFT_OMP_CANCEL) {
        complete(omp, task, place);
        return;
    }
    if (status == WEFT_OMP_DETACH) {
        go_on(omp, task);
        place.site = task->site;
        weft_dag_make_other(omp->maker, task->made, &place);
        task->detached = true;
        return;
    }
    if (status == WEFT_OMP_YIELD)
        go_on(omp, task);
    if (task->creates || task->in_barrier || !weft_dag_make_runs(omp->maker, task->made))
        return;
    place.site = task->site;
    weft_dag_make_other(omp->maker, task->made, &place);
    task->yields = true;
}

/* A task that has left its thread is complete, since its event was fulfilled. */
static void fulfil(struct omp_join *omp, struct join_thread *thread, uint64_t number,
                   int64_t time)
{
    struct omp_task *task = omp_find_task(omp, thread, number);
    struct weft_dag_place place = omp_place(omp, thread, 0, time);

    if (!task || task->ended || !task->detached)
        return;
    place.site = task->site;
    weft_dag_make_other_done(omp->maker, task->made, time, &place);
    complete(omp, task, place);
}

/* The task goes on at PLACE, after it waited for tasks: until it could do so, its worker
   waited, unless it ran other tasks. */
static void end_task_wait(struct omp_join *omp, struct omp_task *task,
                          const struct weft_dag_place *place)
{
    struct omp_task_wait wait = { (uint32_t)place->worker, task->waits_since, place->time };

    task->waits_since = INT64_MIN;
    if (wait.begin == INT64_MIN || !weft_dag_make_runs(omp->maker, task->made))
        return;
    wait.end = earlier(wait.end, weft_dag_make_ready(omp->maker, task->made));
    if (wait.begin >= wait.end)
        return;
    omp->waits =
        weft_grow(omp->waits, &omp->waits_capacity, omp->n_waits + 1, sizeof *omp->waits);
    omp->waits[omp->n_waits++] = wait;
}

/* The taskwait with dependences that the thread's task is in ends. */
static void end_wait_for_some(struct omp_join *omp, struct join_thread *thread,
                              uint64_t number, int64_t time)
{
    struct omp_task *task = running(omp, thread);
    struct weft_dag_place place;

    if (!task || !number || task->waits_for != number)
        return;
    task->waits_for = 0;
    if (!task->waits)
        return;
    place = omp_place(omp, thread, 0, time);
    place.site = sites_find_after(omp->join->sites, thread->image, task->wait_address);
    weft_dag_make_other_done(omp->maker, task->made, INT64_MIN, &place);
    end_task_wait(omp, task, &place);
}

/* The thread's task is left, and the runtime does not say for which one. */
static bool leave_for_none(struct omp_join *omp, struct join_thread *thread,
                           uint32_t status, int64_t time)
{
    struct omp_task *before = running(omp, thread);

    if (before && before->started)
        leave_task(omp, before, status, omp_place(omp, thread, 0, time));
    return true;
}

/* A task was cancelled before it began.  It has no interval, but it is over. */
static bool discard(struct omp_join *omp, struct join_thread *thread,
                    const struct record *record, int64_t time)
{
    struct omp_task *task = omp_find_task(omp, thread, record->words[0]);

    if (!task && !thread->forced)
        return false;
    if (task && !task->started && !task->ended)
        complete(omp, task, omp_place(omp, thread, 0, time));
    return true;
}

static bool schedule(struct omp_join *omp, struct join_thread *thread,
                     const struct record *record, int64_t time)
{
    struct omp_task *next = omp_find_task(omp, thread, record->words[0]);
    struct omp_task *before = running(omp, thread);
    struct weft_dag_place place;
    uint32_t status = record->argument;

    if (status == WEFT_OMP_LATE_FULFIL)
        fulfil(omp, thread, record->words[0], time);
    if (status == WEFT_OMP_WAITED)
        end_wait_for_some(omp, thread, record->words[0], time);
    if (status == WEFT_OMP_EARLY_FULFIL || status == WEFT_OMP_LATE_FULFIL
        || status == WEFT_OMP_WAITED)
        return true;
    if (record->words[0] == 0)
        return leave_for_none(omp, thread, status, time);
    if (!next && !thread->forced)
        return false;
    place = omp_place(omp, thread, 0, time);
    if (before && before != next)
        leave_task(omp, before, status, place);
    run(omp, thread, next);
    if (!next)
        omp->lost++;
    if (!next || next->ended)
        return true;
    place.site = next->site;
    if (!next->started)
        weft_dag_make_start(omp->maker, next->made, &place);
    next->started = true;
    if (next->creates) {
        next->pause = place;
        next->resumed = true;
    }
    if (next->yields)
        weft_dag_make_other_done(omp->maker, next->made, INT64_MIN, &place);
    next->yields = false;
    return true;
}

/* The running task waits for the tasks BEFORE, in a taskwait with dependences. */
static void wait_for_some(struct omp_join *omp, struct omp_task *task,
                          const struct omp_predecessors *before)
{
    if (before->n > 0 && !task->waits) {
        weft_dag_make_other(omp->maker, task->made, &task->wait);
        task->waits = true;
        task->waits_since = task->wait.time;
    }
    for (size_t i = 0; i < before->n; i++)
        weft_dag_make_order(omp->maker, before->tasks[i], task->made,
                            WEFT_DAG_ORDER_DEPENDENCE);
}

/* A new task of the running one names an address, or the running one waits for those that
   did. */
static void add_dependence(struct omp_join *omp, struct join_thread *thread,
                           const struct record *record)
{
    struct omp_task *creator = running(omp, thread);
    struct omp_task *task = omp_find_task(omp, thread, record->words[0]);
    struct omp_predecessors before = { 0 };
    struct weft_dag_ref ref = { 0 };
    struct weft_dag_ref excluded;
    bool waits = creator && creator->waits_for && creator->waits_for == record->words[0];

    if (!creator || record->argument >= WEFT_OMP_DEPENDENCES
        || (!waits && (!task || task->ended || task->started)))
        return;
    if (!creator->depends)
        creator->depends = omp_depends_new();
    if (!waits)
        ref = weft_dag_make_ref(omp->maker, task->made);
    excluded = omp_depends_add(creator->depends, ref, record->words[1],
                               (enum weft_omp_depend)record->argument, &before);
    if (waits)
        wait_for_some(omp, creator, &before);
    for (size_t i = 0; i < before.n && !waits; i++)
        weft_dag_make_order(omp->maker, before.tasks[i], task->made,
                            WEFT_DAG_ORDER_DEPENDENCE);
    if (!waits)
        weft_dag_make_order(omp->maker, excluded, task->made, WEFT_DAG_ORDER_EXCLUSION);
    free(before.tasks);
}

/* ---- Waits ---- */

void omp_join_waited(struct omp_join *omp, const struct join_thread *thread, int64_t ticks)
{
    struct omp_task *task = running(omp, thread);

    if (!task)
        return;
    go_on(omp, task);
    weft_dag_make_waiting(omp->maker, task->made, ticks);
}

static void come_to_barrier(struct omp_join *omp, struct omp_task *task,
                            const struct weft_dag_place *place)
{
    struct omp_region *region = task->region;
    int odd = task->barriers++ & 1;

    task->in_barrier = true;
    task->pause = *place;
    task->joins = weft_dag_make_joins(omp->maker, task->made, WEFT_DAG_WAIT_ALL);
    if (task->joins)
        weft_dag_make_wait(omp->maker, task->made, WEFT_DAG_WAIT_ALL, place);
    if (region)
        region->arrived[odd] = later(region->arrived[odd], place->time);
}

static void leave_barrier(struct omp_join *omp, struct omp_task *task,
                          const struct weft_dag_place *place)
{
    const struct omp_region *region = task->region;
    int64_t released = place->time;

    if (!task->in_barrier)
        return;
    task->in_barrier = false;
    if (task->joins) {
        weft_dag_make_waited(omp->maker, task->made, place);
        return;
    }
    if (region)
        released = later(region->arrived[(task->barriers - 1) & 1], region->completed);
    weft_dag_make_other(omp->maker, task->made, &task->pause);
    weft_dag_make_other_done(omp->maker, task->made, earlier(released, place->time), place);
}

/* The task comes to a taskwait or to the end of a task group. */
static void begin_wait(struct omp_join *omp, struct omp_task *task, enum weft_dag_wait wait,
                       const struct weft_dag_place *place)
{
    if (weft_dag_make_joins(omp->maker, task->made, wait))
        task->waits_since = place->time;
    weft_dag_make_wait(omp->maker, task->made, wait, place);
}

static void end_wait(struct omp_join *omp, struct omp_task *task,
                     const struct weft_dag_place *place)
{
    weft_dag_make_waited(omp->maker, task->made, place);
    end_task_wait(omp, task, place);
}

/* The site after a wait: that of the return from the call.  An implicit barrier is not a
   call, so its site is that of the construct. */
static uint32_t after_wait(struct omp_join *omp, const struct join_thread *thread,
                           const struct record *record, uint32_t site)
{
    return record->argument == WEFT_OMP_WAIT_IMPLICIT
               ? site
               : sites_find_after(omp->join->sites, thread->image, record->words[0]);
}

static void record_wait(struct omp_join *omp, struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    static const enum weft_dag_wait waits[] = {
        [WEFT_OMP_WAIT_TASKS] = WEFT_DAG_WAIT_CHILDREN,
        [WEFT_OMP_WAIT_GROUP] = WEFT_DAG_WAIT_GROUP,
    };
    struct omp_task *task = running(omp, thread);
    bool ends = record->kind == WEFT_RECORD_OMP_WAIT_END;
    struct weft_dag_place place;

    if (!task || record->argument >= WEFT_OMP_WAITS)
        return;
    place = omp_place(omp, thread, ends ? 0 : record->words[0], time);
    if (!ends && place.site == WEFT_NONE && record->argument == WEFT_OMP_WAIT_IMPLICIT)
        place.site = task->site; /* site of its region */
    if (!ends)
        task->after_wait = after_wait(omp, thread, record, place.site);
    else
        place.site = task->after_wait != WEFT_NONE ? task->after_wait : task->site;
    go_on(omp, task);
    if (ends && record->argument != WEFT_OMP_WAIT_GROUP) {
        omp_depends_free(task->depends); /* all its tasks have ended */
        task->depends = NULL;
    }
    if (record->kind == WEFT_RECORD_OMP_GROUP)
        weft_dag_make_section(omp->maker, task->made);
    else if (record->argument >= WEFT_OMP_WAIT_BARRIER && ends)
        leave_barrier(omp, task, &place);
    else if (record->argument >= WEFT_OMP_WAIT_BARRIER)
        come_to_barrier(omp, task, &place);
    else if (ends)
        end_wait(omp, task, &place);
    else
        begin_wait(omp, task, waits[record->argument], &place);
}

/* ---- Records ---- */

static void begin_initial(struct omp_join *omp, struct join_thread *thread,
                          const struct record *record, int64_t time)
{
    struct weft_dag_place place = omp_place(omp, thread, 0, time);
    struct omp_program *program = omp_program_of(omp, thread);

    place.time = omp->threads[thread->index].start;
    if (program->root) {
        omp->others++;
        return;
    }
    omp_begin_program(omp, thread, record->words[0], &place, thread->index);
    program->root->started = true;
    run(omp, thread, program->root);
}

bool omp_join_task(struct omp_join *omp, struct join_thread *thread,
                   const struct record *record, int64_t time)
{
    switch (record->kind) {
    case WEFT_RECORD_OMP_INITIAL: begin_initial(omp, thread, record, time); return true;
    case WEFT_RECORD_OMP_PARALLEL: begin_region(omp, thread, record, time); return true;
    case WEFT_RECORD_OMP_PARALLEL_END: end_region(omp, thread, record, time); return true;
    case WEFT_RECORD_OMP_IMPLICIT: return begin_implicit(omp, thread, record, time);
    case WEFT_RECORD_OMP_IMPLICIT_END:
        end_implicit_task(omp, thread, record, time);
        return true;
    case WEFT_RECORD_OMP_CREATE: create_task(omp, thread, record, time); return true;
    case WEFT_RECORD_OMP_SCHEDULE: return schedule(omp, thread, record, time);
    case WEFT_RECORD_OMP_DEPENDS: add_dependence(omp, thread, record); return true;
    case WEFT_RECORD_OMP_DISCARD: return discard(omp, thread, record, time);
    case WEFT_RECORD_OMP_WAIT:
    case WEFT_RECORD_OMP_WAIT_END:
    case WEFT_RECORD_OMP_GROUP: record_wait(omp, thread, record, time); return true;
    default: return true;
    }
}
