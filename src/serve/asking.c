/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "serve/request_limits.h"
#include "serve/routes.h"
#include "store/time.h"
#include "view/damage.h"

void asking_changed(struct exchange *exchange, size_t index)
{
    exchange_fail(exchange, 410, "%s changed while it was open; reload",
                  traces_entry(exchange->service->traces, index)->name);
}

/* Note that the answer is of the trace, which was held: once is enough. */
static void keep_trace(struct exchange *exchange, struct weft_trace *trace, size_t index)
{
    struct taken *taken = exchange->taken;
    for (struct taken_trace *t = taken->traces; t; t = t->next)
        if (t->trace == trace) {
            traces_release(exchange->service->traces, index, trace);
            return;
        }
    struct taken_trace *first = weft_arena_zalloc(exchange->arena, 1, sizeof *first);
    *first = (struct taken_trace){ trace, index, taken->traces };
    taken->traces = first;
}

/* Open the trace of that number, for as long as the answer is made. */
static struct weft_trace *open_trace(struct exchange *exchange, size_t index)
{
    struct weft_err err = { 0 };
    struct traces *traces = exchange->service->traces;
    struct weft_trace *trace = traces_hold(traces, index, exchange->job, &err);
    if (!trace) {
        exchange_fail_with(exchange, &err);
        return NULL;
    }
    keep_trace(exchange, trace, index);
    if (!traces_changed(traces, index))
        return trace;
    asking_changed(exchange, index);
    return NULL;
}

long long asking_number(const struct exchange *exchange)
{
    return exchange_number(exchange, "trace", 0,
                           (long long)traces_count(exchange->service->traces) - 1, -1);
}

bool asking_index(struct exchange *exchange, size_t *index)
{
    long long number = asking_number(exchange);
    if (number < 0)
        exchange_fail(exchange, 404, "there is no trace of that number");
    *index = (size_t)number;
    return number >= 0;
}

bool asking_trace(struct exchange *exchange, struct asking *asking)
{
    size_t index = 0;
    *asking = (struct asking){ 0 };
    if (exchange_get(exchange, "trace") && !asking_index(exchange, &index))
        return false;
    asking->trace = open_trace(exchange, index);
    if (!asking->trace)
        return false;
    asking->source = weft_trace_source(asking->trace);
    asking->schema = asking->source->schema;
    asking->sources[0] = asking->source;
    asking->set = (struct weft_set){ asking->sources, 1 };
    return true;
}

/* The second trace of a view that compares: with=N, or the one after the first. */
static bool second_trace(struct exchange *exchange, struct asking *asking)
{
    struct traces *traces = exchange->service->traces;
    long long n = (long long)traces_count(traces);
    long long first = exchange_number(exchange, "trace", 0, n - 1, 0);
    const char *with = exchange_get(exchange, "with");
    long long next = (first + 1) % n;
    long long index =
        exchange_number(exchange, "with", 0, n - 1, with && *with ? -1 : next);
    if (index < 0) {
        exchange_fail(exchange, 404, "there is no trace of that number to compare with");
        return false;
    }
    struct weft_trace *trace = open_trace(exchange, (size_t)index);
    if (!trace)
        return false;
    asking->sources[1] = weft_trace_source(trace);
    asking->set.n_sources = 2;
    return true;
}

static bool window_of(struct exchange *exchange, struct asking *asking,
                      struct weft_err *err)
{
    const struct weft_schema *schema = asking->schema;
    struct weft_span *window = &asking->request.window;
    const char *range = exchange_get(exchange, "range");
    struct weft_span *shown = &asking->request.shown;
    *window = schema->span;
    if (window->end == window->begin)
        window->end++;
    if (range)
        return weft_parse_range(schema, range, window, err);
    if (!exchange_get(exchange, "begin"))
        return true;
    long long begin = exchange_number(exchange, "begin", INT64_MIN, INT64_MAX, INT64_MAX);
    long long end = exchange_number(exchange, "end", INT64_MIN, INT64_MAX, INT64_MIN);
    /* What the page asks for beyond the edges of a picture may be beyond the limits of
       times. */
    window->begin = weft_time_clamp(weft_ticks_add(schema->span.begin, begin));
    window->end = weft_time_clamp(weft_ticks_add(schema->span.begin, end));
    if (begin >= end || window->begin >= window->end)
        return weft_fail(err, WEFT_ERR_USAGE, "begin and end must be ticks, begin first");
    begin = window->begin - schema->span.begin;
    end = window->end - schema->span.begin;
    long long from, to;
    if (!exchange_whole(exchange, "shown_begin", begin, end, begin, &from, err)
        || !exchange_whole(exchange, "shown_end", from, end, end, &to, err))
        return false;
    *shown = (struct weft_span){ schema->span.begin + from, schema->span.begin + to };
    return true;
}

/* The moment at=T, written as for --at on the command line. */
static bool moment_of(struct exchange *exchange, struct asking *asking,
                      const struct weft_view *view, struct weft_err *err)
{
    const char *at = exchange_get(exchange, "at");
    struct weft_span span = asking->schema->span;
    struct weft_request *request = &asking->request;
    if (!at)
        return true;
    if (view->moment == WEFT_MOMENT_NONE)
        return weft_fail(err, WEFT_ERR_USAGE, "%s has no moment (right: without at=%s)",
                         view->name, at);
    request->has_at = weft_parse_time(asking->schema, at, strlen(at), &request->at, err);
    return request->has_at
           && ((request->at >= span.begin && request->at <= span.end)
               || weft_fail(err, WEFT_ERR_USAGE, "at=%s is outside of the trace", at));
}

/*
 * Pixels of a side of the picture; what has hardly any, as a panel that is closed, gets the
 * least.
 */
static bool side_of(const struct exchange *exchange, const char *name, int otherwise,
                    double *side, struct weft_err *err)
{
    enum { LEAST = 16 };
    const char *text = exchange_get(exchange, name);
    long long pixels = exchange_number(exchange, name, LLONG_MIN, LIMIT_SIDE,
                                       text && *text ? LIMIT_SIDE + 1 : otherwise);
    if (pixels > LIMIT_SIDE)
        return weft_fail(err, WEFT_ERR_USAGE, "bad %s '%s' (right: %d to %d)", name, text,
                         LEAST, LIMIT_SIDE);
    *side = (double)(pixels < LEAST ? LEAST : pixels);
    return true;
}

static bool looks_of(struct exchange *exchange, struct asking *asking,
                     const struct weft_view *view, struct weft_err *err)
{
    struct weft_request *request = &asking->request;
    const char *under = exchange_get(exchange, "under");
    const char *theme = exchange_get(exchange, "theme");
    enum weft_theme_name name = WEFT_THEME_LIGHT;
    bool ambiguous;
    if (theme && !weft_theme_parse(theme, &name))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad theme '%s' (right: light, dark, grey, mono, cvd)", theme);
    request->theme = weft_theme_get(name);
    if (!side_of(exchange, "width", 1280, &request->width, err)
        || !side_of(exchange, "height", 720, &request->height, err))
        return false;
    long long seen, bare;
    if (!exchange_whole(exchange, "shown_height", LLONG_MIN, LIMIT_SIDE, 0, &seen, err)
        || !exchange_whole(exchange, "bare", 0, 1, 0, &bare, err))
        return false;
    request->seen_height = (double)(seen < 0 ? 0 : seen);
    request->bare = bare;
    if (under && *under) {
        request->under = weft_find_container(asking->schema, under, &ambiguous);
        if (request->under == WEFT_NONE)
            return weft_fail(err, WEFT_ERR_USAGE, "no container is called '%s'", under);
        if (request->under && view->of_all)
            return weft_fail(err, WEFT_ERR_USAGE,
                             "%s is of the whole trace (right: without under=%s)",
                             view->name, under);
    }
    return true;
}

static bool settings_of(struct exchange *exchange, struct asking *asking,
                        const struct weft_view *view, struct weft_err *err)
{
    const char **settings =
        weft_arena_zalloc(exchange->arena, view->n_parameters + 1, sizeof *settings);
    for (size_t i = 0; i < view->n_parameters; i++) {
        const char *value = exchange_get(exchange, view->parameters[i].name);
        if (value && kept_is_key(value)) {
            value = kept_get(exchange->service->kept, value, exchange->arena);
            if (!value)
                return weft_fail(err, WEFT_ERR_USAGE,
                                 "%s: what was kept under that key is not there any more",
                                 view->parameters[i].name);
        }
        if (!value)
            continue;
        const char *text =
            weft_arena_printf(exchange->arena, "%s=%s", view->parameters[i].name, value);
        if (!weft_setting_parse(view, text, settings, err))
            return false;
    }
    asking->request.settings = settings;
    return true;
}

/* A setting of any view: those of a panel stay when it shows another one. */
static bool is_setting(const char *name)
{
    for (size_t v = 0; v < weft_view_count(); v++)
        for (size_t i = 0; i < weft_view_at(v)->n_parameters; i++)
            if (strcmp(weft_view_at(v)->parameters[i].name, name) == 0)
                return true;
    return false;
}

/* A word that nobody knows is a slip: without it the answer would be that of another
   question. */
static bool words_known(const struct exchange *exchange, struct weft_err *err)
{
    static const char *const words[] = {
        "at",           "bare",   "begin", "end",     "direction",   "height",
        "limit",        "offset", "panel", "point_x", "point_y",     "range",
        "save",         "sort",   "theme", "token",   "shown_begin", "shown_end",
        "shown_height", "trace",  "under", "width",   "with",
    };
    for (size_t i = 0; i < exchange->n_parameters; i++) {
        const char *name = exchange->parameters[i].name;
        bool known = is_setting(name);
        for (size_t w = 0; !known && w < sizeof words / sizeof *words; w++)
            known = strcmp(words[w], name) == 0;
        if (!known)
            return weft_fail(err, WEFT_ERR_USAGE, "there is no parameter or setting '%s'",
                             name);
    }
    return true;
}

bool asking_view(struct exchange *exchange, struct asking *asking,
                 const struct weft_view *view)
{
    struct weft_err err = { 0 };
    if (!asking_trace(exchange, asking))
        return false;
    if (!words_known(exchange, &err)) {
        exchange_fail_with(exchange, &err);
        return false;
    }
    if (view->compares && !second_trace(exchange, asking))
        return false;
    asking->request = (struct weft_request){ .set = &asking->set,
                                             .job = exchange->job,
                                             .shelf = exchange->service->shelf };
    if (!view->fills(&asking->set)) {
        exchange_fail(exchange, 409, "this trace cannot fill %s (it needs %s)%s",
                      view->title, view->needs, weft_damage_hint(&asking->set));
        return false;
    }
    if (window_of(exchange, asking, &err) && moment_of(exchange, asking, view, &err)
        && looks_of(exchange, asking, view, &err)
        && settings_of(exchange, asking, view, &err))
        return exchange_take_pixels(exchange, asking->request.width,
                                    asking->request.height);
    exchange_fail_with(exchange, &err);
    return false;
}

const struct weft_view *asking_find_view(struct exchange *exchange, const char *text,
                                         size_t length)
{
    const char *name = weft_arena_printf(exchange->arena, "%.*s", (int)length, text);
    const struct weft_view *view = weft_view_find(name);
    if (!view)
        exchange_fail(exchange, 404, "no view is called '%s'", name);
    return view;
}
