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
    [FIRST_WORK + WEFT_OMP_LOOP] = { "loop", WEFT_ROLE_COMPUTING },
    [FIRST_WORK + WEFT_OMP_SECTIONS] = { "sections", WEFT_ROLE_COMPUTING },
    [FIRST_WORK + WEFT_OMP_SINGLE] = { "single", WEFT_ROLE_COMPUTING },
    [FIRST_WORK + WEFT_OMP_WORKSHARE] = { "workshare", WEFT_ROLE_COMPUTING },
    [FIRST_WORK + WEFT_OMP_DISTRIBUTE] = { "distribute", WEFT_ROLE_COMPUTING },
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
    [REGION] = { "parallel region", WEFT_ROLE_COMPUTING },
    [TASK] = { "task", WEFT_ROLE_COMPUTING },
};

static_assert(VALUES <= sizeof((struct omp_join *)0)->values / sizeof(uint32_t),
              "there is room for all values");

static void define_types(struct omp_join *omp)
{
    struct join *join = omp->join;

    omp->type = join_type(join, WEFT_STATE, join->thread_type, "OpenMP", WEFT_ROLE_CALL);
    omp->site = join_field(join, omp->type, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    for (int i = 0; i < VALUES; i++)
        if (values[i].name)
            omp->values[i] =
                join_value_with_role(join, omp->type, values[i].name, values[i].role);
    omp->has_types = true;
}

/* REGION: of a parallel region; else 0. */
static void push_in(struct omp_join *omp, const struct join_thread *thread, uint32_t value,
                    uint64_t region, uint64_t address, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    struct weft_field_value site;

    if (!omp->has_types)
        define_types(omp);
    if (own->track == WEFT_NONE)
        own->track = weft_builder_track(omp->join->builder, thread->container, omp->type);
    site = join_site_field(omp->join, omp->site, thread->image, address);
    if (weft_builder_push(omp->join->builder, own->track, time, omp->values[value], &site,
                          address != 0, NULL)
        != WEFT_BUILD_OK)
        return;
    own->states = weft_grow(own->states, &own->states_capacity, own->n_states + 1,
                            sizeof *own->states);
    own->states[own->n_states++] = (struct omp_state){ value, region };
    own->open[value]++;
}

static void push(struct omp_join *omp, const struct join_thread *thread, uint32_t value,
                 uint64_t address, int64_t time)
{
    push_in(omp, thread, value, 0, address, time);
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

/* Handles records of locks: a state while the thread waits, and for some kinds one while it
   holds the lock. */
static void record_lock(struct omp_join *omp, const struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    uint32_t lock = record->argument;

    if (lock >= WEFT_OMP_LOCKS)
        return;
    if (record->kind == WEFT_RECORD_OMP_LOCK_WAIT) {
        push(omp, thread, FIRST_LOCK_WAIT + lock, record->words[1], time);
        own->lock_site = record->words[1];
    }
    if (record->kind == WEFT_RECORD_OMP_LOCK)
        pop(omp, thread, FIRST_LOCK_WAIT + lock, time);
    if (!values[FIRST_LOCK + lock].name)
        return;
    if (record->kind == WEFT_RECORD_OMP_LOCK) /* site of the wait */
        push(omp, thread, FIRST_LOCK + lock, own->lock_site, time);
    if (record->kind == WEFT_RECORD_OMP_UNLOCK)
        pop(omp, thread, FIRST_LOCK + lock, time);
}

/* The thread switches tasks; states of a task that is suspended in a wait stay open. */
static void switch_task(struct omp_join *omp, const struct join_thread *thread,
                        const struct record *record, int64_t time)
{
    if (record->argument == WEFT_OMP_SWITCH || record->argument == WEFT_OMP_YIELD)
        push(omp, thread, TASK, 0, time);
    else if (record->argument == WEFT_OMP_COMPLETE || record->argument == WEFT_OMP_CANCEL
             || record->argument == WEFT_OMP_DETACH)
        pop(omp, thread, TASK, time);
}

void omp_join_state(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record, int64_t time)
{
    uint32_t which = record->argument;

    switch (record->kind) {
    case WEFT_RECORD_OMP_WAIT:
        if (which < WEFT_OMP_WAITS)
            push(omp, thread, FIRST_WAIT + which, record->words[0], time);
        break;
    case WEFT_RECORD_OMP_WAIT_END:
        if (which < WEFT_OMP_WAITS)
            pop(omp, thread, FIRST_WAIT + which, time);
        break;
    case WEFT_RECORD_OMP_WORK:
        if (which < WEFT_OMP_WORKS)
            push(omp, thread, FIRST_WORK + which, record->words[0], time);
        break;
    case WEFT_RECORD_OMP_WORK_END:
        if (which < WEFT_OMP_WORKS)
            pop(omp, thread, FIRST_WORK + which, time);
        break;
    case WEFT_RECORD_OMP_LOCK_WAIT:
    case WEFT_RECORD_OMP_LOCK:
    case WEFT_RECORD_OMP_UNLOCK: record_lock(omp, thread, record, time); break;
    case WEFT_RECORD_OMP_IMPLICIT:
        push_in(omp, thread, REGION, record->words[0], 0, time);
        break;
    case WEFT_RECORD_OMP_PARALLEL_END:
        end_region(omp, thread, record->words[0], time);
        break;
    case WEFT_RECORD_OMP_IMPLICIT_END: pop(omp, thread, REGION, time); break;
    case WEFT_RECORD_OMP_SCHEDULE: switch_task(omp, thread, record, time); break;
    default: break;
    }
}
