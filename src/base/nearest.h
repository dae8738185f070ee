/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for mistyped names. */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include <stddef.h>

/*
 * Returns the name nearest to TEXT among NAME(user, i), i < N (NULL: skipped); NULL if none
 * is near.
 */
const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user);

#endif
