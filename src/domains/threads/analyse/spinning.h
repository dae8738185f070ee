/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long threads spun without a state that says so: ran on a processor while they were
 * in a wait that their program's runtime or library reports, such as a barrier of OpenMP or
 * a receive of MPI.
 */
#ifndef WEFT_ANALYSE_SPINNING_H
#define WEFT_ANALYSE_SPINNING_H

#include "base/memory.h"
#include "store/source.h"

/* The meanings of a trace's values; weft_spinning_find() fills it, then it is only read. */
struct weft_spinning {
    const struct weft_source *source;
    /* by index of a value: 0 if its role is a kind of busy or overhead and does not say
       that the thread spins, else 1 */
    const uint8_t *runs;
    /* by index of a value: 0 if its role is a kind of blocked, blocking-send or idle, else
       1 */
    const uint8_t *waits;
    /* by index of a type: its states are calls or communication (by role), and some that
       occur are waits */
    const bool *reports;
};

/* Sets *OUT for SOURCE, which must outlive it; the arrays are in ARENA.  Reads tables
   only. */
void weft_spinning_find(const struct weft_source *source, struct weft_arena *arena,
                        struct weft_spinning *out);

/*
 * Returns the ticks in WINDOW in which the innermost state of TRACK, a track of what a
 * thread did, was running (by spinning->runs), and at the same time the innermost state of
 * another track of its container, whose type is in spinning->reports, was a wait (by
 * spinning->waits).  Time in which several tracks report a wait counts once for each.
 * Costs some ns a change of these tracks.
 */
int64_t weft_spinning_ticks(const struct weft_spinning *spinning, uint32_t track,
                            struct weft_span window);

#endif
