/* SPDX-License-Identifier: Apache-2.0 */
/* What a click and a search ask. */
#include "store_ask_priv.h"

#include "base/memory.h"
#include "tests/random.h"
#include "view/detail.h"
#include "view/related.h"
#include "view/search.h"

enum { DETAILS = 8, HITS = 5 };

/* What a click may name: an entity, a container, or a node of a task DAG. */
static uint64_t some_thing(const struct store_asker *asker)
{
    switch (roll(4)) {
    case 0:
        return weft_container_id((uint32_t)roll(asker->schema->n_containers + 1), roll(2));
    case 1: return weft_entity_id(WEFT_NODE_TRACK, roll(100));
    default: return some_id(asker);
    }
}

static void ask_detail(const struct store_asker *asker, struct weft_arena *arena)
{
    struct weft_detail detail;
    uint64_t id = some_thing(asker);
    volatile size_t sum = 0;

    (void)weft_detail_step(asker->source, id, some_time(asker), roll(2));
    if (!weft_detail(asker->source, id, arena, &detail))
        return;
    WEFT_REQUIRE(detail.container < asker->schema->n_containers
                     || detail.container == WEFT_NONE,
                 "a thing is on a row");
    sum = text_length(detail.kind) + text_length(detail.name);
    for (size_t i = 0; i < detail.n_facts; i++)
        sum = sum + text_length(detail.facts[i].name) + text_length(detail.facts[i].value);
    if (detail.container != WEFT_NONE)
        sum =
            sum + text_length(weft_container_path(arena, asker->schema, detail.container));
}

/* Each thing that weft_related_read() finds exists and has a name. */
static void ask_related(const struct store_asker *asker, struct weft_arena *arena)
{
    struct weft_related related;
    volatile size_t sum = 0;

    if (!weft_related_read(asker->source, NULL, some_thing(asker), some_time(asker), arena,
                           &related))
        return;
    for (size_t i = 0; i < related.n; i++) {
        const struct weft_related_thing *thing = &related.list[i];
        WEFT_REQUIRE(thing->container < asker->schema->n_containers
                         || thing->container == WEFT_NONE,
                     "a related thing is on a row");
        sum = sum + text_length(thing->relation) + text_length(thing->name);
    }
}

/* What is found next begins no earlier. */
static void ask_search(const struct store_asker *asker)
{
    static const char *const texts[] = { "a", "*", "*1*", "??*", "e.c:1", "thread" };
    struct weft_search *search = weft_search_new(asker->source, texts[roll(6)]);
    struct weft_hit hit = { .begin = some_time(asker), .id = some_id(asker) }, next;
    bool backward = roll(2);
    struct weft_err err;

    if (weft_search_run(search, asker->job, &err))
        for (int i = 0; i < HITS; i++) {
            if (!weft_search_next(search, hit.begin, hit.id, backward, asker->job, &next))
                break;
            WEFT_REQUIRE(backward ? next.begin <= hit.begin : next.begin >= hit.begin,
                         "hits are in order");
            hit = next;
        }
    weft_search_free(search);
}

void ask_details(const struct store_asker *asker)
{
    struct weft_arena arena = { 0 };

    for (int i = 0; i < DETAILS; i++) {
        ask_detail(asker, &arena);
        ask_related(asker, &arena);
    }
    weft_arena_free(&arena);
    ask_search(asker);
}
