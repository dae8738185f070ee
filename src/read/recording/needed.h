/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which libraries and symbols a program takes from elsewhere, before it runs. */
#ifndef WEFT_READ_RECORDING_NEEDED_H
#define WEFT_READ_RECORDING_NEEDED_H

#include <stdbool.h>
#include <stddef.h>

/* Paths of files, on the heap. */
struct weft_paths {
    char **list; /* [n] */
    size_t n, capacity;
};
/* Frees the list and the paths, not PATHS itself. */
void weft_paths_free(struct weft_paths *paths);

/*
 * Returns the path of PROGRAM and those of all libraries that the dynamic loader would load
 * with it, in its order, as that loader says (it is run with --list, which starts nothing of
 * the program).  PROGRAM alone if it has no loader, is a script, or the loader fails.  The
 * caller frees it with weft_paths_free().
 */
struct weft_paths weft_program_files(const char *program);

/*
 * Calls VISIT with USER for each dynamic symbol that the program or library at PATH defines
 * (DEFINED), or else takes from others.  The name lives during the call.  None if the file
 * cannot be read or is no ELF file.
 */
void weft_program_symbols(const char *path, bool defined,
                          void (*visit)(void *user, const char *name), void *user);

#endif
