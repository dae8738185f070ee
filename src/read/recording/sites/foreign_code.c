/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/sites/foreign_code.h"

#include <string.h>

bool foreign_header(const char *file)
{
    static const char *const begins[] = { "/usr/include/",      "/usr/local/include/",
                                          "/usr/lib/gcc",       "/usr/lib/llvm",
                                          "/usr/lib/go",        "/usr/share/go",
                                          "/usr/local/go/src/", "/rustc/" };
    static const char *const parts[] = { "/include/c++/", "/lib/gcc/", "/lib64/gcc/",
                                         "/lib/clang/" };

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(file, begins[i], strlen(begins[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

bool foreign_library(const char *path, size_t size)
{
    static const char *const names[] = { "libc.so",  "libc-2",     "ld-linux",
                                         "ld-2",     "libpthread", "libstdc++",
                                         "libgcc_s", "libc++",     "libweft-" };
    size_t begin = size;

    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (size - begin >= strlen(names[i])
            && memcmp(path + begin, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}
