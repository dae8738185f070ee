/* SPDX-License-Identifier: Apache-2.0 */
/* The table of families, as the command line sees it. */
#include "cli/cmd/record_families.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/recording_families.h"

enum { ROWS = sizeof weft_family_table / sizeof *weft_family_table };

static const struct weft_family_row *find_row(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(weft_family_table[i].name) == length
            && strncmp(weft_family_table[i].name, name, length) == 0)
            return &weft_family_table[i];
    return NULL;
}

uint32_t record_parse_families(const char *list, char **wrong)
{
    uint32_t families = 0;

    for (size_t i = 0; !list && i < ROWS; i++)
        families |= (uint32_t)weft_family_table[i].by_default
                    << weft_family_table[i].number;
    while (list) {
        size_t length = strcspn(list, ",");
        const struct weft_family_row *row = find_row(list, length);
        if (!row) {
            *wrong = weft_strndup(list, length);
            return 0;
        }
        families |= 1u << row->number;
        list = list[length] ? list + length + 1 : NULL;
    }
    return families;
}

char *record_list_families(void)
{
    char *list = weft_strdup("");

    for (size_t i = 0; i < ROWS; i++) {
        char *longer =
            weft_asprintf("%s%s%s", list, i ? ", " : "", weft_family_table[i].name);
        free(list);
        list = longer;
    }
    return list;
}

static char *first_match(const char *folder, const char *pattern)
{
    char *full = weft_asprintf("%s/%s", folder, pattern);
    char *found = NULL;
    glob_t matches;

    /* Folders that it is installed in may have names that glob takes for patterns. */
    if (access(full, F_OK) == 0) {
        found = realpath(full, NULL);
    } else if (glob(full, 0, NULL, &matches) == 0) {
        found = realpath(matches.gl_pathv[0], NULL);
        globfree(&matches);
    }
    free(full);
    return found;
}

/* The core's library; free it. */
static char *find_core(struct weft_err *err)
{
    static const char *const places[] = {
        "../record/" WEFT_CORE_LIBRARY,
        "../lib/" WEFT_CORE_LIBRARY,
        "../lib/*/" WEFT_CORE_LIBRARY,
        "../lib64/" WEFT_CORE_LIBRARY,
        WEFT_CORE_LIBRARY,
    };
    char *self = realpath("/proc/self/exe", NULL), *found = NULL;
    char *slash = self ? strrchr(self, '/') : NULL;

    if (slash) {
        *slash = 0;
        for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++)
            found = first_match(self, places[i]);
    }
    if (!found)
        weft_fail(err, WEFT_ERR_READ, "%s is not where it was installed, beside %s",
                  WEFT_CORE_LIBRARY, self ? self : "weft");
    free(self);
    return found;
}

/* Is the library of ROW in the folder of CORE, which may be NULL? */
static bool is_built(const char *core, const struct weft_family_row *row)
{
    char *path = core ? weft_asprintf("%.*s/%s", (int)(strrchr(core, '/') - core), core,
                                      row->library)
                      : NULL;
    bool built = path && access(path, R_OK) == 0;

    free(path);
    return built;
}

char *record_explain_families(void)
{
    char *text = weft_strdup("Recorders, for --with:\n");
    struct weft_err err = { 0 };
    char *core = find_core(&err);

    for (size_t i = 0; i < ROWS; i++) {
        const struct weft_family_row *row = &weft_family_table[i];
        char *longer = weft_asprintf("%s\n%s: %s%s%s.\n", text, row->name, row->records,
                                     row->by_default ? "" : " (only when it is named)",
                                     is_built(core, row) ? "" : " (not in this build)");
        free(text);
        text = longer;
    }
    text[strlen(text) - 1] = '\0';
    free(core);
    return text;
}

/* Append the library of ROW in the folder of CORE to *list, which is replaced. */
static bool append(char **list, const char *core, const struct weft_family_row *row,
                   struct weft_err *err)
{
    int folder = (int)(strrchr(core, '/') - core);
    char *path = weft_asprintf("%.*s/%s", folder, core, row->library);
    bool found = access(path, R_OK) == 0;

    if (found) {
        char *longer = weft_asprintf("%s:%s", *list, path);
        free(*list);
        *list = longer;
    } else {
        weft_fail(err, WEFT_ERR_READ, "this build records no %s: there is no %s", row->name,
                  path);
    }
    free(path);
    return found;
}

char *record_find_libraries(uint32_t families, struct weft_err *err)
{
    char *core = find_core(err), *list;
    bool good = core != NULL;

    if (core && strpbrk(core, " :"))
        good = weft_fail(err, WEFT_ERR_READ,
                         "%s: LD_PRELOAD cannot name a path with blanks or colons (install "
                         "weft somewhere else)",
                         core);
    list = good ? weft_strdup(core) : NULL;
    for (size_t i = 0; good && i < ROWS; i++)
        if (families >> weft_family_table[i].number & 1)
            good = append(&list, core, &weft_family_table[i], err);
    free(core);
    if (good)
        return list;
    free(list);
    return NULL;
}
