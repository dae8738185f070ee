/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/track_state_times.h"

#include <stdlib.h>

#include "base/compare.h"
#include "store/time.h"

struct weft_type_values weft_type_values(const struct weft_schema *schema,
                                         struct weft_arena *arena)
{
    struct weft_type_values of = {
        .values = weft_arena_alloc(arena, ((size_t)schema->n_values + 1) * 4),
        .begin = weft_arena_zalloc(arena, (size_t)schema->n_types + 2, 4),
    };
    /* Counted two places on, so that filling leaves the begins. */
    for (uint32_t v = 0; v < schema->n_values; v++)
        of.begin[schema->values[v].type + 2]++;
    for (uint32_t t = 2; t <= schema->n_types; t++)
        of.begin[t] += of.begin[t - 1];
    for (uint32_t v = 0; v < schema->n_values; v++)
        of.values[of.begin[schema->values[v].type + 1]++] = v;
    return of;
}

void weft_track_sums_begin(struct weft_track_sums *sums, const struct weft_schema *schema)
{
    *sums = (struct weft_track_sums){ .of = weft_zalloc((size_t)schema->n_values + 1,
                                                        sizeof *sums->of) };
}

void weft_track_sums_end(struct weft_track_sums *sums)
{
    free(sums->of);
    free(sums->met);
    free(sums->listed);
}

struct value_scan {
    struct weft_track_sums *sums;
    const struct weft_schema *schema;
    uint32_t type;
    size_t most; /* values of the type */
};

static bool meet(void *user, const struct weft_state *state)
{
    struct value_scan *scan = user;
    struct weft_track_sums *sums = scan->sums;
    if (scan->schema->values[state->value].type != scan->type)
        return true; /* a hostile store's */
    if (sums->n_met == scan->most)
        return false; /* and it has more states than it claims */
    sums->met = weft_grow(sums->met, &sums->capacity, sums->n_met + 1, sizeof *sums->met);
    sums->met[sums->n_met++] = state->value;
    return true;
}

/*
 * Lists the values that states of a track have, each once; returns false if there are as
 * many as the type has.
 */
static bool list_met(const struct weft_source *source, uint32_t track,
                     struct weft_span window, size_t most, struct weft_track_sums *sums)
{
    const struct weft_schema *schema = source->schema;
    struct value_scan scan = { sums, schema, schema->tracks[track].type, most };
    sums->n_met = 0;
    if (schema->tracks[track].count >= most)
        return false;
    window.end += window.end < WEFT_TIME_LIMIT;
    source->ops->states(source, track, window, meet, &scan);
    if (sums->n_met == most)
        return false;
    if (sums->n_met)
        qsort(sums->met, sums->n_met, sizeof *sums->met, weft_by_u32);
    size_t n = 0;
    for (size_t i = 0; i < sums->n_met; i++)
        if (!n || sums->met[n - 1] != sums->met[i])
            sums->met[n++] = sums->met[i];
    sums->values = sums->met;
    sums->n = n;
    return true;
}

void weft_sums_of_track(const struct weft_source *source,
                        const struct weft_type_values *of_types, uint32_t track,
                        struct weft_span window, struct weft_track_sums *sums)
{
    uint32_t type = source->schema->tracks[track].type;
    const uint32_t *of_type = of_types->values + of_types->begin[type];
    size_t n_of_type = of_types->begin[type + 1] - of_types->begin[type];
    if (!list_met(source, track, window, n_of_type, sums)) {
        sums->values = of_type;
        sums->n = n_of_type;
    }
    for (size_t i = 0; i < sums->n; i++)
        sums->of[sums->values[i]] = (struct weft_sum){ 0 };
    source->ops->sums(source, &track, 1, window, sums->of);
}
