/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses what a file is that is no trace. */
#ifndef WEFT_READ_UNKNOWN_FORMAT_H
#define WEFT_READ_UNKNOWN_FORMAT_H

#include "base/err.h"

/*
 * Sets *ERR to WEFT_ERR_FORMAT for the file at PATH, of unknown format, whose first SIZE
 * bytes (of the unpacked file; 0: it is empty) are HEAD: says what they look like (an
 * archive, a program, UTF-16) and what would help, or else lists the formats that Weft
 * reads.  Returns false.
 */
bool weft_fail_unknown(struct weft_err *err, const char *path, const unsigned char *head,
                       size_t size);

#endif
