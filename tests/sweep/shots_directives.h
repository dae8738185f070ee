/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_TESTS_SWEEP_SHOTS_DIRECTIVES_H
#define WEFT_TESTS_SWEEP_SHOTS_DIRECTIVES_H

#include <stddef.h>

/*
 * Directives (doc/distributions.md) of arrays that have a name as those of the tests' programs,
 * drawn from the sequence of random.h: many are right, others nearly.
 */
void some_directives(char *out, size_t size);

#endif
