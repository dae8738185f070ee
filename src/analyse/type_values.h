/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the values of each type, and sums the time of the values on one track after the
 * other.  Tracks and values may be very many, so a loop over all tracks must not look at
 * all values for each track: it looks only at those of the track's type, and at no more
 * than the track has states.
 */
#ifndef WEFT_ANALYSE_TYPE_VALUES_H
#define WEFT_ANALYSE_TYPE_VALUES_H

#include "base/memory.h"
#include "store/source.h"

struct weft_type_values {
    uint32_t *values; /* sorted by type, then by index */
    /* [n_types + 1]: type t has values[begin[t]] to values[begin[t + 1] - 1] */
    uint32_t *begin;
};

/* Returns the values of all types, listed by type, in ARENA.  O(types + values). */
struct weft_type_values weft_type_values(const struct weft_schema *schema,
                                         struct weft_arena *arena);

/* Sums of the values on one track, with memory that is reused for the next track. */
struct weft_track_sums {
    struct weft_sum *of; /* [n_values], by value: valid only for the values listed below */
    /* [n] rising: a superset of the values that occur on the track in the window */
    const uint32_t *values;
    size_t n;
    uint32_t *met; /* memory of `values`, unless they are all those of a type */
    size_t n_met, capacity;
};
void weft_track_sums_begin(struct weft_track_sums *sums, const struct weft_schema *schema);
void weft_track_sums_end(struct weft_track_sums *sums);

/*
 * Sets SUMS, of weft_track_sums_begin(), to the sums of TRACK (an index) in WINDOW, until
 * the next call.  OF_TYPES is that of weft_type_values() for the same trace.  Values of
 * states that only touch the window's end may be listed with 0.  O(min(values of the
 * track's type, its states)) beside the look-ups.
 */
void weft_sums_of_track(const struct weft_source *source,
                        const struct weft_type_values *of_types, uint32_t track,
                        struct weft_span window, struct weft_track_sums *sums);

#endif
