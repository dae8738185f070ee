/* SPDX-License-Identifier: Apache-2.0 */
/* Answers with what belongs to the thing under the pointer. */
#include <inttypes.h>

#include "serve/held_traces.h"
#include "serve/routes.h"
#include "store/time.h"
#include "view/prepare.h"
#include "view/related.h"
#include "view/timeline/why.h"

static void put_things(struct answer *answer, const struct weft_source *source, uint64_t id,
                       const struct weft_related *related)
{
    int64_t zero = source->schema->span.begin;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_format(&json, "id", "%" PRIu64, id);
    weft_json_bool(&json, "cut", related->cut);
    weft_json_array(&json, "things");
    for (size_t i = 0; i < related->n; i++) {
        const struct weft_related_thing *thing = &related->list[i];
        weft_json_line(&json, 0);
        weft_json_object(&json, NULL);
        weft_json_format(&json, "id", "%" PRIu64, thing->id);
        weft_json_text(&json, "relation", thing->relation);
        weft_json_text(&json, "name", thing->name);
        if (thing->container != WEFT_NONE) {
            weft_json_format(&json, "row", "#%" PRIu32, thing->container);
            weft_json_text(&json, "of", source->schema->containers[thing->container].name);
        }
        weft_json_integer(&json, "begin", thing->span.begin - zero);
        weft_json_integer(&json, "end", thing->span.end - zero);
        weft_json_close(&json);
    }
    weft_json_close(&json);
    weft_json_close(&json);
    answer_end_json(answer, &json);
}

/*
 * id=NUMBER&at=TICKS from the trace's begin: answers with the entities and containers that
 * belong to it then.
 */
bool route_related(const struct request *request, struct answer *answer,
                   struct refusal *refusal)
{
    uint64_t id;
    long long at;
    struct weft_related related;
    struct weft_use use;
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace || !request_id(request, "id", WEFT_NO_ID, &id, &refusal->err)
        || !request_whole(request, "at", INT64_MIN, INT64_MAX, 0, &at, &refusal->err))
        return false;
    const struct weft_source *source = hold_source(request, trace, refusal);
    if (!source)
        return false;
    const struct weft_set set = { &source, 1 };
    const struct weft_request asks = { .set = &set,
                                       .shelf = request->service->shelf,
                                       .job = request->job,
                                       .arena = request->arena,
                                       .use = &use };
    weft_use_begin(&use, &asks);
    const struct weft_releases *releases = why_releases(&asks, 0, &refusal->err);
    if (releases) {
        /* Pictures have marks of things that are in no trace: nothing belongs to them. */
        int64_t time = weft_time_clamp(weft_ticks_add(source->schema->span.begin, at));
        (void)weft_related_read(source, releases, id, time, request->arena, &related);
        put_things(answer, source, id, &related);
    }
    weft_use_end(&use);
    return releases != NULL;
}
