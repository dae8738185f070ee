/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An atomic file is one being written that appears under its name only when complete.
 *
 * Where the file system allows, the file has no name until then (O_TMPFILE), so that a
 * killed process leaves nothing.  Otherwise it has a hidden name in the same folder,
 * ".NAME.weft-XXXXXX", and its process holds a lock (flock) on it: a process that later
 * writes a file of the same name removes the hidden files that are not locked, because
 * their processes are dead.  Replacing an existing file also needs a hidden name for a
 * moment.
 */
#ifndef WEFT_BASE_ATOMIC_FILE_H
#define WEFT_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* A file being written, from weft_atomic_file_open() to its commit or abandon. */
struct weft_atomic_file {
    int fd;          /* open for reading and writing; -1: none */
    char *path;      /* its final path, links followed; if it `stays`: text for errors */
    char *hidden;    /* its hidden path until it is complete; NULL: it has no name yet */
    char *meanwhile; /* a path that opens the file until it is in place; NULL: not open */
    bool stays;      /* the file is a nameless one of the caller's, and stays nameless */
};

enum { WEFT_NAMELESS_PATH = 40 /* bytes of a path by weft_nameless_path(), with NUL */ };
/*
 * Writes to OUT a path ("/proc/self/fd/FD") by which this process can open the file of its
 * descriptor FD again while FD is open, although the file has no name
 * (weft_nameless_file()).  weft_atomic_file_open() with such a path truncates that file, to
 * write into it; weft_atomic_file_commit() then neither renames nor syncs.
 */
void weft_nameless_path(int fd, char out[WEFT_NAMELESS_PATH]);

/*
 * Returns the path of the file that writing to PATH would replace or create: while PATH is
 * a symbolic link, its target, also if that does not exist; links among its folders stay.
 * A descriptor of this process (/dev/stdout, /dev/fd/3, /proc/self/fd/3) is not followed:
 * *DESCRIPTOR is its number, otherwise -1.  The caller frees the result; NULL with errno
 * ELOOP for 40 or more links in a row.
 */
char *weft_atomic_file_place(const char *path, int *descriptor) WEFT_MUST_CHECK;

/*
 * Begins a file that will appear at PATH, with the permissions of the file that it
 * replaces, else 0666 less the umask; write to file->fd.  Symbolic links are followed:
 * their target is replaced or created.  A PATH "/proc/self/fd/FD" (weft_nameless_path()) is
 * truncated, to be written itself.  Fails with WEFT_ERR_WRITE, also if PATH exists and is
 * not a regular file, or is another name of a descriptor (/dev/stdout); nothing is to be
 * ended then.  Otherwise it must be ended by weft_atomic_file_commit() or
 * weft_atomic_file_abandon().
 */
bool weft_atomic_file_open(struct weft_atomic_file *file, const char *path,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Puts the file in place, and closes it in any case (one that `stays` is only closed).  Its
 * bytes are on the disk (fsync) before it gets its name, and the name is on the disk before
 * this returns: after a power failure the old or the new file is there, complete.  Fails
 * with WEFT_ERR_WRITE; then the old file stays and the new one is gone, but if only syncing
 * its folder failed, the new one is in place.
 */
bool weft_atomic_file_commit(struct weft_atomic_file *file,
                             struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Discards the file and closes its descriptor.  No effect after weft_atomic_file_open()
 * failed or after weft_atomic_file_commit().
 */
void weft_atomic_file_abandon(struct weft_atomic_file *file);

/*
 * If the file name NAME is a hidden one, ".FILE.weft-XXXXXX" (X: a letter or digit),
 * returns the length in bytes of its part FILE, which begins at name + 1; else 0.  FILE is
 * cut if it was long.  For cleaning folders that only Weft writes to.
 */
size_t weft_atomic_file_hidden_name(const char *name);
/*
 * Removes the hidden file with the name NAME from FOLDER, an open descriptor, if no process
 * holds a lock (flock) on it: then the one that wrote it is dead.  Failures are ignored.
 */
void weft_atomic_file_remove_dead(int folder, const char *name);

/*
 * Returns the descriptor, open for reading and writing, of a new empty file without a name
 * on the file system of the folder with the path FOLDER (not ""), for data too large for
 * memory; the caller closes it, and the file vanishes then.  Returns -1 with errno on
 * failure.
 */
int weft_nameless_file(const char *folder);

/* Returns $TMPDIR if it is set and not empty, else "/tmp"; not to be freed. */
const char *weft_temporary_folder(void);
/*
 * Returns the folder for temporary files while PATH is written: "FOLDER/" of PATH, "." if
 * it has none, or weft_temporary_folder() if it is a path by weft_nameless_path().  The
 * caller frees it.
 */
char *weft_atomic_file_folder(const char *path);

#endif
