/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of sanitizers by which LD_PRELOAD may begin.  They end a program when another library
 * comes before them, so such a program is not recorded.
 */
#ifndef WEFT_FORMAT_SANITIZERS_H
#define WEFT_FORMAT_SANITIZERS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does a list of libraries, as LD_PRELOAD has it, name one? */
static inline bool weft_names_sanitizer(const char *list)
{
    static const char *const names[] = { "libasan.so", "libtsan.so", "libhwasan.so",
                                         "libclang_rt.asan", "libclang_rt.tsan",
                                         "libclang_rt.hwasan" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(list, names[i]))
            return true;
    return false;
}

#endif
