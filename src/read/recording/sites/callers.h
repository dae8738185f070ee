/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the program's call, by unwinding recorded words of the stack: the first call that
 * is not in a wrapper (sites_is_wrapper).  Libraries wrap the functions of threads, locks
 * and messages ("uv_mutex_lock"); the caller of the wrapper is of interest.
 */
#ifndef WEFT_READ_RECORDING_CALLERS_H
#define WEFT_READ_RECORDING_CALLERS_H

#include "format/stack_words.h"
#include "read/recording/sites/sites.h"

/* A cache: which calls are in wrappers, and how to unwind these. */
struct frames;
/*
 * Returns an empty cache that asks SITES about functions and unwinding tables; SITES must
 * live longer.  The caller frees the result with frames_free.
 */
struct frames *frames_new(struct sites *sites);
/* Frees FRAMES, but not its sites.  NULL is fine. */
void frames_free(struct frames *frames);

/*
 * Returns the return address of the first call that is not in a wrapper function, from
 * SITE (a return address in the process image with index IMAGE) outwards.  WORDS[n_words]
 * are those of a recorded stack (format/stack_words.h).  If they or the unwinding tables
 * end before, or 16 wrappers are nested, returns the outermost call that was found.
 * Returns SITE if WORDS are those of a call from another site.
 */
uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words);
/*
 * Returns the first of N return addresses in IMAGE, from the innermost call outwards, whose
 * call is not in a wrapper; the outermost if all are, and 0 if N is 0.
 */
uint64_t frames_first(struct frames *frames, uint32_t image, const uint64_t *calls,
                      uint32_t n);

#endif
