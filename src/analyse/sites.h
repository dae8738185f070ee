/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in a program for tables.  A site of a trace is an address; inlining makes several
 * sites of one line.  Tables are by line, so sites with the same text are one place.
 */
#ifndef WEFT_ANALYSE_SITES_H
#define WEFT_ANALYSE_SITES_H

#include "base/memory.h"
#include "store/schema.h"

/*
 * Returns [n_sites] in ARENA: for each site the first one with the same function, file and
 * line; or, if the line is unknown, with the same function and object.
 */
uint32_t *weft_sites_alike(struct weft_arena *arena, const struct weft_schema *schema);

/*
 * Returns the text of a site for tables and pictures, in ARENA: "put (buffer.c:34)",
 * "buffer.c:34", "put (libbuffer.so)", "buffer.c" or "libbuffer.so+0x1234", without
 * folders. "" for WEFT_NONE.
 */
const char *weft_site_text(struct weft_arena *arena, const struct weft_schema *schema,
                           uint32_t site);

#endif
