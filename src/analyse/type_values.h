/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of each type.  A trace may have as many types as values, so whoever goes through
 * many tracks looks at the values of each one's type, not at all of them.
 */
#ifndef WEFT_ANALYSE_TYPE_VALUES_H
#define WEFT_ANALYSE_TYPE_VALUES_H

#include "base/memory.h"
#include "store/source.h"

struct weft_type_values {
    uint32_t *values; /* by type, and there in order */
    uint32_t *begin;  /* [n_types + 1]: those of type t are begin[t] to begin[t + 1] */
};

/* In ARENA.  O(types + values). */
struct weft_type_values weft_type_values(const struct weft_schema *schema,
                                         struct weft_arena *arena);

/* The sums of one track in WINDOW, replacing those of its type's values in SUMS[n_values]. */
void weft_sums_of_track(const struct weft_source *source,
                        const struct weft_type_values *of_types, uint32_t track,
                        struct weft_span window, struct weft_sum *sums);

#endif
