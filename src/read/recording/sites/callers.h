/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the program's own call, by unwinding recorded words of the stack: the innermost
 * call that is not made by a wrapper (sites_is_wrapper).  Libraries wrap the functions of
 * threads, locks and messages ("uv_mutex_lock"); the caller of the wrapper is of interest.
 */
#ifndef WEFT_READ_RECORDING_CALLERS_H
#define WEFT_READ_RECORDING_CALLERS_H

#include "format/stack_words.h"
#include "read/recording/sites/sites.h"

/* A cache by return address: which calls are in wrappers, and how to unwind these. */
struct frames;
/*
 * Returns an empty cache that asks SITES about functions and unwinding tables; SITES must
 * live longer.  The caller frees the result with frames_free.
 */
struct frames *frames_new(struct sites *sites);
/* Frees FRAMES, but not its sites.  NULL is fine. */
void frames_free(struct frames *frames);

/*
 * Returns the return address of the innermost call that is not in a wrapper function, from
 * SITE (a return address in the process image with index IMAGE) outwards.  WORDS[n_words]
 * are those of the stack recorded at that call (format/stack_words.h); N_WORDS may be 0.
 * If the words or the unwinding tables do not lead so far, or 64 wrappers are nested,
 * returns the outermost return address that was found, at least SITE itself.  Returns SITE
 * if WORDS belong to another call site, or are too few.
 */
uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words);
/*
 * CALLS are N return addresses in process image IMAGE (an index), the innermost call first.
 * Returns the first one whose call is not in a wrapper function.  EXACT: each is the caller
 * of the one before.  Else the chain of frame pointers gave them: then it also stops at a
 * wrapper that has no frame pointer, or whose unwinding tables do not tell, and returns
 * that: the next of CALLS need not be its caller.
 * Returns the last, outermost one if all are in other wrappers; 0 if N is 0.
 */
uint64_t frames_first(struct frames *frames, uint32_t image, const uint64_t *calls,
                      uint32_t n, bool exact);

#endif
