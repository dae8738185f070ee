/* SPDX-License-Identifier: Apache-2.0 */
/* What a file may be that is no trace. */
#ifndef WEFT_READ_UNKNOWN_H
#define WEFT_READ_UNKNOWN_H

#include "base/err.h"

/*
 * The error for a file of no format that Weft reads: says what it looks like by its first
 * bytes, and what would help; else names the formats.  Returns false.
 */
bool weft_fail_unknown(struct weft_err *err, const char *path, const unsigned char *head,
                       size_t size);

#endif
