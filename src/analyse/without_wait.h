/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the longest time that a thread went on without a wait. */
#ifndef WEFT_ANALYSE_WITHOUT_WAIT_H
#define WEFT_ANALYSE_WITHOUT_WAIT_H

#include "base/memory.h"
#include "store/source.h"

/*
 * Returns, by index of a value of SCHEMA, 0 if a thread in a state with that value is known
 * not to wait (its role is a kind of busy, overhead or ready), else 1; in ARENA.
 */
const uint8_t *weft_wait_classes(const struct weft_schema *schema,
                                 struct weft_arena *arena);
/*
 * Sets *OUT to the longest time in WINDOW, the first of equal ones, in which the innermost
 * state of TRACK, one of what a thread did, was known not to be a wait, by CLASSES
 * (weft_wait_classes).  Returns false, with an empty *OUT, if there is none.  Costs 1 or 2
 * ns a change of the track.
 */
bool weft_longest_without_wait(const struct weft_source *source, const uint8_t *classes,
                               uint32_t track, struct weft_span window,
                               struct weft_span *out);
/*
 * Returns a text such as "1.20 s, since 0.31 s" for FOUND, the result of
 * weft_longest_without_wait(), in ARENA; NULL if it is shorter than 100 ms, which is not
 * worth telling.
 */
const char *weft_without_wait_text(const struct weft_schema *schema, struct weft_span found,
                                   struct weft_arena *arena);

#endif
