/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many members of a group (tracks of states) are active at once: Paje's reduction
 * (Chassin de Kergommeaux, Stein, Bernard 2000, figure 6).  A member is active while its
 * innermost state has one of some values.
 */
#ifndef WEFT_ANALYSE_ACTIVE_MEMBERS_H
#define WEFT_ANALYSE_ACTIVE_MEMBERS_H

#include "base/progress_and_cancel.h"
#include "store/source.h"

/*
 * Sets ACTIVE[v] to 1 for the values of states of work (WEFT_ACTIVITY_WORK), else to 0, and
 * returns true.  If SCHEMA has none, sets it to 1 for all values of states, and returns
 * false.
 */
bool weft_values_of_work(const struct weft_schema *schema, uint8_t *active);

/* Members of a group, all of one type of states. */
struct weft_members {
    uint32_t *tracks; /* [n] */
    size_t n;
    uint32_t type; /* WEFT_NONE if n is 0 */
};
/*
 * Returns the members that CONTAINER and all it holds have, in ARENA: the tracks of its
 * most relevant type of states (weft_type_order), of several that with ACTIVE values, then
 * that with most tracks.
 */
struct weft_members weft_members_of(const struct weft_schema *schema, uint32_t container,
                                    const uint8_t *active, struct weft_arena *arena);

/*
 * Returns how many of the containers of N TRACKS lived at once at most: of 10^5 short
 * threads maybe four.  One that has no length counts at its begin.
 */
size_t weft_most_at_once(const struct weft_schema *schema, const uint32_t *tracks,
                         size_t n);

/*
 * Adds to TICKS[k], for k from 0 to members->n, the ticks of WINDOW in which exactly k
 * members were active, less those in which the trace is damaged for any member.  Exact;
 * reads all changes of the window, in parts of some millions, on several threads; stops
 * early if JOB (may be NULL) is cancelled.
 */
void weft_active_counts(const struct weft_source *source,
                        const struct weft_members *members, const uint8_t *active,
                        struct weft_span window, struct weft_job *job, int64_t *ticks);

#endif
