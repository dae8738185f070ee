/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's table of pairs of object and site: which slot stands for which.  It begins small,
 * inside the log, and is replaced once by one of WEFT_LOG_SLOTS when the thread uses many.
 */
#ifndef WEFT_RECORD_SLOTS_H
#define WEFT_RECORD_SLOTS_H

#include "record/log/log.h"

/* An empty table. */
WEFT_HIDDEN void weft_slots_begin(struct weft_pooled_log *log);
/*
 * The slot of a pair, looked for from SLOT on; *found: it is there, else it is one to be
 * defined, whose pair is forgotten.
 */
WEFT_HIDDEN uint32_t weft_slots_find(struct weft_log *log, uint64_t object, uint64_t site,
                                     uint32_t slot, bool *found);
/* Give the memory back. */
WEFT_HIDDEN void weft_slots_end(struct weft_log *log);

#endif
