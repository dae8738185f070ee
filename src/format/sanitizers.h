/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes sanitizer libraries.  They end a program if another library is preloaded
 * before them, so a program that preloads one is not recorded.
 */
#ifndef WEFT_FORMAT_SANITIZERS_H
#define WEFT_FORMAT_SANITIZERS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Returns true if LIST, in the syntax of LD_PRELOAD, contains the name of a library of
 * AddressSanitizer, ThreadSanitizer or HWASan, of gcc or clang.  LIST is not NULL.
 */
static inline bool weft_names_sanitizer(const char *list)
{
    static const char *const names[] = { "libasan.so",       "libtsan.so",
                                         "libhwasan.so",     "libclang_rt.asan",
                                         "libclang_rt.tsan", "libclang_rt.hwasan" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(list, names[i]))
            return true;
    return false;
}

#endif
