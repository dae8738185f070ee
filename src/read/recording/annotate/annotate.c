/* SPDX-License-Identifier: Apache-2.0 */
/* The family of annotations: regions, tasks, instants, counters. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/annotate/annotate_join.h"
#include "read/recording/join/first_pass.h"

enum { MAX_TRACE_FILES = 16 };

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_ANNOTATE))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_BEGIN_TEXT)] = 1, [NUMBER(WEFT_RECORD_COUNTER)] = 1,
    [NUMBER(WEFT_RECORD_SEND)] = 2,       [NUMBER(WEFT_RECORD_RECEIVE)] = 2,
    [NUMBER(WEFT_RECORD_TASK_BEGIN)] = 1, [NUMBER(WEFT_RECORD_TRACE_FILE)] = 0,
    [NUMBER(WEFT_RECORD_VALUES)] = 2,     [NUMBER(WEFT_RECORD_OBJECT_NAME)] = 1,
};

static void define_types(struct annotate_join *annotate)
{
    struct join *join = annotate->join;
    struct annotate_types *types = &annotate->types;

    types->regions =
        join_type(join, WEFT_STATE, join->thread_type, "Region", WEFT_ROLE_CALL);
    types->tasks = join_type(join, WEFT_STATE, join->thread_type, "Task", WEFT_ROLE_TASK);
    types->instants =
        join_type(join, WEFT_EVENT, join->thread_type, "Instant", WEFT_ROLE_MARK);
    types->message = join_link_type(join, "Message", WEFT_ROLE_MESSAGE);
    types->region_site =
        join_field(join, types->regions, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    types->task_site =
        join_field(join, types->tasks, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    types->task_work =
        join_field(join, types->tasks, "work", WEFT_FIELD_REAL, WEFT_ROLE_WORK);
    weft_builder_late_field(join->builder, types->task_work);
    types->task_number =
        join_field(join, types->tasks, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    types->instant_number =
        join_field(join, types->instants, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    types->instant_site =
        join_field(join, types->instants, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    types->message_bytes =
        join_field(join, types->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
}

static void *begin(struct join *join)
{
    struct annotate_join *annotate = weft_zalloc(1, sizeof *annotate);

    annotate->join = join;
    annotate->threads = weft_zalloc(join->n_threads + 1, sizeof *annotate->threads);
    for (size_t i = 0; i < join->n_threads; i++)
        annotate->threads[i] = (struct annotated_thread){ .regions = { .track = WEFT_NONE },
                                                          .tasks = { .track = WEFT_NONE } };
    define_types(annotate);
    return annotate;
}

static void thread_becomes(void *user, struct join_thread *thread,
                           const struct join_thread *before, int64_t time)
{
    struct annotate_join *annotate = user;
    struct annotated_thread *now = &annotate->threads[thread->index];
    struct annotated_thread *old = &annotate->threads[before->index];

    /* The states that the program before had open have ended. */
    now->regions.track = old->regions.track;
    now->tasks.track = old->tasks.track;
    if (now->regions.track != WEFT_NONE)
        (void)weft_builder_reset(annotate->join->builder, now->regions.track, time);
    if (now->tasks.track != WEFT_NONE)
        (void)weft_builder_reset(annotate->join->builder, now->tasks.track, time);
    now->regions.open = now->tasks.open = 0;
}

/* Begin a state of TYPE on the thread's track of that type, made if needed. */
static void begin_nested(struct annotate_join *annotate, const struct join_thread *thread,
                         struct annotated_stack *stack, uint32_t type, int64_t time,
                         const char *name, const struct weft_field_value *fields,
                         size_t n_fields)
{
    struct join *join = annotate->join;
    uint32_t value = join_value(join, type, name);

    if (stack->track == WEFT_NONE)
        stack->track = weft_builder_track(join->builder, thread->container, type);
    if (stack->open == 0)
        stack->outermost = value;
    stack->ids =
        weft_grow(stack->ids, &stack->capacity, stack->open + 1u, sizeof *stack->ids);
    stack->ids[stack->open] = WEFT_NO_ID;
    (void)weft_builder_push(join->builder, stack->track, time, value, fields, n_fields,
                            &stack->ids[stack->open]);
    stack->open++;
}

static void begin_region(struct annotate_join *annotate, const struct join_thread *thread,
                         const char *name, uint64_t site, int64_t time)
{
    struct weft_field_value field =
        join_site_field(annotate->join, annotate->types.region_site, thread->image, site);

    begin_nested(annotate, thread, &annotate->threads[thread->index].regions,
                 annotate->types.regions, time, name, &field, site != 0);
}

static double real(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void begin_task(struct annotate_join *annotate, const struct join_thread *thread,
                       const char *name, uint64_t site, double work, int64_t time)
{
    const struct annotate_types *types = &annotate->types;
    struct weft_field_value fields[2] = { { types->task_work, { .real = work } } };
    if (site)
        fields[1] = join_site_field(annotate->join, types->task_site, thread->image, site);
    begin_nested(annotate, thread, &annotate->threads[thread->index].tasks, types->tasks,
                 time, name, fields, site ? 2 : 1);
}

static void end_nested(struct annotate_join *annotate, const struct join_thread *thread,
                       struct annotated_stack *stack, const char *what, int64_t time)
{
    struct weft_builder *builder = annotate->join->builder;

    if (stack->open > 0)
        stack->open--;
    if (stack->track == WEFT_NONE
        || weft_builder_pop(builder, stack->track, time, NULL) == WEFT_BUILD_EMPTY)
        weft_builder_problem(builder, WEFT_WARNING, "end-without-begin", 0,
                             "a %s ends in %s that did not begin", what,
                             thread->name && *thread->name ? thread->name : "a thread");
}

/* Names of numbered tasks and marks, in programs that call MPICL (weft/mpicl/binding.h). */
static const char *numbered_name(char text[32], const char *noun, uint32_t number)
{
    snprintf(text, 32, "%s %" PRIu32, noun, number);
    return text;
}

static uint32_t number_in(const struct record *record)
{
    return record->n_words > 0 ? (uint32_t)record->words[0] : record->argument;
}

static void begin_numbered(struct annotate_join *annotate, const struct join_thread *thread,
                           uint32_t number, int64_t time)
{
    char name[32];
    struct weft_field_value field = { annotate->types.task_number, { number } };
    begin_nested(annotate, thread, &annotate->threads[thread->index].tasks,
                 annotate->types.tasks, time, numbered_name(name, "task", number), &field,
                 1);
}

/* End a task.  Its work is known only now, when other tasks may be nested in it. */
static void end_numbered(struct annotate_join *annotate, const struct join_thread *thread,
                         const struct record *record, int64_t time)
{
    struct annotated_stack *tasks = &annotate->threads[thread->index].tasks;
    struct weft_field_value work = {
        annotate->types.task_work, { .real = record->n_words ? real(record->words[0]) : 0 }
    };
    if (record->n_words && tasks->open && tasks->ids[tasks->open - 1] != WEFT_NO_ID)
        weft_builder_field_later(annotate->join->builder, tasks->ids[tasks->open - 1],
                                 &work);
    end_nested(annotate, thread, tasks, "task", time);
}

static void mark_numbered(struct annotate_join *annotate, const struct join_thread *thread,
                          uint32_t number, int64_t time)
{
    struct join *join = annotate->join;
    const struct annotate_types *types = &annotate->types;
    char name[32];
    struct weft_field_value field = { types->instant_number, { number } };
    (void)weft_builder_event(
        join->builder,
        weft_builder_track(join->builder, thread->container, types->instants), time,
        join_value(join, types->instants, numbered_name(name, "mark", number)), &field, 1,
        NULL);
}

static void show_instant(struct annotate_join *annotate, const struct join_thread *thread,
                         const char *name, uint64_t site, int64_t time)
{
    struct join *join = annotate->join;
    const struct annotate_types *types = &annotate->types;
    struct weft_field_value field =
        join_site_field(join, types->instant_site, thread->image, site);

    (void)weft_builder_event(
        join->builder,
        weft_builder_track(join->builder, thread->container, types->instants), time,
        join_value(join, types->instants, name), &field, site != 0, NULL);
}

/* A counter belongs to the process; each name is a type. */
static void sample_counter(struct annotate_join *annotate, const struct join_thread *thread,
                           const char *name, double value, int64_t time)
{
    struct join *join = annotate->join;
    uint32_t type = weft_text_map_get(&annotate->counters, name, strlen(name));
    uint32_t track;

    if (type == WEFT_MAP_NONE) {
        type = join_type(join, WEFT_VARIABLE, join->process_type, name, WEFT_ROLE_NONE);
        weft_text_map_put(&annotate->counters, name, strlen(name), type);
    }
    track =
        weft_builder_track(join->builder, join->processes[thread->process].container, type);
    (void)weft_builder_sample(join->builder, track, time, value);
}

/* Take a record whose argument is the number of a name. */
static void record_named(struct annotate_join *annotate, const struct join_thread *thread,
                         const struct record *record, int64_t time)
{
    const struct name *known =
        recording_name(annotate->join->recording, thread->image, record->argument);
    const char *name = known ? known->text : "name that was lost";
    uint64_t site = known ? known->site : 0;

    switch (record->kind) {
    case WEFT_RECORD_BEGIN: begin_region(annotate, thread, name, site, time); break;
    case WEFT_RECORD_INSTANT: show_instant(annotate, thread, name, site, time); break;
    case WEFT_RECORD_TASK_BEGIN:
        begin_task(annotate, thread, name, site, real(record->words[0]), time);
        break;
    case WEFT_RECORD_COUNTER:
        sample_counter(annotate, thread, name, real(record->words[0]), time);
        break;
    default: annotate_message(annotate, thread, name, record, time); break;
    }
}

/* Note the path of the trace file once, although each rank names it. */
static void want_trace_file(struct annotate_join *annotate, const char *path)
{
    struct weft_builder *builder = annotate->join->builder;

    if (path[0] == '\0')
        weft_builder_problem(
            builder, WEFT_WARNING, "long-trace-file", 0,
            "the name of the file that tracefiles asks for is too long, or its folder could "
            "not be known: it is not written");
    else if (weft_text_map_get(&annotate->trace_files, path, strlen(path)) != WEFT_MAP_NONE)
        return;
    else if (annotate->trace_files.count == MAX_TRACE_FILES)
        weft_builder_problem(builder, WEFT_WARNING, "many-trace-files", 0,
                             "tracefiles asks for more than %d files: the others are not "
                             "written",
                             MAX_TRACE_FILES);
    else {
        weft_text_map_put(&annotate->trace_files, path, strlen(path), 0);
        weft_builder_note(builder, WEFT_NOTE_TRACE_FILE, path);
    }
}

static struct join_place *join_record(void *user, struct join_thread *thread,
                                      const struct record *record, int64_t time)
{
    struct annotate_join *annotate = user;
    struct annotated_thread *stacks = &annotate->threads[thread->index];
    char text[RECORD_TEXT];

    switch (record->kind) {
    case WEFT_RECORD_BEGIN_TEXT:
        begin_region(annotate, thread, record_text(record, 1, text), record->words[0],
                     time);
        break;
    case WEFT_RECORD_END:
        end_nested(annotate, thread, &stacks->regions, "region", time);
        break;
    case WEFT_RECORD_TASK_END:
        end_nested(annotate, thread, &stacks->tasks, "task", time);
        break;
    case WEFT_RECORD_NUMBERED_BEGIN:
        begin_numbered(annotate, thread, number_in(record), time);
        break;
    case WEFT_RECORD_NUMBERED_END: end_numbered(annotate, thread, record, time); break;
    case WEFT_RECORD_NUMBERED_MARK:
        mark_numbered(annotate, thread, number_in(record), time);
        break;
    case WEFT_RECORD_VALUES: annotate_values(annotate, thread, record, time); break;
    case WEFT_RECORD_OBJECT_NAME:
        join_object_named(annotate->join, thread, record->words[0],
                          record_text(record, 1, text), time);
        break;
    case WEFT_RECORD_TRACE_FILE:
        want_trace_file(annotate, record_text(record, 0, text));
        break;
    default: record_named(annotate, thread, record, time); break;
    }
    return NULL;
}

/* Report states that begin and never end. */
static void report_unended(struct annotate_join *annotate, bool tasks, const char *kind,
                           const char *what)
{
    const struct join *join = annotate->join;
    const char *name = NULL, *thread = NULL;
    uint64_t n = 0;

    for (size_t i = 0; i < join->n_threads; i++) {
        const struct annotated_stack *stack =
            tasks ? &annotate->threads[i].tasks : &annotate->threads[i].regions;
        if (stack->open > 0 && n == 0) {
            name = join_value_name(join, stack->outermost);
            thread = join->threads[i]->name;
        }
        n += stack->open;
    }
    if (n > 0)
        weft_builder_problem(join->builder, WEFT_WARNING, kind, 0,
                             "%" PRIu64 " %s%s, as \"%s\" of %s", n, what,
                             n == 1 ? " never ends" : "s never end", name,
                             thread ? thread : "a thread");
}

static void finish(void *user)
{
    annotate_half_messages(user);
    report_unended(user, false, "begin-without-end", "region");
    report_unended(user, true, "task-without-end", "task");
}

static void end(void *user)
{
    struct annotate_join *annotate = user;

    weft_text_map_free(&annotate->counters);
    weft_text_map_free(&annotate->trace_files);
    weft_text_map_free(&annotate->sends);
    weft_text_map_free(&annotate->receives);
    free(annotate->messages);
    for (size_t i = 0; i < annotate->join->n_threads; i++) {
        free(annotate->threads[i].regions.ids);
        free(annotate->threads[i].tasks.ids);
        free(annotate->threads[i].values.text);
    }
    free(annotate->threads);
    free(annotate);
}

extern const struct join_family join_annotations;
const struct join_family join_annotations = {
    .number = WEFT_FAMILY_ANNOTATE,
    .kinds = { words, NUMBER(WEFT_RECORD_ANNOTATE_END) },
    .begin = begin,
    .thread_becomes = thread_becomes,
    .join_record = join_record,
    .finish = finish,
    .end = end,
};
