/* SPDX-License-Identifier: Apache-2.0 */
/* Containers that have no row of their own in the first picture of a trace. */
#ifndef WEFT_VIEW_TIMELINE_SPACE_TIME_FOLDS_H
#define WEFT_VIEW_TIMELINE_SPACE_TIME_FOLDS_H

#include "analyse/relevance.h"
#include "base/memory.h"

/*
 * Chooses the containers of the subtree of UNDER that have no row of their own: locks and
 * the like have rows only if a thread waited for them, those with most waiting first, in at
 * most a third of all rows; threads only if they live for long, or are few in their
 * process. Sets *FOLDED, by container: 1, it has no row; and *PLACE, by container: its
 * place among the secondary ones that were waited for, from 1, or 0.  Both arrays are in
 * ARENA.
 */
void st_folds_make(const struct weft_schema *schema, const struct weft_relevance *relevance,
                   uint32_t under, struct weft_arena *arena, uint8_t **folded,
                   uint32_t **place);

#endif
