/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/ready_time.h"

#include <string.h>

#include "store/time.h"

void weft_ready_find(const struct weft_source *source, struct weft_arena *arena,
                     struct weft_ready *out)
{
    const struct weft_schema *schema = source->schema;
    uint32_t *track_of =
        weft_arena_alloc(arena, ((size_t)schema->n_containers + 1) * sizeof *track_of);
    uint8_t *classes = weft_arena_alloc(arena, (size_t)schema->n_values + 1);
    bool *types = weft_arena_zalloc(arena, (size_t)schema->n_types + 1, sizeof *types);
    memset(track_of, 0xff, schema->n_containers * sizeof *track_of);
    *out = (struct weft_ready){ source, track_of, classes, false };
    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        bool ready = weft_role_is(value->role, WEFT_ROLE_READY)
                     && schema->types[value->type].kind == WEFT_STATE;
        classes[v] = !ready;
        types[value->type] |= ready && value->self_ticks > 0;
    }
    for (uint32_t t = schema->n_tracks; t-- > 0;)
        if (types[schema->tracks[t].type]) {
            track_of[schema->tracks[t].container] = t;
            out->known = true;
        }
}

void weft_ready_ask(struct weft_ready_sum *sum, uint32_t container, struct weft_span window)
{
    uint32_t track = container == WEFT_NONE ? WEFT_NONE : sum->ready->track_of[container];
    if (track == WEFT_NONE || window.begin >= window.end)
        return;
    sum->queries[sum->n++] = (struct weft_class_query){ track, window };
    if (sum->n == WEFT_READY_QUERIES)
        (void)weft_ready_answer(sum);
}

int64_t weft_ready_answer(struct weft_ready_sum *sum)
{
    const struct weft_source *source = sum->ready->source;
    struct weft_classing classing = { .of = sum->ready->classes, .none = 1, .damaged = 1 };
    int64_t ticks[WEFT_READY_QUERIES][WEFT_TALLIES] = { { 0 } };
    if (sum->n)
        source->ops->class_ticks(source, sum->queries, sum->n, &classing, ticks);
    for (size_t i = 0; i < sum->n; i++)
        sum->ticks = weft_ticks_add(sum->ticks, ticks[i][0]);
    sum->n = 0;
    return sum->ticks;
}
