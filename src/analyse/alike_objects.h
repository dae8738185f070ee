/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the objects that threads wait for (locks, conditions) that a table counts as one: a
 * program that makes a condition for each request has a container for each of them.
 */
#ifndef WEFT_ANALYSE_ALIKE_OBJECTS_H
#define WEFT_ANALYSE_ALIKE_OBJECTS_H

#include "base/memory.h"
#include "store/schema.h"

/*
 * Returns an array [n_containers] in ARENA: for each container the one of the lowest index
 * that is alike, often itself.  Containers of one type and a role that is a kind of
 * synchronization are alike if their fields of role given-name are equal; of those without
 * one, if their fields of role symbol (the variable) are; of those with neither, if made at
 * the same place (created-at); of those without that, if first used at the same place
 * (site).  Any other container is like itself only.
 * SITES_ALIKE, by site, comes from weft_sites_alike(), and is not needed afterwards.
 */
uint32_t *weft_objects_alike(struct weft_arena *arena, const struct weft_schema *schema,
                             const uint32_t *sites_alike);

/*
 * Returns what the objects that are like the container OBJECT have in common, for tables:
 * the name that the program gave them, the variable, or the place where they were made or
 * used, as weft_site_text() writes it; "" if nothing is known.  The text is in ARENA or
 * SCHEMA.
 */
const char *weft_objects_text(struct weft_arena *arena, const struct weft_schema *schema,
                              uint32_t object);

#endif
