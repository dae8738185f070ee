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

/*
 * Returns true if a thread does not work in states whose value has ROLE: idling, or a
 * blocking send.
 */
bool weft_role_waits(enum weft_role role);

/*
 * The values of a source that mean waiting. Read-only once made: several threads may share
 * it.
 */
struct weft_waiting {
    const struct weft_source *source;
    uint8_t *of_value; /* by value of the schema: 1 waits, 0 works (for ops->classes) */
    bool *of_type;     /* by type: one of its values waits */
};
void weft_waiting_begin(struct weft_waiting *waiting, const struct weft_source *source);
void weft_waiting_end(struct weft_waiting *waiting);

/* Idle intervals of a thread, in order; it worked between any two of them. */
struct weft_idle_times {
    struct weft_span *spans;
    int64_t *before; /* [n], ticks of all intervals before each one */
    size_t n;
    uint32_t track; /* the track whose states say so; WEFT_NONE: none does, and n is 0 */
};
/* Returns how many idle ticks there are before TIME. O(log n). */
int64_t weft_idle_until(const struct weft_idle_times *times, int64_t time);
/*
 * Returns the begin of the idle interval that TIME is in (or ends); TIME itself when the
 * thread worked until TIME. O(log n).
 */
int64_t weft_idle_begin_before(const struct weft_idle_times *times, int64_t time);

/*
 * A cache of the idle times of one container. The caller zeroes it but for WAITING, and
 * frees it with weft_idle_end(). If the rows of a container are asked for one after
 * another, its tracks are read once (twice when one of them is a row itself).
 */
struct weft_idle {
    const struct weft_waiting *waiting;
    bool known; /* FIRST is that of CONTAINER */
    uint32_t container;
    struct weft_idle_times first,
        second; /* from the first track that has waiting values, and from the next one */
    bool has_second;
};
/*
 * Returns the idle times of the thread that has the row TRACK, by the states on its other
 * tracks; valid until a row of another container is asked for.
 */
const struct weft_idle_times *weft_idle_of(struct weft_idle *idle, uint32_t track);
void weft_idle_end(struct weft_idle *idle);

#endif
