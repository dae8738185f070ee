/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of each type, and the sums of one track after the other.  A trace may have as many
 * types as values, and as many tracks of one type as this has values: so whoever goes through
 * many tracks looks at values of each one's type, and of no more than it has states.
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

/* Sums of a track: begun once, used for any number of tracks, and ended. */
struct weft_track_sums {
    struct weft_sum *of; /* [n_values]: only those of VALUES mean something */
    const uint32_t
        *values; /* [n] in order: all of the track's type that were on, and maybe more */
    size_t n;
    uint32_t *met; /* where they are, unless they are all of a type */
    size_t n_met, capacity;
};
void weft_track_sums_begin(struct weft_track_sums *sums, const struct weft_schema *schema);
void weft_track_sums_end(struct weft_track_sums *sums);

/*
 * The sums of one track in WINDOW (and, 0, of values of states that only touch its end).  Costs
 * by the values of the track's type or by its states, whichever are fewer, beside the look-ups.
 */
void weft_sums_of_track(const struct weft_source *source,
                        const struct weft_type_values *of_types, uint32_t track,
                        struct weft_span window, struct weft_track_sums *sums);

#endif
