/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which libraries and symbols a program takes from elsewhere, before it runs. */
#ifndef WEFT_READ_RECORDING_NEEDED_LIBRARIES_H
#define WEFT_READ_RECORDING_NEEDED_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* Paths of files, on the heap; weft_paths_free() frees them. */
struct weft_paths {
    char **list; /* [n] */
    size_t n, capacity;
};
/* Frees the list and the paths, not PATHS itself, which is empty then. */
void weft_paths_free(struct weft_paths *paths);

/*
 * Returns PROGRAM, a path, as it is given, and behind it the paths of all libraries that
 * its dynamic loader would load now, in that order, without the loader itself.  Runs the
 * loader with --list, which starts nothing of the program, and waits for it.  PROGRAM alone
 * if it has no loader, is a script, or the loader fails.
 */
struct weft_paths weft_program_files(const char *program);

/*
 * Calls VISIT with USER for the name, without version, of each dynamic symbol that the
 * program or library at PATH defines (DEFINED), or else takes from other files.  The name
 * lives during the call.  No call if the file cannot be read or is no ELF file.
 */
void weft_program_symbols(const char *path, bool defined,
                          void (*visit)(void *user, const char *name), void *user);

#endif
