/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name, among those allowed, that is most like a mistyped one. */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include <stddef.h>

/*
 * Returns, of the names NAME(i, USER) for each i < N, the first with the least edit
 * distance (bytes inserted, deleted, changed, or swapped with the next) from TEXT; one that
 * begins with TEXT has distance 1.  No candidate is a name that is NULL, whose distance is
 * above 1 + a third of TEXT's bytes or not below its own length, or that has 64 bytes or
 * more and does not begin with TEXT.  NULL if there is no candidate.
 */
const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user);

#endif
