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

struct frames;
struct frames *frames_new(struct sites *sites);
void frames_free(struct frames *frames);

/*
 * Returns the return address of the first call that is not in a wrapper, from SITE (a
 * return address in IMAGE) outwards, by WORDS[n_words] of a WEFT_RECORD_STACK.  If the
 * words end before, returns the outermost call that they tell; SITE if they are those of
 * another call.
 */
uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words);

#endif
