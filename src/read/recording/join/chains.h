/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call chain of a sample, or of a thread that was looked at while it was blocked.
 * In a sample the kernel follows frame pointers, so it misses the caller
 * of a function that has no frame of its own: as a leaf, or before it has made one.  Such
 * callers are found by unwinding tables in the top of the stack, which the sample has.
 */
#ifndef WEFT_READ_RECORDING_CHAINS_H
#define WEFT_READ_RECORDING_CHAINS_H

#include "read/recording/join/join.h"

enum {
    CHAIN_MOST = WEFT_SCHEDULE_CHAIN + WEFT_SCHEDULE_STACK / 8, /* addresses of a chain */
};

/* Rules by which functions are unwound, in a cache. */
struct chains;

/* Returns an empty cache for JOIN, which must live longer; chains_free() frees it. */
struct chains *chains_new(const struct join *join);
/* Frees CHAINS (may be NULL). */
void chains_free(struct chains *chains);
/*
 * Sets ADDRESSES to those in the functions of a sample of process image IMAGE, the
 * innermost first: where it was, and the calls.  They end before the first that is not in
 * executable memory, as frame pointers lead astray where there are none.  Returns their
 * number; *WHOLE is false if callers are missing because of that, because there are too
 * many, or because the outermost function has no frame.
 */
size_t chains_read(struct chains *chains, uint32_t image,
                   const struct weft_schedule_place *place, uint64_t addresses[CHAIN_MOST],
                   bool *whole);
/*
 * Likewise for the thread of IMAGE that LOOK is of: ADDRESSES begin with that of its system
 * call.  Only unwinding tables lead from a function to its caller, within the part of the
 * stack that the look has; so *WHOLE is false for most threads that wait deep in calls.
 */
size_t chains_read_look(struct chains *chains, uint32_t image,
                        const struct weft_schedule_look *look,
                        uint64_t addresses[CHAIN_MOST], bool *whole);

#endif
