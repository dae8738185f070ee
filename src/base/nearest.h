/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody who slipped may have meant. */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include <stddef.h>

/*
 * Of the N names that NAME(user, i) gives (NULL: skip), the one that TEXT most likely meant,
 * or NULL when none is near.
 */
const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user);

#endif
