/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the thread that ended a wait: by a signal, by giving a lock back, by coming last to
 * a barrier.  A link of role wake-up leads from it to the thread that waited, and may name
 * the wait that it ends (the state at which it arrives); one that names none belongs to the
 * wait during which it arrives, or which ends just then.
 */
#ifndef WEFT_ANALYSE_WAKINGS_H
#define WEFT_ANALYSE_WAKINGS_H

#include "store/source.h"

/*
 * The wake-ups that reach one container, sorted by the id of the wait, then by time; the
 * unnamed ones are last.  weft_wakings_read fills it, weft_wakings_free frees it; all 0:
 * none.
 */
struct weft_wakings {
    struct weft_waking {
        uint64_t wait; /* id of the wait's state; WEFT_NO_ID: not named */
        int64_t time;  /* when the link arrives */
        uint32_t by;   /* the container that ended the wait */
    } * list;
    size_t n, n_named, capacity; /* the first n_named of n name their wait */
};

/* Returns true if SCHEMA's trace has a link of role wake-up; looks at its tables only. */
bool weft_has_wakings(const struct weft_schema *schema);
/*
 * Sets *OUT to the wake-ups that reach CONTAINER in WINDOW from a known container; the
 * caller frees it with weft_wakings_free.  WINDOW is half-open: a wait that ends at its end
 * may miss its wake-up, unless the window is one tick longer.  Takes 24 bytes, and some
 * hundred ns, for each.
 */
void weft_wakings_read(const struct weft_source *source, uint32_t container,
                       struct weft_span window, struct weft_wakings *out);
/*
 * Returns the container that ended WAIT, a state of the container to which WAKINGS belong:
 * that of the latest wake-up that names WAIT, or else of the latest unnamed one after its
 * begin and not after its end; WEFT_NONE if there is none.  O(log n).
 */
uint32_t weft_waker_of(const struct weft_wakings *wakings, const struct weft_state *wait);
/*
 * Returns the same for WAIT, a state of CONTAINER, without a list: asks SOURCE for the
 * wake-ups that name it, and those that arrive during it.  O(log n + these).
 */
uint32_t weft_waker_of_one(const struct weft_source *source, uint32_t container,
                           const struct weft_state *wait);
/* Frees the list of WAKINGS, not WAKINGS itself, which is empty then. */
void weft_wakings_free(struct weft_wakings *wakings);

#endif
