/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds when threads spun: had a processor, and polled memory until another thread wrote
 * it.  The proof is in their samples (polling/polling_loop.h): each of many successive
 * ones, with its registers, must be of the same round without progress.
 */
#ifndef WEFT_READ_RECORDING_SPINS_H
#define WEFT_READ_RECORDING_SPINS_H

#include "read/recording/join/join.h"

/*
 * Adds the begins and ends of such times to the observed switches of JOIN's threads:
 * OBSERVED_SPINNING at the first of the samples, OBSERVED_IN at the last one.  A switch in
 * between that gives the thread a processor becomes OBSERVED_SPINNING.  JOIN must have its
 * threads (lifecycle_prepare); call it once, before their states begin.  Code is read from
 * the recorded files as they are now; without it, or without registers, nothing is added.
 */
void spins_find(struct join *join);

#endif
