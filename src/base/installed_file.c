/* SPDX-License-Identifier: Apache-2.0 */
#include "base/installed_file.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* Returns the file that FOLDER/PATTERN names or matches; the caller frees it. */
static char *first_match(const char *folder, const char *pattern)
{
    char *full = weft_asprintf("%s/%s", folder, pattern);
    char *found = NULL;
    glob_t matches;

    /* An installation folder's name may contain glob characters: try it as a path first. */
    if (access(full, F_OK) == 0) {
        found = realpath(full, NULL);
    } else if (glob(full, 0, NULL, &matches) == 0) {
        found = realpath(matches.gl_pathv[0], NULL);
        globfree(&matches);
    }
    free(full);
    return found;
}

char *weft_find_installed(const char *const *folders, size_t n, const char *name)
{
    char *self = realpath("/proc/self/exe", NULL), *found = NULL;
    char *slash = self ? strrchr(self, '/') : NULL;

    if (slash) {
        *slash = 0;
        for (size_t i = 0; i < n && !found; i++) {
            char *pattern = weft_asprintf("%s/%s", folders[i], name);
            found = first_match(self, pattern);
            free(pattern);
        }
    }
    free(self);
    return found;
}
