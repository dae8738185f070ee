/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder families that weft record knows, and their libraries. */
#include "cli/cmd/record_families.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/installed_file.h"
#include "base/memory.h"
#include "format/record_family_numbers.h"
#include "read/recording/recorder_registry.h"

static const struct weft_recorder *find_recorder(const char *name, size_t length)
{
    const struct weft_recorder *recorder;

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        if (strlen(recorder->name) == length && strncmp(recorder->name, name, length) == 0)
            return recorder;
    return NULL;
}

uint32_t record_parse_families(const char *list, char **wrong)
{
    const struct weft_recorder *recorder;
    uint32_t families = 0;

    for (size_t i = 0; !list && (recorder = weft_recorder_at(i)); i++)
        families |= (uint32_t)recorder->by_default << recorder->number;
    while (list) {
        size_t length = strcspn(list, ",");
        recorder = find_recorder(list, length);
        if (!recorder) {
            *wrong = weft_strndup(list, length);
            return 0;
        }
        families |= 1u << recorder->number;
        list = list[length] ? list + length + 1 : NULL;
    }
    return families;
}

char *record_list_families(void)
{
    const struct weft_recorder *recorder;
    char *list = weft_strdup("");

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++) {
        char *longer = weft_asprintf("%s%s%s", list, i ? ", " : "", recorder->name);
        free(list);
        list = longer;
    }
    return list;
}

/*
 * Finds a library of the recorder, where weft was installed or in its build folder.  The
 * caller frees the path; NULL if there is none.
 */
static char *find_library(const char *library)
{
    static const char *const folders[] = { "../record", "../lib", "../lib/*", "../lib64",
                                           "." };
    return weft_find_installed(folders, sizeof folders / sizeof *folders, library);
}

static bool is_built(const struct weft_recorder *recorder)
{
    char *path = find_library(recorder->library);
    bool built = path != NULL;

    free(path);
    return built;
}

char *record_explain_families(void)
{
    const struct weft_recorder *recorder;
    char *text = weft_strdup("Recorders, for --with:\n");

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++) {
        char *longer =
            weft_asprintf("%s\n%s: %s%s%s.\n", text, recorder->name, recorder->records,
                          recorder->by_default ? "" : " (only when it is named)",
                          is_built(recorder) ? "" : " (not in this build)");
        free(text);
        text = longer;
    }
    text[strlen(text) - 1] = '\0';
    return text;
}

/*
 * Appends the path of LIBRARY to the colon-separated *LIST, which may be NULL. RECORDS
 * names what cannot be recorded without the library, for the error.
 */
static bool append(char **list, const char *library, const char *records,
                   struct weft_err *err)
{
    char *path = find_library(library), *longer;

    if (!path && access("/proc/self/exe", F_OK) != 0)
        return weft_fail(err, WEFT_ERR_READ, "weft record needs /proc: %s",
                         strerror(errno));
    if (!path)
        return weft_fail(err, WEFT_ERR_READ, "this build records no %s: there is no %s",
                         records, library);
    if (strpbrk(path, " :")) {
        weft_fail(err, WEFT_ERR_READ,
                  "%s: LD_PRELOAD cannot name a path with blanks or colons (install "
                  "weft somewhere else)",
                  path);
        free(path);
        return false;
    }
    longer = *list ? weft_asprintf("%s:%s", *list, path) : weft_strdup(path);
    free(path);
    free(*list);
    *list = longer;
    return true;
}

char *record_find_libraries(uint32_t families, struct weft_err *err)
{
    char *list = NULL;
    bool good = append(&list, WEFT_CORE_LIBRARY, "programs", err);
    const struct weft_recorder *recorder;

    for (size_t i = 0; good && (recorder = weft_recorder_at(i)); i++)
        if (families >> recorder->number & 1)
            good = append(&list, recorder->library, recorder->name, err);
    if (good)
        return list;
    free(list);
    return NULL;
}
