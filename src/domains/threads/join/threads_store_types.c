/* SPDX-License-Identifier: Apache-2.0 */
/* Types, values and fields of threads and locks, in the order in which views list them. */
#include "domains/threads/join/threads_join.h"

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
    { "blocked on barrier", WEFT_ROLE_BLOCKED_ON_BARRIER },
    { "waiting for work", WEFT_ROLE_SLEEPING },
    { "sleeping", WEFT_ROLE_SLEEPING },
    { "polling", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "reading", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "writing", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "waiting for a child", WEFT_ROLE_BLOCKED_ON_END },
    { "syncing", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    { "waiting for tasks", WEFT_ROLE_BLOCKED_ON_END },
    { "waiting for its turn", WEFT_ROLE_BLOCKED },
};

static const char *const wake_names[REASON_CALL] = {
    "wake",    "mutex", "read-write lock", "spin lock", "condition", "semaphore",
    "barrier", "join",  "barrier",         "work",
};

static void define_lock(struct threads_join *threads, enum weft_object class)
{
    struct join *join = threads->join;
    struct thread_types *types = &threads->types;
    uint32_t states = join_type(join, WEFT_STATE, types->objects[class], "Lock state",
                                WEFT_ROLE_LOCK_STATE);

    types->lock_states[class] = states;
    types->lock_values[class][LOCK_FREE] =
        join_value_with_role(join, states, "free", WEFT_ROLE_FREE);
    types->lock_values[class][LOCK_HELD] =
        join_value_with_role(join, states, "held", WEFT_ROLE_HELD);
    types->lock_values[class][LOCK_CONTENDED] =
        join_value_with_role(join, states, "held, others blocked", WEFT_ROLE_CONTENDED);
    types->lock_values[class][LOCK_OWNER_DIED] = join_value(join, states, "owner died");
    types->lock_holder[class] =
        join_field(join, states, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    types->lock_acquisition[class] =
        join_field(join, states, "acquisition", WEFT_FIELD_INTEGER, WEFT_ROLE_ACQUISITION);
    types->lock_site[class] =
        join_field(join, states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    if (class == WEFT_OBJECT_RWLOCK)
        types->lock_shared =
            join_field(join, states, "shared", WEFT_FIELD_INTEGER, WEFT_ROLE_SHARED);
}

static void define_semaphore(struct threads_join *threads)
{
    struct join *join = threads->join;
    struct thread_types *types = &threads->types;
    uint32_t states = join_type(join, WEFT_STATE, types->objects[WEFT_OBJECT_SEMAPHORE],
                                "Semaphore state", WEFT_ROLE_SEMAPHORE_STATE);

    types->semaphore_states = states;
    types->semaphore_values[0] =
        join_value_with_role(join, states, "blocked", WEFT_ROLE_CONTENDED);
    types->semaphore_values[1] =
        join_value_with_role(join, states, "would block", WEFT_ROLE_HELD);
    types->semaphore_values[2] = join_value_with_role(join, states, "open", WEFT_ROLE_FREE);
}

static void define_object(struct threads_join *threads, enum weft_object class)
{
    struct join *join = threads->join;
    struct thread_types *types = &threads->types;
    uint32_t object = join_type(join, WEFT_CONTAINER, join->process_type,
                                object_types[class], object_roles[class]);

    types->objects[class] = object;
    types->address[class] =
        join_field(join, object, "address", WEFT_FIELD_INTEGER, WEFT_ROLE_ADDRESS);
    types->symbol[class] =
        join_field(join, object, "variable", WEFT_FIELD_TEXT, WEFT_ROLE_SYMBOL);
    types->given_name[class] =
        join_field(join, object, "given name", WEFT_FIELD_TEXT, WEFT_ROLE_GIVEN_NAME);
    types->initialized_at[class] =
        join_field(join, object, "initialized at", WEFT_FIELD_SITE, WEFT_ROLE_CREATED_AT);
    types->first_used_at[class] =
        join_field(join, object, "first used at", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    if (class <= WEFT_OBJECT_SPIN) {
        define_lock(threads, class);
        return;
    }
    if (class == WEFT_OBJECT_SEMAPHORE)
        define_semaphore(threads);
    types->waiting[class] =
        class == WEFT_OBJECT_SEMAPHORE
            ? join_type(join, WEFT_VARIABLE, object, "Count", WEFT_ROLE_AMOUNT)
            : join_type(join, WEFT_VARIABLE, object, "Threads waiting", WEFT_ROLE_WAITERS);
}

void threads_define_types(struct threads_join *threads)
{
    struct thread_types *types = &threads->types;
    struct join *join = threads->join;

    types->thread_states = activities_type(join->activities);
    types->wake_up = join_link_type(join, "Wake-up", WEFT_ROLE_WAKE_UP);
    for (int i = 0; i < REASON_KINDS; i++) {
        types->reasons[i] = join_value_with_role(join, types->thread_states,
                                                 reasons[i].name, reasons[i].role);
        if (i >= REASON_OBJECT && i <= REASON_WORK)
            types->wakes[i] = join_value(join, types->wake_up, wake_names[i]);
    }
    types->wake_by_death = join_value(join, types->wake_up, "owner's death");
    types->state_object = join_field(join, types->thread_states, "object",
                                     WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    types->state_site = activities_site(join->activities);
    for (int class = 0; class < WEFT_OBJECT_KINDS; class ++)
        define_object(threads, (enum weft_object) class);
}
