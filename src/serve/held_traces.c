/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/held_traces.h"

#include "serve/request_limits.h"
#include "view/damage.h"

static bool refuse_changed(const struct request *request, size_t index,
                           struct refusal *refusal)
{
    return refuse(refusal, 410, "%s changed while it was open; reload",
                  traces_entry(request->service->traces, index)->name);
}

/* Note that the answer is of the trace, which was held: once is enough. */
static void keep_trace(const struct request *request, struct weft_trace *trace,
                       size_t index)
{
    struct holding *holding = request->holding;
    for (struct held_trace *t = holding->traces; t; t = t->next)
        if (t->trace == trace) {
            traces_release(request->service->traces, index, trace);
            return;
        }
    struct held_trace *first = weft_arena_zalloc(request->arena, 1, sizeof *first);
    *first = (struct held_trace){ trace, index, holding->traces };
    holding->traces = first;
}

struct weft_trace *hold_trace(const struct request *request, size_t index,
                              struct refusal *refusal)
{
    struct traces *traces = request->service->traces;
    struct weft_trace *trace = traces_hold(traces, index, request->job, &refusal->err);
    if (!trace)
        return NULL;
    keep_trace(request, trace, index);
    if (!traces_changed(traces, index))
        return trace;
    refuse_changed(request, index, refusal);
    return NULL;
}

struct weft_trace *hold_asked_trace(const struct request *request, struct refusal *refusal)
{
    size_t index = 0;
    if (request_get(request, "trace") && !request_trace_index(request, &index, refusal))
        return NULL;
    return hold_trace(request, index, refusal);
}

const struct weft_source *hold_source(const struct request *request,
                                      const struct weft_trace *trace,
                                      struct refusal *refusal)
{
    const char *text = request_get(request, "filters");
    struct service *service = request->service;
    if (!text)
        text = service->usual_filters;
    if (text && text_cache_is_key(text)) {
        text = text_cache_get(service->texts, text, request->arena);
        if (!text) {
            weft_fail(&refusal->err, WEFT_ERR_USAGE,
                      "filters: what was kept under that key is not there any more");
            return NULL;
        }
    }
    if (!text || !*text)
        return weft_trace_source(trace);
    const struct weft_source *source =
        filter_chains_hold(service->filters, trace, text, &refusal->err);
    if (!source)
        return NULL;
    struct held_source *first = weft_arena_zalloc(request->arena, 1, sizeof *first);
    *first = (struct held_source){ source, request->holding->sources };
    request->holding->sources = first;
    return source;
}

bool hold_pixels(const struct request *request, double width, double height,
                 struct refusal *refusal)
{
    struct holding *holding = request->holding;
    uint64_t pixels = (uint64_t)width * (uint64_t)height;
    if (holding->pixels + pixels > LIMIT_PIXELS)
        return refuse(refusal, 413,
                      "a picture has at most %d million pixels, its panels included",
                      LIMIT_PIXELS >> 20);
    holding->pixels += pixels;
    return atomic_fetch_add(&request->service->pixels, pixels) + pixels <= LIMIT_ALL_PIXELS
           || refuse(refusal, 503, "too many large pictures are being made; ask again");
}

bool holding_intact(const struct request *request, struct refusal *refusal)
{
    for (struct held_trace *t = request->holding->traces; t; t = t->next)
        if (traces_changed(request->service->traces, t->index)
            || !weft_trace_intact(t->trace, NULL))
            return refuse_changed(request, t->index, refusal);
    return true;
}

size_t holding_release(const struct request *request)
{
    size_t damaged = 0;
    for (struct held_source *s = request->holding->sources; s; s = s->next)
        filter_chains_release(request->service->filters, s->source);
    for (struct held_trace *t = request->holding->traces; t; t = t->next) {
        const struct weft_source *source = weft_trace_source(t->trace);
        damaged += weft_damage_of_set(&(struct weft_set){ &source, 1 });
        traces_release(request->service->traces, t->index, t->trace);
    }
    atomic_fetch_sub(&request->service->pixels, request->holding->pixels);
    return damaged;
}
