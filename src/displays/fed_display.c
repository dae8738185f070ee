/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <weft/view.h>

#include "base/memory.h"
#include "displays/events_for_display.h"
#include "displays/view_of_display.h"
#include "store/time.h"
#include "view/prepare.h"

struct fed_display {
    pthread_mutex_t lock; /* for all that follows */
    const struct weft_own_display *display;
    const struct weft_source *source;
    struct display_process process;
    struct weft_display_events events; /* valid if `fed` */
    bool fed;      /* the process has begun, and has the events up to `until` */
    int64_t until; /* ticks: the latest of these, or the moment of the latest request */
};

/* ---- On the shelf ---- */

static bool make(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                 struct weft_err *err)
{
    (void)err;
    struct fed_display *fed = weft_zalloc(1, sizeof *fed);
    pthread_mutex_init(&fed->lock, NULL);
    fed->display = *(const struct weft_own_display *const *)args->parameters;
    fed->source = args->set->sources[0];
    *thing = fed;
    *bytes = 1 << 20; /* of weft's own: the walk's blocks; the process counts for itself */
    return true;
}

/* Ends the process; the next request starts it again. */
static void stop(struct fed_display *fed)
{
    if (fed->fed)
        weft_display_events_end(&fed->events);
    fed->fed = false;
    display_process_end(&fed->process);
}

static void free_fed(void *thing)
{
    struct fed_display *fed = thing;
    stop(fed);
    pthread_mutex_destroy(&fed->lock);
    free(fed);
}

static const struct weft_preparation preparation = { "display", make, free_fed };

/* ---- The trace ---- */

static int32_t number_of(const struct weft_schema *schema, uint32_t container)
{
    static const enum weft_role roles[] = { WEFT_ROLE_RANK_NUMBER,
                                            WEFT_ROLE_PROCESSOR_NUMBER };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const struct weft_field_value *fact =
            weft_container_fact(schema, container, roles[i], WEFT_FIELD_INTEGER);
        if (fact && fact->integer >= 0 && fact->integer <= INT32_MAX)
            return (int32_t)fact->integer;
    }
    return -1;
}

static void put_trace(struct message *m, const struct weft_schema *schema)
{
    message_begin(m, MESSAGE_TRACE);
    message_put_i64(m, weft_ticks_to_ns(schema, schema->span.end - schema->span.begin));
    message_put_u32(m, schema->n_containers);
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        const struct weft_container *c = &schema->containers[i];
        message_put_text(m, c->name);
        message_put_text(m, schema->types[c->type].name);
        message_put_u32(m, c->parent);
        message_put_u32(m, (uint32_t)number_of(schema, i));
    }
    message_put_u32(m, schema->n_types);
    for (uint32_t i = 0; i < schema->n_types; i++)
        message_put_text(m, schema->types[i].name);
    message_put_u32(m, schema->n_values);
    for (uint32_t i = 0; i < schema->n_values; i++)
        message_put_text(m, schema->values[i].name);
    message_put_u32(m, schema->n_fields);
    for (uint32_t i = 0; i < schema->n_fields; i++)
        message_put_text(m, schema->fields[i].name);
}

/* ---- Events ---- */

static int64_t integer_of(const struct weft_schema *schema,
                          const struct weft_field_value *fields, size_t n,
                          enum weft_role role)
{
    const struct weft_field_value *field =
        weft_field_with_role(schema, fields, n, role, WEFT_FIELD_INTEGER);
    return field ? field->integer : -1;
}

/* Returns the text of a field that is no number, in ARENA or the schema; else NULL. */
static const char *text_of(const struct weft_schema *schema,
                           const struct weft_field_value *value, struct weft_arena *arena)
{
    uint32_t i = value->index;
    switch (schema->fields[value->field].kind) {
    case WEFT_FIELD_TEXT: return i < schema->n_strings ? schema->strings[i] : "";
    case WEFT_FIELD_CONTAINER:
        return i < schema->n_containers ? schema->containers[i].name : "";
    case WEFT_FIELD_SITE:
        return i < schema->n_sites ? weft_arena_printf(
                   arena, "%s:%u", schema->sites[i].file, schema->sites[i].line)
                                   : "";
    default: return NULL;
    }
}

/* A double as a whole number, towards zero; beyond int64_t, and not a number: 0. */
static int64_t whole(double real)
{
    return real > -9.2e18 && real < 9.2e18 ? (int64_t)real : 0;
}

static void put_fields(struct message *m, const struct weft_schema *schema,
                       const struct weft_field_value *fields, size_t n,
                       struct weft_arena *arena)
{
    message_put_u32(m, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        const char *text = text_of(schema, &fields[i], arena);
        bool real = schema->fields[fields[i].field].kind == WEFT_FIELD_REAL;
        bool said = schema->fields[fields[i].field].role == WEFT_ROLE_PARAMETERS;
        message_put_u32(m, fields[i].field);
        message_put_u32(m, !text  ? MESSAGE_NUMBER
                           : said ? MESSAGE_PARAMETERS
                                  : MESSAGE_TEXT);
        message_put_i64(m, text ? 0 : real ? whole(fields[i].real) : fields[i].integer);
        message_put_real(m, text ? 0 : real ? fields[i].real : (double)fields[i].integer);
        if (text)
            message_put_text(m, text);
    }
}

static void put_event(struct message *m, const struct weft_source *source,
                      const struct weft_display_step *step, struct weft_field_value *fields,
                      struct weft_arena *arena)
{
    const struct weft_schema *schema = source->schema;
    size_t n = step->kind == WEFT_DISPLAY_SAMPLE
                   ? 0
                   : source->ops->fields(source, step->id, fields, WEFT_FIELDS_MAX);
    bool link = step->kind == WEFT_DISPLAY_SEND || step->kind == WEFT_DISPLAY_RECEIVE;
    message_put_u32(m, step->kind);
    message_put_u32(m, step->row);
    message_put_u32(m, step->peer);
    message_put_i64(m, weft_ticks_to_ns(schema, step->time - schema->span.begin));
    message_put_u32(m, step->type);
    message_put_u32(m, step->value);
    message_put_u32(m, weft_role_is(schema->types[step->type].role, WEFT_ROLE_DATA));
    message_put_i64(m, integer_of(schema, fields, n, WEFT_ROLE_NUMBER));
    message_put_real(m, step->sample);
    message_put_i64(m, link ? integer_of(schema, fields, n, WEFT_ROLE_BYTES) : -1);
    message_put_i64(m, link ? integer_of(schema, fields, n, WEFT_ROLE_TAG) : -1);
    put_fields(m, schema, fields, n, arena);
}

/* Sends the events up to UNTIL. */
static bool feed(struct fed_display *fed, struct message *m, int64_t until,
                 struct weft_job *job, struct weft_err *err)
{
    const struct weft_span span = fed->source->schema->span;
    struct weft_field_value *fields = weft_zalloc(WEFT_FIELDS_MAX, sizeof *fields);
    struct weft_arena arena = { 0 };
    struct weft_display_step step;
    bool ok = true, more = true;
    while (ok && more) {
        message_begin(m, MESSAGE_EVENTS);
        while (m->size < MESSAGE_USUAL
               && (more = weft_display_events_next(&fed->events, until, &step))) {
            put_event(m, fed->source, &step, fields, &arena);
            fed->until = step.time > fed->until ? step.time : fed->until;
        }
        if (m->size > MESSAGE_HEAD)
            ok = display_process_send(&fed->process, m, "took events", err);
        ok = ok
             && weft_job_step(job,
                              more ? (uint64_t)weft_ticks_length(span.begin, step.time) : 0,
                              (uint64_t)weft_ticks_length(span.begin, until), err);
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
    free(fields);
    return ok;
}

/* Starts the process, or has it begin again, if needed. */
static bool begin(struct fed_display *fed, struct message *m, int64_t until,
                  struct weft_err *err)
{
    struct message_reader reader;
    if (fed->process.pid && fed->fed && fed->until <= until)
        return true;
    if (fed->fed)
        weft_display_events_end(&fed->events);
    fed->fed = false;
    if (!fed->process.pid) {
        if (!display_process_start(&fed->process, fed->display->path, fed->display->index,
                                   &reader, err))
            return false;
        put_trace(m, fed->source->schema);
        if (!display_process_send(&fed->process, m, "took the trace", err))
            return false;
    }
    message_begin(m, MESSAGE_BEGIN);
    if (!display_process_send(&fed->process, m, "began", err))
        return false;
    weft_display_events_begin(&fed->events, fed->source, fed->display->takes);
    fed->fed = true;
    fed->until = INT64_MIN;
    return true;
}

/* ---- Requests ---- */

/* Returns the moment up to which the events of REQUEST count. */
static int64_t moment_of(const struct weft_request *request)
{
    const struct weft_span span = request->set->sources[0]->schema->span;
    int64_t at = request->has_at ? request->at : request->window.end;
    return at < span.begin ? span.begin : at > span.end ? span.end : at;
}

static bool take_lock(struct fed_display *fed, struct weft_job *job, struct weft_err *err)
{
    if (!weft_job_waits(job, true, err))
        return false;
    int error = ETIMEDOUT;
    while (error && !weft_job_cancelled(job)) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 50000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        error = pthread_mutex_timedlock(&fed->lock, &soon);
    }
    (void)!weft_job_waits(job, false, NULL);
    return !error || weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
}

struct fed_display *fed_display_get(const struct weft_request *request,
                                    struct weft_err *err)
{
    const struct weft_own_display *display = request->view->own;
    const struct weft_set first = { request->set->sources, 1, NULL };
    struct fed_display *fed = (struct fed_display *)(uintptr_t)weft_use_get(
        request->use, &preparation, &first, &display, sizeof display, err);
    if (!fed || !take_lock(fed, request->job, err))
        return NULL;
    int64_t until = moment_of(request);
    struct message message = { 0 };
    bool ok =
        begin(fed, &message, until, err) && feed(fed, &message, until, request->job, err);
    message_free(&message);
    if (ok) {
        fed->until = until;
        return fed;
    }
    /* After a cancellation the next request goes on from here. */
    if (!fed->process.pid)
        stop(fed);
    pthread_mutex_unlock(&fed->lock);
    return NULL;
}

void fed_display_release(struct fed_display *fed)
{
    pthread_mutex_unlock(&fed->lock);
}

static void put_question(struct message *m, const struct weft_request *request,
                         enum message_kind kind, double width, double height)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const struct weft_view *view = request->view;
    int64_t begin = schema->span.begin;
    message_begin(m, kind);
    message_put_i64(m, weft_ticks_to_ns(schema, moment_of(request) - begin));
    message_put_i64(m, weft_ticks_to_ns(schema, request->window.begin - begin));
    message_put_i64(m, weft_ticks_to_ns(schema, request->window.end - begin));
    for (size_t i = 0; i < view->n_parameters; i++)
        message_put_text(m, weft_setting(request, view->parameters[i].name));
    message_put_real(m, width);
    message_put_real(m, height);
}

bool fed_display_ask(struct fed_display *fed, const struct weft_request *request,
                     enum message_kind kind, double width, double height,
                     bool (*take)(void *user, struct message_reader *reader,
                                  struct weft_err *err),
                     void *user, struct weft_err *err)
{
    const char *doing = kind == MESSAGE_DRAW ? "drew" : "wrote its table";
    enum message_kind wanted = kind == MESSAGE_DRAW ? MESSAGE_MARKS : MESSAGE_ROWS;
    enum message_kind got = wanted;
    struct message message = { 0 };
    struct message_reader reader;
    put_question(&message, request, kind, width, height);
    bool ok = display_process_send(&fed->process, &message, doing, err);
    message_free(&message);
    while (ok && got != MESSAGE_DONE) {
        ok = display_process_receive(&fed->process, &got, &reader, doing, err);
        if (ok && got == wanted)
            ok = take(user, &reader, err);
        else if (ok && got != MESSAGE_DONE)
            ok = weft_fail_at(err, WEFT_ERR_READ, fed->display->path, 0,
                              "the display answered with nonsense while it %s", doing);
    }
    if (!ok)
        stop(fed); /* the rest of its answer would be taken for the next one */
    return ok;
}
