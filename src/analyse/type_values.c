/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/type_values.h"

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

void weft_sums_of_track(const struct weft_source *source,
                        const struct weft_type_values *of_types, uint32_t track,
                        struct weft_span window, struct weft_sum *sums)
{
    uint32_t type = source->schema->tracks[track].type;
    for (uint32_t i = of_types->begin[type]; i < of_types->begin[type + 1]; i++)
        sums[of_types->values[i]] = (struct weft_sum){ 0 };
    source->ops->sums(source, &track, 1, window, sums);
}
