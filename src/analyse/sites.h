/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in a program as readers know them.  A site of a trace is an address; a compiler that
 * inlines makes several of one line.  Tables are about lines: what reads alike is one place.
 */
#ifndef WEFT_ANALYSE_SITES_H
#define WEFT_ANALYSE_SITES_H

#include "base/memory.h"
#include "store/schema.h"

/*
 * For each site the first one that reads alike: the same function, file and line; where the
 * line is not known, the same function of the same object.  [n_sites] in ARENA.
 */
uint32_t *weft_sites_alike(struct weft_arena *arena, const struct weft_schema *schema);

/*
 * How a site is written in tables and pictures, in ARENA: "put (buffer.c:34)", "buffer.c:34",
 * "put (libbuffer.so)", "buffer.c" or "libbuffer.so+0x1234", without folders.  "" for WEFT_NONE.
 */
const char *weft_site_text(struct weft_arena *arena, const struct weft_schema *schema,
                           uint32_t site);

#endif
