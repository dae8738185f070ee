/* SPDX-License-Identifier: Apache-2.0 */
/* The family of task parallelism: dispatches its records, and writes the DAG at the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/dag/write.h"
#include "domains/tasks/join/contraction_rules.h"
#include "domains/tasks/join/omp_join.h"
#include "read/recording/join/process_containers.h"

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_OMP))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_OMP_CPU)] = 0,       [NUMBER(WEFT_RECORD_OMP_INITIAL)] = 1,
    [NUMBER(WEFT_RECORD_OMP_PARALLEL)] = 3,  [NUMBER(WEFT_RECORD_OMP_PARALLEL_END)] = 2,
    [NUMBER(WEFT_RECORD_OMP_IMPLICIT)] = 2,  [NUMBER(WEFT_RECORD_OMP_IMPLICIT_END)] = 1,
    [NUMBER(WEFT_RECORD_OMP_CREATE)] = 2,    [NUMBER(WEFT_RECORD_OMP_SCHEDULE)] = 1,
    [NUMBER(WEFT_RECORD_OMP_DEPENDS)] = 2,   [NUMBER(WEFT_RECORD_OMP_DISCARD)] = 1,
    [NUMBER(WEFT_RECORD_OMP_WAIT)] = 1,      [NUMBER(WEFT_RECORD_OMP_WAIT_END)] = 0,
    [NUMBER(WEFT_RECORD_OMP_GROUP)] = 1,     [NUMBER(WEFT_RECORD_OMP_WORK)] = 2,
    [NUMBER(WEFT_RECORD_OMP_WORK_END)] = 0,  [NUMBER(WEFT_RECORD_OMP_LOCK_WAIT)] = 2,
    [NUMBER(WEFT_RECORD_OMP_LOCK)] = 1,      [NUMBER(WEFT_RECORD_OMP_UNLOCK)] = 1,
    [NUMBER(WEFT_RECORD_TASK_START)] = 2,    [NUMBER(WEFT_RECORD_TASK_STOP)] = 2,
    [NUMBER(WEFT_RECORD_TASK_CREATES)] = 3,  [NUMBER(WEFT_RECORD_TASK_POINT)] = 2,
    [NUMBER(WEFT_RECORD_OMP_RUNTIME)] = 0,   [NUMBER(WEFT_RECORD_OMP_COUNTERS)] = 1,
    [NUMBER(WEFT_RECORD_OMP_UNCOUNTED)] = 1,
};

/* ---- Tasks, by number ---- */

struct omp_task *omp_find_task(const struct omp_join *omp, const struct join_thread *thread,
                               uint64_t given)
{
    uint64_t number = omp_key(thread->image, given);
    uint32_t index = weft_id_map_get(&omp->tasks, number);

    return index != WEFT_MAP_NONE && omp->all_tasks[index]->number == number
               ? omp->all_tasks[index]
               : NULL;
}

struct omp_task *omp_add_task(struct omp_join *omp, const struct join_thread *thread,
                              uint64_t given, uint32_t made, uint32_t site)
{
    uint64_t number = omp_key(thread->image, given);
    struct omp_task *task = omp->free_task;
    uint32_t index;

    if (task) {
        omp->free_task = task->next_member;
        index = task->index;
    } else {
        task = weft_arena_alloc(&omp->join->arena, sizeof *task);
        omp->all_tasks = weft_grow(omp->all_tasks, &omp->tasks_capacity, omp->n_tasks + 1,
                                   sizeof *omp->all_tasks);
        index = (uint32_t)omp->n_tasks++;
        omp->all_tasks[index] = task;
    }
    *task = (struct omp_task){ .number = number,
                               .index = index,
                               .made = made,
                               .site = site,
                               .after_wait = WEFT_NONE,
                               .waits_since = INT64_MIN };
    weft_id_map_put(&omp->tasks, number, index);
    return task;
}

void omp_end_task(struct omp_join *omp, struct omp_task *task,
                  const struct weft_dag_place *place)
{
    if (task->ended)
        return;
    weft_dag_make_end(omp->maker, task->made, place);
    task->ended = true;
    omp_depends_free(task->depends);
    task->depends = NULL;
    if (task->stays)
        return;
    task->next_member = omp->free_task;
    omp->free_task = task;
}

void omp_begin_program(struct omp_join *omp, const struct join_thread *thread,
                       uint64_t number, const struct weft_dag_place *place,
                       uint32_t root_thread)
{
    struct omp_program *program = omp_program_of(omp, thread);

    if (program->root) {
        omp->others++;
        return;
    }
    if (!omp->maker) {
        omp->image = thread->image;
        omp->maker = weft_dag_maker_new(&omp->contraction);
        if (omp->counted)
            weft_dag_maker_counts(omp->maker);
    }
    program->root = omp_add_task(omp, thread, number, weft_dag_make_root(omp->maker, place),
                                 place->site);
    program->root->stays = true;
    program->root_thread = root_thread;
    omp->n_programs++;
}

struct weft_dag_place omp_place(struct omp_join *omp, const struct join_thread *thread,
                                uint64_t address, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    struct weft_dag_place place = { .time = time, .cpu = own->cpu, .site = WEFT_NONE };

    if (own->worker == WEFT_NONE) {
        omp->workers = weft_grow(omp->workers, &omp->workers_capacity, omp->n_workers + 1,
                                 sizeof *omp->workers);
        own->worker = (uint32_t)omp->n_workers;
        omp->workers[omp->n_workers++] = thread->container;
    }
    place.worker = (int32_t)own->worker;
    if (address)
        place.site = sites_find(omp->join->sites, thread->image, address);
    memcpy(place.counters, own->counters, sizeof place.counters);
    return place;
}

/* ---- The family ---- */

/* Reads the rules of contraction from the recording's facts. */
static struct weft_dag_contraction contraction_of(struct join *join)
{
    const char *text =
        recording_fact(&join->arena, join->recording->facts, WEFT_RECORDING_CONTRACTION);

    struct weft_dag_contraction rule;

    (void)weft_recording_contraction(text, &rule);
    return rule;
}

static void *begin(struct join *join)
{
    struct omp_join *omp = weft_zalloc(1, sizeof *omp);

    omp->join = join;
    omp->image = omp->given_back = WEFT_NONE;
    omp->programs = weft_zalloc(join->recording->n_images + 1, sizeof *omp->programs);
    omp->last = INT64_MIN;
    omp->contraction = contraction_of(join);
    omp->points = join->recording->says_tasks;
    omp_begin_counting(omp);
    omp->threads = weft_zalloc(join->n_threads + 1, sizeof *omp->threads);
    for (size_t i = 0; i < join->n_threads; i++)
        omp->threads[i] =
            (struct omp_thread){ .worker = WEFT_NONE, .cpu = -1, .track = WEFT_NONE };
    return omp;
}

/* The records of weft_task.h take precedence over those of the runtime. */
static void scan(struct recording *recording, const struct stream *stream,
                 const struct record *record)
{
    (void)stream;
    (void)record;
    recording->says_tasks = true;
}

static void thread_starts(void *user, struct join_thread *thread, int64_t time)
{
    struct omp_join *omp = user;

    omp->threads[thread->index].start = time;
}

/* After exec, the open states of the previous program are closed. */
static void thread_becomes(void *user, struct join_thread *thread,
                           const struct join_thread *before, int64_t time)
{
    struct omp_join *omp = user;
    struct omp_thread *now = &omp->threads[thread->index];

    now->track = omp->threads[before->index].track;
    if (now->track != WEFT_NONE)
        (void)weft_builder_reset(omp->join->builder, now->track, time);
}

/* The thread's wait for a lock, if it is in one, ends at TIME without an acquisition. */
static void end_lock_wait(struct omp_join *omp, const struct join_thread *thread,
                          int64_t time)
{
    int64_t waited = omp_end_lock_wait(omp, thread, time);

    if (waited > 0 && omp_program_of(omp, thread)->root && !omp->points)
        omp_join_waited(omp, thread, waited);
}

/* If the initial thread ends, also by a signal, the root ends. */
static void thread_ends(void *user, struct join_thread *thread, int64_t time)
{
    struct omp_join *omp = user;
    const struct omp_program *program = omp_program_of(omp, thread);
    struct weft_dag_place place;

    end_lock_wait(omp, thread, time);
    if (!program->root || thread->index != program->root_thread || program->root->ended)
        return;
    place = omp_place(omp, thread, 0, time);
    omp_end_task(omp, program->root, &place);
}

static struct join_place *join_record(void *user, struct join_thread *thread,
                                      const struct record *record, int64_t time)
{
    struct omp_join *omp = user;
    bool points = record->kind >= WEFT_RECORD_TASK_START, taken = true;
    bool begins =
        record->kind == WEFT_RECORD_OMP_INITIAL || record->kind == WEFT_RECORD_TASK_START;
    int64_t waited = omp_join_lock(omp, thread, record, time);

    if (record->kind == WEFT_RECORD_OMP_CPU) {
        omp->threads[thread->index].cpu = (int32_t)record->argument;
        return NULL;
    }
    if (omp_join_count(omp, thread, record))
        return NULL;
    if (points == omp->points && (begins || omp_program_of(omp, thread)->root)) {
        omp->last = time > omp->last ? time : omp->last;
        taken = points ? omp_join_point(omp, thread, record, time)
                       : omp_join_task(omp, thread, record, time);
        if (waited > 0)
            omp_join_waited(omp, thread, waited);
    }
    if (!taken && !thread->forced)
        return &omp->unknown;
    if (!taken)
        omp->lost++;
    omp_join_state(omp, thread, record, time);
    return NULL;
}

/* Threads that still wait for locks do so until their processes end. */
static void end_lock_waits(struct omp_join *omp)
{
    for (size_t i = 0; i < omp->join->n_threads; i++)
        if (omp->threads[i].wait.waits)
            end_lock_wait(omp, omp->join->threads[i],
                          lifecycle_end_of(omp->join, omp->join->threads[i]->process));
}

/* Where initial threads have not ended by themselves, the roots end with their
   processes. */
static void end_roots(struct omp_join *omp)
{
    for (uint32_t image = 0; image < omp->join->recording->n_images; image++) {
        const struct omp_program *program = &omp->programs[image];
        uint32_t process = omp->join->recording->images[image].process;
        int64_t end = lifecycle_end_of(omp->join, process);
        struct weft_dag_place place;
        if (!program->root || program->root->ended || program->root_thread == WEFT_NONE)
            continue;
        if (omp->n_programs == 1 && end < omp->last)
            end = omp->last;
        place = omp_place(omp, omp->join->threads[program->root_thread], 0, end);
        omp_end_task(omp, program->root, &place);
    }
}

static void finish(void *user)
{
    struct omp_join *omp = user;
    struct weft_builder *builder = omp->join->builder;
    uint64_t unfinished;

    end_lock_waits(omp);
    if (!omp->maker)
        return;
    end_roots(omp);
    unfinished = weft_dag_make_finish(omp->maker, omp->last);
    if (unfinished > 0)
        weft_builder_problem(builder, WEFT_WARNING, "unfinished-tasks", 0,
                             "%" PRIu64 " task%s not ended when the recording did",
                             unfinished, unfinished == 1 ? " had" : "s had");
    if (omp->lost > 0)
        weft_builder_problem(builder, WEFT_WARNING, "unknown-tasks", 0,
                             "%" PRIu64 " records are of tasks of which no creation was "
                             "recorded",
                             omp->lost);
    if (omp->others > 0)
        weft_builder_problem(builder, WEFT_WARNING, "other-dags", 0,
                             "%" PRIu64
                             " other threads began tasks of their own: a program "
                             "has the task DAG of the first",
                             omp->others);
}

/* Returns true if NAME is one of NAMES, which commas separate. */
static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name), part;

    for (; *names; names += part + (names[part] == ',')) {
        part = strcspn(names, ",");
        if (part == length && strncmp(names, name, length) == 0)
            return true;
    }
    return false;
}

/* Notes the names of the programs with tasks, each once. */
static void note_programs(struct omp_join *omp)
{
    const struct recording *recording = omp->join->recording;
    struct weft_arena *arena = &omp->join->arena;
    const char *names = "";

    for (uint32_t image = 0; image < recording->n_images; image++) {
        const struct weft_process_header *header = &recording->images[image].header;
        const char *name = *header->program ? header->program : header->command;
        const char *slash = strrchr(name, '/');
        if (!omp->programs[image].root)
            continue;
        name = slash ? slash + 1 : name;
        if (!is_listed(names, name))
            names = weft_arena_printf(arena, "%s%s%s", names, *names ? "," : "", name);
    }
    weft_builder_note(omp->join->builder, WEFT_DAG_NOTE_PROGRAMS, names);
    if (omp->n_programs > 1)
        weft_builder_note(omp->join->builder, WEFT_DAG_NOTE_SEVERAL, "yes");
}

static void give_node(void *writer, const struct weft_dag_node *node)
{
    weft_dag_writer_add(writer, node);
}

static bool write_dag(void *user, struct weft_job *job, struct weft_err *err)
{
    struct omp_join *omp = user;
    struct weft_dag_writer *writer;
    const struct weft_dag_tasks *tasks;
    const struct weft_dag_order *orders;
    size_t n_tasks, n_orders;
    struct join *join = omp->join;
    bool one = omp->n_programs == 1; /* else what all did is the trace's */
    uint32_t process;

    if (!omp->maker)
        return true;
    process =
        one ? join->processes[join->recording->images[omp->image].process].container : 0;
    omp_note_counted(omp);
    if (omp->untold > 0)
        weft_builder_note(join->builder, WEFT_DAG_NOTE_CREATIONS,
                          weft_arena_printf(&join->arena,
                                            "%" PRIu64 " took a time that is not known",
                                            omp->untold));
    note_programs(omp);
    if (!omp->points && omp->tasks_made == 0)
        weft_builder_note(join->builder, WEFT_DAG_NOTE_REGIONS, "yes");
    writer = weft_dag_writer_new(
        &(struct weft_dag_target){ .builder = join->builder,
                                   .process = process,
                                   .process_type = one ? join->process_type : 0,
                                   .workers = omp->workers,
                                   .n_workers = (uint32_t)omp->n_workers,
                                   .worker_type = join->thread_type });
    (void)weft_dag_make_nodes(omp->maker, give_node, writer);
    orders = weft_dag_make_orders(omp->maker, &n_orders);
    weft_dag_writer_add_orders(writer, orders, n_orders);
    tasks = weft_dag_make_tasks(omp->maker, &n_tasks);
    for (size_t i = 0; i < n_tasks; i++)
        weft_dag_writer_add_tasks(writer, &tasks[i]);
    for (size_t i = 0; i < omp->n_waits; i++)
        weft_dag_writer_add_wait(writer, omp->waits[i].worker, omp->waits[i].begin,
                                 omp->waits[i].end);
    return weft_dag_writer_finish(writer, job, err);
}

static void end(void *user)
{
    struct omp_join *omp = user;

    for (size_t i = 0; i < omp->n_tasks; i++)
        omp_depends_free(omp->all_tasks[i]->depends);
    for (size_t i = 0; i < omp->join->n_threads; i++)
        free(omp->threads[i].states);
    weft_id_map_free(&omp->tasks);
    weft_id_map_free(&omp->regions);
    weft_id_map_free(&omp->region_sites);
    weft_text_map_free(&omp->lock_map);
    weft_text_map_free(&omp->lock_names);
    free(omp->locks);
    free(omp->sites);
    weft_dag_maker_free(omp->maker);
    free(omp->all_tasks);
    free(omp->all_regions);
    free(omp->waits);
    free(omp->workers);
    free(omp->threads);
    free(omp->runtimes);
    free(omp->programs);
    free(omp);
}

extern const struct join_family join_omp;
const struct join_family join_omp = {
    .number = WEFT_FAMILY_OMP,
    .kinds = { words, NUMBER(WEFT_RECORD_OMP_END) },
    .scans = 1u << NUMBER(WEFT_RECORD_TASK_START),
    .scan = scan,
    .begin = begin,
    .thread_starts = thread_starts,
    .thread_becomes = thread_becomes,
    .thread_ends = thread_ends,
    .join_record = join_record,
    .finish = finish,
    .write = write_dag,
    .end = end,
};
