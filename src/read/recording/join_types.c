/* SPDX-License-Identifier: Apache-2.0 */
/* The types, values and fields of a recording, in the order in which people read them. */
#include "read/recording/join.h"

static const char *const object_types[WEFT_OBJECT_KINDS] = {
    "Mutex", "Read-write lock", "Spin lock", "Condition", "Semaphore", "Barrier",
};

static const enum weft_role object_roles[WEFT_OBJECT_KINDS] = {
    WEFT_ROLE_MUTEX,     WEFT_ROLE_READ_WRITE_LOCK, WEFT_ROLE_SPIN_LOCK,
    WEFT_ROLE_CONDITION, WEFT_ROLE_SEMAPHORE,       WEFT_ROLE_BARRIER,
};

static const struct {
    const char *name;
    enum weft_role role;
} reasons[REASON_KINDS] = {
    { "running", WEFT_ROLE_RUNNING },
    { "blocked on mutex", WEFT_ROLE_BLOCKED_ON_LOCK },
    { "blocked on read-write lock", WEFT_ROLE_BLOCKED_ON_LOCK },
    { "blocked on spin lock", WEFT_ROLE_BLOCKED_ON_LOCK },
    { "blocked on condition", WEFT_ROLE_BLOCKED_ON_CONDITION },
    { "blocked on semaphore", WEFT_ROLE_BLOCKED_ON_SEMAPHORE },
    { "blocked on barrier", WEFT_ROLE_BLOCKED_ON_BARRIER },
    { "blocked on join", WEFT_ROLE_BLOCKED_ON_END },
    { "sleeping", WEFT_ROLE_SLEEPING },
    { "polling", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "reading", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "writing", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "waiting for a child", WEFT_ROLE_BLOCKED_ON_END },
};

static const char *const wake_names[REASON_KINDS] = {
    "wake",      "mutex",     "read-write lock",
    "spin lock", "condition", "semaphore",
    "barrier",   "join",      "wake",
    "wake",      "wake",      "wake",
    "wake",
};

static uint32_t type(struct join *join, enum weft_kind kind, uint32_t parent,
                     const char *name, enum weft_role role)
{
    return weft_builder_type(join->builder, &(struct weft_type){ .kind = kind,
                                                                 .parent = parent,
                                                                 .name = name,
                                                                 .alias = "",
                                                                 .start_type = WEFT_NONE,
                                                                 .end_type = WEFT_NONE,
                                                                 .slots = 16,
                                                                 .role = role });
}

static uint32_t link_type(struct join *join, const char *name, enum weft_role role)
{
    return weft_builder_type(join->builder,
                             &(struct weft_type){ .kind = WEFT_LINK,
                                                  .parent = 0,
                                                  .name = name,
                                                  .alias = "",
                                                  .start_type = join->thread_type,
                                                  .end_type = join->thread_type,
                                                  .role = role });
}

static uint32_t value(struct join *join, uint32_t of, const char *name, enum weft_role role)
{
    uint32_t index = weft_builder_value(join->builder, of, name, NULL, 0);
    weft_builder_value_role(join->builder, index, role);
    return index;
}

static uint32_t field(struct join *join, uint32_t of, const char *name,
                      enum weft_field_kind kind, enum weft_role role)
{
    uint32_t index = weft_builder_field(join->builder, of, name, kind);
    weft_builder_field_role(join->builder, index, role);
    return index;
}

static void define_lock(struct join *join, enum weft_object class)
{
    uint32_t states = type(join, WEFT_STATE, join->object_types[class], "Lock state",
                           WEFT_ROLE_LOCK_STATE);

    join->lock_states[class] = states;
    join->lock_values[class][0] = value(join, states, "free", WEFT_ROLE_FREE);
    join->lock_values[class][1] = value(join, states, "held", WEFT_ROLE_HELD);
    join->lock_values[class][2] =
        value(join, states, "held, others blocked", WEFT_ROLE_CONTENDED);
    join->lock_holder[class] =
        field(join, states, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    join->lock_acquisition[class] =
        field(join, states, "acquisition", WEFT_FIELD_INTEGER, WEFT_ROLE_ACQUISITION);
    join->lock_site[class] = field(join, states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
}

static void define_semaphore(struct join *join, uint32_t container)
{
    uint32_t states =
        type(join, WEFT_STATE, container, "Semaphore state", WEFT_ROLE_SEMAPHORE_STATE);

    join->semaphore_states = states;
    join->semaphore_values[0] = value(join, states, "blocked", WEFT_ROLE_CONTENDED);
    join->semaphore_values[1] = value(join, states, "would block", WEFT_ROLE_HELD);
    join->semaphore_values[2] = value(join, states, "open", WEFT_ROLE_FREE);
}

static void define_objects(struct join *join)
{
    for (int class = 0; class < WEFT_OBJECT_KINDS; class ++) {
        uint32_t container = type(join, WEFT_CONTAINER, join->process_type,
                                  object_types[class], object_roles[class]);
        join->object_types[class] = container;
        if (class <= WEFT_OBJECT_SPIN) {
            define_lock(join, (enum weft_object) class);
            continue;
        }
        if (class == WEFT_OBJECT_SEMAPHORE)
            define_semaphore(join, container);
        join->waiting_types[class] =
            class == WEFT_OBJECT_SEMAPHORE
                ? type(join, WEFT_VARIABLE, container, "Count", WEFT_ROLE_AMOUNT)
                : type(join, WEFT_VARIABLE, container, "Threads waiting",
                       WEFT_ROLE_WAITERS);
    }
}

void join_define_types(struct join *join)
{
    join->process_type = type(join, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    join->thread_type =
        type(join, WEFT_CONTAINER, join->process_type, "Thread", WEFT_ROLE_THREAD);
    join->thread_states =
        type(join, WEFT_STATE, join->thread_type, "Thread state", WEFT_ROLE_ACTIVITY);
    join->regions = type(join, WEFT_STATE, join->thread_type, "Region", WEFT_ROLE_CALL);
    join->tasks = type(join, WEFT_STATE, join->thread_type, "Task", WEFT_ROLE_TASK);
    join->instants = type(join, WEFT_EVENT, join->thread_type, "Instant", WEFT_ROLE_MARK);
    join->names = type(join, WEFT_EVENT, join->thread_type, "Name", WEFT_ROLE_NAMING);
    join->cpu_time = type(join, WEFT_VARIABLE, join->thread_type, "Processor time [s]",
                          WEFT_ROLE_PROCESSOR_TIME);
    join->wake_up = link_type(join, "Wake-up", WEFT_ROLE_WAKE_UP);
    join->message = link_type(join, "Message", WEFT_ROLE_MESSAGE);
    join->spawn = link_type(join, "Spawn", WEFT_ROLE_SPAWN);
    for (int i = 0; i < REASON_KINDS; i++) {
        join->reasons[i] =
            value(join, join->thread_states, reasons[i].name, reasons[i].role);
        if (i >= REASON_OBJECT && i <= REASON_JOIN)
            join->wake_values[i] =
                value(join, join->wake_up, wake_names[i], WEFT_ROLE_NONE);
    }
    join->state_object =
        field(join, join->thread_states, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    join->state_site =
        field(join, join->thread_states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    join->region_site = field(join, join->regions, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    join->task_site = field(join, join->tasks, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    join->task_work = field(join, join->tasks, "work", WEFT_FIELD_REAL, WEFT_ROLE_WORK);
    join->instant_site =
        field(join, join->instants, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    join->message_bytes =
        field(join, join->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    define_objects(join);
}
