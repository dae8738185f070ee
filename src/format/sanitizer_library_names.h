/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes sanitizer libraries.  They end a program if another library is preloaded
 * before them, so a program that preloads one is not recorded.
 */
#ifndef WEFT_FORMAT_SANITIZER_LIBRARY_NAMES_H
#define WEFT_FORMAT_SANITIZER_LIBRARY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Returns true if LIST, the value of LD_PRELOAD or an entry "LD_PRELOAD=..." of the
 * environment, contains, anywhere, the name of a library of AddressSanitizer,
 * ThreadSanitizer or HWASan, of gcc or clang.  LIST must not be NULL.
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
