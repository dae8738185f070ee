/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the thread that ended a wait: by a signal, by giving a lock back, by coming last to
 * a barrier.  Links of role wake-up say so.  A link may name the wait that it ends; one
 * that names none belongs to the wait in which it arrives, or which ends just then.
 */
#ifndef WEFT_ANALYSE_WAKINGS_H
#define WEFT_ANALYSE_WAKINGS_H

#include "store/source.h"

/*
 * The wake-ups that reach a container: those that name their wait first, by its id, then by
 * time.  All 0: none.
 */
struct weft_wakings {
    struct weft_waking {
        uint64_t wait; /* id of the state; WEFT_NO_ID: not named */
        int64_t time;  /* when it arrives */
        uint32_t by;   /* a container */
    } * list;
    size_t n, n_named, capacity;
};

/* Returns true if the trace has links of role wake-up.  Looks at tables only. */
bool weft_has_wakings(const struct weft_schema *schema);
/*
 * Sets *OUT to the wake-ups that reach CONTAINER in WINDOW from a known one; the caller
 * frees it with weft_wakings_free.  Takes 24 bytes, and some hundred ns, for each.
 */
void weft_wakings_read(const struct weft_source *source, uint32_t container,
                       struct weft_span window, struct weft_wakings *out);
/*
 * Returns the container that ended WAIT, a state of the wakings' container; WEFT_NONE if
 * that is unknown.  If several did, the latest.  O(log n).
 */
uint32_t weft_waker_of(const struct weft_wakings *wakings, const struct weft_state *wait);
void weft_wakings_free(struct weft_wakings *wakings);

#endif
