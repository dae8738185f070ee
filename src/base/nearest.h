/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests a name for a mistyped one. */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include <stddef.h>

/*
 * Returns the name nearest to TEXT by edit distance among NAME(i, user) for i < N, of which
 * NULL is skipped; NULL if none is near.
 */
const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user);

#endif
