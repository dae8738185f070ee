/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the times at which the threads of a trace did not work. The states on one track of
 * a container (values of waiting roles, on a track without nesting) tell it for the
 * container's other tracks, its rows of calls.
 *
 * A container may have many tracks, so the roles of values are looked up once for a trace,
 * and the times of a container once for all of its rows.
 */
#ifndef WEFT_MODEL_IDLE_H
#define WEFT_MODEL_IDLE_H

#include "store/source.h"

/* Returns true if ROLE, the role (meaning) of a state's value, says that the thread does
   not work in the state: WEFT_ROLE_IDLE, a kind of it, or WEFT_ROLE_BLOCKING_SEND. */
bool weft_role_waits(enum weft_role role);

/*
 * The values of a source that mean waiting (weft_role_waits). weft_waiting_begin() fills
 * it, weft_waiting_end() frees what it holds. Read-only in between: several threads may
 * share it.
 */
struct weft_waiting {
    const struct weft_source *source; /* the caller's */
    uint8_t *of_value; /* by index in the schema's values: 1 waits, 0 works, as ops->classes
                          takes it */
    bool *of_type;     /* by index in the schema's types: one of its values waits */
};
/* Sets *WAITING, which need not be initialized: which values of states in SOURCE mean
   waiting. SOURCE must stay until weft_waiting_end(), which frees what WAITING holds. */
void weft_waiting_begin(struct weft_waiting *waiting, const struct weft_source *source);
/* Frees what WAITING holds, but not WAITING itself, and zeroes it. */
void weft_waiting_end(struct weft_waiting *waiting);

/*
 * The intervals [begin, end) in which a thread was idle, in order; it worked between any
 * two of them. Made by weft_idle_of() and owned by its struct weft_idle.
 */
struct weft_idle_times {
    struct weft_span *spans; /* [n] in ticks */
    int64_t *before;         /* [n], sum of the ticks of the intervals before each one */
    size_t n;
    uint32_t track; /* the track whose states say so; WEFT_NONE: none does, and n is 0 */
};
/* Returns how many ticks before TIME are in the idle intervals TIMES. O(log n). */
int64_t weft_idle_until(const struct weft_idle_times *times, int64_t time);
/* Returns the begin of the interval of TIMES that contains TIME or ends at TIME; TIME
   itself if there is none, which means that the thread worked until TIME. O(log n). */
int64_t weft_idle_begin_before(const struct weft_idle_times *times, int64_t time);

/*
 * A cache of the idle times of one container, for weft_idle_of(). The caller sets
 * `waiting`, which must outlive the cache, zeroes the rest, and frees what it holds with
 * weft_idle_end(). If the rows of a container are asked for one after another, its tracks
 * are read once (twice when one of them is a row itself). For one thread at a time.
 */
struct weft_idle {
    const struct weft_waiting *waiting; /* the values that mean waiting */
    bool known;                         /* `first` is that of `container` */
    uint32_t container;                 /* index in the schema's containers */
    struct weft_idle_times first,
        second; /* from the first track on which states wait, and, if this is a row that
                   was asked for, from the next such track */
    bool has_second; /* `second` is that of `container` */
};
/*
 * Returns the idle times of the container that has TRACK, a row of calls. They come from
 * the container's first other track without nesting on which states wait; if there is none,
 * n is 0. Never NULL. Owned by IDLE; valid until a track of another container is asked for,
 * or weft_idle_end().
 */
const struct weft_idle_times *weft_idle_of(struct weft_idle *idle, uint32_t track);
/* Frees the idle times that IDLE caches; IDLE may be used again. */
void weft_idle_end(struct weft_idle *idle);

#endif
