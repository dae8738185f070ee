/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings to damage, as synthetic.h describes them: together they have records of all families
 * and of nearly all kinds, and few of each, so that a change soon meets one that matters.
 */
#ifndef WEFT_TESTS_JOIN_SEEDS_H
#define WEFT_TESTS_JOIN_SEEDS_H

enum { JOIN_SEEDS = 7 };

extern const char *const join_seeds[JOIN_SEEDS];

#endif
