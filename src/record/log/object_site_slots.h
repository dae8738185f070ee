/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's hash table of slots: numbers for pairs of object and call site.  It begins
 * small, inside the log, and is replaced once by one of WEFT_LOG_SLOTS slots when the
 * thread uses many pairs.
 */
#ifndef WEFT_RECORD_OBJECT_SITE_SLOTS_H
#define WEFT_RECORD_OBJECT_SITE_SLOTS_H

#include "record/log/log.h"

/*
 * Empties the small table of slots (numbers for pairs of object and call site) inside LOG,
 * and lets LOG use it.
 */
WEFT_HIDDEN void weft_slots_begin(struct weft_pooled_log *log);
/*
 * Returns the index of the pair (OBJECT, SITE) in the hash table of LOG, searched in eight
 * slots from SLOT, the pair's hash, on.  If *FOUND is false, it is not there: the caller
 * stores it at the returned index, where an earlier pair, if any, is forgotten.  If the
 * eight are in use, the small table is replaced once by a large one, and all pairs are
 * forgotten.
 */
WEFT_HIDDEN uint32_t weft_slots_find(struct weft_log *log, uint64_t object, uint64_t site,
                                     uint32_t slot, bool *found);
/*
 * Frees the large table of slots (numbers for pairs of object and call site), if LOG has
 * one; LOG must get no more events.
 */
WEFT_HIDDEN void weft_slots_end(struct weft_log *log);

#endif
