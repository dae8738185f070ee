/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name, among those allowed, that is most like a mistyped one. */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include <stddef.h>

/*
 * Returns the first name with the least edit distance from TEXT among NAME(i, user) for i
 * < N, of which NULL is skipped; one that begins with TEXT has distance 1.  NULL if none
 * is within about a third of TEXT's characters.
 */
const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user);

#endif
