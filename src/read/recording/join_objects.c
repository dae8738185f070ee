/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, conditions, semaphores and barriers, and who waited in them for whom. */
#include "read/recording/join.h"

static const char *const class_names[WEFT_OBJECT_KINDS] = {
    "mutex", "read-write lock", "spin lock", "condition", "semaphore", "barrier",
};

struct object_key {
    uint64_t process, address;
};

static bool is_lock(enum weft_object class)
{
    return class <= WEFT_OBJECT_SPIN;
}

static void show_lock(struct join *join, struct object_state *object, int64_t time,
                      bool starts, uint64_t site, uint32_t image)
{
    enum { FREE, HELD, CONTENDED };
    enum weft_object class = object->class;
    bool held = object->holder != NULL;
    unsigned value = !held ? FREE : object->waiters > 0 ? CONTENDED : HELD;
    struct weft_field_value fields[3];
    size_t n = 0;

    if (held) {
        fields[n++] = (struct weft_field_value){ join->lock_holder[class],
                                                 { .index = object->holder->container } };
        fields[n++] = (struct weft_field_value){ join->lock_acquisition[class],
                                                 { .integer = starts } };
        if (starts && site)
            fields[n++] = (struct weft_field_value){
                join->lock_site[class], { .index = sites_find(join->sites, image, site) }
            };
    }
    (void)weft_builder_set(join->builder, object->states, time,
                           join->lock_values[class][value], fields, n, NULL);
}

static void show_semaphore(struct join *join, struct object_state *object, int64_t time)
{
    unsigned value = object->waiters > 0 ? 0 : object->count == 0 ? 1 : 2;

    if (weft_builder_top_value(join->builder, object->states)
        != join->semaphore_values[value])
        (void)weft_builder_set(join->builder, object->states, time,
                               join->semaphore_values[value], NULL, 0, NULL);
    (void)weft_builder_sample(join->builder, object->waiting, time, (double)object->count);
}

static void show_waiting(struct join *join, struct object_state *object, int64_t time)
{
    (void)weft_builder_sample(join->builder, object->waiting, time,
                              (double)object->waiters);
}

static void show(struct join *join, struct object_state *object, int64_t time)
{
    if (is_lock(object->class))
        show_lock(join, object, time, false, 0, 0);
    else if (object->class == WEFT_OBJECT_SEMAPHORE)
        show_semaphore(join, object, time);
    else
        show_waiting(join, object, time);
}

static struct object_state *find_object(struct join *join, const struct thread *thread,
                                        const struct meaning *meaning, int64_t time)
{
    struct object_key key = { thread->process, meaning->object };
    struct process_state *process = &join->processes[thread->process];
    uint32_t index = weft_text_map_get(&join->objects, &key, sizeof key);
    struct object_state *object;
    char *alias;

    if (index != WEFT_MAP_NONE && join->object_list[index]
        && join->object_list[index]->class == meaning->class)
        return join->object_list[index];
    object = weft_arena_zalloc(&join->arena, 1, sizeof *object);
    object->class = meaning->class;
    object->process = thread->process;
    object->time = time;
    object->name = weft_arena_printf(&join->arena, "%s %u", class_names[meaning->class],
                                     ++process->n_objects[meaning->class]);
    alias = weft_arena_printf(&join->arena, "0x%llx", (unsigned long long)meaning->object);
    object->container =
        weft_builder_container(join->builder, join->object_types[object->class],
                               process->container, object->name, alias, time);
    object->states = object->waiting = WEFT_NONE;
    if (is_lock(object->class))
        object->states = weft_builder_track(join->builder, object->container,
                                            join->lock_states[object->class]);
    else
        object->waiting = weft_builder_track(join->builder, object->container,
                                             join->waiting_types[object->class]);
    if (object->class == WEFT_OBJECT_SEMAPHORE)
        object->states =
            weft_builder_track(join->builder, object->container, join->semaphore_states);
    join->object_list = weft_grow(join->object_list, &join->objects_capacity,
                                  join->n_objects + 1, sizeof(struct object_state *));
    join->object_list[join->n_objects] = object;
    weft_text_map_put(&join->objects, &key, sizeof key, (uint32_t)join->n_objects++);
    return object;
}

void join_destroy_object(struct join *join, struct object_state *object, int64_t time)
{
    if (time < object->time)
        time = object->time;
    if (object->states != WEFT_NONE)
        (void)weft_builder_reset(join->builder, object->states, time);
    weft_builder_destroy(join->builder, object->container, time);
}

static void destroy_object(struct join *join, const struct thread *thread,
                           const struct meaning *meaning, int64_t time)
{
    struct object_key key = { thread->process, meaning->object };
    uint32_t index = weft_text_map_get(&join->objects, &key, sizeof key);
    struct object_state *object = index == WEFT_MAP_NONE ? NULL : join->object_list[index];

    if (!object)
        return;
    join_unpark(join, object, time);
    join_destroy_object(join, object, time);
    join->object_list[index] = NULL;
}

/* Remember a signal or post that may wake up to COUNT of those who wait now. */
static void add_cause(struct object_state *object, struct thread *thread, int64_t time,
                      uint64_t count)
{
    unsigned at;

    if (count == 0)
        return;
    if (object->n_pending == MOST_PENDING) {
        object->first_pending = (object->first_pending + 1) % MOST_PENDING;
        object->n_pending--;
    }
    at = (object->first_pending + object->n_pending++) % MOST_PENDING;
    object->pending[at] = (struct cause){ thread, time, count };
}

/* The oldest that has not woken all that it could. */
static bool take_cause(struct object_state *object, struct cause *cause)
{
    struct cause *first = &object->pending[object->first_pending];

    if (object->n_pending == 0)
        return false;
    *cause = *first;
    if (--first->count == 0) {
        object->first_pending = (object->first_pending + 1) % MOST_PENDING;
        object->n_pending--;
    }
    return true;
}

/* Threads that wait, and that nobody is known to have woken. */
static uint64_t left_waiting(const struct object_state *object)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < object->n_pending; i++)
        sum += object->pending[(object->first_pending + i) % MOST_PENDING].count;
    return sum < object->waiters ? object->waiters - sum : 0;
}

static bool end_wait(struct join *join, struct thread *thread, struct object_state *object,
                     int64_t time, struct wait *wait)
{
    enum reason reason = (enum reason)(REASON_OBJECT + (int)object->class);

    if (!join_unblock(join, thread, time, reason, object, wait))
        return false;
    if (object->waiters > 0)
        object->waiters--;
    return true;
}

static void acquire_lock(struct join *join, struct thread *thread,
                         struct object_state *object, bool shared, uint64_t site,
                         int64_t time)
{
    struct wait wait;

    if (end_wait(join, thread, object, time, &wait) && object->last.thread)
        join_wake(join, &object->last, thread, time, &wait, 0);
    if (shared) {
        object->readers++;
        object->holder = thread;
    } else if (object->holder == thread && object->depth > 0) {
        object->depth++; /* recursive: the same hold goes on */
        return;
    } else {
        object->holder = thread;
        object->depth = 1;
        object->readers = 0;
    }
    show_lock(join, object, time, true, site, thread->image);
}

static void release_lock(struct join *join, struct thread *thread,
                         struct object_state *object, int64_t time)
{
    if (!object->holder)
        return; /* taken before the recording, or by a parent before it forked */
    if (object->readers > 0 ? --object->readers > 0 : --object->depth > 0)
        return;
    object->holder = NULL;
    object->depth = 0;
    object->last = (struct cause){ thread, time, 1 };
    if (!object->parked) /* else it goes from hand to hand */
        show_lock(join, object, time, false, 0, 0);
    join_unpark(join, object, time);
}

static void take_semaphore(struct join *join, struct thread *thread,
                           struct object_state *object, int64_t time)
{
    struct wait wait;
    struct cause cause;

    if (end_wait(join, thread, object, time, &wait) && take_cause(object, &cause))
        join_wake(join, &cause, thread, time, &wait, 0);
    if (object->count > 0)
        object->count--;
    show_semaphore(join, object, time);
}

static void post_semaphore(struct join *join, struct thread *thread,
                           struct object_state *object, int64_t time)
{
    object->count++;
    add_cause(object, thread, time, left_waiting(object) > 0);
    show_semaphore(join, object, time);
}

static void arrive(struct object_state *object, struct thread *thread, int64_t time)
{
    uint64_t size = object->count > 0 ? object->count : UINT64_MAX;

    thread->barrier_round = object->arrivals / size;
    object->arrivals++;
    object->last = (struct cause){ thread, time, 1 };
    if (object->arrivals % size == 0)
        object->rounds[thread->barrier_round & 1] = object->last;
}

static void wake(struct join *join, struct thread *thread, struct object_state *object,
                 int64_t time)
{
    struct wait wait;
    struct cause cause = { 0 };
    bool known;

    if (!end_wait(join, thread, object, time, &wait))
        return;
    if (object->class == WEFT_OBJECT_BARRIER) {
        cause =
            object->count > 0 ? object->rounds[thread->barrier_round & 1] : object->last;
        known = cause.thread != NULL;
    } else {
        known = take_cause(object, &cause);
    }
    if (known)
        join_wake(join, &cause, thread, time, &wait,
                  object->class == WEFT_OBJECT_CONDITION || object->count == 0
                      ? WEFT_INFERRED
                      : 0);
    show(join, object, time);
}

static void wait_begins(struct join *join, struct thread *thread,
                        struct object_state *object, uint64_t site, int64_t time)
{
    object->waiters++;
    join_block(join, thread, time, (enum reason)(REASON_OBJECT + (int)object->class),
               object, site);
    if (object->class == WEFT_OBJECT_BARRIER)
        arrive(object, thread, time);
    show(join, object, time);
}

/* Is somebody else recorded as holding it? */
static bool taken(const struct object_state *object, const struct thread *thread,
                  enum weft_record kind)
{
    if (!is_lock(object->class) || !object->holder || object->holder->ended)
        return false;
    if (kind == WEFT_RECORD_SHARE)
        return object->readers == 0 && object->holder != thread;
    return object->readers > 0 || object->holder != thread;
}

bool join_object_record(struct join *join, struct thread *thread,
                        const struct record *record, int64_t time,
                        struct object_state **blocker)
{
    uint32_t slot = record->argument;
    const struct meaning *meaning = &thread->slots[slot > WEFT_LOG_SLOTS ? 0 : slot];
    struct object_state *object;
    struct wait wait;

    if (slot > WEFT_LOG_SLOTS || meaning->object == 0)
        return true; /* what the slot means was lost */
    if (record->kind == WEFT_RECORD_DESTROY) {
        destroy_object(join, thread, meaning, time);
        return true;
    }
    object = find_object(join, thread, meaning, time);
    if ((record->kind == WEFT_RECORD_ACQUIRE || record->kind == WEFT_RECORD_SHARE)
        && taken(object, thread, record->kind)) {
        if (!thread->forced) {
            *blocker = object;
            return false;
        }
        object->holder = NULL;
        object->depth = object->readers = 0;
    }
    if (time < object->time)
        time = object->time;
    object->time = time;
    switch (record->kind) {
    case WEFT_RECORD_WAIT: wait_begins(join, thread, object, meaning->site, time); break;
    case WEFT_RECORD_GIVE_UP:
        if (end_wait(join, thread, object, time, &wait))
            show(join, object, time);
        break;
    case WEFT_RECORD_ACQUIRE:
    case WEFT_RECORD_SHARE:
        if (is_lock(object->class))
            acquire_lock(join, thread, object, record->kind == WEFT_RECORD_SHARE,
                         meaning->site, time);
        else
            take_semaphore(join, thread, object, time);
        break;
    case WEFT_RECORD_RELEASE:
        if (is_lock(object->class))
            release_lock(join, thread, object, time);
        else
            post_semaphore(join, thread, object, time);
        break;
    case WEFT_RECORD_WAKE: wake(join, thread, object, time); break;
    case WEFT_RECORD_SIGNAL:
        add_cause(object, thread, time, left_waiting(object) > 0);
        break;
    case WEFT_RECORD_BROADCAST:
        add_cause(object, thread, time, left_waiting(object));
        break;
    case WEFT_RECORD_COUNT:
        object->count = record->words[0];
        object->arrivals = 0;
        show(join, object, time);
        break;
    default: break;
    }
    return true;
}
