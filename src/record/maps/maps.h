/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, by which the reader turns addresses into names. */
#ifndef WEFT_RECORD_MAPS_H
#define WEFT_RECORD_MAPS_H

#include "record/core/core.h"

/*
 * Appends a copy of /proc/self/maps to the log.  No effect if this or another thread is
 * doing so, or if the file cannot be opened.
 */
WEFT_HIDDEN void weft_maps_copy(void);
/*
 * Appends a copy of /proc/self/maps to the log unless the last one covers the code at
 * ADDRESS.  For generated code (in no file that the loader has mapped) copies become ever
 * rarer: each is made after twice as many new pages as the one before.  No effect once
 * recording has ended, or while another thread copies.
 */
WEFT_HIDDEN void weft_maps_see(uint64_t address);
/*
 * At the end of the process: appends a copy of /proc/self/maps to the log if
 * weft_maps_see() has made none for some code since the last copy.  No effect once
 * recording has ended.
 */
WEFT_HIDDEN void weft_maps_end(void);
/*
 * In a forked child, whose reader also uses the parent's copies of /proc/self/maps: keeps
 * what they cover, unless a thread was changing that at the fork, and begins to count the
 * bytes of the child's own copies at 0.
 */
WEFT_HIDDEN void weft_maps_forked(void);

#endif
