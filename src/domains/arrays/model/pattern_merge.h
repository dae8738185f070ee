/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins patterns to larger ones.  Used in this folder only.  References within a step have
 * no order, so patterns of the same step, array, operation and place in the program may be
 * joined if their elements and owners together form a nest of loops.
 *
 * Some ten thousand patterns are collected.  Then equal ones are counted as one, adjacent
 * ones are concatenated, and equally spaced ones become a loop around them, repeatedly
 * until nothing changes.  If few patterns are left, collecting continues; else all are
 * passed on.  About a microsecond a pattern.
 */
#ifndef WEFT_ARRAY_PATTERN_MERGE_H
#define WEFT_ARRAY_PATTERN_MERGE_H

#include "domains/arrays/model/reference_profile.h"

struct array_join; /* some megabytes large */

/* Returns a join, never NULL, which collects patterns and joins them to larger ones.
   array_join_add() and array_join_finish() pass the patterns that result, valid during the
   call, to GIVE, with USER, in any order, also of steps; array_join_finish() or
   array_join_abandon() frees it. */
struct array_join *
array_join_new(void (*give)(void *user, const struct weft_pattern *pattern), void *user);
/* Adds a pattern, which must be in its normal form (array_pattern_normalize); it is copied.
   May pass joined patterns to GIVE. */
void array_join_add(struct array_join *join, const struct weft_pattern *pattern);
/* Joins the remaining patterns, passes them to GIVE of array_join_new(), and frees the
   join. */
void array_join_finish(struct array_join *join);
/* Frees the join without its remaining patterns; NULL is fine. */
void array_join_abandon(struct array_join *join);

#endif
