/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name, among those allowed, that is most like a mistyped one. */
#ifndef WEFT_BASE_NEAREST_NAME_H
#define WEFT_BASE_NEAREST_NAME_H

#include <stddef.h>

/*
 * Returns, of the names NAME(i, USER) for each i < N, the first with the least edit
 * distance (bytes inserted, deleted, changed, or swapped with the next) from TEXT; one that
 * begins with TEXT has distance 1.  Returns NULL if no name is near enough: its distance
 * must be at most 1 + a third of TEXT's bytes, and below its own length; if it or TEXT has
 * 64 bytes or more, it must begin with TEXT.  NAME may return NULL, which is skipped.
 */
const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user);

#endif
