/* SPDX-License-Identifier: Apache-2.0 */
/* Finds LLVM's OpenMP runtime, and whether a program of GCC can run on it. */
#include "domains/tasks/cli/find_openmp_runtime.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "read/recording/needed_libraries.h"
#include "read/recording/recording_obstacles.h"

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

/* Functions of libgomp that LLVM's runtime exports without doing all that they must. */
static const struct {
    const char *name, *use; /* USE: what a program calls them for */
    bool runs;              /* the program runs on it, but not in the same way */
} gaps[] = {
    { "omp_fulfill_event", "tasks with the clause detach", false },
    { "GOMP_loop_start", "scan, or lastprivate(conditional)", false },
    { "GOMP_loop_ull_start", "scan, or lastprivate(conditional)", false },
    { "GOMP_loop_ordered_start", "scan, or lastprivate(conditional)", false },
    { "GOMP_loop_ull_ordered_start", "scan, or lastprivate(conditional)", false },
    { "GOMP_loop_ordered_static_start", "ordered loops with schedule(static)", true },
    { "GOMP_loop_ull_ordered_static_start", "ordered loops with schedule(static)", true },
};

/* The check of the symbols of one file. */
struct symbol_check {
    struct weft_text_map exported; /* names that LLVM's runtime exports */
    struct record_openmp *use;
};

static void note_export(void *user, const char *name)
{
    struct symbol_check *check = user;

    weft_text_map_put(&check->exported, name, strlen(name), 1);
}

static void check_import(void *user, const char *name)
{
    struct symbol_check *check = user;

    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        if (strcmp(name, gaps[i].name) != 0)
            continue;
        if (gaps[i].runs)
            check->use->differs = true;
        else if (!check->use->cannot)
            check->use->cannot = weft_asprintf("%s (%s)", gaps[i].use, name);
    }
    if (!check->use->cannot && strncmp(name, "GOMP_", 5) == 0
        && weft_text_map_get(&check->exported, name, strlen(name)) == WEFT_MAP_NONE)
        check->use->cannot = weft_asprintf("its function %s", name);
}

struct record_openmp record_openmp_use(const char *program, const char *runtime)
{
    struct record_openmp use = { 0 };
    struct symbol_check check = { .use = &use };
    struct weft_paths files = weft_program_files(program);

    if (runtime)
        weft_program_symbols(runtime, true, note_export, &check);
    for (size_t i = 0; i < files.n; i++) {
        if (!weft_recording_needs(files.list[i], "libgomp.so"))
            continue;
        use.used = true;
        if (runtime)
            weft_program_symbols(files.list[i], false, check_import, &check);
    }
    weft_paths_free(&files);
    weft_text_map_free(&check.exported);
    return use;
}
