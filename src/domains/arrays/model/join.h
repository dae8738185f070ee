/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining patterns to larger ones: inside this folder.  What happens within a step has no
 * order, so any patterns of a step, array, operation and place in the program may be joined
 * whose elements and owners together make up a nest of loops.
 *
 * Patterns are gathered until there are some ten thousand; then equal ones are counted,
 * those that continue one another become one, and those that stand at equal distances
 * become a loop around them, again and again until nothing changes.  When this leaves few,
 * gathering goes on; else all are given away.  About a microsecond a pattern.
 */
#ifndef WEFT_ARRAY_JOIN_H
#define WEFT_ARRAY_JOIN_H

#include "domains/arrays/model/profile.h"

struct array_join; /* takes some megabytes */

struct array_join *
array_join_new(void (*give)(void *user, const struct weft_pattern *pattern), void *user);
/* A pattern in its normal form. */
void array_join_add(struct array_join *join, const struct weft_pattern *pattern);
/* Join what is there, give it away, and free the join. */
void array_join_finish(struct array_join *join);
void array_join_abandon(struct array_join *join); /* NULL is fine */

#endif
