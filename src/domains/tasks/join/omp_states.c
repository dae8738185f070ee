/* SPDX-License-Identifier: Apache-2.0 */
/* The activities of threads in OpenMP's constructs, as nested states: barriers and other
   waits, work-sharing, critical sections, and the tasks that run during waits. */
#include "domains/tasks/join/omp_join.h"

/* Values by the record that begins them: FIRST_x + the record's argument. */
enum {
    FIRST_WAIT,
    FIRST_WORK = FIRST_WAIT + WEFT_OMP_WAITS,
    FIRST_LOCK_WAIT = FIRST_WORK + WEFT_OMP_WORKS,
    FIRST_LOCK = FIRST_LOCK_WAIT + WEFT_OMP_LOCKS,
    REGION = FIRST_LOCK + WEFT_OMP_LOCKS,
    TASK,
    VALUES,
};

static const struct {
    const char *name;
    enum weft_role role;
} values[VALUES] = {
    [FIRST_WAIT + WEFT_OMP_WAIT_TASKS] = { "taskwait", WEFT_ROLE_BLOCKED_ON_TASK },
    [FIRST_WAIT + WEFT_OMP_WAIT_GROUP] = { "end of taskgroup", WEFT_ROLE_BLOCKED_ON_TASK },
    [FIRST_WAIT + WEFT_OMP_WAIT_BARRIER] = { "barrier", WEFT_ROLE_BLOCKED_ON_BARRIER },
    [FIRST_WAIT +
        WEFT_OMP_WAIT_IMPLICIT] = { "implicit barrier", WEFT_ROLE_BLOCKED_ON_BARRIER },
    [FIRST_WORK + WEFT_OMP_LOOP] = { "loop", WEFT_ROLE_SHARED_WORK },
    [FIRST_WORK + WEFT_OMP_SECTIONS] = { "sections", WEFT_ROLE_SHARED_WORK },
    [FIRST_WORK + WEFT_OMP_SINGLE] = { "single", WEFT_ROLE_SHARED_WORK },
    [FIRST_WORK + WEFT_OMP_WORKSHARE] = { "workshare", WEFT_ROLE_SHARED_WORK },
    [FIRST_WORK + WEFT_OMP_DISTRIBUTE] = { "distribute", WEFT_ROLE_SHARED_WORK },
    [FIRST_WORK + WEFT_OMP_TASKLOOP] = { "taskloop", WEFT_ROLE_COMPUTING },
    [FIRST_LOCK_WAIT + WEFT_OMP_MUTEX] = { "waits for a lock", WEFT_ROLE_BLOCKED_ON_LOCK },
    [FIRST_LOCK_WAIT +
        WEFT_OMP_CRITICAL] = { "waits for a critical section", WEFT_ROLE_BLOCKED_ON_LOCK },
    [FIRST_LOCK_WAIT +
        WEFT_OMP_ATOMIC] = { "waits for an atomic update", WEFT_ROLE_BLOCKED_ON_LOCK },
    [FIRST_LOCK_WAIT +
        WEFT_OMP_ORDERED] = { "waits for its turn", WEFT_ROLE_BLOCKED_ON_LOCK },
    /* No state while a lock is held, since locks need not be released in nested order. */
    [FIRST_LOCK + WEFT_OMP_MUTEX] = { NULL, WEFT_ROLE_NONE },
    [FIRST_LOCK + WEFT_OMP_CRITICAL] = { "critical section", WEFT_ROLE_COMPUTING },
    [FIRST_LOCK + WEFT_OMP_ATOMIC] = { "atomic update", WEFT_ROLE_COMPUTING },
    [FIRST_LOCK + WEFT_OMP_ORDERED] = { "ordered", WEFT_ROLE_COMPUTING },
    [REGION] = { "parallel region", WEFT_ROLE_PARALLEL_REGION },
    [TASK] = { "task", WEFT_ROLE_COMPUTING },
};

static_assert(VALUES <= sizeof((struct omp_join *)0)->values / sizeof(uint32_t),
              "there is room for all values");

static void define_types(struct omp_join *omp)
{
    struct join *join = omp->join;

    omp->type = join_type(join, WEFT_STATE, join->thread_type, "OpenMP", WEFT_ROLE_CALL);
    omp->site = join_field(join, omp->type, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    omp->number =
        join_field(join, omp->type, "region", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    omp->count =
        join_field(join, omp->type, "iterations", WEFT_FIELD_INTEGER, WEFT_ROLE_WORK);
    omp->schedule =
        join_field(join, omp->type, "schedule", WEFT_FIELD_TEXT, WEFT_ROLE_SCHEDULE);
    omp->chunk = join_field(join, omp->type, "chunk", WEFT_FIELD_INTEGER, WEFT_ROLE_CHUNK);
    for (int i = 0; i < VALUES; i++)
        if (values[i].name)
            omp->values[i] =
                join_value_with_role(join, omp->type, values[i].name, values[i].role);
    omp->object =
        join_field(join, omp->type, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    omp->task =
        join_field(join, omp->type, "task", WEFT_FIELD_INTEGER, WEFT_ROLE_TASK_NUMBER);
    omp->creator = join_field(join, omp->type, "creator", WEFT_FIELD_INTEGER,
                              WEFT_ROLE_CREATOR_NUMBER);
    omp->asked =
        join_field(join, omp->type, "dispatches", WEFT_FIELD_INTEGER, WEFT_ROLE_DISPATCHES);
    omp->asking = join_field(join, omp->type, "dispatch time", WEFT_FIELD_INTEGER,
                             WEFT_ROLE_DISPATCH_TIME);
    weft_builder_late_field(join->builder, omp->asked);
    weft_builder_late_field(join->builder, omp->asking);
    omp->has_types = true;
}

/* A state that begins: its value, and what is known of it; 0: not known, or none. */
struct begun_state {
    uint32_t value;
    uint64_t region;          /* the number of a parallel region */
    uint64_t iterations;      /* of a loop, all threads together */
    uint64_t schedule, chunk; /* of a loop, as in WEFT_RECORD_OMP_WORK */
    uint64_t address;         /* its place in the program */
    uint32_t created_at;      /* of a task: the store's site where it was created, plus 1 */
    uint64_t task, creator;   /* numbers of a task and of its creator */
    uint32_t object;          /* of a wait for a lock: the lock's container plus 1 */
};

enum { STATE_FIELDS = 8 }; /* most fields of a state */

/* Returns the name of a schedule of the records; NULL if there is none. */
static const char *schedule_name(uint64_t schedule)
{
    static const char *const names[WEFT_OMP_SCHEDULES][2] = {
        [WEFT_OMP_SCHEDULE_STATIC] = { "static", "ordered static" },
        [WEFT_OMP_SCHEDULE_DYNAMIC] = { "dynamic", "ordered dynamic" },
        [WEFT_OMP_SCHEDULE_GUIDED] = { "guided", "ordered guided" },
        [WEFT_OMP_SCHEDULE_AUTO] = { "auto", "ordered auto" },
        [WEFT_OMP_SCHEDULE_RUNTIME] = { "runtime", "ordered runtime" },
    };
    bool ordered = schedule & WEFT_OMP_SCHEDULE_ORDERED;

    schedule &= ~(uint64_t)WEFT_OMP_SCHEDULE_ORDERED;
    return schedule < WEFT_OMP_SCHEDULES ? names[schedule][ordered] : NULL;
}

static size_t describe(struct omp_join *omp, const struct join_thread *thread,
                       const struct begun_state *state,
                       struct weft_field_value fields[STATE_FIELDS])
{
    const char *schedule = schedule_name(state->schedule);
    size_t n = 0;

    if (state->address)
        fields[n++] = join_site_field(omp->join, omp->site, thread->image, state->address);
    if (state->created_at)
        fields[n++] =
            (struct weft_field_value){ .field = omp->site, .index = state->created_at - 1 };
    if (state->region)
        fields[n++] = (struct weft_field_value){ .field = omp->number,
                                                 .integer = (int64_t)state->region };
    if (state->iterations)
        fields[n++] = (struct weft_field_value){ .field = omp->count,
                                                 .integer = (int64_t)state->iterations };
    if (schedule)
        fields[n++] = (struct weft_field_value){ .field = omp->schedule,
                                                 .index = join_text(omp->join, schedule) };
    if (schedule && state->chunk)
        fields[n++] = (struct weft_field_value){ .field = omp->chunk,
                                                 .integer = (int64_t)state->chunk };
    if (state->task)
        fields[n++] = (struct weft_field_value){ .field = omp->task,
                                                 .integer = (int64_t)state->task };
    if (state->creator)
        fields[n++] = (struct weft_field_value){ .field = omp->creator,
                                                 .integer = (int64_t)state->creator };
    if (state->object)
        fields[n++] =
            (struct weft_field_value){ .field = omp->object, .index = state->object - 1 };
    return n;
}

/* Returns the id of the state, or WEFT_NO_ID if it cannot be added. */
static uint64_t push_state(struct omp_join *omp, const struct join_thread *thread,
                           const struct begun_state *state, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    struct weft_field_value fields[STATE_FIELDS];
    size_t n_fields;
    uint64_t id;

    if (!omp->has_types)
        define_types(omp);
    if (own->track == WEFT_NONE)
        own->track = weft_builder_track(omp->join->builder, thread->container, omp->type);
    n_fields = describe(omp, thread, state, fields);
    if (weft_builder_push(omp->join->builder, own->track, time, omp->values[state->value],
                          fields, n_fields, &id)
        != WEFT_BUILD_OK)
        return WEFT_NO_ID;
    own->states = weft_grow(own->states, &own->states_capacity, own->n_states + 1,
                            sizeof *own->states);
    own->states[own->n_states++] =
        (struct omp_state){ state->value, id, time, state->region };
    own->open[state->value]++;
    return id;
}

static void push(struct omp_join *omp, const struct join_thread *thread, uint32_t value,
                 uint64_t address, int64_t time)
{
    (void)push_state(omp, thread,
                     &(struct begun_state){ .value = value, .address = address }, time);
}

/* Ends the innermost state of this value, and all states opened inside it. */
static void pop(struct omp_join *omp, const struct join_thread *thread, uint32_t value,
                int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    uint32_t ended;

    if (own->open[value] == 0)
        return;
    do {
        (void)weft_builder_pop(omp->join->builder, own->track, time, NULL);
        ended = own->states[--own->n_states].value;
        own->open[ended]--;
    } while (ended != value);
}

/* ---- Regions and shared work ---- */

/* Notes the place of the construct that a region is of. */
static void note_region(struct omp_join *omp, const struct join_thread *thread,
                        const struct record *record)
{
    omp->sites =
        weft_grow(omp->sites, &omp->sites_capacity, omp->n_sites + 1, sizeof *omp->sites);
    weft_id_map_put(&omp->region_sites, omp_key(thread->image, record->words[0]),
                    (uint32_t)omp->n_sites);
    omp->sites[omp->n_sites++] = record->words[2];
}

/* Returns the address of the construct of a region; 0 if it is not known. */
static uint64_t place_of_region(const struct omp_join *omp,
                                const struct join_thread *thread, uint64_t region)
{
    uint32_t index = weft_id_map_get(&omp->region_sites, omp_key(thread->image, region));

    return index == WEFT_MAP_NONE ? 0 : omp->sites[index];
}

static void begin_region(struct omp_join *omp, const struct join_thread *thread,
                         const struct record *record, int64_t time)
{
    omp->threads[thread->index].work_site = 0;
    (void)push_state(
        omp, thread,
        &(struct begun_state){ .value = REGION,
                               .region = record->words[0],
                               .address = place_of_region(omp, thread, record->words[0]) },
        time);
}

/* Returns the innermost parallel region that the thread is in; 0: none. */
static uint64_t region_of(const struct omp_thread *own)
{
    for (size_t i = own->n_states; i-- > 0;)
        if (own->states[i].value == REGION)
            return own->states[i].region;
    return 0;
}

/*
 * A parallel region ends, as the thread says that began it.  The runtime tells that the
 * others have left its last barrier only when they are needed again; until then they are in
 * no region.
 */
static void end_region(struct omp_join *omp, const struct join_thread *thread,
                       uint64_t region, int64_t time)
{
    const struct join_thread *other = omp->join->of_image[thread->image];

    for (; other && region != 0; other = other->next_of_image)
        if (other != thread && region_of(&omp->threads[other->index]) == region)
            pop(omp, other, REGION, time);
}

/* A thread that runs a single of a program of GCC comes to what follows it: the runtime
   does not tell that it ended. */
static void end_single(struct omp_join *omp, const struct join_thread *thread, int64_t time)
{
    const struct omp_thread *own = &omp->threads[thread->index];

    if (own->n_states > 0
        && own->states[own->n_states - 1].value == FIRST_WORK + WEFT_OMP_SINGLE)
        pop(omp, thread, FIRST_WORK + WEFT_OMP_SINGLE, time);
}

/* Says of the innermost state, a loop that ends, how often the thread asked for iterations
   and how long that took. */
static void tell_dispatches(struct omp_join *omp, const struct join_thread *thread,
                            const struct record *record, int64_t time)
{
    const struct omp_thread *own = &omp->threads[thread->index];
    const struct omp_state *state = own->n_states ? &own->states[own->n_states - 1] : NULL;
    double share = (double)record->words[1] / WEFT_OMP_WHOLE_LOOP;

    if (!state || state->value != FIRST_WORK + WEFT_OMP_LOOP || share > 1)
        return;
    weft_builder_field_later(
        omp->join->builder, state->id,
        &(struct weft_field_value){ .field = omp->asked,
                                    .integer = (int64_t)record->words[0] });
    weft_builder_field_later(
        omp->join->builder, state->id,
        &(struct weft_field_value){ .field = omp->asking,
                                    .integer =
                                        (int64_t)(share * (double)(time - state->begin)) });
}

static void record_work(struct omp_join *omp, const struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    uint32_t which = record->argument;
    bool scheduled = record->n_words >= 4;

    if (which >= WEFT_OMP_WORKS)
        return;
    if (record->kind == WEFT_RECORD_OMP_WORK_END) {
        if (record->n_words >= 2)
            tell_dispatches(omp, thread, record, time);
        pop(omp, thread, FIRST_WORK + which, time);
        return;
    }
    end_single(omp, thread, time);
    omp->threads[thread->index].work_site = record->words[0];
    (void)push_state(
        omp, thread,
        &(struct begun_state){ .value = FIRST_WORK + which,
                               .address = record->words[0],
                               .iterations = which == WEFT_OMP_LOOP ? record->words[1] : 0,
                               .schedule = scheduled ? record->words[2] : 0,
                               .chunk = scheduled ? record->words[3] : 0 },
        time);
}

/*
 * A barrier whose place the runtime does not tell is at the end of the region, if the
 * record says so; else at the end of the construct before it, or of the region.
 */
static void begin_wait(struct omp_join *omp, const struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    uint64_t address = record->words[0];

    if (record->argument >= WEFT_OMP_WAITS)
        return;
    if (record->argument >= WEFT_OMP_WAIT_BARRIER) {
        end_single(omp, thread, time);
        if (record->n_words >= 2 && record->words[1] == 1)
            own->work_site = 0;
        if (address == 0)
            address = own->work_site ? own->work_site
                                     : place_of_region(omp, thread, region_of(own));
        own->work_site = 0;
    }
    push(omp, thread, FIRST_WAIT + record->argument, address, time);
}

/* ---- Locks ---- */

uint64_t omp_push_lock_wait(struct omp_join *omp, const struct join_thread *thread,
                            const struct omp_lock_wait *wait, uint32_t object, int64_t time)
{
    uint32_t value = FIRST_LOCK_WAIT + wait->kind;
    uint64_t id =
        push_state(omp, thread,
                   &(struct begun_state){
                       .value = value, .address = wait->site, .object = object + 1 },
                   wait->begin);

    if (id != WEFT_NO_ID)
        pop(omp, thread, value, time);
    return id;
}

/* For some kinds of locks there is a state while the thread holds one. */
static void record_lock(struct omp_join *omp, const struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    uint32_t lock = record->argument;

    if (lock >= WEFT_OMP_LOCKS || !values[FIRST_LOCK + lock].name)
        return;
    if (record->kind == WEFT_RECORD_OMP_LOCK)
        push(omp, thread, FIRST_LOCK + lock, omp->threads[thread->index].wait.site, time);
    else
        pop(omp, thread, FIRST_LOCK + lock, time);
}

/* A task begins, or goes on; its place is where it was created. */
static void push_task(struct omp_join *omp, const struct join_thread *thread,
                      uint64_t number, int64_t time)
{
    struct omp_task *task = omp_find_task(omp, thread, number);
    struct begun_state state = { .value = TASK };

    if (task) {
        state.created_at = task->site != WEFT_NONE ? task->site + 1 : 0;
        state.task = task->number;
        state.creator = task->told ? 0 : task->creator;
        task->told = true;
    }
    (void)push_state(omp, thread, &state, time);
}

/* The thread switches tasks; states of a task that is suspended in a wait stay open. */
static void switch_task(struct omp_join *omp, const struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    if (record->argument == WEFT_OMP_SWITCH || record->argument == WEFT_OMP_YIELD)
        push_task(omp, thread, record->words[0], time);
    else if (record->argument == WEFT_OMP_COMPLETE || record->argument == WEFT_OMP_CANCEL
             || record->argument == WEFT_OMP_DETACH)
        pop(omp, thread, TASK, time);
}

void omp_join_state(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record, int64_t time)
{
    uint32_t which = record->argument;

    switch (record->kind) {
    case WEFT_RECORD_OMP_WAIT: begin_wait(omp, thread, record, time); break;
    case WEFT_RECORD_OMP_WAIT_END:
        if (which < WEFT_OMP_WAITS)
            pop(omp, thread, FIRST_WAIT + which, time);
        break;
    case WEFT_RECORD_OMP_WORK:
    case WEFT_RECORD_OMP_WORK_END: record_work(omp, thread, record, time); break;
    case WEFT_RECORD_OMP_LOCK:
    case WEFT_RECORD_OMP_UNLOCK: record_lock(omp, thread, record, time); break;
    case WEFT_RECORD_OMP_PARALLEL: note_region(omp, thread, record); break;
    case WEFT_RECORD_OMP_IMPLICIT: begin_region(omp, thread, record, time); break;
    case WEFT_RECORD_OMP_PARALLEL_END:
        end_region(omp, thread, record->words[0], time);
        break;
    case WEFT_RECORD_OMP_IMPLICIT_END: pop(omp, thread, REGION, time); break;
    case WEFT_RECORD_OMP_SCHEDULE: switch_task(omp, thread, record, time); break;
    default: break;
    }
}
