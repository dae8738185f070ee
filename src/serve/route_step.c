/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and stops of playing: the time of the n-th event after or before a moment, of the
 * next mark, of the next text that the program says, or of the next fault of a message.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/nearby_events.h"
#include "base/compare.h"
#include "serve/held_traces.h"
#include "serve/routes.h"
#include "store/time.h"
#include "view/prepare.h"

enum { MOST_STEPS = 100000 };

/* ---- Faulty messages ---- */

/* Times at which a message is sent that nobody receives, or received as nobody sent it. */
struct faults {
    int64_t *times; /* [n], rising */
    size_t n, capacity;
};

static void add_fault(struct faults *faults, int64_t time)
{
    faults->times =
        weft_grow(faults->times, &faults->capacity, faults->n + 1, sizeof *faults->times);
    faults->times[faults->n++] = time;
}

static void add_faulty_links(struct faults *faults, const struct weft_run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        const struct weft_link *link = &run->links[i];
        if (link->flags & WEFT_END_IMPLIED)
            add_fault(faults, link->begin);
        else if (link->flags & WEFT_BEGIN_IMPLIED || link->end < link->begin)
            add_fault(faults, link->end);
    }
}

static int by_time(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return WEFT_COMPARE(*x, *y);
}

static void free_faults(void *thing)
{
    struct faults *faults = thing;
    free(faults->times);
    free(faults);
}

static bool make_faults(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    const struct weft_schema *schema = source->schema;
    struct faults *faults = weft_zalloc(1, sizeof *faults);
    struct weft_run *run = weft_alloc(sizeof *run);
    bool ok = true;
    for (uint32_t t = 0; ok && t < schema->n_tracks; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind != WEFT_LINK || !weft_role_is(type->role, WEFT_ROLE_MESSAGE))
            continue;
        for (uint64_t at = 0; ok && at < schema->tracks[t].count; at = run->after) {
            source->ops->run(source, t, at, run);
            add_faulty_links(faults, run);
            ok = weft_job_step(args->job, at, schema->tracks[t].count, err);
        }
    }
    free(run);
    if (!ok) {
        free_faults(faults);
        return false;
    }
    if (faults->n)
        qsort(faults->times, faults->n, sizeof *faults->times, by_time);
    *thing = faults;
    *bytes = sizeof *faults + faults->capacity * sizeof *faults->times;
    return true;
}

static const struct weft_preparation faults_preparation = { "faulty messages", make_faults,
                                                            free_faults };

/* ---- Steps ---- */

struct step {
    const struct request *request;
    const struct weft_source *source;
    int64_t time;
    bool backward;
    long long n; /* how many events further */
    bool found;
    int64_t at; /* where it goes */
};

static void take(struct step *step, int64_t time)
{
    if (!step->found || (step->backward ? time > step->at : time < step->at))
        step->at = time;
    step->found = true;
}

static bool is_role(const struct weft_type *type, enum weft_role role)
{
    return type->kind == WEFT_EVENT && weft_role_is(type->role, role);
}

static bool is_note(const struct weft_type *type)
{
    return is_role(type, WEFT_ROLE_NOTE);
}

static bool is_mark(const struct weft_type *type)
{
    return is_role(type, WEFT_ROLE_MARK) && !is_note(type)
           && !is_role(type, WEFT_ROLE_LABEL) && !is_role(type, WEFT_ROLE_DATA);
}

/* Samples of a profile are not what the program did. */
static bool is_event(const struct weft_type *type)
{
    return type->kind == WEFT_STATE
           || (type->kind == WEFT_EVENT && !is_role(type, WEFT_ROLE_SAMPLE));
}

/* Looks at the tracks, of all containers that filters leave, whose types are WANTED. */
static bool step_events(struct step *step, bool (*wanted)(const struct weft_type *type),
                        struct weft_err *err)
{
    const struct weft_schema *schema = step->source->schema;
    struct weft_nearby_events found;
    uint32_t *tracks = weft_arena_alloc(step->request->arena,
                                        ((size_t)schema->n_tracks + 1) * sizeof *tracks);
    struct weft_nearby_question q = { .tracks = tracks,
                                      .within = schema->span,
                                      .time = step->time - step->backward,
                                      .backward = step->backward,
                                      .most = (size_t)step->n };
    uint32_t end = schema->track_begin[schema->containers[0].subtree_end];
    for (uint32_t i = 0; i < end; i++) {
        uint32_t t = schema->track_at[i];
        if (schema->tracks[t].count && wanted(&schema->types[schema->tracks[t].type]))
            tracks[q.n_tracks++] = t;
    }
    q.within.end++;
    if (!weft_nearby_events(step->source, &q, &found, step->request->job, err))
        return false;
    if (found.n)
        take(step, found.list[step->backward ? 0 : found.n - 1].time);
    free(found.list);
    return true;
}

static bool step_faults(struct step *step, struct weft_err *err)
{
    const struct weft_set set = { &step->source, 1 };
    const struct weft_request asks = { .set = &set,
                                       .shelf = step->request->service->shelf,
                                       .job = step->request->job,
                                       .arena = step->request->arena };
    struct weft_use use;
    weft_use_begin(&use, &asks);
    const struct faults *faults =
        weft_use_get(&use, &faults_preparation, &set, NULL, 0, err);
    for (size_t i = 0; faults && i < faults->n; i++)
        if (step->backward ? faults->times[i] < step->time : faults->times[i] > step->time)
            take(step, faults->times[i]);
    weft_use_end(&use);
    return faults != NULL;
}

/* Looks for the kinds of a list: "events", or "marks,messages,errors". */
static bool step_list(struct step *step, const char *list, struct refusal *refusal)
{
    struct weft_err *err = &refusal->err;
    while (*list) {
        size_t n = strcspn(list, ",");
        bool ok;
        if (n == 6 && strncmp(list, "events", n) == 0)
            ok = step_events(step, is_event, err);
        else if (n == 5 && strncmp(list, "marks", n) == 0)
            ok = step_events(step, is_mark, err);
        else if (n == 8 && strncmp(list, "messages", n) == 0)
            ok = step_events(step, is_note, err);
        else if (n == 6 && strncmp(list, "errors", n) == 0)
            ok = step_faults(step, err);
        else
            return refuse(refusal, 400,
                          "what= is a list of events, marks, messages and errors");
        if (!ok)
            return false;
        list += n + (list[n] == ',');
    }
    return true;
}

/*
 * at=TICKS from the trace's begin, n=NUMBER, backward=0|1, what=events or
 * marks,messages,errors: answers with the time of the n-th of them after the moment (before
 * it), or, if there are fewer, of the last; with an empty object if there is none.
 */
bool route_step(const struct request *request, struct answer *answer,
                struct refusal *refusal)
{
    struct step step = { .request = request };
    long long at, backward;
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace || !request_whole(request, "at", INT64_MIN, INT64_MAX, 0, &at, &refusal->err)
        || !request_whole(request, "n", 1, MOST_STEPS, 1, &step.n, &refusal->err)
        || !request_whole(request, "backward", 0, 1, 0, &backward, &refusal->err)
        || !(step.source = hold_source(request, trace, refusal)))
        return false;
    int64_t zero = step.source->schema->span.begin;
    const char *what = request_get(request, "what");
    step.time = weft_time_clamp(weft_ticks_add(zero, at));
    step.backward = backward;
    if (!step_list(&step, what && *what ? what : "events", refusal))
        return false;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    if (step.found)
        weft_json_integer(&json, "time", step.at - zero);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}
