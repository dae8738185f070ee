/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses what a file is that is no trace. */
#ifndef WEFT_READ_UNKNOWN_H
#define WEFT_READ_UNKNOWN_H

#include "base/err.h"

/*
 * Sets *ERR for a file of unknown format whose first SIZE bytes are HEAD: says what they
 * look like and what would help, or else lists the formats.  Returns false.
 */
bool weft_fail_unknown(struct weft_err *err, const char *path, const unsigned char *head,
                       size_t size);

#endif
