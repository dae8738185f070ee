/* SPDX-License-Identifier: Apache-2.0 */
/* Finds LLVM's OpenMP runtime. */
#include "domains/tasks/cli/record_openmp.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/recording/obstacle.h"

bool record_openmp_is_blind(const char *program)
{
    return weft_recording_needs(program, "libgomp.so");
}

/* The last file that matches, usually the newest version; NULL if there is none. */
static char *last_match(const char *pattern)
{
    char *found = NULL;
    glob_t matches;

    if (glob(pattern, 0, NULL, &matches) == 0) {
        found = realpath(matches.gl_pathv[matches.gl_pathc - 1], NULL);
        globfree(&matches);
    }
    return found;
}

char *record_openmp_runtime(struct weft_err *err)
{
    /* Debian and Ubuntu, Fedora, builds by users. */
    static const char *const places[] = {
        "/usr/lib/llvm-*/lib/libomp.so.5",
        "/usr/lib/*/libomp.so.5",
        "/usr/lib64/libomp.so",
        "/usr/lib/libomp.so",
        "/usr/local/lib/libomp.so",
    };
    char *found = NULL;

    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++)
        found = last_match(places[i]);
    if (found && strpbrk(found, " :")) {
        free(found);
        found = NULL;
    }
    if (!found)
        weft_fail(
            err, WEFT_ERR_READ,
            "the program runs on GCC's OpenMP, which tells nobody what it does; it is "
            "recorded on LLVM's, which is not here: install it (Debian and Ubuntu: "
            "libomp-dev, Fedora: libomp)");
    return found;
}
