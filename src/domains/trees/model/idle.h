/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the threads of a trace did not work.  Of the states on a container's tracks, those that
 * do not nest and have values that wait say so for what its other tracks hold (its rows of calls).
 *
 * A container may have as many tracks as there are values or states: so what values mean is found
 * out once for a trace, and the times of a container once for all of its rows.
 */
#ifndef WEFT_MODEL_IDLE_H
#define WEFT_MODEL_IDLE_H

#include "store/source.h"

/* Is a state with a value of this role one in which its thread does not work? */
bool weft_role_waits(enum weft_role role);

/* Which values wait.  Any number of threads may use it. */
struct weft_waiting {
    const struct weft_source *source;
    uint8_t *of_value; /* 1: waits, 0: works, for the question `classes` */
    bool *of_type;     /* some value of the type waits */
};
void weft_waiting_begin(struct weft_waiting *waiting, const struct weft_source *source);
void weft_waiting_end(struct weft_waiting *waiting);

/* Times at which a thread did not work, in order, with work between any two of them. */
struct weft_idle_times {
    struct weft_span *spans;
    int64_t *before; /* ticks of those ahead of each */
    size_t n;
    uint32_t track; /* what says so; WEFT_NONE: nothing does, and there are none */
};
/* How many ticks of them are before TIME.  O(log n). */
int64_t weft_idle_until(const struct weft_idle_times *times, int64_t time);
/* When it was last at work before TIME, if it ever was: then, or when the idle time began. */
int64_t weft_idle_begin_before(const struct weft_idle_times *times, int64_t time);

/*
 * Those of one container after the other, zeroed but for WAITING at first.  Rows of a container
 * are best asked for together: its tracks are then read once, and a track that is one of its rows
 * as well twice.
 */
struct weft_idle {
    const struct weft_waiting *waiting;
    bool known; /* of CONTAINER: */
    uint32_t container;
    struct weft_idle_times first,
        second; /* of the first track that says it, and of the next */
    bool has_second;
};
/* When the thread of the row TRACK did not work: valid until another container is asked for. */
const struct weft_idle_times *weft_idle_of(struct weft_idle *idle, uint32_t track);
void weft_idle_end(struct weft_idle *idle);

#endif
