/* SPDX-License-Identifier: Apache-2.0 */
/* What a format has no place for, told as a list: "3 states (lock), 1 link (wake-up)". */
#ifndef WEFT_WRITE_LOSSES_H
#define WEFT_WRITE_LOSSES_H

#include <inttypes.h>
#include <stdio.h>

/* Put ", N WHATs" behind what is in TEXT already, and AFTER behind that; nothing when N is 0. */
static inline void losses_add(FILE *text, uint64_t n, const char *what, const char *after)
{
    if (n)
        fprintf(text, "%s%" PRIu64 " %s%s%s", ftell(text) ? ", " : "", n, what,
                n == 1 ? "" : "s", after);
}

#endif
