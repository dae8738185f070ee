/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a program hands to the kernel can be read.  The kernel answers EFAULT when it
 * cannot; a recorder that looks at it first must not die of it.  Neither touches errno nor any
 * other of the thread's own variables.  Where the kernel may not be asked, or not without errno,
 * the answer is that it can.
 */
#ifndef WEFT_RECORD_READABLE_H
#define WEFT_RECORD_READABLE_H

#include "record/core/core.h"

/* A text, up to its NUL. */
WEFT_HIDDEN bool weft_readable_text(const char *text);
/* A list of texts, up to its NULL, as arguments and environments are; NULL: an empty one. */
WEFT_HIDDEN bool weft_readable_texts(char *const *list);

#endif
