/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits all entities of many tracks in order of time, forwards or backwards, from any
 * time; those in damaged blocks are left out.
 *
 *     struct weft_walk walk;
 *     weft_walk_begin(&walk, source, tracks, n_tracks, 1u << WEFT_STATE, time, false);
 *     while (weft_walk_next(&walk, &entity)) ...
 *     weft_walk_end(&walk);
 *
 * States are ordered by their begins, samples too, links by the earlier of their times;
 * entities of the same time by id.  A forward walk has the entities at TIME and later, a
 * backward walk those before it, latest first: both together have all.
 *
 * Beginning costs a search on each track, a step O(log tracks), and each block that is
 * walked through is decoded once.  Memory: one decoded block a track, a few KiB.
 */
#ifndef WEFT_STORE_ENTITIES_BY_TIME_H
#define WEFT_STORE_ENTITIES_BY_TIME_H

#include "store/source.h"

struct weft_walk_track; /* position of the walk on a track */

/*
 * A walk through the entities of tracks; begun by weft_walk_begin, freed by weft_walk_end.
 */
struct weft_walk {
    const struct weft_source *source;
    /* binary heap of the N tracks with entities left; the first has the next entity */
    struct weft_walk_track *heap;
    size_t n;
    bool backward;
    bool given; /* the first track's entity was returned: the next step advances it */
    struct weft_run *scratch;
};

/* The entity that weft_walk_next has come to. */
struct weft_entity {
    enum weft_kind kind;
    uint64_t id;
    int64_t time; /* ticks: the time that the walk is ordered by */
    union {       /* by kind; valid until the next step */
        const struct weft_state *state;
        const struct weft_event *event;
        const struct weft_sample *sample;
        const struct weft_link *link;
    };
};

/*
 * Begins a walk in order of time through the entities of TRACKS, which are copied and do
 * not repeat a track: those at TIME and later, or if BACKWARD those before TIME, latest
 * first.  KINDS: a set of 1u << enum weft_kind; tracks of other kinds are skipped.  SOURCE
 * must outlive the walk.  End it with weft_walk_end().
 */
void weft_walk_begin(struct weft_walk *walk, const struct weft_source *source,
                     const uint32_t *tracks, size_t n_tracks, unsigned kinds, int64_t time,
                     bool backward);
/*
 * Sets *OUT to the next entity, past damaged blocks, which is valid until the next call;
 * returns false, *OUT unchanged, at the end.
 */
bool weft_walk_next(struct weft_walk *walk, struct weft_entity *out);
/* Frees the memory of WALK; the entities that it returned are no longer valid. */
void weft_walk_end(struct weft_walk *walk);

#endif
