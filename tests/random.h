/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of the tests, the same in every run of a program. */
#ifndef WEFT_TESTS_RANDOM_H
#define WEFT_TESTS_RANDOM_H

#include <stdint.h>

/* Any number but 0; weak, so that all files of a program share it. */
extern uint64_t random_state;
__attribute__((weak)) uint64_t random_state = 88172645463325252u;

/*
 * The next number below LIMIT; LIMIT 0: the next 64 bits.  Not for several threads at once.
 * xorshift64: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003).
 */
static inline uint64_t roll(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return limit ? random_state % limit : random_state;
}

/* Begins another sequence, the same for each SEED. */
static inline void roll_from(uint64_t seed)
{
    /* The finaliser of splitmix64, since neighbouring seeds must not begin alike. */
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    random_state = (seed ^ seed >> 31) | 1;
}

#endif
