/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, by which the reader turns addresses into names. */
#ifndef WEFT_RECORD_MAPS_H
#define WEFT_RECORD_MAPS_H

#include "record/core/core.h"

/* Append a copy of the map as it is now. */
WEFT_HIDDEN void weft_maps_copy(void);
/* Append a copy if none has code at ADDRESS yet; for generated code, only at times. */
WEFT_HIDDEN void weft_maps_see(uint64_t address);
/* The process ends: append a last copy if some code was passed over since the last one. */
WEFT_HIDDEN void weft_maps_end(void);
/* Reset in a forked child: it keeps known ranges, but has written no copies yet. */
WEFT_HIDDEN void weft_maps_forked(void);

#endif
