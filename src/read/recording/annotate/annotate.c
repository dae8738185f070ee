/* SPDX-License-Identifier: Apache-2.0 */
/* The family of annotations: what a program said of itself. */
#include <stdlib.h>
#include <string.h>

#include "read/recording/annotate/annotate_join.h"
#include "read/recording/core/names.h"

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_ANNOTATE))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_BEGIN_TEXT)] = 1, [NUMBER(WEFT_RECORD_COUNTER)] = 1,
    [NUMBER(WEFT_RECORD_SEND)] = 2,       [NUMBER(WEFT_RECORD_RECEIVE)] = 2,
    [NUMBER(WEFT_RECORD_TASK_BEGIN)] = 1, [NUMBER(WEFT_RECORD_TASK_END)] = 0,
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
        annotate->threads[i] = (struct annotated_thread){ WEFT_NONE, WEFT_NONE };
    define_types(annotate);
    return annotate;
}

static void thread_becomes(void *user, struct join_thread *thread,
                           const struct join_thread *before, int64_t time)
{
    struct annotate_join *annotate = user;
    struct annotated_thread *now = &annotate->threads[thread->index];

    /* What the program before had open is gone with it. */
    *now = annotate->threads[before->index];
    if (now->regions != WEFT_NONE)
        (void)weft_builder_reset(annotate->join->builder, now->regions, time);
    if (now->tasks != WEFT_NONE)
        (void)weft_builder_reset(annotate->join->builder, now->tasks, time);
}

/* The thread's track of a type, made when there is something to put on it. */
static uint32_t own_track(struct annotate_join *annotate, const struct join_thread *thread,
                          uint32_t *track, uint32_t type)
{
    if (*track == WEFT_NONE)
        *track = weft_builder_track(annotate->join->builder, thread->container, type);
    return *track;
}

static void begin_region(struct annotate_join *annotate, const struct join_thread *thread,
                         const char *name, uint64_t site, int64_t time)
{
    struct weft_field_value field =
        join_site_field(annotate->join, annotate->types.region_site, thread->image, site);
    uint32_t track = own_track(annotate, thread, &annotate->threads[thread->index].regions,
                               annotate->types.regions);

    (void)weft_builder_push(annotate->join->builder, track, time,
                            join_value(annotate->join, annotate->types.regions, name),
                            &field, site != 0, NULL);
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
    uint32_t track =
        own_track(annotate, thread, &annotate->threads[thread->index].tasks, types->tasks);

    if (site)
        fields[1] = join_site_field(annotate->join, types->task_site, thread->image, site);
    (void)weft_builder_push(annotate->join->builder, track, time,
                            join_value(annotate->join, types->tasks, name), fields,
                            site ? 2 : 1, NULL);
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

/* Counters are the process's: each name is a type of its own. */
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

static void end_nested(struct annotate_join *annotate, uint32_t track, const char *what,
                       int64_t time)
{
    struct weft_builder *builder = annotate->join->builder;

    if (track == WEFT_NONE
        || weft_builder_pop(builder, track, time, NULL) == WEFT_BUILD_EMPTY)
        weft_builder_problem(builder, WEFT_WARNING, "end-without-begin", 0,
                             "a %s ends that did not begin", what);
}

/* Records whose argument is a name's number. */
static void take_named(struct annotate_join *annotate, const struct join_thread *thread,
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

static struct join_place *take(void *user, struct join_thread *thread,
                               const struct record *record, int64_t time)
{
    struct annotate_join *annotate = user;
    const struct annotated_thread *tracks = &annotate->threads[thread->index];
    char text[RECORD_TEXT];

    switch (record->kind) {
    case WEFT_RECORD_BEGIN_TEXT:
        begin_region(annotate, thread, record_text(record, 1, text), record->words[0],
                     time);
        break;
    case WEFT_RECORD_END: end_nested(annotate, tracks->regions, "region", time); break;
    case WEFT_RECORD_TASK_END: end_nested(annotate, tracks->tasks, "task", time); break;
    default: take_named(annotate, thread, record, time); break;
    }
    return NULL;
}

static void finish(void *user)
{
    annotate_half_messages(user);
}

static void end(void *user)
{
    struct annotate_join *annotate = user;

    weft_text_map_free(&annotate->counters);
    weft_text_map_free(&annotate->sends);
    weft_text_map_free(&annotate->receives);
    free(annotate->messages);
    free(annotate->threads);
    free(annotate);
}

extern const struct join_family join_annotations;
const struct join_family join_annotations = {
    .number = WEFT_FAMILY_ANNOTATE,
    .kinds = { words, NUMBER(WEFT_RECORD_ANNOTATE_END) },
    .begin = begin,
    .thread_becomes = thread_becomes,
    .take = take,
    .finish = finish,
    .end = end,
};
