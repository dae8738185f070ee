/* SPDX-License-Identifier: Apache-2.0 */
/* What a click and a search ask. */
#include "store_ask_priv.h"

#include "base/memory.h"
#include "tests/random.h"
#include "view/detail.h"
#include "view/search.h"

enum { DETAILS = 8, HITS = 5 };

/* What a click may name: an entity, a container, or a node of a task DAG. */
static uint64_t some_thing(const struct asking *ask)
{
    switch (roll(4)) {
    case 0:
        return weft_container_id((uint32_t)roll(ask->schema->n_containers + 1), roll(2));
    case 1: return weft_entity_id(WEFT_NODE_TRACK, roll(100));
    default: return some_id(ask);
    }
}

static void ask_detail(const struct asking *ask, struct weft_arena *arena)
{
    struct weft_detail detail;
    uint64_t id = some_thing(ask);
    volatile size_t sum = 0;

    (void)weft_detail_step(ask->source, id, some_time(ask), roll(2));
    if (!weft_detail(ask->source, id, arena, &detail))
        return;
    WEFT_REQUIRE(detail.container < ask->schema->n_containers
                     || detail.container == WEFT_NONE,
                 "a thing is on a row");
    sum = text_length(detail.kind) + text_length(detail.name);
    for (size_t i = 0; i < detail.n_facts; i++)
        sum = sum + text_length(detail.facts[i].name) + text_length(detail.facts[i].value);
    if (detail.container != WEFT_NONE)
        sum = sum + text_length(weft_container_path(arena, ask->schema, detail.container));
}

/* What is found next begins no earlier. */
static void ask_search(const struct asking *ask)
{
    static const char *const texts[] = { "a", "*", "*1*", "??*", "e.c:1", "thread" };
    struct weft_search *search = weft_search_new(ask->source, texts[roll(6)]);
    struct weft_hit hit = { .begin = some_time(ask), .id = some_id(ask) }, next;
    bool backward = roll(2);
    struct weft_err err;

    if (weft_search_run(search, ask->job, &err))
        for (int i = 0; i < HITS; i++) {
            if (!weft_search_next(search, hit.begin, hit.id, backward, ask->job, &next))
                break;
            WEFT_REQUIRE(backward ? next.begin <= hit.begin : next.begin >= hit.begin,
                         "hits are in order");
            hit = next;
        }
    weft_search_free(search);
}

void ask_details(const struct asking *ask)
{
    struct weft_arena arena = { 0 };

    for (int i = 0; i < DETAILS; i++)
        ask_detail(ask, &arena);
    weft_arena_free(&arena);
    ask_search(ask);
}
