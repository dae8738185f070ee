/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: their life, what keeps them from running, and what they said of themselves. */
#include "read/recording/join.h"

#include <string.h>

struct created_key {
    uint32_t image, ordinal;
};
struct value_key {
    uint32_t type;
    char name[252];
};
struct message_key {
    uint64_t id;
    char name[248];
};

uint32_t join_text(struct join *join, const char *text)
{
    return weft_builder_string(join->builder, text, strlen(text));
}

uint32_t join_value(struct join *join, uint32_t type, const char *name)
{
    struct value_key key = { type, { 0 } };
    uint32_t value;
    size_t length = strnlen(name, sizeof key.name);

    memcpy(key.name, name, length);
    value = weft_text_map_get(&join->values, &key, sizeof key.type + length);
    if (value == WEFT_MAP_NONE) {
        value = weft_builder_value(join->builder, type, name, NULL, 0);
        weft_text_map_put(&join->values, &key, sizeof key.type + length, value);
    }
    return value;
}

static void show_state(struct join *join, struct thread *thread, int64_t time)
{
    struct wait *wait = thread->n_waits ? &thread->waits[thread->n_waits - 1] : NULL;
    struct weft_field_value fields[2];
    size_t n = 0;

    if (wait && wait->object)
        fields[n++] = (struct weft_field_value){ join->state_object,
                                                 { .index = wait->object->container } };
    if (wait && wait->site)
        fields[n++] = (struct weft_field_value){
            join->state_site,
            { .index = sites_find(join->sites, thread->image, wait->site) }
        };
    (void)weft_builder_set(join->builder, thread->states, time,
                           join->reasons[wait ? wait->reason : REASON_RUNNING], fields, n,
                           wait ? &wait->id : NULL);
}

void join_block(struct join *join, struct thread *thread, int64_t time, enum reason reason,
                struct object_state *object, uint64_t site)
{
    /* Deeper only when signal handlers interrupt handlers that wait. */
    if (thread->n_waits == MOST_NESTED) {
        memmove(thread->waits, thread->waits + 1,
                sizeof *thread->waits * (MOST_NESTED - 1));
        thread->n_waits--;
    }
    thread->waits[thread->n_waits++] =
        (struct wait){ reason, object, site, time, WEFT_NO_ID };
    show_state(join, thread, time);
}

bool join_unblock(struct join *join, struct thread *thread, int64_t time,
                  enum reason reason, const struct object_state *object, struct wait *ended)
{
    for (unsigned i = thread->n_waits; i-- > 0;) {
        if (thread->waits[i].reason != reason || thread->waits[i].object != object)
            continue;
        *ended = thread->waits[i];
        thread->n_waits = i; /* a handler that jumped out left its own waits */
        show_state(join, thread, time);
        return true;
    }
    return false;
}

void join_wake(struct join *join, const struct cause *cause, struct thread *woken,
               int64_t time, const struct wait *wait, uint32_t flags)
{
    struct weft_link link = {
        .type = join->wake_up,
        .container = 0,
        .value = join->wake_values[wait->reason],
        .key = WEFT_NONE,
        .from = cause->thread->container,
        .to = woken->container,
        .begin = cause->time,
        .end = time,
        .from_entity = WEFT_NO_ID,
        .to_entity = wait->id,
        .flags = flags,
    };

    if (cause->thread == woken || link.from == WEFT_NONE)
        return;
    weft_builder_link(join->builder, &link, NULL, 0);
}

static const char *program_name(const struct image *image)
{
    const char *path = image->header.command;
    const char *slash = strrchr(path, '/');

    if (slash && slash[1])
        path = slash + 1;
    return *path ? path : "program";
}

static void start_process(struct join *join, struct thread *thread, int64_t time)
{
    struct process_state *process = &join->processes[thread->process];
    const struct image *images = join->recording->images;
    uint32_t last = join->recording->processes[thread->process].last_image;
    /* Most of what a process does it does as the last program that it becomes. */
    const char *program = program_name(&images[last]);
    uint32_t n = weft_text_map_get(&join->programs, program, strlen(program));
    char *alias = weft_arena_printf(&join->arena, "pid %u", images[last].header.pid);

    n = n == WEFT_MAP_NONE ? 1 : n + 1;
    weft_text_map_put(&join->programs, program, strlen(program), n);
    process->name = n == 1 ? weft_arena_strdup(&join->arena, program)
                           : weft_arena_printf(&join->arena, "%s %u", program, n);
    process->container = weft_builder_container(join->builder, join->process_type, 0,
                                                process->name, alias, time);
    process->time = time;
}

/* The same thread goes on with another program: what it had open is gone. */
static void become(struct join *join, struct thread *thread, struct thread *before,
                   int64_t time)
{
    struct process_state *process = &join->processes[thread->process];

    for (size_t i = 0; i < join->n_threads; i++) {
        struct thread *other = join->threads[i];
        if (other != before && other->process == thread->process && other->started
            && !other->ended && other->image < thread->image)
            join_thread_end(join, other, time);
    }
    process->thread_base += process->image_threads;
    process->image_threads = 0;
    thread->container = before->container;
    thread->states = before->states;
    thread->regions = before->regions;
    thread->tasks = before->tasks;
    if (thread->regions != WEFT_NONE)
        (void)weft_builder_reset(join->builder, thread->regions, time);
    if (thread->tasks != WEFT_NONE)
        (void)weft_builder_reset(join->builder, thread->tasks, time);
    before->ended = true;
    before->end = time;
}

static void link_birth(struct join *join, struct thread *thread, int64_t time)
{
    struct created_key key = { thread->image, thread->stream->header->ordinal };
    const struct image *image = &join->recording->images[thread->image];
    struct weft_link link = { .type = join->spawn,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = WEFT_NONE,
                              .to = thread->container,
                              .end = time,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = WEFT_NO_ID };
    uint32_t index = weft_text_map_get(&join->created, &key, sizeof key);

    if (index != WEFT_MAP_NONE) {
        link.from = join->creations[index].thread->container;
        link.begin = join->creations[index].time;
        link.value = join_value(join, join->spawn, "create");
    } else if (image->inherits != WEFT_NONE && key.ordinal == 0) {
        for (size_t i = 0; i < join->n_threads && link.from == WEFT_NONE; i++)
            if (join->threads[i]->image == image->inherits
                && join->threads[i]->stream->header->ordinal == image->header.forked_thread)
                link.from = join->threads[i]->container;
        link.begin = time;
        link.value = join_value(join, join->spawn, "fork");
    }
    if (link.from != WEFT_NONE)
        weft_builder_link(join->builder, &link, NULL, 0);
}

static void show_name(struct join *join, struct thread *thread, const char *name,
                      int64_t time)
{
    thread->name = weft_arena_strdup(&join->arena, name);
    weft_builder_rename(join->builder, thread->container, name);
    (void)weft_builder_event(
        join->builder, weft_builder_track(join->builder, thread->container, join->names),
        time, join_value(join, join->names, name), NULL, 0, NULL);
}

void join_thread_start(struct join *join, struct thread *thread, int64_t time)
{
    struct process_state *process = &join->processes[thread->process];
    uint32_t ordinal = thread->stream->header->ordinal;
    bool first = process->container == WEFT_NONE;

    if (first)
        start_process(join, thread, time);
    if (time < process->time)
        time = process->time;
    thread->started = true;
    if (ordinal == 0 && process->main) {
        become(join, thread, process->main, time);
        show_name(join, thread, program_name(&join->recording->images[thread->image]),
                  time);
    } else {
        char *alias =
            weft_arena_printf(&join->arena, "tid %u", thread->stream->header->tid);
        thread->name =
            ordinal == 0 ? weft_arena_strdup(
                &join->arena, program_name(&join->recording->images[thread->image]))
                         : weft_arena_printf(&join->arena, "thread %u",
                                             process->thread_base + ordinal);
        thread->container =
            weft_builder_container(join->builder, join->thread_type, process->container,
                                   thread->name, alias, time);
        thread->states =
            weft_builder_track(join->builder, thread->container, join->thread_states);
        link_birth(join, thread, time);
    }
    if (ordinal == 0)
        process->main = thread;
    if (ordinal >= process->image_threads)
        process->image_threads = ordinal + 1;
    show_state(join, thread, time);
    weft_id_map_put(&join->handles, thread->stream->header->handle * 31 + thread->process,
                    thread->index);
}

void join_thread_end(struct join *join, struct thread *thread, int64_t time)
{
    thread->ended = true;
    thread->end = time;
    (void)weft_builder_reset(join->builder, thread->states, time);
    weft_builder_destroy(join->builder, thread->container, time);
}

static uint32_t find_handle(const struct join *join, const struct thread *thread,
                            uint64_t handle)
{
    return weft_id_map_get(&join->handles, handle * 31 + thread->process);
}

static void joined(struct join *join, struct thread *thread, bool success, int64_t time)
{
    struct wait wait;
    struct cause cause;
    uint32_t target = thread->join_target;

    if (!join_unblock(join, thread, time, REASON_JOIN, NULL, &wait) || !success)
        return;
    if (target == WEFT_NONE)
        target = find_handle(join, thread, thread->join_handle);
    /* A thread that had ended before woke nobody. */
    if (target == WEFT_NONE || !join->threads[target]->ended
        || join->threads[target]->end < wait.begin)
        return;
    cause = (struct cause){ join->threads[target], join->threads[target]->end, 1 };
    join_wake(join, &cause, thread, time, &wait, 0);
}

/* The thread's track of a type, made when there is something to put on it. */
static uint32_t own_track(struct join *join, struct thread *thread, uint32_t *track,
                          uint32_t type)
{
    if (*track == WEFT_NONE)
        *track = weft_builder_track(join->builder, thread->container, type);
    return *track;
}

static void begin_region(struct join *join, struct thread *thread, const char *name,
                         uint64_t site, int64_t time)
{
    struct weft_field_value field = { join->region_site, { .index = 0 } };

    if (site)
        field.index = sites_find(join->sites, thread->image, site);
    (void)weft_builder_push(join->builder,
                            own_track(join, thread, &thread->regions, join->regions), time,
                            join_value(join, join->regions, name), &field, site != 0, NULL);
}

static void sample_counter(struct join *join, struct thread *thread, const char *name,
                           double value, int64_t time)
{
    uint32_t type = weft_text_map_get(&join->counters, name, strlen(name));
    uint32_t track;

    if (type == WEFT_MAP_NONE) {
        type = weft_builder_type(join->builder,
                                 &(struct weft_type){ .kind = WEFT_VARIABLE,
                                                      .parent = join->process_type,
                                                      .name = name,
                                                      .alias = "",
                                                      .start_type = WEFT_NONE,
                                                      .end_type = WEFT_NONE });
        weft_text_map_put(&join->counters, name, strlen(name), type);
    }
    track =
        weft_builder_track(join->builder, join->processes[thread->process].container, type);
    (void)weft_builder_sample(join->builder, track, time, value);
}

static void put_message(struct join *join, const struct message *message)
{
    struct weft_field_value bytes = { join->message_bytes,
                                      { .integer = (int64_t)message->bytes } };

    weft_builder_link(join->builder, &message->link, &bytes, 1);
}

/* Sends and receives of one name and id pair in their order, whichever comes first. */
static void message_end(struct join *join, struct thread *thread, const char *name,
                        const struct record *record, int64_t time)
{
    bool sends = record->kind == WEFT_RECORD_SEND;
    struct message_key key = { record->words[0], { 0 } };
    struct weft_text_map *others = sends ? &join->receives : &join->sends;
    struct weft_text_map *mine = sends ? &join->sends : &join->receives;
    uint32_t index;
    struct message *message;
    char text[32];

    memcpy(key.name, name, strnlen(name, sizeof key.name));
    index = weft_text_map_get(others, &key, sizeof key);
    if (index != WEFT_MAP_NONE && index != UINT32_MAX - 1) {
        message = &join->messages[index];
        weft_text_map_put(others, &key, sizeof key,
                          message->next == WEFT_NONE ? UINT32_MAX - 1 : message->next);
    } else {
        uint32_t tail = weft_text_map_get(mine, &key, sizeof key);
        join->messages = weft_grow(join->messages, &join->messages_capacity,
                                   join->n_messages + 1, sizeof *join->messages);
        message = &join->messages[join->n_messages];
        *message = (struct message){ .next = WEFT_NONE };
        message->link = (struct weft_link){ .type = join->message,
                                            .from = WEFT_NONE,
                                            .to = WEFT_NONE,
                                            .from_entity = WEFT_NO_ID,
                                            .to_entity = WEFT_NO_ID };
        snprintf(text, sizeof text, "%llu", (unsigned long long)record->words[0]);
        message->link.key = join_text(join, text);
        message->link.value = join_value(join, join->message, name);
        if (tail == WEFT_MAP_NONE || tail == UINT32_MAX - 1) {
            weft_text_map_put(mine, &key, sizeof key, (uint32_t)join->n_messages);
        } else {
            while (join->messages[tail].next != WEFT_NONE)
                tail = join->messages[tail].next;
            join->messages[tail].next = (uint32_t)join->n_messages;
        }
        join->n_messages++;
    }
    message->bytes = record->words[1] > message->bytes ? record->words[1] : message->bytes;
    if (sends) {
        message->link.from = thread->container;
        message->link.begin = time;
    } else {
        message->link.to = thread->container;
        message->link.end = time;
    }
    if (message->link.from != WEFT_NONE && message->link.to != WEFT_NONE)
        put_message(join, message);
}

void join_half_messages(struct join *join)
{
    for (size_t i = 0; i < join->n_messages; i++) {
        struct message *message = &join->messages[i];
        if (message->link.from == WEFT_NONE) {
            message->link.begin = message->link.end;
            message->link.flags = WEFT_BEGIN_IMPLIED;
        } else if (message->link.to == WEFT_NONE) {
            message->link.end = message->link.begin;
            message->link.flags = WEFT_END_IMPLIED;
        } else {
            continue;
        }
        put_message(join, message);
    }
}

static void end_nested(struct join *join, uint32_t track, const char *what, int64_t time)
{
    if (track == WEFT_NONE
        || weft_builder_pop(join->builder, track, time, NULL) == WEFT_BUILD_EMPTY)
        weft_builder_problem(join->builder, WEFT_WARNING, "end-without-begin", 0,
                             "a %s ends that did not begin", what);
}

static double real(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void annotation(struct join *join, struct thread *thread,
                       const struct record *record, int64_t time)
{
    const struct name *known =
        recording_name(join->recording, thread->image, record->argument);
    const char *name = known ? known->text : "name that was lost";
    uint64_t site = known ? known->site : 0;
    struct weft_field_value fields[2];
    size_t n = 0;

    switch (record->kind) {
    case WEFT_RECORD_BEGIN: begin_region(join, thread, name, site, time); break;
    case WEFT_RECORD_INSTANT:
        if (site)
            fields[n++] = (struct weft_field_value){
                join->instant_site,
                { .index = sites_find(join->sites, thread->image, site) }
            };
        (void)weft_builder_event(
            join->builder,
            weft_builder_track(join->builder, thread->container, join->instants), time,
            join_value(join, join->instants, name), fields, n, NULL);
        break;
    case WEFT_RECORD_TASK_BEGIN:
        fields[n++] = (struct weft_field_value){ join->task_work,
                                                 { .real = real(record->words[0]) } };
        if (site)
            fields[n++] = (struct weft_field_value){
                join->task_site, { .index = sites_find(join->sites, thread->image, site) }
            };
        (void)weft_builder_push(join->builder,
                                own_track(join, thread, &thread->tasks, join->tasks), time,
                                join_value(join, join->tasks, name), fields, n, NULL);
        break;
    case WEFT_RECORD_COUNTER:
        sample_counter(join, thread, name, real(record->words[0]), time);
        break;
    default: message_end(join, thread, name, record, time); break;
    }
}

static void name_other(struct join *join, struct thread *thread, uint64_t handle,
                       const char *name, int64_t time)
{
    uint32_t index = find_handle(join, thread, handle);

    if (index != WEFT_NONE && !join->threads[index]->ended)
        show_name(join, join->threads[index], name, time);
}

static void define_slot(struct thread *thread, const struct record *record)
{
    uint32_t slot = record->argument & 0xffff, class = record->argument >> 16;

    if (slot <= WEFT_LOG_SLOTS && class < WEFT_OBJECT_KINDS)
        thread->slots[slot] = (struct meaning){ record->words[0], record->words[1],
                                                (enum weft_object) class };
}

void join_thread_record(struct join *join, struct thread *thread,
                        const struct record *record, int64_t time)
{
    struct created_key created = { thread->image, record->argument };
    struct wait wait;
    char text[256];

    text[0] = 0;
    if (record->text)
        snprintf(text, sizeof text, "%.*s", (int)record->argument, record->text);
    switch (record->kind) {
    case WEFT_RECORD_PAIR: define_slot(thread, record); break;
    case WEFT_RECORD_THREAD: show_name(join, thread, text, time); break;
    case WEFT_RECORD_THREAD_OTHER:
        name_other(join, thread, record->words[0], text, time);
        break;
    case WEFT_RECORD_EXIT:
        if (thread != join->processes[thread->process].main)
            join_thread_end(join, thread, time);
        break;
    case WEFT_RECORD_CPU:
        (void)weft_builder_sample(
            join->builder,
            weft_builder_track(join->builder, thread->container, join->cpu_time), time,
            (double)record->words[0] * 1e-9);
        break;
    case WEFT_RECORD_CREATE:
        join->creations = weft_grow(join->creations, &join->creations_capacity,
                                    join->n_creations + 1, sizeof *join->creations);
        join->creations[join->n_creations] = (struct cause){ thread, time, 1 };
        weft_text_map_put(&join->created, &created, sizeof created,
                          (uint32_t)join->n_creations++);
        break;
    case WEFT_RECORD_JOIN:
        thread->join_handle = record->words[0];
        thread->join_target = find_handle(join, thread, record->words[0]);
        join_block(join, thread, time, REASON_JOIN, NULL, record->words[1]);
        break;
    case WEFT_RECORD_JOINED: joined(join, thread, record->argument == 1, time); break;
    case WEFT_RECORD_CALL:
        if (record->argument < WEFT_CALL_KINDS)
            join_block(join, thread, time, (enum reason)(REASON_CALL + record->argument),
                       NULL, record->words[0]);
        break;
    case WEFT_RECORD_RETURN:
        if (thread->n_waits > 0 && thread->waits[thread->n_waits - 1].reason >= REASON_CALL)
            (void)join_unblock(join, thread, time,
                               thread->waits[thread->n_waits - 1].reason, NULL, &wait);
        break;
    case WEFT_RECORD_BEGIN_TEXT:
        begin_region(join, thread, text, record->words[0], time);
        break;
    case WEFT_RECORD_END: end_nested(join, thread->regions, "region", time); break;
    case WEFT_RECORD_TASK_END: end_nested(join, thread->tasks, "task", time); break;
    case WEFT_RECORD_BEGIN:
    case WEFT_RECORD_INSTANT:
    case WEFT_RECORD_TASK_BEGIN:
    case WEFT_RECORD_COUNTER:
    case WEFT_RECORD_SEND:
    case WEFT_RECORD_RECEIVE: annotation(join, thread, record, time); break;
    default: break;
    }
}
