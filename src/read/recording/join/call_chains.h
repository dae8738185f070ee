/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call chain of a sample, or of a thread that was looked at while it was blocked.
 *
 * In a sample the kernel follows frame pointers, so it misses the caller of a function that
 * has no frame of its own, like a leaf, or one that has not made it yet.  Such callers are
 * found by unwinding tables in the top of the stack, which the sample has.
 */
#ifndef WEFT_READ_RECORDING_CALL_CHAINS_H
#define WEFT_READ_RECORDING_CALL_CHAINS_H

#include "read/recording/join/join.h"

enum {
    /* Most addresses of a chain: the kernel's, and one for each word of the stack. */
    CHAIN_MOST = WEFT_SCHEDULE_CHAIN + WEFT_SCHEDULE_STACK / 8,
};

/* Rules by which functions are unwound, in a cache. */
struct chains;

/*
 * Returns an empty cache for JOIN, which must have its sites (join->sites) when a chain is
 * read, and live longer; chains_free() frees it.
 */
struct chains *chains_new(const struct join *join);
/* Frees CHAINS (may be NULL). */
void chains_free(struct chains *chains);
/*
 * Sets ADDRESSES to the call chain of PLACE, one of the samples of an observed thread
 * (observed_thread.samples, no copy) of process image IMAGE (index in the recording), the
 * innermost first: the address at which the thread was, then of each caller an address
 * inside its call (the return address less 1).  The chain ends before the first address
 * that is not in executable memory, since frame pointers lead astray where functions keep
 * none.
 *
 * Returns the number of addresses; 0 if the thread was not in executable memory, as far as
 * that was observed (observed_is_code).  Sets *WHOLE to true if the chain reaches the
 * function in which the stack begins, as far as that can be told; false if it ended early,
 * the kernel cut it, or its outermost function keeps no frame pointer.
 */
size_t chains_read(struct chains *chains, uint32_t image,
                   const struct weft_schedule_place *place, uint64_t addresses[CHAIN_MOST],
                   bool *whole);
/*
 * Like chains_read(), for a blocked thread of process image IMAGE, by LOOK, one of its
 * looks (observed_thread.looks, no copy): sets ADDRESSES, which begin with that of its
 * system call, and returns their number, 0 if that is not in executable memory.  Only
 * unwinding tables lead from a function to its caller, within the part of the stack that
 * LOOK has; so *WHOLE, true if the chain reaches a function that begins a stack, is false
 * for most threads that wait deep in calls.
 */
size_t chains_read_look(struct chains *chains, uint32_t image,
                        const struct weft_schedule_look *look,
                        uint64_t addresses[CHAIN_MOST], bool *whole);

#endif
