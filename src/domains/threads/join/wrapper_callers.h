/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the call that waited, by unwinding recorded words of the stack: the first call that
 * is not in a wrapper.  Libraries wrap the functions of threads and locks
 * ("uv_mutex_lock"); the caller of the wrapper is of interest.
 */
#ifndef WEFT_READ_RECORDING_WRAPPER_CALLERS_H
#define WEFT_READ_RECORDING_WRAPPER_CALLERS_H

#include "domains/threads/format/records.h"
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
 * are the words of a WEFT_RECORD_STACK.  If they or the unwinding tables end before, or 8
 * wrappers are nested, returns the outermost call that was found.  Returns SITE if WORDS
 * are those of a call from another site.
 */
uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words);

#endif
