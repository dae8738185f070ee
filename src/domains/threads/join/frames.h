/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the call that waited: the first one that is not in a wrapper.  Libraries wrap the
 * functions of threads and locks ("uv_mutex_lock"); the caller of the wrapper is of
 * interest.
 */
#ifndef WEFT_READ_RECORDING_FRAMES_H
#define WEFT_READ_RECORDING_FRAMES_H

#include "domains/threads/format/records.h"
#include "read/recording/sites/sites.h"

struct frames;
struct frames *frames_new(struct sites *sites);
void frames_free(struct frames *frames);

/*
 * Returns the return address of the first call that is not in a wrapper, from SITE
 * outwards, by the N_WORDS of a WEFT_RECORD_STACK; SITE itself if the words belong to
 * another call, or are too few.
 */
uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words);

#endif
