/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of the core, and its records. */
#include "read/recording/join/process_containers.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "read/recording/join/first_pass.h"
#include "read/recording/join/process_starts.h"
#include "read/recording/join/samples.h"
#include "read/recording/join/thread_functions.h"
#include "read/recording/join/thread_names.h"
#include "read/recording/join/thread_states.h"
#include "read/recording/join/thread_usage.h"

static const uint8_t words[WEFT_RECORD_CORE_KINDS] = {
    [WEFT_RECORD_TIME] = 1,         [WEFT_RECORD_PAIR] = 2,   [WEFT_RECORD_NAME] = 2,
    [WEFT_RECORD_THREAD_OTHER] = 1, [WEFT_RECORD_CPU] = 1,    [WEFT_RECORD_PROGRAM] = 2,
    [WEFT_RECORD_NO_PROGRAM] = 1,   [WEFT_RECORD_SHARER] = 0, [WEFT_RECORD_CHILD_ENDED] = 1,
    [WEFT_RECORD_USAGE] = 4,
};
const struct record_kinds lifecycle_kinds = { words, WEFT_RECORD_CORE_KINDS };

struct pid_key {
    uint64_t pid_namespace, pid, host;
};

void lifecycle_define_containers(struct join *join)
{
    uint32_t above = 0;

    join->host_type = WEFT_NONE;
    if (join->recording->n_hosts > 1)
        above = join->host_type =
            join_type(join, WEFT_CONTAINER, 0, "Host", WEFT_ROLE_HOST);
    join->process_type =
        join_type(join, WEFT_CONTAINER, above, "Process", WEFT_ROLE_PROCESS);
    join->thread_type =
        join_type(join, WEFT_CONTAINER, join->process_type, "Thread", WEFT_ROLE_THREAD);
    join->process_id = join_field(join, join->process_type, "process id",
                                  WEFT_FIELD_INTEGER, WEFT_ROLE_PROCESS_ID);
    join->thread_id = join_field(join, join->thread_type, "thread id", WEFT_FIELD_INTEGER,
                                 WEFT_ROLE_THREAD_ID);
    join->thread_number =
        join_field(join, join->thread_type, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    join->thread_start = join_field(join, join->thread_type, "starts with", WEFT_FIELD_TEXT,
                                    WEFT_ROLE_SYMBOL);
    join->thread_created_at = join_field(join, join->thread_type, "created at",
                                         WEFT_FIELD_SITE, WEFT_ROLE_CREATED_AT);
    usage_define_fields(join);
}

void lifecycle_define_types(struct join *join)
{
    join->names = join_type(join, WEFT_EVENT, join->thread_type, "Name", WEFT_ROLE_NAMING);
    join->processor_time = join_type(join, WEFT_VARIABLE, join->thread_type,
                                     "Processor time [s]", WEFT_ROLE_PROCESSOR_TIME);
    join->spawn = join_link_type(join, "Spawn", WEFT_ROLE_SPAWN);
}

static int compare_ordinals(const void *a, const void *b)
{
    const struct join_thread *x = *(struct join_thread *const *)a;
    const struct join_thread *y = *(struct join_thread *const *)b;
    uint32_t left = x->stream->header->ordinal, right = y->stream->header->ordinal;

    return WEFT_COMPARE(x->image, y->image) ?: WEFT_COMPARE(left, right);
}

/* Threads of an image that run the same function, and how many of them have a name yet. */
struct function_threads {
    uint32_t threads, named;
};

struct start_key {
    uint32_t image;
    char function[RECORD_TEXT];
};

/* Returns the index of a function of an image in SHARES, which has room for one more. */
static uint32_t find_function_threads(struct weft_text_map *map,
                                      struct function_threads *shares, uint32_t image,
                                      const char *function)
{
    struct start_key key = { image, { 0 } };
    size_t length = strnlen(function, sizeof key.function);
    uint32_t index;

    memcpy(key.function, function, length);
    index = weft_text_map_get(map, &key, sizeof key.image + length);
    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)map->count;
        shares[index] = (struct function_threads){ 0, 0 };
        weft_text_map_put(map, &key, sizeof key.image + length, index);
    }
    return index;
}

/*
 * A thread is named by the function that it runs until it sets a name; with a number, in
 * order of creation, if several threads of the image run it.
 */
static void name_by_start(struct join *join)
{
    size_t n = join->n_threads;
    struct join_thread **sorted = weft_zalloc(n + 1, sizeof *sorted);
    struct function_threads *shares = weft_zalloc(n + 1, sizeof *shares);
    struct weft_text_map map = { 0 };

    if (n > 0)
        memcpy(sorted, join->threads, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_ordinals);
    for (size_t i = 0; i < n; i++) {
        const struct birth *birth = recording_birth(join->recording, sorted[i]->image,
                                                    sorted[i]->stream->header->ordinal);
        const char *function =
            birth ? starts_function(join->sites, sorted[i]->image, birth, &join->arena)
                  : NULL;
        if (!function)
            continue;
        sorted[i]->name = weft_arena_strdup(&join->arena, function);
        shares[find_function_threads(&map, shares, sorted[i]->image, function)].threads++;
    }
    for (size_t i = 0; i < n; i++) {
        struct function_threads *share;
        if (!sorted[i]->name)
            continue;
        share =
            &shares[find_function_threads(&map, shares, sorted[i]->image, sorted[i]->name)];
        if (share->threads > 1)
            sorted[i]->name =
                weft_arena_printf(&join->arena, "%s %u", sorted[i]->name, ++share->named);
    }
    weft_text_map_free(&map);
    free(shares);
    free(sorted);
}

/*
 * Returns when the thread of a stream began: when it was observed to, which is before its
 * first record, unless it went on with another program (then that is of another stream).
 */
static int64_t first_time(const struct recording *recording, const struct stream *stream)
{
    int64_t recorded = recording_ns(recording, stream->image, stream->header->first_ticks);
    const struct clock_domain *domain =
        &recording->domains[recording->images[stream->image].domain];
    int64_t observed;

    if (!stream->observed || stream->observed->stream != stream)
        return recorded;
    observed = clock_domain_of_monotonic(domain, stream->observed->begin);
    if (stream->outside)
        return observed;
    return observed < recorded ? observed : recorded;
}

void lifecycle_prepare(struct join *join)
{
    struct recording *recording = join->recording;

    join->n_threads = recording->n_streams;
    join->threads =
        weft_arena_zalloc(&join->arena, join->n_threads + 1, sizeof *join->threads);
    join->heap = weft_arena_zalloc(&join->arena, join->n_threads + 1, sizeof *join->heap);
    join->processes = weft_arena_zalloc(&join->arena, recording->n_processes + 1,
                                        sizeof *join->processes);
    join->of_image =
        weft_arena_zalloc(&join->arena, recording->n_images + 1, sizeof *join->of_image);
    join->hosts =
        weft_arena_zalloc(&join->arena, recording->n_hosts + 1, sizeof *join->hosts);
    for (size_t i = 0; i < recording->n_processes; i++) {
        join->processes[i].container = WEFT_NONE;
        join->processes[i].left = recording->processes[i].first_image;
    }
    for (size_t i = 0; i < recording->n_hosts; i++)
        join->hosts[i] = recording->n_hosts == 1 ? 0 : WEFT_NONE;
    for (uint32_t i = 0; i < join->n_threads; i++) {
        struct join_thread *thread = weft_arena_zalloc(&join->arena, 1, sizeof *thread);
        thread->stream = &recording->streams[i];
        thread->index = i;
        thread->image = thread->stream->image;
        thread->process = recording->images[thread->image].process;
        thread->container = WEFT_NONE;
        thread->state = WEFT_NO_ID;
        thread->time = first_time(recording, thread->stream);
        join->threads[i] = thread;
    }
    for (size_t i = join->n_threads; i-- > 0;) { /* backwards: the first thread comes
                                                    first */
        struct join_thread *thread = join->threads[i];
        thread->next_of_image = join->of_image[thread->image];
        join->of_image[thread->image] = thread;
    }
    name_by_start(join);
}

const char *lifecycle_program_name(const struct image *image)
{
    const char *path = image->header.program;
    const char *slash;

    if (!*path)
        path = image->header.command;
    slash = strrchr(path, '/');

    if (slash && slash[1])
        path = slash + 1;
    return *path ? path : "program";
}

static uint32_t host_of(struct join *join, uint32_t host, int64_t time)
{
    const struct host *known = &join->recording->hosts[host];

    if (join->hosts[host] == WEFT_NONE)
        join->hosts[host] =
            weft_builder_container(join->builder, join->host_type, 0,
                                   *known->name ? known->name : "host", known->boot, time);
    return join->hosts[host];
}

static void put_fact(struct join *join, uint32_t container, struct weft_field_value fact)
{
    weft_builder_container_field(join->builder, container, &fact);
}

/* The key of a process PID in the namespace of IMAGE. */
static struct pid_key key_of(const struct join *join, const struct image *image,
                             uint64_t pid)
{
    return (struct pid_key){ image->header.pid_namespace, pid,
                             join->recording->processes[image->process].host };
}

/*
 * The thread has waited for its child PID, which SIGNAL ended (0: none).  PID may be that
 * of an unrecorded child, and have belonged to another process before.
 */
static void child_ended(struct join *join, const struct join_thread *thread, uint64_t pid,
                        uint32_t signal, int64_t time)
{
    const struct recording *recording = join->recording;
    const struct image *own = &recording->images[thread->image];
    struct pid_key key = key_of(join, own, pid);
    uint32_t child = weft_text_map_get(&join->pids, &key, sizeof key);

    if (child == WEFT_MAP_NONE || join->processes[child].awaited
        || recording->images[recording->processes[child].first_image].header.parent_pid
               != own->header.pid)
        return;
    join->processes[child].awaited = true;
    join->processes[child].signal = signal;
    join->recording->processes[child].ended = time;
}

static void start_process(struct join *join, const struct join_thread *thread, int64_t time)
{
    struct join_process *state = &join->processes[thread->process];
    const struct process *process = &join->recording->processes[thread->process];
    /* Name the process by the last program that it executes: mostly the longest. */
    const char *program =
        lifecycle_program_name(&join->recording->images[process->last_image]);
    uint32_t n = weft_text_map_get(&join->programs, program, strlen(program));
    const char *alias = weft_arena_printf(&join->arena, "pid %u", process->pid);
    struct pid_key key;

    n = n == WEFT_MAP_NONE ? 1 : n + 1;
    weft_text_map_put(&join->programs, program, strlen(program), n);
    if (n > 1)
        program = weft_arena_printf(&join->arena, "%s %u", program, n);
    state->container =
        weft_builder_container(join->builder, join->process_type,
                               host_of(join, process->host, time), program, alias, time);
    put_fact(join, state->container,
             (struct weft_field_value){ join->process_id, { .integer = process->pid } });
    weft_builder_container_clock(
        join->builder, state->container,
        join->clocks[join->recording->images[process->first_image].domain]);
    state->time = time;
    key = key_of(join, &join->recording->images[thread->image], process->pid);
    weft_text_map_put(&join->pids, &key, sizeof key, thread->process);
}

/* The process has executed another program in THREAD: all other threads have ended. */
static void leave_program(struct join *join, const struct join_thread *thread, int64_t time)
{
    struct join_process *process = &join->processes[thread->process];

    for (; process->left < thread->image; process->left++)
        for (struct join_thread *other = join->of_image[process->left]; other;
             other = other->next_of_image)
            if (other != process->main && other->started && !other->ended)
                lifecycle_end_thread(join, other, time);
    process->thread_base += process->image_threads;
    process->image_threads = 0;
}

/* The main thread continues with another program: its open states have ended. */
static void become(struct join *join, struct join_thread *thread,
                   struct join_thread *before, int64_t time)
{
    thread->container = before->container;
    activity_become(join->activities, thread, before, time);
    samples_become(join->samples, thread, before, time);
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->thread_becomes)
            join->families[i]->thread_becomes(join->states[join->families[i]->number],
                                              thread, before, time);
    before->ended = true;
    before->end = time;
}

static void link_birth(struct join *join, const struct join_thread *thread, int64_t time)
{
    uint32_t ordinal = thread->stream->header->ordinal;
    const struct image *image = &join->recording->images[thread->image];
    const struct birth *birth = recording_birth(join->recording, thread->image, ordinal);
    const struct program_start *start = programs_start_of(join->recording, thread->process);
    struct weft_link link = { .type = join->spawn,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = WEFT_NONE,
                              .to = thread->container,
                              .begin = time,
                              .end = time,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = thread->state };

    if (birth) {
        link.from = join->threads[birth->parent]->container;
        link.from_entity = birth->state;
        link.begin = birth->time;
        link.value = join_value(join, join->spawn, "create");
    } else if (image->inherits != WEFT_NONE && ordinal == 0) {
        for (const struct join_thread *from = join->of_image[image->inherits];
             from && link.from == WEFT_NONE; from = from->next_of_image)
            if (from->stream->header->ordinal == image->header.forked_thread) {
                link.from = from->container;
                link.from_entity = from->state;
            }
        link.value = join_value(join, join->spawn, "fork");
    } else if (start && ordinal == 0) {
        link.from = join->threads[start->stream]->container;
        link.from_entity = join->threads[start->stream]->state;
        link.begin = start->time < time ? start->time : time;
        link.value = join_value(join, join->spawn, "spawn");
    }
    if (link.from != WEFT_NONE)
        weft_builder_link(join->builder, &link, NULL, 0);
}

/* Write the thread's fields besides its name.  NUMBER is in order of creation. */
static void put_facts(struct join *join, const struct join_thread *thread, uint32_t number)
{
    const struct weft_thread_header *header = thread->stream->header;
    const struct birth *birth =
        recording_birth(join->recording, thread->image, header->ordinal);
    const struct program_start *start = programs_start_of(join->recording, thread->process);
    const char *function =
        birth ? starts_function(join->sites, thread->image, birth, &join->arena) : NULL;
    uint32_t container = thread->container;

    put_fact(join, container,
             (struct weft_field_value){ join->thread_id, { .integer = header->tid } });
    put_fact(join, container,
             (struct weft_field_value){ join->thread_number, { .integer = number } });
    if (function)
        put_fact(join, container,
                 (struct weft_field_value){ join->thread_start,
                                            { .index = join_text(join, function) } });
    if (start && start->site && header->ordinal == 0)
        put_fact(join, container,
                 join_site_field(join, join->thread_created_at,
                                 join->threads[start->stream]->image, start->site));
    if (birth && birth->site)
        put_fact(join, container,
                 join_site_field(join, join->thread_created_at, thread->image,
                                 birth->caller ? birth->caller : birth->site));
}

static void make_thread(struct join *join, struct join_thread *thread, int64_t time)
{
    struct join_process *process = &join->processes[thread->process];
    uint32_t ordinal = thread->stream->header->ordinal;
    uint32_t number = process->thread_base + ordinal;
    const char *alias =
        weft_arena_printf(&join->arena, "tid %u", thread->stream->header->tid);

    if (ordinal == 0)
        thread->name = weft_arena_strdup(
            &join->arena, lifecycle_program_name(&join->recording->images[thread->image]));
    else if (!thread->name && thread->stream->observed && thread->stream->observed->named)
        thread->name = weft_arena_strdup(&join->arena, thread->stream->observed->name);
    else if (!thread->name)
        thread->name = weft_arena_printf(&join->arena, "thread %u", number);
    thread->container = weft_builder_container(
        join->builder, join->thread_type, process->container, thread->name, alias, time);
    join->recording->report.threads++; /* an exec continues in the same thread */
    put_facts(join, thread, number);
}

void lifecycle_start_thread(struct join *join, struct join_thread *thread, int64_t time)
{
    struct join_process *process = &join->processes[thread->process];
    uint32_t ordinal = thread->stream->header->ordinal;
    bool made = false;

    if (process->container == WEFT_NONE)
        start_process(join, thread, time);
    if (time < process->time)
        time = process->time;
    thread->started = true;
    if (ordinal == 0 && process->main)
        leave_program(join, thread, time);
    if (ordinal == 0 && process->main && !process->main->ended) {
        become(join, thread, process->main, time);
        thread_names_show(join, thread,
                          lifecycle_program_name(&join->recording->images[thread->image]),
                          time);
    } else {
        make_thread(join, thread, time);
        samples_begin(join->samples, thread, time);
        made = true;
    }
    if (ordinal == 0)
        process->main = thread;
    if (ordinal >= process->image_threads)
        process->image_threads = ordinal + 1;
    thread_names_begin(join, thread, time);
    if (thread->stream->observed)
        activity_begin(join->activities, thread, time);
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->thread_starts)
            join->families[i]->thread_starts(join->states[join->families[i]->number],
                                             thread, time);
    if (made) /* after it has got its first state */
        link_birth(join, thread, time);
}

void lifecycle_end_thread(struct join *join, struct join_thread *thread, int64_t time)
{
    thread->ended = true;
    thread->end = time;
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->thread_ends)
            join->families[i]->thread_ends(join->states[join->families[i]->number], thread,
                                           time);
    activity_end(join->activities, thread, time);
    samples_end(join->samples, thread, time);
    weft_builder_destroy(join->builder, thread->container, time);
}

/* Most threads use few slots, or none. */
static void make_slots(struct join_thread *thread, uint32_t slot)
{
    uint32_t n = WEFT_LOG_SLOTS_FIRST;
    struct slot_binding *slots;

    while (n <= slot)
        n *= 2;
    slots = weft_zalloc(n, sizeof *slots);
    if (thread->n_slots > 0)
        memcpy(slots, thread->slots, thread->n_slots * sizeof *slots);
    free(thread->slots);
    thread->slots = slots;
    thread->n_slots = n;
}

static void define_slot(struct join_thread *thread, const struct record *record)
{
    uint32_t slot = record->argument % WEFT_PAIR_SLOTS;

    if (slot > WEFT_LOG_HANDLER_SLOT)
        return;
    if (slot >= thread->n_slots)
        make_slots(thread, slot);
    thread->slots[slot] = (struct slot_binding){ record->words[0], record->words[1],
                                                 record->argument >> WEFT_PAIR_CLASS };
}

struct slot_binding *join_slot(struct join_thread *thread, uint32_t slot)
{
    return slot >= thread->n_slots || thread->slots[slot].object == 0
               ? NULL
               : &thread->slots[slot];
}

static void free_slots(struct join_thread *thread)
{
    free(thread->slots);
    thread->slots = NULL;
    thread->n_slots = 0;
}

void lifecycle_record(struct join *join, struct join_thread *thread,
                      const struct record *record, int64_t time)
{
    char text[RECORD_TEXT];
    struct join_thread *other;

    switch (record->kind) {
    case WEFT_RECORD_PAIR: define_slot(thread, record); break;
    case WEFT_RECORD_THREAD:
        thread_names_show(join, thread, record_text(record, 0, text), time);
        break;
    case WEFT_RECORD_THREAD_OTHER:
        other = join_find_thread(join, thread->process, record->words[0]);
        if (other && !other->ended)
            thread_names_show(join, other, record_text(record, 1, text), time);
        else
            thread_names_keep(join, thread->process, record->words[0],
                              record_text(record, 1, text));
        break;
    case WEFT_RECORD_EXIT: thread->leaves = true; break;
    case WEFT_RECORD_SHARER:
        if (record->argument != 0)
            thread->sharers++;
        else if (thread->sharers > 0)
            thread->sharers--;
        break;
    case WEFT_RECORD_CHILD_ENDED:
        child_ended(join, thread, record->words[0], record->argument, time);
        break;
    case WEFT_RECORD_USAGE: usage_record(join, thread, record); break;
    case WEFT_RECORD_CPU:
        (void)weft_builder_sample(
            join->builder,
            weft_builder_track(join->builder, thread->container, join->processor_time),
            time, (double)record->words[0] * 1e-9);
        break;
    default: break;
    }
}

/*
 * A thread may have records after its EXIT: of signal handlers and destructors of other
 * libraries.  So it ends with its last record.
 */
void lifecycle_records_end(struct join *join, struct join_thread *thread)
{
    free_slots(thread);
    if (thread->leaves && !thread->ended)
        lifecycle_end_thread(join, thread, thread->time);
    else if (join->recording->images[thread->image].observed && !thread->ended)
        lifecycle_end_thread(join, thread,
                             recording_ns(join->recording, thread->image,
                                          (uint64_t)thread->stream->observed->end));
    else if (thread->stream->outside && !thread->ended)
        lifecycle_end_thread(
            join, thread,
            clock_domain_of_monotonic(
                &join->recording->domains[join->recording->images[thread->image].domain],
                thread->stream->observed->end));
}

int64_t lifecycle_end_of(const struct join *join, size_t process)
{
    const struct process *known = &join->recording->processes[process];
    const struct image *last = &join->recording->images[known->last_image];
    int64_t end = known->ended;

    if (join->processes[process].container == WEFT_NONE)
        return INT64_MIN;
    if (last->header.exited)
        end = recording_ns(join->recording, known->last_image, last->header.last.ticks);
    if (end != INT64_MIN && end < join->processes[process].time)
        end = join->processes[process].time;
    return end;
}

static bool exited(const struct join *join, size_t process)
{
    const struct process *known = &join->recording->processes[process];

    return join->recording->images[known->last_image].header.exited != 0;
}

/*
 * Returns the end of a thread that did not record it: the end of its process.  If its
 * records are cut off, it is only known until the last of them.
 */
static int64_t end_of(const struct join *join, const struct join_thread *thread)
{
    const struct stream *stream = thread->stream;

    if (stream->damaged > 0 && !join->recording->logs[stream->log].goes_on)
        return thread->time;
    return lifecycle_end_of(join, thread->process);
}

/* Writes what was observed of a thread after its last record, when its process did not end
   by itself: it was killed, or the recording was. */
static void write_rest(struct join *join, struct join_thread *thread)
{
    const struct observed_thread *observed = thread->stream->observed;
    uint32_t domain = join->recording->images[thread->image].domain;
    int64_t end;

    if (!observed)
        return;
    end = clock_domain_of_monotonic(&join->recording->domains[domain], observed->end);
    if (end <= thread->time)
        return;
    activity_reach(join->activities, thread, end + 1);
    samples_end(join->samples, thread, end + 1);
    if (join->processes[thread->process].time < end)
        join->processes[thread->process].time = end;
}

void lifecycle_end_processes(struct join *join)
{
    for (size_t i = 0; i < join->n_threads; i++) {
        struct join_thread *thread = join->threads[i];
        if (!thread->started || thread->ended)
            continue;
        if (exited(join, thread->process))
            lifecycle_end_thread(join, thread, end_of(join, thread));
        else
            write_rest(join, thread);
    }
    for (uint32_t i = 0; i < join->recording->n_processes; i++) {
        int64_t end = lifecycle_end_of(join, i);
        if (end == INT64_MIN)
            continue;
        for (size_t k = 0; k < join->n_families && exited(join, i); k++)
            if (join->families[k]->process_ends)
                join->families[k]->process_ends(join->states[join->families[k]->number], i,
                                                end);
        weft_builder_destroy(join->builder, join->processes[i].container, end);
    }
}

void lifecycle_free(struct join *join)
{
    for (size_t i = 0; join->threads && i < join->n_threads; i++)
        free_slots(join->threads[i]);
    weft_text_map_free(&join->pids);
    weft_text_map_free(&join->programs);
    thread_names_free(join);
}
