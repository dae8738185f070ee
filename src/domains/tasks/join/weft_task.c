/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the records of weft_task.h. */
#include "weft/weft_task.h"
#include "domains/tasks/join/omp_join.h"

static void start_root(struct omp_join *omp, const struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    struct weft_dag_place place = omp_place(omp, thread, record->words[1], time);

    /* It ends at its own record, not with a thread. */
    omp_begin_program(omp, thread, record->words[0], &place, WEFT_NONE);
    join_let_go(omp->join, &omp->unknown, time);
}

static void pass_point(struct omp_join *omp, struct omp_task *task, uint32_t point,
                       const struct weft_dag_place *place)
{
    struct weft_dag_maker *maker = omp->maker;
    struct weft_dag_place own = *place;

    own.site = task->site; /* its place is that of the creation */
    switch (point) {
    case WEFT_TASK_BEGINS: weft_dag_make_start(maker, task->made, &own); break;
    case WEFT_TASK_ENDS: omp_end_task(omp, task, &own); break;
    case WEFT_TASK_CREATED: weft_dag_make_created(maker, task->made, place); break;
    case WEFT_TASK_WAITS:
        weft_dag_make_wait(maker, task->made, WEFT_DAG_WAIT_SECTION, place);
        break;
    case WEFT_TASK_WAITED: weft_dag_make_waited(maker, task->made, place); break;
    case WEFT_TASK_SECTION: weft_dag_make_section(maker, task->made); break;
    case WEFT_TASK_YIELDS: weft_dag_make_other(maker, task->made, place); break;
    case WEFT_TASK_YIELDED:
        weft_dag_make_other_done(maker, task->made, INT64_MIN, place);
        break;
    default: break;
    }
}

bool omp_join_point(struct omp_join *omp, struct join_thread *thread,
                    const struct record *record, int64_t time)
{
    struct omp_task *task;
    struct weft_dag_place place;

    if (record->kind == WEFT_RECORD_TASK_START) {
        start_root(omp, thread, record, time);
        return true;
    }
    task = omp_find_task(omp, thread, record->words[0]);
    if (!task && !thread->forced)
        return false;
    if (!task || task->ended) {
        omp->lost++;
        return true;
    }
    place = omp_place(omp, thread, record->words[1], time);
    switch (record->kind) {
    case WEFT_RECORD_TASK_STOP: omp_end_task(omp, task, &place); break;
    case WEFT_RECORD_TASK_CREATES:
        (void)omp_add_task(omp, thread, record->words[2],
                           weft_dag_make_create(omp->maker, task->made, &place),
                           place.site);
        join_let_go(omp->join, &omp->unknown, time);
        break;
    case WEFT_RECORD_TASK_POINT: pass_point(omp, task, record->argument, &place); break;
    default: break;
    }
    return true;
}
