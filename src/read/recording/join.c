/* SPDX-License-Identifier: Apache-2.0 */
/* The merge of all threads' records by time, and what is said of the whole recording. */
#include "read/recording/join.h"

#include <stdlib.h>
#include <string.h>

static bool earlier(const struct thread *a, const struct thread *b)
{
    return a->time != b->time ? a->time < b->time : a->index < b->index;
}

static void push(struct join *join, struct thread *thread)
{
    size_t i = join->n_heap++;

    while (i > 0 && earlier(thread, join->heap[(i - 1) / 2])) {
        join->heap[i] = join->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    join->heap[i] = thread;
}

static struct thread *pop(struct join *join)
{
    struct thread *first = join->heap[0], *moved = join->heap[--join->n_heap];
    size_t i = 0;

    for (size_t child = 1; child < join->n_heap; child = 2 * i + 1) {
        if (child + 1 < join->n_heap && earlier(join->heap[child + 1], join->heap[child]))
            child++;
        if (!earlier(join->heap[child], moved))
            break;
        join->heap[i] = join->heap[child];
        i = child;
    }
    join->heap[i] = moved;
    return first;
}

static void park(struct join *join, struct thread *thread, struct object_state *object)
{
    thread->next_parked = object->parked;
    thread->parked_at = object;
    object->parked = thread;
    join->n_parked++;
}

void join_unpark(struct join *join, struct object_state *object, int64_t time)
{
    while (object->parked) {
        struct thread *thread = object->parked;
        object->parked = thread->next_parked;
        thread->parked_at = NULL;
        join->n_parked--;
        if (thread->time < time)
            thread->time = time;
        push(join, thread);
    }
}

/* Who waited for a record that does not come goes on without it. */
static void unpark_forced(struct join *join, int64_t now)
{
    for (size_t i = 0; i < join->n_threads && join->n_parked > 0; i++) {
        struct thread *thread = join->threads[i];
        if (!thread->parked_at || (join->n_heap > 0 && thread->time + MOST_PARKED_NS > now))
            continue;
        thread->forced = true;
        join_unpark(join, thread->parked_at, thread->time);
    }
}

static void next_record(struct join *join, struct thread *thread)
{
    thread->record.text = NULL;
    if (!recording_next(join->recording, thread->stream, &thread->record))
        return;
    /* A handler's record may stand before that of the code which it interrupted. */
    if (thread->time < thread->record.time)
        thread->time = thread->record.time;
    push(join, thread);
}

static bool concerns_object(enum weft_record kind)
{
    return kind >= WEFT_RECORD_WAIT && kind <= WEFT_RECORD_DESTROY;
}

static void step(struct join *join, struct thread *thread, int64_t now)
{
    struct process_state *process = &join->processes[thread->process];
    struct object_state *blocker = NULL;

    if (thread->time < now)
        thread->time = now;
    if (!thread->started) {
        join_thread_start(join, thread, thread->time);
    } else if (!thread->ended) {
        if (concerns_object(thread->record.kind)) {
            if (!join_object_record(join, thread, &thread->record, thread->time,
                                    &blocker)) {
                park(join, thread, blocker);
                return;
            }
            thread->forced = false;
        } else {
            join_thread_record(join, thread, &thread->record, thread->time);
        }
    }
    if (thread->time > process->time)
        process->time = thread->time;
    next_record(join, thread);
}

static bool merge(struct join *join, struct weft_job *job, struct weft_err *err)
{
    uint64_t n = 0;
    int64_t now = INT64_MIN;

    for (size_t i = 0; i < join->n_threads; i++)
        push(join, join->threads[i]);
    while (join->n_heap > 0 || join->n_parked > 0) {
        if (join->n_parked > 0)
            unpark_forced(join, now);
        struct thread *thread = pop(join);
        if (thread->time > now)
            now = thread->time;
        step(join, thread, now);
        if (++n % 65536 == 0 && !weft_job_step(job, n, join->recording->report.events, err))
            return false;
    }
    return true;
}

/* Processes that ended by themselves say when; of killed ones the recorder knows. */
static void end_processes(struct join *join)
{
    const struct recording *recording = join->recording;

    for (size_t i = 0; i < recording->n_processes; i++) {
        struct process_state *process = &join->processes[i];
        const struct image *last = &recording->images[recording->processes[i].last_image];
        int64_t end = last->header.exited ? recording_ns(recording, last->header.last.ticks)
                                          : recording->ended;
        if (process->container == WEFT_NONE || (!last->header.exited && end == 0))
            continue;
        if (end < process->time)
            end = process->time;
        for (size_t k = 0; last->header.exited && k < join->n_threads; k++)
            if (join->threads[k]->process == i && join->threads[k]->started
                && !join->threads[k]->ended)
                join_thread_end(join, join->threads[k], end);
        for (size_t k = 0; last->header.exited && k < join->n_objects; k++)
            if (join->object_list[k] && join->object_list[k]->process == i)
                join_destroy_object(join, join->object_list[k], end);
        weft_builder_destroy(join->builder, process->container, end);
    }
}

static void make_threads(struct join *join)
{
    struct recording *recording = join->recording;

    join->n_threads = recording->n_streams;
    join->threads =
        weft_arena_zalloc(&join->arena, join->n_threads + 1, sizeof(struct thread *));
    join->heap =
        weft_arena_zalloc(&join->arena, join->n_threads + 1, sizeof(struct thread *));
    join->processes = weft_arena_zalloc(&join->arena, recording->n_processes + 1,
                                        sizeof *join->processes);
    for (size_t i = 0; i < recording->n_processes; i++)
        join->processes[i].container = WEFT_NONE;
    for (uint32_t i = 0; i < join->n_threads; i++) {
        struct thread *thread = weft_arena_zalloc(&join->arena, 1, sizeof *thread);
        thread->stream = &recording->streams[i];
        thread->index = i;
        thread->image = thread->stream->image;
        thread->process = recording->images[thread->image].process;
        thread->container = thread->regions = thread->tasks = WEFT_NONE;
        thread->join_target = WEFT_NONE;
        thread->time = recording_ns(recording, thread->stream->header->first_ticks);
        join->threads[i] = thread;
    }
}

static void note_number(struct weft_builder *builder, const char *key, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    weft_builder_note(builder, key, text);
}

static void note_clock(struct join *join, const char *key,
                       const struct weft_clock_sample *sample)
{
    char text[128];

    snprintf(text, sizeof text, "%llu ticks = %lld ns monotonic = %lld ns since 1970",
             (unsigned long long)sample->ticks, (long long)sample->monotonic_ns,
             (long long)sample->realtime_ns);
    weft_builder_note(join->builder, key, text);
}

static void write_notes(struct join *join)
{
    struct recording *recording = join->recording;
    const struct weft_recording_report *report = &recording->report;

    for (const char *line = recording->facts; line && *line;) {
        size_t size = strcspn(line, "\n");
        const char *equals = memchr(line, '=', size);
        if (equals && strncmp(line, "clocks-", 7) != 0) {
            char *key = weft_strndup(line, (size_t)(equals - line));
            char *text = weft_strndup(equals + 1, size - (size_t)(equals - line) - 1);
            weft_builder_note(join->builder, key, text);
            free(key);
            free(text);
        }
        line += size + (line[size] == '\n');
    }
    weft_builder_note(join->builder, "clock",
                      recording->counts_ns ? "CLOCK_MONOTONIC" : "time-stamp counter");
    note_clock(join, "clock at the beginning", &recording->early);
    note_clock(join, "clock at the end", &recording->late);
    note_number(join->builder, "lost events", report->lost);
    note_number(join->builder, "recorded bytes", report->bytes);
    note_number(join->builder, "estimated overhead [ns]",
                report->events * WEFT_RECORDING_EVENT_NS);
    weft_builder_records(join->builder, report->events);
}

static void report_problems(struct join *join)
{
    const struct recording *recording = join->recording;

    for (size_t i = 0; i < recording->n_streams; i++) {
        const struct stream *stream = &recording->streams[i];
        if (stream->header->lost > 0)
            weft_builder_problem(
                join->builder, WEFT_WARNING, "lost-events", 0,
                "%llu events of %s found no room", (unsigned long long)stream->header->lost,
                join->threads[i]->name ? join->threads[i]->name : "a thread");
        if (stream->damaged > 0)
            weft_builder_problem(join->builder, WEFT_ERROR, "damaged-record", 0,
                                 "the records of %s are damaged; what follows was skipped",
                                 join->threads[i]->name ? join->threads[i]->name
                                                        : "a thread");
    }
    for (size_t i = 0; i < recording->n_images; i++)
        if (recording->images[i].header.full)
            weft_builder_problem(join->builder, WEFT_WARNING, "recording-ended", 0,
                                 "recording of process %u ended before it did: %s",
                                 recording->images[i].header.pid,
                                 strerror((int)recording->images[i].header.full));
}

static void free_join(struct join *join)
{
    struct weft_text_map *maps[] = { &join->objects,  &join->values,  &join->counters,
                                     &join->programs, &join->created, &join->sends,
                                     &join->receives };

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        weft_text_map_free(maps[i]);
    weft_id_map_free(&join->handles);
    sites_free(join->sites);
    free(join->object_list);
    free(join->creations);
    free(join->messages);
    weft_arena_free(&join->arena);
}

static bool build(struct join *join, const char *store_path, struct weft_job *job,
                  struct weft_err *err)
{
    const char *host = recording_fact(join->recording, "host");

    join->builder = weft_builder_new(store_path, "recording", err);
    if (!join->builder)
        return false;
    join->sites = sites_new(join->recording, join->builder);
    if (host)
        weft_builder_rename(join->builder, 0, host);
    join_define_types(join);
    make_threads(join);
    if (!merge(join, job, err)) {
        weft_builder_abandon(join->builder);
        return false;
    }
    join_half_messages(join);
    end_processes(join);
    write_notes(join);
    report_problems(join);
    return weft_builder_finish(join->builder, job, err);
}

bool weft_recording_join(const char *folder, const char *store_path,
                         struct weft_recording_report *report, struct weft_job *job,
                         struct weft_err *err)
{
    struct recording recording;
    struct join join = { .recording = &recording };
    bool done;

    if (!recording_load(&recording, folder, err))
        return false;
    done = build(&join, store_path, job, err);
    free_join(&join);
    if (report)
        *report = recording.report;
    recording_free(&recording);
    return done;
}

static int probe(const unsigned char *head, size_t size)
{
    size_t length = strlen(WEFT_RECORDING_MAGIC);

    return size > length && memcmp(head, WEFT_RECORDING_MAGIC, length) == 0 ? 100 : 0;
}

/* The file "recording" stands for the folder that it is in. */
static bool read_folder(struct weft_input *input, const struct weft_read_options *options,
                        const char *store_path, struct weft_job *job, struct weft_err *err)
{
    const char *path = weft_input_path(input);
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? weft_strndup(path, (size_t)(slash - path) + 1) : weft_strdup(".");
    bool done = weft_recording_join(folder, store_path, NULL, job, err);

    (void)options;
    free(folder);
    return done;
}

const struct weft_reader weft_reader_recording = {
    .name = "recording",
    .description = "recording of weft record, not joined yet",
    .probe = probe,
    .read = read_folder,
};
