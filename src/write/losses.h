/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a text that counts the data that an output format cannot hold: "3 states (lock), 1
 * clock".
 */
#ifndef WEFT_WRITE_LOSSES_H
#define WEFT_WRITE_LOSSES_H

#include <inttypes.h>
#include <stdio.h>

/*
 * Appends "N WHATs" ("1 WHAT") and AFTER, which begins with a space or is empty, to TEXT, a
 * stream in which ftell() gives the bytes written, with ", " before if TEXT is not empty.
 * No effect if N is 0.
 */
static inline void losses_add(FILE *text, uint64_t n, const char *what, const char *after)
{
    if (n)
        fprintf(text, "%s%" PRIu64 " %s%s%s", ftell(text) ? ", " : "", n, what,
                n == 1 ? "" : "s", after);
}

#endif
