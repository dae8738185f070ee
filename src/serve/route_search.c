/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search. /search?q= starts a search, or answers with its progress.  A search runs on a
 * thread of its own, and the latest few of each trace are kept. /search/next?q=&begin=&id=
 * finds the next hit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "serve/held_traces.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "serve/searches.h"
#include "store/time.h"
#include "view/damage.h"
#include "view/detail.h"

static void put_progress(struct answer *answer, const struct weft_source *source,
                         const struct weft_search *search, bool done, bool cut)
{
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_bool(&json, "done", done);
    weft_json_bool(&json, "cancelled", cut);
    weft_json_unsigned(&json, "count", atomic_load(&search->count));
    weft_json_unsigned(&json, "containers", atomic_load(&search->n_containers));
    weft_json_unsigned(&json, "damaged",
                       weft_damage_of_set(&(struct weft_set){ &source, 1 }));
    weft_json_array(&json, "bins");
    for (size_t i = 0; i < WEFT_SEARCH_BINS; i++)
        weft_json_unsigned(&json, NULL, atomic_load(&search->bins[i]));
    weft_json_close(&json);
    weft_json_close(&json);
    answer_end_json(answer, &json);
}

static bool put_next(const struct request *request, const struct weft_source *source,
                     struct weft_search *search, struct answer *answer,
                     struct refusal *refusal)
{
    int64_t zero = source->schema->span.begin;
    struct weft_hit hit;
    const char *id = request_get(request, "id");
    long long backward, begin;
    uint64_t from;
    if (!request_whole(request, "backward", 0, 1, 0, &backward, &refusal->err)
        || !request_whole(request, "begin", INT64_MIN, INT64_MAX, 0, &begin, &refusal->err)
        || !request_id(request, "id", backward ? 0 : UINT64_MAX, &from, &refusal->err))
        return false;
    begin = weft_time_clamp(weft_ticks_add(zero, begin));
    if (!id && !backward)
        begin--; /* include a hit that begins at the cursor */
    bool found = weft_search_next(search, begin, from, backward, request->job, &hit);
    if (!weft_job_step(request->job, 0, 0, &refusal->err))
        return false;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    if (found) {
        weft_json_format(&json, "id", "%" PRIu64, hit.id);
        weft_json_unsigned(&json, "number", hit.number);
        weft_json_integer(&json, "begin", hit.begin - zero);
        weft_json_integer(&json, "end", hit.end - zero);
        weft_json_format(&json, "row", "#%u", hit.container);
    }
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}

bool route_search(const struct request *request, struct answer *answer,
                  struct refusal *refusal)
{
    const char *text = request_get(request, "q");
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace)
        return false;
    if (!text || !*text || strlen(text) > LIMIT_SEARCH)
        return refuse(refusal, 400, "q= is the text or pattern to search for");
    const struct weft_source *source = hold_source(request, trace, refusal);
    if (!source)
        return false;
    bool done, cut;
    struct running_search *running =
        searches_hold(request->service->searches, source, text, &done, &cut, &refusal->err);
    if (!running)
        return false;
    struct weft_search *search = searches_search(running);
    bool ok = true;
    if (*request->rest && strcmp(request->rest, "next") != 0)
        ok = refuse(refusal, 404, "there is nothing at this address");
    else if (*request->rest && done)
        ok = put_next(request, source, search, answer, refusal);
    else
        put_progress(answer, source, search, done, cut);
    searches_release(request->service->searches, running);
    return ok;
}
