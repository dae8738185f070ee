/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges and names places in a program for tables.  A site of a trace is an address;
 * inlining makes several sites of one line.  Tables are by line, so they count sites with
 * the same text as one.
 */
#ifndef WEFT_ANALYSE_SITES_H
#define WEFT_ANALYSE_SITES_H

#include "base/memory.h"
#include "store/schema.h"

/*
 * Returns an array [n_sites] in ARENA: for each site the first with the same function,
 * file and line; if the line is unknown, with the same function and object (file of the
 * program or library); if the function is unknown, too, with the same file, object and
 * address.
 */
uint32_t *weft_sites_alike(struct weft_arena *arena, const struct weft_schema *schema);

/*
 * Returns the text of a site, an index, for tables and pictures: "put (buffer.c:34)",
 * "buffer.c:34", "put (libbuffer.so)", "buffer.c" or "libbuffer.so+0x1234", without
 * folders; "" for WEFT_NONE.  It is in ARENA or is a name in SCHEMA.
 */
const char *weft_site_text(struct weft_arena *arena, const struct weft_schema *schema,
                           uint32_t site);

#endif
