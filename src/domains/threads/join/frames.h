/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which call it was that waited: the first one around it that is not a wrapper.  Libraries put
 * functions of their own around those of threads and locks ("uv_mutex_lock"); where they are
 * called is what people want to see.
 */
#ifndef WEFT_READ_RECORDING_FRAMES_H
#define WEFT_READ_RECORDING_FRAMES_H

#include "domains/threads/format/records.h"
#include "read/recording/sites/sites.h"

struct frames;
struct frames *frames_new(struct sites *sites);
void frames_free(struct frames *frames);

/*
 * The return address of the first call that is not in a wrapper, from SITE outwards, by the
 * N_WORDS of a WEFT_RECORD_STACK; SITE itself when those are of another call, or do not reach.
 */
uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words);

#endif
