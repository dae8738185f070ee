/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, conditions, semaphores and barriers, and who waited in them for whom. */
#include "read/recording/threads/threads_join.h"

#include <string.h>

static const char *const class_names[WEFT_OBJECT_KINDS] = {
    "mutex", "read-write lock", "spin lock", "condition", "semaphore", "barrier",
};

struct object_key {
    uint64_t process, address;
};
struct name_key {
    uint32_t process;
    char name[252];
};

static bool is_lock(enum weft_object class)
{
    return class <= WEFT_OBJECT_SPIN;
}

/* STARTS: a hold begins here.  Where it was taken is said of every state of a hold. */
static void show_lock(struct threads_join *threads, struct object_state *object,
                      int64_t time, bool starts)
{
    enum { FREE, HELD, CONTENDED };
    enum weft_object class = object->class;
    bool held = object->holder != NULL;
    unsigned value = !held ? FREE : object->waiters > 0 ? CONTENDED : HELD;
    struct weft_field_value fields[3];
    size_t n = 0;

    if (held) {
        fields[n++] = (struct weft_field_value){ threads->types.lock_holder[class],
                                                 { .index = object->holder->container } };
        fields[n++] = (struct weft_field_value){ threads->types.lock_acquisition[class],
                                                 { .integer = starts } };
        if (object->held_at)
            fields[n++] = join_site_field(threads->join, threads->types.lock_site[class],
                                          object->held_image, object->held_at);
    }
    (void)weft_builder_set(threads->join->builder, object->states, time,
                           threads->types.lock_values[class][value], fields, n, NULL);
}

static void show_semaphore(struct threads_join *threads, struct object_state *object,
                           int64_t time)
{
    unsigned value = object->waiters > 0 ? 0 : object->count == 0 ? 1 : 2;

    if (weft_builder_top_value(threads->join->builder, object->states)
        != threads->types.semaphore_values[value])
        (void)weft_builder_set(threads->join->builder, object->states, time,
                               threads->types.semaphore_values[value], NULL, 0, NULL);
    (void)weft_builder_sample(threads->join->builder, object->waiting, time,
                              (double)object->count);
}

static void show_waiting(struct threads_join *threads, struct object_state *object,
                         int64_t time)
{
    (void)weft_builder_sample(threads->join->builder, object->waiting, time,
                              (double)object->waiters);
}

static void show(struct threads_join *threads, struct object_state *object, int64_t time)
{
    if (is_lock(object->class))
        show_lock(threads, object, time, false);
    else if (object->class == WEFT_OBJECT_SEMAPHORE)
        show_semaphore(threads, object, time);
    else
        show_waiting(threads, object, time);
}

/* The variable that an object is, or is a part of: "table", "table+64"; NULL: none. */
static const char *variable_of(struct threads_join *threads,
                               const struct join_thread *thread, uint64_t address)
{
    struct weft_arena *arena = &threads->join->arena;
    uint64_t within = 0;
    const char *name =
        sites_variable(threads->join->sites, thread->image, address, &within);

    if (!name)
        return NULL;
    return within ? weft_arena_printf(arena, "%s+%llu", name, (unsigned long long)within)
                  : weft_arena_strdup(arena, name);
}

/* The name of its variable, else what it is; and a number, where that does not tell. */
static const char *name_object(struct threads_join *threads,
                               const struct object_state *object, const char *variable)
{
    struct name_key key = { object->process, { 0 } };
    const char *name = variable ? variable : class_names[object->class];
    size_t length = strnlen(name, sizeof key.name);
    uint32_t n;

    memcpy(key.name, name, length);
    n = weft_text_map_get(&threads->object_names, &key, sizeof key.process + length);
    n = n == WEFT_MAP_NONE ? 1 : n + 1;
    weft_text_map_put(&threads->object_names, &key, sizeof key.process + length, n);
    return variable && n == 1 ? name
                              : weft_arena_printf(&threads->join->arena, "%s %u", name, n);
}

static void put_facts(struct threads_join *threads, const struct object_state *object,
                      uint64_t address, const char *variable)
{
    struct weft_builder *builder = threads->join->builder;
    const struct thread_types *types = &threads->types;
    struct weft_field_value fact = { types->address[object->class],
                                     { .integer = (int64_t)address } };

    weft_builder_container_field(builder, object->container, &fact);
    if (!variable)
        return;
    fact = (struct weft_field_value){ types->symbol[object->class],
                                      { .index = join_text(threads->join, variable) } };
    weft_builder_container_field(builder, object->container, &fact);
}

/* The object's container, and its tracks. */
static void show_object(struct threads_join *threads, struct object_state *object,
                        const struct join_thread *thread,
                        const struct join_meaning *meaning, int64_t time)
{
    struct weft_builder *builder = threads->join->builder;
    const struct thread_types *types = &threads->types;
    const char *variable = variable_of(threads, thread, meaning->object);
    char *alias = weft_arena_printf(&threads->join->arena, "0x%llx",
                                    (unsigned long long)meaning->object);

    object->container =
        weft_builder_container(builder, types->objects[object->class],
                               threads->join->processes[object->process].container,
                               name_object(threads, object, variable), alias, time);
    put_facts(threads, object, meaning->object, variable);
    object->states = object->waiting = WEFT_NONE;
    if (is_lock(object->class))
        object->states = weft_builder_track(builder, object->container,
                                            types->lock_states[object->class]);
    else
        object->waiting =
            weft_builder_track(builder, object->container, types->waiting[object->class]);
    if (object->class == WEFT_OBJECT_SEMAPHORE)
        object->states =
            weft_builder_track(builder, object->container, types->semaphore_states);
}

/* By process and address: found, or made. */
static struct object_state *look_up_object(struct threads_join *threads,
                                           const struct join_thread *thread,
                                           const struct join_meaning *meaning, int64_t time)
{
    struct object_key key = { thread->process, meaning->object };
    uint32_t index = weft_text_map_get(&threads->object_map, &key, sizeof key);
    struct object_state *object;

    if (index != WEFT_MAP_NONE && threads->objects[index]
        && threads->objects[index]->class == meaning->class)
        return threads->objects[index];
    object = weft_arena_zalloc(&threads->join->arena, 1, sizeof *object);
    object->class = (enum weft_object)meaning->class;
    object->process = thread->process;
    object->time = time;
    show_object(threads, object, thread, meaning, time);
    threads->objects = weft_grow(threads->objects, &threads->objects_capacity,
                                 threads->n_objects + 1, sizeof(struct object_state *));
    threads->objects[threads->n_objects] = object;
    weft_text_map_put(&threads->object_map, &key, sizeof key,
                      (uint32_t)threads->n_objects++);
    return object;
}

static struct object_state *find_object(struct threads_join *threads,
                                        const struct join_thread *thread,
                                        struct join_meaning *meaning, int64_t time)
{
    struct object_state *object = meaning->known;

    /* Most records are of an object that was looked up before. */
    if (!object || object->destroyed)
        meaning->known = object = look_up_object(threads, thread, meaning, time);
    return object;
}

void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time)
{
    if (time < object->time)
        time = object->time;
    object->destroyed = true;
    if (object->states != WEFT_NONE)
        (void)weft_builder_reset(threads->join->builder, object->states, time);
    weft_builder_destroy(threads->join->builder, object->container, time);
}

static void destroy_object(struct threads_join *threads, const struct join_thread *thread,
                           const struct join_meaning *meaning, int64_t time)
{
    struct object_key key = { thread->process, meaning->object };
    uint32_t index = weft_text_map_get(&threads->object_map, &key, sizeof key);
    struct object_state *object = index == WEFT_MAP_NONE ? NULL : threads->objects[index];

    if (!object)
        return;
    join_let_go(threads->join, &object->place, time);
    threads_destroy_object(threads, object, time);
    threads->objects[index] = NULL;
}

/* Remember a signal or post that may wake up to COUNT of those who wait now. */
static void add_cause(struct threads_join *threads, struct object_state *object,
                      struct join_thread *thread, int64_t time, uint64_t count)
{
    unsigned at;

    if (count == 0)
        return;
    if (object->n_pending == MOST_PENDING) {
        object->first_pending = (object->first_pending + 1) % MOST_PENDING;
        object->n_pending--;
    }
    at = (object->first_pending + object->n_pending++) % MOST_PENDING;
    object->pending[at] = threads_cause(threads, thread, time, count);
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

static bool end_wait(struct threads_join *threads, struct join_thread *thread,
                     struct object_state *object, int64_t time, struct wait *wait)
{
    enum reason reason = (enum reason)(REASON_OBJECT + (int)object->class);

    if (!threads_unblock(threads, thread, time, reason, object, wait))
        return false;
    if (object->waiters > 0)
        object->waiters--;
    return true;
}

static void acquire_lock(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, bool shared, uint64_t site,
                         int64_t time)
{
    struct wait wait;

    if (end_wait(threads, thread, object, time, &wait) && object->last.thread)
        threads_wake(threads, &object->last, thread, time, &wait, 0);
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
    object->held_at = site;
    object->held_image = thread->image;
    show_lock(threads, object, time, true);
}

static void release_lock(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, int64_t time)
{
    if (!object->holder)
        return; /* taken before the recording, or by a parent before it forked */
    if (object->readers > 0 ? --object->readers > 0 : --object->depth > 0)
        return;
    object->holder = NULL;
    object->depth = 0;
    object->last = threads_cause(threads, thread, time, 1);
    if (!object->place.first) /* else it goes from hand to hand */
        show_lock(threads, object, time, false);
    join_let_go(threads->join, &object->place, time);
}

static void take_semaphore(struct threads_join *threads, struct join_thread *thread,
                           struct object_state *object, int64_t time)
{
    struct wait wait;
    struct cause cause;

    if (end_wait(threads, thread, object, time, &wait) && take_cause(object, &cause))
        threads_wake(threads, &cause, thread, time, &wait, 0);
    if (object->count > 0)
        object->count--;
    show_semaphore(threads, object, time);
}

static void post_semaphore(struct threads_join *threads, struct join_thread *thread,
                           struct object_state *object, int64_t time)
{
    object->count++;
    add_cause(threads, object, thread, time, left_waiting(object) > 0);
    show_semaphore(threads, object, time);
}

static void arrive(struct threads_join *threads, struct object_state *object,
                   struct join_thread *thread, int64_t time)
{
    uint64_t size = object->count > 0 ? object->count : UINT64_MAX;

    threads->threads[thread->index].barrier_round = object->arrivals / size;
    object->arrivals++;
    object->last = threads_cause(threads, thread, time, 1);
    if (object->arrivals % size == 0)
        object->rounds[threads->threads[thread->index].barrier_round & 1] = object->last;
}

static void wake(struct threads_join *threads, struct join_thread *thread,
                 struct object_state *object, int64_t time)
{
    struct wait wait;
    struct cause cause = { 0 };
    bool known;

    if (!end_wait(threads, thread, object, time, &wait))
        return;
    if (object->class == WEFT_OBJECT_BARRIER) {
        cause = object->count > 0
                    ? object->rounds[threads->threads[thread->index].barrier_round & 1]
                    : object->last;
        known = cause.thread != NULL;
    } else {
        known = take_cause(object, &cause);
    }
    if (known)
        threads_wake(threads, &cause, thread, time, &wait,
                     object->class == WEFT_OBJECT_CONDITION || object->count == 0
                         ? WEFT_INFERRED
                         : 0);
    show(threads, object, time);
}

static void wait_begins(struct threads_join *threads, struct join_thread *thread,
                        struct object_state *object, uint64_t site, int64_t time)
{
    object->waiters++;
    /* Before it blocks: who comes last lets the others go by what it did until then. */
    if (object->class == WEFT_OBJECT_BARRIER)
        arrive(threads, object, thread, time);
    threads_block(threads, thread, time, (enum reason)(REASON_OBJECT + (int)object->class),
                  object, site);
    show(threads, object, time);
}

/* Is somebody else recorded as holding it? */
static bool taken(const struct object_state *object, const struct join_thread *thread,
                  uint32_t kind)
{
    if (!is_lock(object->class) || !object->holder || object->holder->ended)
        return false;
    if (kind == WEFT_RECORD_SHARE)
        return object->readers == 0 && object->holder != thread;
    return object->readers > 0 || object->holder != thread;
}

/* What the record says of the object happens to it. */
static void change(struct threads_join *threads, struct join_thread *thread,
                   struct object_state *object, const struct record *record, uint64_t site,
                   int64_t time)
{
    struct wait wait;

    switch (record->kind) {
    case WEFT_RECORD_WAIT: wait_begins(threads, thread, object, site, time); break;
    case WEFT_RECORD_GIVE_UP:
        if (end_wait(threads, thread, object, time, &wait))
            show(threads, object, time);
        break;
    case WEFT_RECORD_ACQUIRE:
    case WEFT_RECORD_SHARE:
        if (is_lock(object->class))
            acquire_lock(threads, thread, object, record->kind == WEFT_RECORD_SHARE, site,
                         time);
        else if (object->class == WEFT_OBJECT_SEMAPHORE)
            take_semaphore(threads, thread, object, time);
        break;
    case WEFT_RECORD_RELEASE:
        if (is_lock(object->class))
            release_lock(threads, thread, object, time);
        else if (object->class == WEFT_OBJECT_SEMAPHORE)
            post_semaphore(threads, thread, object, time);
        break;
    case WEFT_RECORD_WAKE: wake(threads, thread, object, time); break;
    case WEFT_RECORD_SIGNAL:
        add_cause(threads, object, thread, time, left_waiting(object) > 0);
        break;
    case WEFT_RECORD_BROADCAST:
        add_cause(threads, object, thread, time, left_waiting(object));
        break;
    case WEFT_RECORD_COUNT:
        object->count = record->words[0];
        object->arrivals = 0;
        show(threads, object, time);
        break;
    default: break;
    }
}

struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time)
{
    struct join_meaning *meaning = join_slot(thread, record->argument);
    struct object_state *object;

    if (!meaning || meaning->class >= WEFT_OBJECT_KINDS)
        return NULL; /* what the slot means was lost */
    if (record->kind == WEFT_RECORD_DESTROY) {
        destroy_object(threads, thread, meaning, time);
        return NULL;
    }
    object = find_object(threads, thread, meaning, time);
    if ((record->kind == WEFT_RECORD_ACQUIRE || record->kind == WEFT_RECORD_SHARE)
        && taken(object, thread, record->kind)) {
        if (!thread->forced)
            return &object->place;
        object->holder = NULL;
        object->depth = object->readers = 0;
    }
    if (time < object->time)
        time = object->time;
    object->time = time;
    change(threads, thread, object, record, meaning->site, time);
    return NULL;
}
