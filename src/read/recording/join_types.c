/* SPDX-License-Identifier: Apache-2.0 */
/* The types, values and fields of a recording, in the order in which people read them. */
#include "read/recording/join.h"

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

static uint32_t type(struct join *join, enum weft_kind kind, uint32_t parent,
                     const char *name)
{
    return weft_builder_type(join->builder, &(struct weft_type){ .kind = kind,
                                                                 .parent = parent,
                                                                 .name = name,
                                                                 .alias = "",
                                                                 .start_type = WEFT_NONE,
                                                                 .end_type = WEFT_NONE,
                                                                 .slots = 16 });
}

static uint32_t link_type(struct join *join, const char *name)
{
    return weft_builder_type(join->builder,
                             &(struct weft_type){ .kind = WEFT_LINK,
                                                  .parent = 0,
                                                  .name = name,
                                                  .alias = "",
                                                  .start_type = join->thread_type,
                                                  .end_type = join->thread_type });
}

static uint32_t value(struct join *join, uint32_t of, const char *name)
{
    return weft_builder_value(join->builder, of, name, NULL, 0);
}

static void define_lock(struct join *join, enum weft_object class)
{
    uint32_t states = type(join, WEFT_STATE, join->object_types[class], "Lock state");

    join->lock_states[class] = states;
    join->lock_values[class][0] = value(join, states, "free");
    join->lock_values[class][1] = value(join, states, "held");
    join->lock_values[class][2] = value(join, states, "held, others blocked");
    join->lock_holder[class] =
        weft_builder_field(join->builder, states, "holder", WEFT_FIELD_TEXT);
    join->lock_acquisition[class] =
        weft_builder_field(join->builder, states, "acquisition", WEFT_FIELD_INTEGER);
    join->lock_site[class] =
        weft_builder_field(join->builder, states, "site", WEFT_FIELD_SITE);
}

static void define_objects(struct join *join)
{
    for (int class = 0; class < WEFT_OBJECT_KINDS; class ++) {
        uint32_t container =
            type(join, WEFT_CONTAINER, join->process_type, object_types[class]);
        join->object_types[class] = container;
        if (class <= WEFT_OBJECT_SPIN) {
            define_lock(join, (enum weft_object) class);
            continue;
        }
        if (class == WEFT_OBJECT_SEMAPHORE) {
            uint32_t states = type(join, WEFT_STATE, container, "Semaphore state");
            join->semaphore_states = states;
            join->semaphore_values[0] = value(join, states, "blocked");
            join->semaphore_values[1] = value(join, states, "would block");
            join->semaphore_values[2] = value(join, states, "open");
        }
        join->waiting_types[class] =
            type(join, WEFT_VARIABLE, container,
                 class == WEFT_OBJECT_SEMAPHORE ? "Count" : "Threads waiting");
    }
}

void join_define_types(struct join *join)
{
    struct weft_builder *builder = join->builder;

    join->process_type = type(join, WEFT_CONTAINER, 0, "Process");
    join->thread_type = type(join, WEFT_CONTAINER, join->process_type, "Thread");
    join->thread_states = type(join, WEFT_STATE, join->thread_type, "Thread state");
    join->regions = type(join, WEFT_STATE, join->thread_type, "Region");
    join->tasks = type(join, WEFT_STATE, join->thread_type, "Task");
    join->instants = type(join, WEFT_EVENT, join->thread_type, "Instant");
    join->names = type(join, WEFT_EVENT, join->thread_type, "Name");
    join->cpu_time = type(join, WEFT_VARIABLE, join->thread_type, "Processor time [s]");
    join->wake_up = link_type(join, "Wake-up");
    join->message = link_type(join, "Message");
    join->spawn = link_type(join, "Spawn");
    for (int i = 0; i < REASON_KINDS; i++) {
        join->reasons[i] = value(join, join->thread_states, reasons[i]);
        if (i >= REASON_OBJECT && i <= REASON_JOIN)
            join->wake_values[i] = value(join, join->wake_up, wake_names[i]);
    }
    join->state_object =
        weft_builder_field(builder, join->thread_states, "object", WEFT_FIELD_TEXT);
    join->state_site =
        weft_builder_field(builder, join->thread_states, "site", WEFT_FIELD_SITE);
    join->region_site = weft_builder_field(builder, join->regions, "site", WEFT_FIELD_SITE);
    join->task_site = weft_builder_field(builder, join->tasks, "site", WEFT_FIELD_SITE);
    join->task_work = weft_builder_field(builder, join->tasks, "work", WEFT_FIELD_REAL);
    join->instant_site =
        weft_builder_field(builder, join->instants, "site", WEFT_FIELD_SITE);
    join->message_bytes =
        weft_builder_field(builder, join->message, "bytes", WEFT_FIELD_INTEGER);
    define_objects(join);
}
