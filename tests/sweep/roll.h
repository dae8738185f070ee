/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_TESTS_SWEEP_ROLL_H
#define WEFT_TESTS_SWEEP_ROLL_H

#include <stdint.h>

/* The next number below LIMIT of a sequence that is the same in every run. */
uint64_t roll(uint64_t limit);
/* Begin another sequence, the same for each SEED. */
void roll_from(uint64_t seed);

#endif
