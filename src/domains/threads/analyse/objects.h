/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges objects that threads wait for: a program that makes a condition for each request
 * has a container for each, which are one thing to its reader.
 */
#ifndef WEFT_ANALYSE_OBJECTS_H
#define WEFT_ANALYSE_OBJECTS_H

#include "base/memory.h"
#include "store/schema.h"

/*
 * Returns an array [n_containers] in ARENA: for each container the first of its type that
 * is alike.  Objects of role synchronization are alike if they have the same variable
 * (field of role symbol), or, without one, were made at the same place (created-at), or,
 * where that is unknown, were first used at the same place (site).  SITES_ALIKE is
 * weft_sites_alike().  All others are alike to themselves only.
 */
uint32_t *weft_objects_alike(struct weft_arena *arena, const struct weft_schema *schema,
                             const uint32_t *sites_alike);

/*
 * Returns what alike objects have in common, for tables: the variable, or the place as
 * weft_site_text() writes it.  OBJECT is one of several that are alike.  The text is in
 * ARENA or SCHEMA.
 */
const char *weft_objects_text(struct weft_arena *arena, const struct weft_schema *schema,
                              uint32_t object);

#endif
