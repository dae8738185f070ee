/* SPDX-License-Identifier: Apache-2.0 */
/* The types, values and fields of threads and locks, in the order in which people read them. */
#include "read/recording/threads/threads_join.h"

static const char *const object_types[WEFT_OBJECT_KINDS] = {
    "Mutex", "Read-write lock", "Spin lock", "Condition", "Semaphore", "Barrier",
};

static const char *const reasons[REASON_KINDS] = {
    "running",
    "blocked on mutex",
    "blocked on read-write lock",
    "blocked on spin lock",
    "blocked on condition",
    "blocked on semaphore",
    "blocked on barrier",
    "blocked on join",
    "sleeping",
    "polling",
    "reading",
    "writing",
    "waiting for a child",
};

static const char *const wake_names[REASON_KINDS] = {
    "wake",      "mutex",     "read-write lock",
    "spin lock", "condition", "semaphore",
    "barrier",   "join",      "wake",
    "wake",      "wake",      "wake",
    "wake",
};

static uint32_t value(struct threads_join *threads, uint32_t of, const char *name)
{
    return weft_builder_value(threads->join->builder, of, name, NULL, 0);
}

static uint32_t field(struct threads_join *threads, uint32_t of, const char *name,
                      enum weft_field_kind kind)
{
    return weft_builder_field(threads->join->builder, of, name, kind);
}

static void define_lock(struct threads_join *threads, enum weft_object class)
{
    struct thread_types *types = &threads->types;
    uint32_t states =
        join_type(threads->join, WEFT_STATE, types->objects[class], "Lock state");

    types->lock_states[class] = states;
    types->lock_values[class][0] = value(threads, states, "free");
    types->lock_values[class][1] = value(threads, states, "held");
    types->lock_values[class][2] = value(threads, states, "held, others blocked");
    types->lock_holder[class] = field(threads, states, "holder", WEFT_FIELD_TEXT);
    types->lock_acquisition[class] =
        field(threads, states, "acquisition", WEFT_FIELD_INTEGER);
    types->lock_site[class] = field(threads, states, "site", WEFT_FIELD_SITE);
}

static void define_semaphore(struct threads_join *threads)
{
    struct thread_types *types = &threads->types;
    uint32_t container = types->objects[WEFT_OBJECT_SEMAPHORE];
    uint32_t states = join_type(threads->join, WEFT_STATE, container, "Semaphore state");

    types->semaphore_states = states;
    types->semaphore_values[0] = value(threads, states, "blocked");
    types->semaphore_values[1] = value(threads, states, "would block");
    types->semaphore_values[2] = value(threads, states, "open");
}

static void define_objects(struct threads_join *threads)
{
    struct thread_types *types = &threads->types;
    struct join *join = threads->join;

    for (int class = 0; class < WEFT_OBJECT_KINDS; class ++) {
        types->objects[class] =
            join_type(join, WEFT_CONTAINER, join->process_type, object_types[class]);
        if (class <= WEFT_OBJECT_SPIN) {
            define_lock(threads, (enum weft_object) class);
            continue;
        }
        if (class == WEFT_OBJECT_SEMAPHORE)
            define_semaphore(threads);
        types->waiting[class] =
            join_type(join, WEFT_VARIABLE, types->objects[class],
                      class == WEFT_OBJECT_SEMAPHORE ? "Count" : "Threads waiting");
    }
}

void threads_define_types(struct threads_join *threads)
{
    struct thread_types *types = &threads->types;
    struct join *join = threads->join;

    types->thread_states = join_type(join, WEFT_STATE, join->thread_type, "Thread state");
    types->wake_up = join_link_type(join, "Wake-up");
    for (int i = 0; i < REASON_KINDS; i++) {
        types->reasons[i] = value(threads, types->thread_states, reasons[i]);
        if (i >= REASON_OBJECT && i <= REASON_JOIN)
            types->wakes[i] = value(threads, types->wake_up, wake_names[i]);
    }
    types->state_object = field(threads, types->thread_states, "object", WEFT_FIELD_TEXT);
    types->state_site = field(threads, types->thread_states, "site", WEFT_FIELD_SITE);
    define_objects(threads);
}
