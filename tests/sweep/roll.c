/* SPDX-License-Identifier: Apache-2.0 */
#include "roll.h"

static uint64_t state = 20261121;

/* xorshift64: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). */
uint64_t roll(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

void roll_from(uint64_t seed)
{
    /* Neighbouring seeds must not begin alike: the finaliser of splitmix64. */
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    state = (seed ^ seed >> 31) | 1;
}
