/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search.  /search?q= starts a search, or says how far it is: it runs on a thread of its own,
 * the latest one is kept for each trace.  /search/next?q=&begin=&id= finds the next hit.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/routes.h"
#include "serve/searches.h"
#include "view/detail.h"
#include "view/text.h"

static void put_progress(struct exchange *exchange, const struct weft_search *search,
                         bool done, bool cut)
{
    FILE *out = exchange_begin(exchange);
    fprintf(out,
            "{\"done\":%s,\"cancelled\":%s,\"count\":%llu,\"containers\":%u,\"bins\":[",
            done ? "true" : "false", cut ? "true" : "false",
            (unsigned long long)atomic_load(&search->count), search->n_containers);
    for (size_t i = 0; i < WEFT_SEARCH_BINS; i++)
        fprintf(out, "%s%u", i ? "," : "", atomic_load(&search->bins[i]));
    fputs("]}\n", out);
    exchange_end(exchange, out, "application/json");
}

static void put_next(struct exchange *exchange, struct asking *asking,
                     struct weft_search *search)
{
    const long long far = 1LL << 61;
    int64_t zero = asking->schema->span.begin;
    struct weft_hit hit;
    const char *id = exchange_get(exchange, "id");
    bool backward = exchange_number(exchange, "backward", 0, 1, 0);
    int64_t begin = zero + exchange_number(exchange, "begin", -far, far, 0);
    uint64_t from = id ? strtoull(id, NULL, 10) : backward ? 0 : UINT64_MAX;
    if (!id && !backward)
        begin--; /* what begins right at the cursor counts */
    bool found = weft_search_next(search, begin, from, backward, &hit);
    FILE *out = exchange_begin(exchange);
    if (found)
        fprintf(out, "{\"id\":\"%llu\",\"begin\":%lld,\"end\":%lld,\"row\":\"#%u\"}\n",
                (unsigned long long)hit.id, (long long)(hit.begin - zero),
                (long long)(hit.end - zero), hit.container);
    else
        fputs("{}\n", out);
    exchange_end(exchange, out, "application/json");
}

void route_search(struct exchange *exchange, const char *rest)
{
    struct asking asking;
    const char *text = exchange_get(exchange, "q");
    if (!asking_trace(exchange, &asking))
        return;
    if (!text || !*text || strlen(text) > 1000) {
        exchange_fail(exchange, 400, "q= is the text or pattern to search for");
        return;
    }
    bool done, cut;
    struct running_search *running =
        searches_hold(exchange->service->searches, asking.trace, text, &done, &cut);
    struct weft_search *search = searches_search(running);
    if (*rest && strcmp(rest, "next") != 0)
        exchange_fail(exchange, 404, "there is nothing at this address");
    else if (*rest && done)
        put_next(exchange, &asking, search);
    else
        put_progress(exchange, search, done, cut);
    searches_release(exchange->service->searches, running);
}
