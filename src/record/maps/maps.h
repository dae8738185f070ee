/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the map of the address space, from which addresses become names later. */
#ifndef WEFT_RECORD_MAPS_H
#define WEFT_RECORD_MAPS_H

#include "record/core/core.h"

/* Append the map as it is now to the process's copies. */
WEFT_HIDDEN void weft_maps_copy(void);
/* The same, when no copy knows code at ADDRESS yet; for generated code not each time. */
WEFT_HIDDEN void weft_maps_see(uint64_t address);
/* The process ends: append it again, if code was passed over since the last copy. */
WEFT_HIDDEN void weft_maps_end(void);
/* In a forked child, which knows what its parent's copies say, and has none yet. */
WEFT_HIDDEN void weft_maps_forked(void);

#endif
