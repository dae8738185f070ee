/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/displays_option.h"

#include <glob.h>
#include <stdlib.h>

#include "base/memory.h"

/* Returns the files in the usual folder, as a pattern; NULL if there is no home. */
static char *usual_files(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && data[0] == '/')
        return weft_asprintf("%s/weft/displays/*.so", data);
    return home && home[0] == '/'
               ? weft_asprintf("%s/.local/share/weft/displays/*.so", home)
               : NULL;
}

static void load_usual(struct weft_own_displays *displays)
{
    char *pattern = usual_files();
    glob_t files;
    if (pattern && glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++) {
            struct weft_err err = { 0 };
            if (!weft_own_displays_load(displays, files.gl_pathv[i], &err))
                weft_report(&err);
        }
        globfree(&files);
    }
    free(pattern);
}

bool load_displays(const struct weft_arguments *arguments, bool with_usual,
                   struct weft_own_displays *displays, struct weft_err *err)
{
    const char **paths = weft_option_values(arguments, "display");
    for (size_t i = 0; paths && paths[i]; i++)
        if (!weft_own_displays_load(displays, paths[i], err))
            return false;
    if (with_usual)
        load_usual(displays);
    return true;
}
