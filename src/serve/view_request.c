/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/view_request.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "serve/held_traces.h"
#include "serve/request_limits.h"
#include "store/time.h"
#include "view/damage.h"

/* The second trace of a view that compares: with=N, or the one after the first. */
static bool second_trace(const struct request *request, struct view_request *parsed,
                         struct refusal *refusal)
{
    long long n = (long long)traces_count(request->service->traces);
    long long first = request_number(request, "trace", 0, n - 1, 0);
    const char *with = request_get(request, "with");
    long long next = (first + 1) % n;
    long long index = request_number(request, "with", 0, n - 1, with && *with ? -1 : next);
    if (index < 0)
        return refuse(refusal, 404, "there is no trace of that number to compare with");
    struct weft_trace *trace = hold_trace(request, (size_t)index, refusal);
    if (!trace)
        return false;
    parsed->sources[1] = hold_source(request, trace, refusal);
    if (!parsed->sources[1])
        return false;
    parsed->set.n_sources = 2;
    parsed->names[0] = traces_entry(request->service->traces, (size_t)first)->name;
    parsed->names[1] = traces_entry(request->service->traces, (size_t)index)->name;
    parsed->set.names = parsed->names;
    return true;
}

static bool window_of(const struct request *request, struct view_request *parsed,
                      struct weft_err *err)
{
    const struct weft_schema *schema = parsed->schema;
    struct weft_span *window = &parsed->request.window;
    const char *range = request_get(request, "range");
    struct weft_span *shown = &parsed->request.shown;
    *window = schema->span;
    if (window->end == window->begin)
        window->end++;
    if (range)
        return weft_parse_range(schema, range, window, err);
    if (!request_get(request, "begin"))
        return true;
    long long begin = request_number(request, "begin", INT64_MIN, INT64_MAX, INT64_MAX);
    long long end = request_number(request, "end", INT64_MIN, INT64_MAX, INT64_MIN);
    /* The page also asks beyond the edges of a picture, which may be beyond the limits of
       times. */
    window->begin = weft_time_clamp(weft_ticks_add(schema->span.begin, begin));
    window->end = weft_time_clamp(weft_ticks_add(schema->span.begin, end));
    if (begin >= end || window->begin >= window->end)
        return weft_fail(err, WEFT_ERR_USAGE, "begin and end must be ticks, begin first");
    begin = window->begin - schema->span.begin;
    end = window->end - schema->span.begin;
    long long from, to;
    if (!request_whole(request, "shown_begin", begin, end, begin, &from, err)
        || !request_whole(request, "shown_end", from, end, end, &to, err))
        return false;
    *shown = (struct weft_span){ schema->span.begin + from, schema->span.begin + to };
    return true;
}

/* The moment at=T, written as for --at on the command line. */
static bool moment_of(const struct request *request, struct view_request *parsed,
                      struct weft_err *err)
{
    const struct weft_view *view = parsed->view;
    const char *at = request_get(request, "at");
    struct weft_span span = parsed->schema->span;
    struct weft_request *asked = &parsed->request;
    if (!at)
        return true;
    if (view->moment == WEFT_MOMENT_NONE)
        return weft_fail(err, WEFT_ERR_USAGE, "%s has no moment (right: without at=%s)",
                         view->name, at);
    asked->has_at = weft_parse_time(parsed->schema, at, strlen(at), &asked->at, err);
    return asked->has_at
           && ((asked->at >= span.begin && asked->at <= span.end)
               || weft_fail(err, WEFT_ERR_USAGE, "at=%s is outside of the trace", at));
}

/*
 * Pixels of a side of the picture; what has hardly any, as a panel that is closed, gets the
 * least.
 */
static bool side_of(const struct request *request, const char *name, int otherwise,
                    double *side, struct weft_err *err)
{
    enum { MIN_SIDE = 16 };
    const char *text = request_get(request, name);
    long long pixels = request_number(request, name, LLONG_MIN, LIMIT_SIDE,
                                      text && *text ? LIMIT_SIDE + 1 : otherwise);
    if (pixels > LIMIT_SIDE)
        return weft_fail(err, WEFT_ERR_USAGE, "bad %s '%s' (right: %d to %d)", name, text,
                         MIN_SIDE, LIMIT_SIDE);
    *side = (double)(pixels < MIN_SIDE ? MIN_SIDE : pixels);
    return true;
}

static bool looks_of(const struct request *request, struct view_request *parsed,
                     struct weft_err *err)
{
    const struct weft_view *view = parsed->view;
    struct weft_request *asked = &parsed->request;
    const char *under = request_get(request, "under");
    const char *theme = request_get(request, "theme");
    enum weft_theme_name name = WEFT_THEME_LIGHT;
    bool ambiguous;
    if (theme && !weft_theme_parse(theme, &name))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad theme '%s' (right: light, dark, grey, mono, cvd)", theme);
    asked->theme = weft_theme_get(name);
    if (!side_of(request, "width", 1280, &asked->width, err)
        || !side_of(request, "height", 720, &asked->height, err))
        return false;
    long long seen, bare;
    if (!request_whole(request, "shown_height", LLONG_MIN, LIMIT_SIDE, 0, &seen, err)
        || !request_whole(request, "bare", 0, 1, 0, &bare, err))
        return false;
    asked->seen_height = (double)(seen < 0 ? 0 : seen);
    asked->bare = bare;
    if (under && *under) {
        asked->under = weft_find_container(parsed->schema, under, &ambiguous);
        if (asked->under == WEFT_NONE)
            return weft_fail(err, WEFT_ERR_USAGE, "no container is called '%s'", under);
        if (asked->under && view->of_all)
            return weft_fail(err, WEFT_ERR_USAGE,
                             "%s is of the whole trace (right: without under=%s)",
                             view->name, under);
    }
    return true;
}

static bool settings_of(const struct request *request, struct view_request *parsed,
                        struct weft_err *err)
{
    const struct weft_view *view = parsed->view;
    const char **settings =
        weft_arena_zalloc(request->arena, view->n_parameters + 1, sizeof *settings);
    for (size_t i = 0; i < view->n_parameters; i++) {
        const char *value = request_get(request, view->parameters[i].name);
        if (value && text_cache_is_key(value)) {
            value = text_cache_get(request->service->texts, value, request->arena);
            if (!value)
                return weft_fail(err, WEFT_ERR_USAGE,
                                 "%s: what was kept under that key is not there any more",
                                 view->parameters[i].name);
        }
        if (!value)
            continue;
        const char *text =
            weft_arena_printf(request->arena, "%s=%s", view->parameters[i].name, value);
        if (!weft_setting_parse(view, text, settings, err))
            return false;
    }
    parsed->request.settings = settings;
    return true;
}

/* A setting of any view: those of a panel stay when it shows another one. */
static bool is_setting(const struct weft_views *views, const char *name)
{
    const struct weft_view *view;
    for (size_t v = 0; (view = weft_views_at(views, v)); v++)
        for (size_t i = 0; i < view->n_parameters; i++)
            if (strcmp(view->parameters[i].name, name) == 0)
                return true;
    return false;
}

/* A word that nobody knows is a slip: without it the answer would be that of another
   question. */
static bool words_known(const struct request *request, struct weft_err *err)
{
    static const char *const words[] = {
        "at",        "bare",         "begin",  "end",   "direction", "filters",
        "height",    "limit",        "offset", "panel", "point_x",   "point_y",
        "range",     "save",         "sort",   "theme", "token",     "shown_begin",
        "shown_end", "shown_height", "trace",  "under", "width",     "with",
    };
    for (size_t i = 0; i < request->n_parameters; i++) {
        const char *name = request->parameters[i].name;
        bool known = is_setting(request->service->views, name);
        for (size_t w = 0; !known && w < sizeof words / sizeof *words; w++)
            known = strcmp(words[w], name) == 0;
        if (!known)
            return weft_fail(err, WEFT_ERR_USAGE, "there is no parameter or setting '%s'",
                             name);
    }
    return true;
}

/* The trace, and the second one. */
static bool traces_of(const struct request *request, struct view_request *parsed,
                      struct refusal *refusal)
{
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace || !words_known(request, &refusal->err))
        return false;
    parsed->sources[0] = hold_source(request, trace, refusal);
    if (!parsed->sources[0])
        return false;
    parsed->schema = parsed->sources[0]->schema;
    parsed->set = (struct weft_set){ parsed->sources, 1 };
    return !parsed->view->compares || second_trace(request, parsed, refusal);
}

bool view_request_parse(struct view_request *parsed, const struct request *request,
                        const char *name, size_t length, struct refusal *refusal)
{
    name = weft_arena_printf(request->arena, "%.*s", (int)length, name);
    const struct weft_view *view = weft_views_find(request->service->views, name);
    *parsed = (struct view_request){ .view = view,
                                     .request = { .set = &parsed->set,
                                                  .job = request->job,
                                                  .shelf = request->service->shelf } };
    if (!view)
        return refuse(refusal, 404, "no view is called '%s'", name);
    if (!traces_of(request, parsed, refusal))
        return false;
    parsed->view = view = weft_view_for(view, &parsed->set);
    if (!view->fills(&parsed->set))
        return refuse(refusal, 409, "this trace cannot fill %s (it needs %s)%s",
                      view->title, view->needs, weft_damage_hint(&parsed->set));
    return window_of(request, parsed, &refusal->err)
           && moment_of(request, parsed, &refusal->err)
           && looks_of(request, parsed, &refusal->err)
           && settings_of(request, parsed, &refusal->err)
           && hold_pixels(request, parsed->request.width, parsed->request.height, refusal);
}
