/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges and names places in a program for tables.  A site of a trace is an address;
 * inlining, and several calls in a line, make several sites of one line.  Tables are by
 * line, so they count such sites as one.
 */
#ifndef WEFT_ANALYSE_SITES_BY_LINE_H
#define WEFT_ANALYSE_SITES_BY_LINE_H

#include "base/memory.h"
#include "store/schema.h"

/*
 * Returns an array [schema->n_sites] in ARENA: for each site the lowest index of a site of
 * the same place, maybe its own.  Sites are of the same place if they agree in function,
 * file and line; if the line is unknown, in function and object (path of the program or
 * library); if the function is unknown, too, in file, object and address.
 */
uint32_t *weft_sites_alike(struct weft_arena *arena, const struct weft_schema *schema);

/*
 * Returns the text of SITE (index in SCHEMA) for tables and pictures, by what is known of
 * it: "put (buffer.c:34)", "put (buffer.c)", "put (libbuffer.so)", "buffer.c:34",
 * "buffer.c" or "libbuffer.so+0x1234"; files without folders.  Returns "" for WEFT_NONE.
 * The text is valid as long as both ARENA and SCHEMA live.
 */
const char *weft_site_text(struct weft_arena *arena, const struct weft_schema *schema,
                           uint32_t site);

#endif
