/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the values of each type, and sums the time of the values (names of states) on one
 * track after the other.  Tracks and values may be very many, so a loop over all tracks
 * must not look at all values for each track: it looks only at those of the track's type,
 * and at no more than the track has states.
 */
#ifndef WEFT_ANALYSE_TRACK_STATE_TIMES_H
#define WEFT_ANALYSE_TRACK_STATE_TIMES_H

#include "base/memory.h"
#include "store/source.h"

/* The values of all types, by type; in an arena. */
struct weft_type_values {
    uint32_t *values; /* [n_values]: indices of values, sorted by type, then by index */
    /* [n_types + 1]: type t has values[begin[t]] to values[begin[t + 1] - 1], maybe none */
    uint32_t *begin;
};

/* Returns the values of SCHEMA, listed by type, in ARENA.  O(types + values). */
struct weft_type_values weft_type_values(const struct weft_schema *schema,
                                         struct weft_arena *arena);

/*
 * Sums of the values on one track, with memory that is reused for the next track.  Only
 * `of`, `values` and `n` are for the caller to read.
 */
struct weft_track_sums {
    /* [n_values], by index in schema->values: ticks that the value was innermost, and that
       it was open at some level; valid only for the values listed below */
    struct weft_sum *of;
    /* [n], rising, each once: all values that occur on the track in the window, and maybe
       others of its type, with sums of 0 */
    const uint32_t *values;
    size_t n;
    uint32_t *met; /* memory of `values`, unless they are all those of a type */
    size_t n_met, capacity;
    /* of weft_selected_sums_of_track(): [n_values], the last call that listed the value */
    uint32_t *listed;
    uint32_t calls;
};
/*
 * Sets *SUMS up for the tracks of SCHEMA; it has no sums yet.  weft_track_sums_end() frees
 * what it owns.  O(values).
 */
void weft_track_sums_begin(struct weft_track_sums *sums, const struct weft_schema *schema);
/* Frees what SUMS owns, not SUMS itself, which is void then; call it once. */
void weft_track_sums_end(struct weft_track_sums *sums);

/*
 * Sets SUMS, made by weft_track_sums_begin(), to the ticks of each value on TRACK (index of
 * a track of states) in WINDOW; they are valid until the next call.  OF_TYPES must come
 * from weft_type_values() for the same schema, and stay as long as the sums are read.  Some
 * listed values may have sums of 0.  O(min(values of the track's type, its states)) beside
 * the queries of SOURCE.
 */
void weft_sums_of_track(const struct weft_source *source,
                        const struct weft_type_values *of_types, uint32_t track,
                        struct weft_span window, struct weft_track_sums *sums);

#endif
