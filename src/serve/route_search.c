/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search. /search?q= starts a search, or answers with its progress.  A search runs on a
 * thread of its own, and the latest few of each trace are kept. /search/next?q=&begin=&id=
 * finds the next hit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "serve/request_limits.h"
#include "serve/routes.h"
#include "serve/searches.h"
#include "store/time.h"
#include "view/damage.h"
#include "view/detail.h"

static void put_progress(struct exchange *exchange, const struct asking *asking,
                         const struct weft_search *search, bool done, bool cut)
{
    const struct weft_source *source = weft_trace_source(asking->trace);
    exchange->damaged = weft_damage_of_set(&(struct weft_set){ &source, 1 });
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    weft_json_bool(&json, "done", done);
    weft_json_bool(&json, "cancelled", cut);
    weft_json_unsigned(&json, "count", atomic_load(&search->count));
    weft_json_unsigned(&json, "containers", atomic_load(&search->n_containers));
    weft_json_unsigned(&json, "damaged", exchange->damaged);
    weft_json_array(&json, "bins");
    for (size_t i = 0; i < WEFT_SEARCH_BINS; i++)
        weft_json_unsigned(&json, NULL, atomic_load(&search->bins[i]));
    weft_json_close(&json);
    weft_json_close(&json);
    exchange_end_json(exchange, &json);
}

static void put_next(struct exchange *exchange, struct asking *asking,
                     struct weft_search *search)
{
    int64_t zero = asking->schema->span.begin;
    struct weft_hit hit;
    const char *id = exchange_get(exchange, "id");
    struct weft_err err = { 0 };
    long long backward, begin;
    uint64_t from;
    if (!exchange_whole(exchange, "backward", 0, 1, 0, &backward, &err)
        || !exchange_whole(exchange, "begin", INT64_MIN, INT64_MAX, 0, &begin, &err)
        || !exchange_id(exchange, "id", backward ? 0 : UINT64_MAX, &from, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    begin = weft_time_clamp(weft_ticks_add(zero, begin));
    if (!id && !backward)
        begin--; /* include a hit that begins at the cursor */
    bool found = weft_search_next(search, begin, from, backward, exchange->job, &hit);
    if (!weft_job_step(exchange->job, 0, 0, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    if (found) {
        weft_json_format(&json, "id", "%" PRIu64, hit.id);
        weft_json_integer(&json, "begin", hit.begin - zero);
        weft_json_integer(&json, "end", hit.end - zero);
        weft_json_format(&json, "row", "#%u", hit.container);
    }
    weft_json_close(&json);
    exchange_end_json(exchange, &json);
}

void route_search(struct exchange *exchange, const char *rest)
{
    struct asking asking;
    const char *text = exchange_get(exchange, "q");
    if (!asking_trace(exchange, &asking))
        return;
    if (!text || !*text || strlen(text) > LIMIT_SEARCH) {
        exchange_fail(exchange, 400, "q= is the text or pattern to search for");
        return;
    }
    bool done, cut;
    struct weft_err err = { 0 };
    struct running_search *running =
        searches_hold(exchange->service->searches, asking.trace, text, &done, &cut, &err);
    if (!running) {
        exchange_fail_with(exchange, &err);
        return;
    }
    struct weft_search *search = searches_search(running);
    if (*rest && strcmp(rest, "next") != 0)
        exchange_fail(exchange, 404, "there is nothing at this address");
    else if (*rest && done)
        put_next(exchange, &asking, search);
    else
        put_progress(exchange, &asking, search, done, cut);
    searches_release(exchange->service->searches, running);
}
