/* SPDX-License-Identifier: Apache-2.0 */
/* The containers that are folded: without a row in the picture unless the reader asks. */
#ifndef WEFT_VIEW_TIMELINE_SPACE_TIME_FOLDS_H
#define WEFT_VIEW_TIMELINE_SPACE_TIME_FOLDS_H

#include "analyse/container_relevance.h"
#include "base/memory.h"

/*
 * Chooses the containers of the subtree of UNDER that have no row.  Secondary containers
 * (RELEVANCE: locks and the like) have one only if threads waited for them, those with most
 * waiting first, at least one, and at most half as many as there are rows of others.
 * Threads without children that lived less than a hundredth of the trace have none if their
 * parent has more than 8 such threads, nor have containers without children of which only
 * variables that never change are known, if others have rows.  UNDER itself has a row, and
 * so have the containers around a secondary one with a row.  Sets *FOLDED[n_containers]: 1,
 * it has no row, 0 also outside the subtree; *PLACE[n_containers]: its place among the
 * secondary ones that were waited for, from 1; 0 for others.  Both are in ARENA.
 */
void st_folds_make(const struct weft_schema *schema, const struct weft_relevance *relevance,
                   uint32_t under, struct weft_arena *arena, uint8_t **folded,
                   uint32_t **place);

#endif
