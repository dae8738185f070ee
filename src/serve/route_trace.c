/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers with the page, the catalogue of views and traces, facts of one trace, its
 * containers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/where_selection.h"
#include "serve/held_traces.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "store/time.h"
#include "view/damage.h"
#include "view/detail.h"
#include "view/search.h"

bool route_page(const struct request *request, struct answer *answer,
                struct refusal *refusal)
{
    (void)request;
    if (!routes_page_size)
        return refuse(refusal, 501,
                      "this weft was built without its page (esbuild and lumino were "
                      "missing); pictures and tables have their addresses all the same");
    answer->status = 200;
    answer->type = "text/html; charset=utf-8";
    answer->static_content = routes_page;
    answer->size = routes_page_size;
    answer->gzip = true;
    return true;
}

static void put_parameter(struct weft_json *json, const struct weft_parameter *p)
{
    static const char *const kinds[] = {
        [WEFT_PARAMETER_CHOICE] = "choice",
        [WEFT_PARAMETER_NUMBER] = "number",
        [WEFT_PARAMETER_FLAG] = "flag",
        [WEFT_PARAMETER_TEXT] = "text",
        [WEFT_PARAMETER_CONTAINER] = "container",
        [WEFT_PARAMETER_CONTAINERS] = "containers",
        [WEFT_PARAMETER_ENTITIES] = "entities",
        [WEFT_PARAMETER_ORDER] = "order",
        [WEFT_PARAMETER_FILE] = "file",
        [WEFT_PARAMETER_SCROLL] = "scroll",
        [WEFT_PARAMETER_ENTITY] = "entity",
        [WEFT_PARAMETER_ZOOM] = "zoom",
        [WEFT_PARAMETER_TALL] = "tall",
        [WEFT_PARAMETER_PLACE_X] = "place_x",
        [WEFT_PARAMETER_WHEEL] = "wheel",
        [WEFT_PARAMETER_PLACE_Y] = "place_y",
    };
    weft_json_object(json, NULL);
    weft_json_text(json, "name", p->name);
    weft_json_text(json, "kind", kinds[p->kind]);
    weft_json_real(json, "minimum", p->minimum);
    weft_json_real(json, "maximum", p->maximum);
    weft_json_text(json, "choices", p->choices);
    weft_json_text(json, "fallback", p->fallback);
    weft_json_text(json, "file", p->file);
    weft_json_text(json, "help", p->help);
    weft_json_bool(json, "seldom", p->seldom);
    weft_json_bool(json, "shared", p->shared);
    weft_json_bool(json, "offered", p->offered);
    weft_json_text(json, "with_view", p->with_view);
    weft_json_close(json);
}

/* Puts the columns whose cells lead to what they count, and those that are seldom asked. */
static void put_columns(struct weft_json *json, const struct weft_view *view)
{
    weft_json_array(json, "columns");
    for (size_t i = 0; i < view->n_columns; i++) {
        const struct weft_column *column = &view->columns[i];
        if (!column->selects && !column->narrows && !column->of_page && !column->seldom)
            continue;
        weft_json_object(json, NULL);
        weft_json_text(json, "name", column->name);
        weft_json_text(json, "selects", column->selects);
        weft_json_text(json, "narrows", column->narrows);
        if (column->seldom)
            weft_json_bool(json, "seldom", true);
        weft_json_close(json);
    }
    weft_json_close(json);
}

static void put_keys(struct weft_json *json, const struct weft_view *view)
{
    weft_json_array(json, "keys");
    for (size_t i = 0; i < view->n_keys; i++) {
        weft_json_object(json, NULL);
        weft_json_text(json, "key", view->keys[i].key);
        weft_json_text(json, "setting", view->keys[i].setting);
        weft_json_real(json, "step", view->keys[i].step);
        weft_json_text(json, "help", view->keys[i].help);
        weft_json_close(json);
    }
    weft_json_close(json);
}

static void put_view(struct weft_json *json, const struct weft_view *view)
{
    static const char *const moments[] = {
        [WEFT_MOMENT_NONE] = "none",
        [WEFT_MOMENT_MARKED] = "marked",
        [WEFT_MOMENT_SHOWN] = "shown",
    };
    weft_json_object(json, NULL);
    weft_json_text(json, "name", view->name);
    weft_json_text(json, "title", view->title);
    weft_json_text(json, "group", view->group);
    weft_json_text(json, "explanation", view->explanation);
    weft_json_text(json, "needs", view->needs);
    weft_json_text(json, "moment", moments[view->moment]);
    weft_json_bool(json, "point", view->point);
    weft_json_bool(json, "compares", view->compares);
    weft_json_array(json, "parameters");
    for (size_t i = 0; i < view->n_parameters; i++)
        put_parameter(json, &view->parameters[i]);
    weft_json_close(json);
    put_columns(json, view);
    put_keys(json, view);
    weft_json_close(json);
}

static void put_entry(struct weft_json *json, const struct trace_entry *entry)
{
    weft_json_object(json, NULL);
    weft_json_text(json, "name", entry->name);
    weft_json_text(json, "format", entry->format);
    weft_json_unsigned(json, "size", entry->size);
    weft_json_real(json, "seconds", entry->seconds);
    weft_json_close(json);
}

bool route_catalogue(const struct request *request, struct answer *answer,
                     struct refusal *refusal)
{
    (void)refusal;
    struct traces *traces = request->service->traces;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_array(&json, "views");
    const struct weft_view *view;
    for (size_t i = 0; (view = weft_views_at(request->service->views, i)); i++) {
        weft_json_line(&json, 0);
        put_view(&json, view);
    }
    weft_json_close(&json);
    weft_json_line(&json, 0);
    weft_json_array(&json, "traces");
    for (size_t i = 0; i < traces_count(traces); i++) {
        weft_json_line(&json, 0);
        put_entry(&json, traces_entry(traces, i));
    }
    weft_json_close(&json);
    weft_json_line(&json, 0);
    weft_json_text(&json, "remark", traces_remark(traces));
    weft_json_text(&json, "layout", request->service->layout);
    weft_json_text(&json, "filters", request->service->usual_filters);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}

/*
 * Returns true if the trace can fill a view, or be the first of the two traces that it
 * compares.
 */
static bool can_fill(const struct weft_view *view, const struct weft_source *source,
                     size_t n_traces)
{
    const struct weft_source *both[] = { source, source };
    const struct weft_set set = { both, view->compares ? 2 : 1 };
    return (!view->compares || n_traces > 1) && view->fills(&set);
}

/* Writes the choices of settings that are of no use in the trace: "times.by=waker". */
static void put_unused(struct weft_json *json, const struct weft_view *view,
                       const struct weft_source *source, struct weft_arena *arena)
{
    const struct weft_set set = { &source, 1 };
    for (size_t i = 0; i < view->n_parameters; i++) {
        const struct weft_parameter *parameter = &view->parameters[i];
        char *rest = NULL;
        if (!parameter->offers)
            continue;
        char *choices = weft_arena_strdup(arena, parameter->choices);
        for (char *choice = strtok_r(choices, "|", &rest); choice;
             choice = strtok_r(NULL, "|", &rest))
            if (!parameter->offers(&set, choice))
                weft_json_text(json, NULL,
                               weft_arena_printf(arena, "%s.%s=%s", view->name,
                                                 parameter->name, choice));
    }
}

static void put_problem(struct weft_json *json, const struct weft_problem *problem)
{
    static const char *const severities[] = { "note", "warning", "error" };
    weft_json_object(json, NULL);
    weft_json_text(json, "severity", severities[problem->severity]);
    weft_json_text(json, "kind", problem->kind);
    weft_json_text(json, "message", problem->message);
    weft_json_unsigned(json, "line", problem->line);
    weft_json_unsigned(json, "count", problem->count);
    weft_json_close(json);
}

/* Writes a view that the workbench opens with, and its place there. */
static void put_place(struct weft_json *json, const struct weft_view *view,
                      const struct weft_set *set)
{
    static const char *const places[] = {
        [WEFT_PLACE_NONE] = "none",
        [WEFT_PLACE_MAIN] = "main",
        [WEFT_PLACE_BESIDE] = "beside",
        [WEFT_PLACE_BELOW] = "below",
    };
    weft_json_object(json, NULL);
    weft_json_text(json, "view", view->name);
    weft_json_text(json, "place",
                   places[view->place ? view->place(set) : view->usual_place]);
    weft_json_close(json);
}

/* Writes the known damage, and the trace's problems, whose table may itself be damaged and
   then empty. */
static void put_problems(struct weft_json *json, const struct weft_source *source,
                         struct weft_arena *arena)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_damage *list;
    size_t n_listed;
    (void)weft_damage_list(source, arena, &list, &n_listed);
    weft_json_array(json, "problems");
    for (size_t i = 0; i < n_listed; i++)
        put_problem(json, &(struct weft_problem){ WEFT_ERROR, "damaged",
                                                  weft_damage_text(arena, schema, &list[i]),
                                                  0, 1 });
    for (uint32_t i = 0; i < schema->n_problems; i++)
        put_problem(json, &schema->problems[i]);
    weft_json_close(json);
}

/* Writes the names of fields that hold numbers, each once, as a histogram takes them. */
static void put_numbers(struct weft_json *json, const struct weft_schema *schema)
{
    enum { MOST_FIELDS = 200 }; /* looked at: a damaged trace may have any number */
    uint32_t n = schema->n_fields < MOST_FIELDS ? schema->n_fields : MOST_FIELDS;
    weft_json_array(json, "numbers");
    for (uint32_t i = 0; i < n; i++) {
        const struct weft_field *field = &schema->fields[i];
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= strcmp(schema->fields[k].name, field->name) == 0;
        enum weft_kind kind = field->type < schema->n_types
                                  ? schema->types[field->type].kind
                                  : WEFT_CONTAINER;
        if (!again && (kind == WEFT_STATE || kind == WEFT_EVENT || kind == WEFT_LINK)
            && weft_where_number_field(schema, field->type, field->name) == i)
            weft_json_text(json, NULL, field->name);
    }
    weft_json_close(json);
}

static void put_facts(struct weft_json *json, const struct weft_source *source,
                      const struct request *request, size_t n_traces)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_views *views = request->service->views;
    const struct weft_view *view;
    weft_json_text(json, "format", schema->format);
    /* Ticks as text: the page has only doubles, which cannot hold all of them. */
    weft_json_format(json, "begin", "%" PRId64, schema->span.begin);
    weft_json_format(json, "end", "%" PRId64, schema->span.end);
    weft_json_real(json, "ticks_per_second",
                   (double)schema->ticks_numerator / (double)schema->ticks_denominator);
    weft_json_unsigned(json, "states", schema->n_states);
    weft_json_unsigned(json, "events", schema->n_events);
    weft_json_unsigned(json, "samples", schema->n_samples);
    weft_json_unsigned(json, "links", schema->n_links);
    weft_json_unsigned(json, "containers", schema->n_containers);
    put_numbers(json, schema);
    weft_json_array(json, "notes");
    for (uint32_t i = 0; i < schema->n_notes; i++) {
        weft_json_array(json, NULL);
        weft_json_text(json, NULL, schema->notes[i].key);
        weft_json_text(json, NULL, schema->notes[i].text);
        weft_json_close(json);
    }
    weft_json_close(json);
    weft_json_array(json, "fills");
    for (size_t i = 0; (view = weft_views_at(views, i)); i++)
        if (can_fill(view, source, n_traces))
            weft_json_text(json, NULL, view->name);
    weft_json_close(json);
    weft_json_array(json, "unused");
    for (size_t i = 0; (view = weft_views_at(views, i)); i++)
        put_unused(json, view, source, request->arena);
    weft_json_close(json);
    weft_json_array(json, "opens");
    for (size_t i = 0; (view = weft_views_at(views, i)); i++)
        if ((view->place || view->usual_place) && can_fill(view, source, n_traces))
            put_place(json, view, &(struct weft_set){ &source, 1 });
    weft_json_close(json);
    put_problems(json, source, request->arena);
}

bool route_trace(const struct request *request, struct answer *answer,
                 struct refusal *refusal)
{
    static const char *const names[] = { "unopened", "loading", "ready", "failed" };
    struct traces *traces = request->service->traces;
    size_t index;
    if (!request_trace_index(request, &index, refusal))
        return false;
    struct trace_progress progress;
    traces_open(traces, index, &progress);
    struct weft_trace *trace = NULL;
    if (progress.state == TRACE_READY && !(trace = hold_trace(request, index, refusal)))
        return false;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "state", names[progress.state]);
    weft_json_unsigned(&json, "done", progress.done);
    weft_json_unsigned(&json, "total", progress.total);
    weft_json_text(&json, "name", traces_entry(traces, index)->name);
    if (progress.state == TRACE_FAILED) {
        char text[1024];
        weft_err_format(&progress.err, text, sizeof text);
        weft_json_text(&json, "error", text);
    }
    if (trace)
        put_facts(&json, weft_trace_source(trace), request, traces_count(traces));
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}

/* Answers that the change is done. */
static bool answer_nothing(struct answer *answer)
{
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}

/*
 * trace=N: stops reading that trace. panel=NAME: cancels that panel's earlier request,
 * which http_workers.c did when this request arrived, since it is the panel's newest.
 */
bool route_cancel(const struct request *request, struct answer *answer,
                  struct refusal *refusal)
{
    long long index = request_trace(request);
    if (index < 0 && !request_get(request, "panel"))
        return refuse(refusal, 404, "there is no trace of that number");
    if (index >= 0)
        traces_cancel(request->service->traces, (size_t)index);
    return answer_nothing(answer);
}

/*
 * trace=N: opens its file anew if it has changed; the page then asks /trace for the
 * progress.
 */
bool route_reload(const struct request *request, struct answer *answer,
                  struct refusal *refusal)
{
    struct traces *traces = request->service->traces;
    size_t index;
    if (!request_trace_index(request, &index, refusal))
        return false;
    traces_reload(traces, index);
    return answer_nothing(answer);
}

/* Answers with containers whose name matches q, at most 100, for the command list. */
bool route_containers(const struct request *request, struct answer *answer,
                      struct refusal *refusal)
{
    const char *text = request_get(request, "q");
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace)
        return false;
    const struct weft_source *source = hold_source(request, trace, refusal);
    if (!source)
        return false;
    const struct weft_schema *schema = source->schema;
    uint32_t n_shown = schema->containers[0].subtree_end;
    if (text && strlen(text) > LIMIT_SEARCH)
        return refuse(refusal, 400, "q= has at most %d bytes", LIMIT_SEARCH);
    struct weft_json json;
    bool ok = true;
    answer_begin_json(answer, &json);
    weft_json_array(&json, NULL);
    for (uint32_t p = 0, n = 0; ok && p < n_shown && n < 100; p++) {
        uint32_t c = schema->preorder[p];
        ok = weft_job_step(request->job, 0, 0, &refusal->err); /* a name may be long */
        if (text && *text && !weft_text_matches(text, schema->containers[c].name))
            continue;
        n++;
        weft_json_object(&json, NULL);
        weft_json_format(&json, "row", "#%u", c);
        weft_json_text(&json, "path", weft_container_path(request->arena, schema, c));
        weft_json_close(&json);
    }
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return ok;
}
