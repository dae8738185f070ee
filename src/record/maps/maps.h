/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, by which the reader turns addresses into names. */
#ifndef WEFT_RECORD_MAPS_H
#define WEFT_RECORD_MAPS_H

#include "record/core/core.h"

/* Append a copy of /proc/self/maps to the log, unless this or another thread is at it. */
WEFT_HIDDEN void weft_maps_copy(void);
/* Append a copy unless one covers ADDRESS already; rarely for generated code. */
WEFT_HIDDEN void weft_maps_see(uint64_t address);
/* At the end of the process: append a copy if weft_maps_see() has passed over code. */
WEFT_HIDDEN void weft_maps_end(void);
/*
 * In a forked child: keep the ranges known, unless a thread was changing them at the fork,
 * but count no bytes of copies yet.
 */
WEFT_HIDDEN void weft_maps_forked(void);

#endif
