/* SPDX-License-Identifier: Apache-2.0 */
/* From return addresses to places in source text: through the maps that were recorded. */
#ifndef WEFT_READ_RECORDING_SITES_H
#define WEFT_READ_RECORDING_SITES_H

#include "read/recording/load.h"
#include "store/builder.h"

struct sites;
struct sites *sites_new(const struct recording *recording, struct weft_builder *builder);
void sites_free(struct sites *sites);
/* The builder's site of a return address in an image; WEFT_NONE for address 0. */
uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address);

#endif
