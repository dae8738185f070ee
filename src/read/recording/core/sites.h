/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From addresses to places in source text, and to names of functions and variables: through
 * the maps that were recorded, and the symbols and lines of the files that they name (by
 * elfutils).  Files that are gone, or have no symbols, give no names.
 */
#ifndef WEFT_READ_RECORDING_SITES_H
#define WEFT_READ_RECORDING_SITES_H

#include "read/recording/core/files.h"
#include "store/builder.h"

struct sites;
struct sites *sites_new(const struct recording *recording, struct weft_builder *builder);
void sites_free(struct sites *sites);

/* The builder's site of a return address in an image; WEFT_NONE for address 0. */
uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address);
/* The function that begins at or covers an address; NULL.  As long as SITES lives. */
const char *sites_function(struct sites *sites, uint32_t image, uint64_t address);
/* The variable that covers an address, and how far into it that is; NULL. */
const char *sites_variable(struct sites *sites, uint32_t image, uint64_t address,
                           uint64_t *within);

#endif
