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

struct weft_atomic_file {
    int fd;          /* open for reading and writing; -1: none */
    char *path;      /* its final path, or the name that errors show */
    char *hidden;    /* its hidden path until it is complete; NULL: it has none */
    char *meanwhile; /* a path that opens the file until it is in place */
    bool stays;      /* the file is a nameless one of the caller's, and stays nameless */
};

enum { WEFT_NAMELESS_PATH = 40 /* bytes of a path by weft_nameless_path(), with NUL */ };
/*
 * Writes to OUT a path that opens the file of descriptor FD of this process, by which it
 * can be opened while FD is open and although it has no name (weft_nameless_file()).  An
 * atomic file that is opened with such a path truncates that file and writes into it;
 * weft_atomic_file_commit() then neither renames nor syncs.
 */
void weft_nameless_path(int fd, char out[WEFT_NAMELESS_PATH]);

/*
 * Returns the path at which writing to PATH writes: while PATH is a symbolic link, its
 * target, also if that does not exist; links among its folders stay.  A descriptor of this
 * process (/dev/stdout, /dev/fd/3, /proc/self/fd/3) is not followed: *DESCRIPTOR is its
 * number, otherwise -1.  The caller frees the result; NULL with errno ELOOP for more than
 * 40 links in a row.
 */
char *weft_atomic_file_place(const char *path, int *descriptor) WEFT_MUST_CHECK;

/*
 * Begins a file that will appear at PATH, with the permissions of the file that it
 * replaces, else as the umask says; write to file->fd.  Symbolic links are followed: their
 * target is replaced or created.  Fails with WEFT_ERR_WRITE, also if PATH exists and is
 * not a regular file or is a descriptor of this process (/dev/stdout).  It must be ended
 * by weft_atomic_file_commit() or weft_atomic_file_abandon().
 */
bool weft_atomic_file_open(struct weft_atomic_file *file, const char *path,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Puts the file in place.  Its bytes are on the disk (fsync) before it gets its name, and
 * the name is on the disk before this returns: after a power failure the old or the new
 * file is there, complete.  Closes the file in any case.  Fails with WEFT_ERR_WRITE; then
 * nothing is left, except that the new file is in place if only syncing its folder failed.
 */
bool weft_atomic_file_commit(struct weft_atomic_file *file,
                             struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Discards the file and closes its descriptor.  No effect after weft_atomic_file_open()
 * failed or after weft_atomic_file_commit().
 */
void weft_atomic_file_abandon(struct weft_atomic_file *file);

/*
 * Returns the length of the NAME within a hidden name ".NAME.weft-XXXXXX"; 0 if it is no
 * hidden name.  For cleaning folders that only Weft writes to.
 */
size_t weft_atomic_file_hidden_name(const char *name);
/*
 * Removes the hidden file NAME from FOLDER, an open descriptor, if it is not locked: its
 * process is dead.
 */
void weft_atomic_file_remove_dead(int folder, const char *name);

/*
 * Returns the descriptor, open for reading and writing, of a new nameless file in FOLDER
 * (not "") for data too large for memory; it vanishes when it is closed.  Returns -1 with
 * errno on failure.
 */
int weft_nameless_file(const char *folder);

/* Returns $TMPDIR if it is set and not empty, else "/tmp". */
const char *weft_temporary_folder(void);
/*
 * Returns the folder for temporary files while PATH is written: "FOLDER/" of PATH, "." if
 * it has none, or weft_temporary_folder() if it is a path by weft_nameless_path().  The
 * caller frees it.
 */
char *weft_atomic_file_folder(const char *path);

#endif
