/* SPDX-License-Identifier: Apache-2.0 */
/* What there is: the page, the catalogue of views and traces, one trace, its containers. */
#include <stdlib.h>
#include <string.h>

#include "serve/routes.h"
#include "store/time.h"
#include "view/detail.h"
#include "view/search.h"
#include "view/text.h"

static void put(FILE *out, const char *name, const char *value)
{
    fprintf(out, "\"%s\":", name);
    weft_text_json(out, value ? value : "");
}

void route_page(struct exchange *exchange, const char *rest)
{
    (void)rest;
    if (!routes_page_size) {
        exchange_fail(exchange, 501,
                      "this weft was built without its page (esbuild and lumino were "
                      "missing); pictures and tables have their addresses all the same");
        return;
    }
    exchange->status = 200;
    exchange->type = "text/html; charset=utf-8";
    exchange->static_content = routes_page;
    exchange->size = routes_page_size;
    exchange->gzip = true;
}

static void put_parameter(FILE *out, const struct weft_parameter *p)
{
    static const char *const kinds[] = {
        [WEFT_PARAMETER_CHOICE] = "choice",
        [WEFT_PARAMETER_NUMBER] = "number",
        [WEFT_PARAMETER_FLAG] = "flag",
        [WEFT_PARAMETER_TEXT] = "text",
        [WEFT_PARAMETER_CONTAINER] = "container",
        [WEFT_PARAMETER_CONTAINERS] = "containers",
        [WEFT_PARAMETER_ORDER] = "order",
        [WEFT_PARAMETER_SCROLL] = "scroll",
        [WEFT_PARAMETER_ENTITY] = "entity",
        [WEFT_PARAMETER_ZOOM] = "zoom",
        [WEFT_PARAMETER_PLACE_X] = "place_x",
        [WEFT_PARAMETER_PLACE_Y] = "place_y",
    };
    fputc('{', out);
    put(out, "name", p->name);
    fprintf(out, ",\"kind\":\"%s\",\"minimum\":%.17g,\"maximum\":%.17g,", kinds[p->kind],
            p->minimum, p->maximum);
    put(out, "choices", p->choices);
    fputc(',', out);
    put(out, "fallback", p->fallback);
    fputc(',', out);
    put(out, "help", p->help);
    fprintf(out, ",\"seldom\":%s}", p->seldom ? "true" : "false");
}

static void put_view(FILE *out, const struct weft_view *view)
{
    static const char *const moments[] = {
        [WEFT_MOMENT_NONE] = "none",
        [WEFT_MOMENT_MARKED] = "marked",
        [WEFT_MOMENT_SHOWN] = "shown",
    };
    fputc('{', out);
    put(out, "name", view->name);
    fputc(',', out);
    put(out, "title", view->title);
    fputc(',', out);
    put(out, "group", view->group);
    fputc(',', out);
    put(out, "explanation", view->explanation);
    fputc(',', out);
    put(out, "needs", view->needs);
    fprintf(out, ",\"moment\":\"%s\",\"point\":%s,\"compares\":%s,\"parameters\":[",
            moments[view->moment], view->point ? "true" : "false",
            view->compares ? "true" : "false");
    for (size_t i = 0; i < view->n_parameters; i++) {
        fputs(i ? "," : "", out);
        put_parameter(out, &view->parameters[i]);
    }
    fputs("]}", out);
}

void route_catalogue(struct exchange *exchange, const char *rest)
{
    struct traces *traces = exchange->service->traces;
    (void)rest;
    FILE *out = exchange_begin(exchange);
    fputs("{\"views\":[", out);
    for (size_t i = 0; i < weft_n_views; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_view(out, weft_views[i]);
    }
    fputs("],\n\"traces\":[", out);
    for (size_t i = 0; i < traces_count(traces); i++) {
        const struct trace_entry *entry = traces_entry(traces, i);
        fputs(i ? ",\n{" : "\n{", out);
        put(out, "name", entry->name);
        fputc(',', out);
        put(out, "format", entry->format);
        fprintf(out, ",\"size\":%llu,\"seconds\":%.9g}", (unsigned long long)entry->size,
                entry->seconds);
    }
    fputs("],\n\"layout\":", out);
    weft_text_json(out, exchange->service->layout ? exchange->service->layout : "");
    fputs("}\n", out);
    exchange_end(exchange, out, "application/json");
}

/* Whether the trace can fill a view, or can be the first of the two that it compares. */
static bool can_fill(const struct weft_view *view, const struct asking *asking,
                     size_t n_traces)
{
    const struct weft_source *both[] = { asking->source, asking->source };
    const struct weft_set two = { both, 2 };
    return view->compares ? n_traces > 1 && view->fills(&two) : view->fills(&asking->set);
}

static void put_facts(FILE *out, const struct weft_schema *schema, struct asking *asking,
                      size_t n_traces)
{
    put(out, "format", schema->format);
    /* Ticks as text: they may be longer than a double holds. */
    fprintf(out,
            ",\"begin\":\"%lld\",\"end\":\"%lld\",\"ticks_per_second\":%.17g,"
            "\"states\":%llu,\"events\":%llu,\"samples\":%llu,\"links\":%llu,"
            "\"containers\":%u,",
            (long long)schema->span.begin, (long long)schema->span.end,
            (double)schema->ticks_numerator / (double)schema->ticks_denominator,
            (unsigned long long)schema->n_states, (unsigned long long)schema->n_events,
            (unsigned long long)schema->n_samples, (unsigned long long)schema->n_links,
            schema->n_containers);
    fputs("\"notes\":[", out);
    for (uint32_t i = 0; i < schema->n_notes; i++) {
        fputs(i ? ",[" : "[", out);
        weft_text_json(out, schema->notes[i].key);
        fputc(',', out);
        weft_text_json(out, schema->notes[i].text);
        fputc(']', out);
    }
    fputs("],\"fills\":[", out);
    for (size_t i = 0, n = 0; i < weft_n_views; i++)
        if (can_fill(weft_views[i], asking, n_traces))
            fprintf(out, "%s\"%s\"", n++ ? "," : "", weft_views[i]->name);
    fputs("],\"problems\":[", out);
    for (uint32_t i = 0; i < schema->n_problems; i++) {
        const struct weft_problem *p = &schema->problems[i];
        static const char *const severities[] = { "note", "warning", "error" };
        fprintf(out, "%s{\"severity\":\"%s\",", i ? "," : "", severities[p->severity]);
        put(out, "kind", p->kind);
        fputc(',', out);
        put(out, "message", p->message);
        fprintf(out, ",\"line\":%llu,\"count\":%llu}", (unsigned long long)p->line,
                (unsigned long long)p->count);
    }
    fputc(']', out);
}

void route_trace(struct exchange *exchange, const char *rest)
{
    static const char *const names[] = { "unopened", "loading", "ready", "failed" };
    struct traces *traces = exchange->service->traces;
    long long index =
        exchange_number(exchange, "trace", 0, (long long)traces_count(traces) - 1, -1);
    (void)rest;
    if (index < 0) {
        exchange_fail(exchange, 404, "there is no trace of that number");
        return;
    }
    struct trace_progress progress;
    traces_open(traces, (size_t)index, &progress);
    struct asking asking;
    if (progress.state == TRACE_READY && !asking_trace(exchange, &asking))
        return;
    FILE *out = exchange_begin(exchange);
    fprintf(out, "{\"state\":\"%s\",\"done\":%llu,\"total\":%llu,", names[progress.state],
            (unsigned long long)progress.done, (unsigned long long)progress.total);
    put(out, "name", traces_entry(traces, (size_t)index)->name);
    if (progress.state == TRACE_FAILED) {
        char text[1024];
        weft_err_format(&progress.err, text, sizeof text);
        fputc(',', out);
        put(out, "error", text);
    }
    if (progress.state == TRACE_READY) {
        fputc(',', out);
        put_facts(out, asking.schema, &asking, traces_count(traces));
    }
    fputs("}\n", out);
    exchange_end(exchange, out, "application/json");
}

/*
 * trace=N: stop reading it.  panel=NAME: forget what that panel has asked for; the request's
 * coming has done so already (http.c), for it is the panel's newest.
 */
void route_cancel(struct exchange *exchange, const char *rest)
{
    struct traces *traces = exchange->service->traces;
    long long index =
        exchange_number(exchange, "trace", 0, (long long)traces_count(traces) - 1, -1);
    (void)rest;
    if (index < 0 && !exchange_get(exchange, "panel")) {
        exchange_fail(exchange, 404, "there is no trace of that number");
        return;
    }
    if (index >= 0)
        traces_cancel(traces, (size_t)index);
    FILE *out = exchange_begin(exchange);
    fputs("{}\n", out);
    exchange_end(exchange, out, "application/json");
}

/* Containers whose name matches q, at most 100, for the command list. */
void route_containers(struct exchange *exchange, const char *rest)
{
    struct asking asking;
    const char *text = exchange_get(exchange, "q");
    (void)rest;
    if (!asking_trace(exchange, &asking))
        return;
    FILE *out = exchange_begin(exchange);
    fputc('[', out);
    for (uint32_t p = 0, n = 0; p < asking.schema->n_containers && n < 100; p++) {
        uint32_t c = asking.schema->preorder[p];
        if (text && *text && !weft_text_matches(text, asking.schema->containers[c].name))
            continue;
        fprintf(out, "%s{\"row\":\"#%u\",", n++ ? "," : "", c);
        put(out, "path", weft_container_path(exchange->arena, asking.schema, c));
        fputc('}', out);
    }
    fputs("]\n", out);
    exchange_end(exchange, out, "application/json");
}
