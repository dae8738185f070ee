/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is being made, and takes its place only when it is whole.
 *
 * Where the file system can, it has no name until then (O_TMPFILE), so that a process that is
 * killed leaves nothing.  Else it has a hidden name beside its place, ".NAME.weft-XXXXXX".  Its
 * maker holds a lock (flock) on it: whoever makes a file of the same name later removes those
 * that nobody holds, because their makers are dead.  A name is also needed for a moment when
 * another file is replaced.
 */
#ifndef WEFT_BASE_DRAFT_H
#define WEFT_BASE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct weft_draft {
    int fd;          /* to write and read; -1: none */
    char *path;      /* what it shall be called, or what errors call it */
    char *hidden;    /* its name meanwhile; NULL: it has none */
    char *meanwhile; /* a path that opens it until it is in place */
    bool stays;      /* without a name */
};

/*
 * A path that opens a nameless file of this process by its descriptor.  Given such a path, a
 * draft is written into that file, and nothing is put in place or made to last.
 */
enum { WEFT_NAMELESS_PATH = 40 /* bytes */ };
void weft_nameless_path(int fd, char out[WEFT_NAMELESS_PATH]);

/*
 * Where a file that is written to PATH belongs: behind the symbolic links that PATH is, one after
 * the other, also where the last one points to nothing yet.  A descriptor of this process
 * (/dev/stdout, /dev/fd/3, /proc/self/fd/3) is not followed to its file; its number is told in
 * *DESCRIPTOR, which is -1 otherwise.  Free it; NULL with errno when the links have no end.
 */
char *weft_draft_place(const char *path, int *descriptor) WEFT_MUST_CHECK;

/*
 * Begin a file that shall be PATH, with the permissions that the umask leaves, or those of the
 * file that it replaces.  Symbolic links are followed, so that what they point to is replaced, or
 * made.  Errors: WEFT_ERR_WRITE, also when there is something at PATH that is no regular file.
 */
bool weft_draft_open(struct weft_draft *draft, const char *path,
                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Put the file in place.  Its bytes are on the disk (fsync) before it has its name, and the name
 * before this returns: a power failure finds the old file or the new one, whole.  Closes the
 * file; when it did not get its name, nothing of it is left.
 */
bool weft_draft_commit(struct weft_draft *draft, struct weft_err *err) WEFT_MUST_CHECK;
/* Give up: nothing is left.  A place that did not open is fine. */
void weft_draft_abandon(struct weft_draft *draft);

/*
 * For folders whose files are all ours, but seldom made twice under one name.  How long the NAME is
 * that a hidden name is for, behind the dot; 0: it is none.
 */
size_t weft_draft_hidden_name(const char *name);
/* Remove the file of such a name in the open FOLDER when nobody holds it: its maker is dead. */
void weft_draft_remove_dead(int folder, const char *name);

/*
 * A file without a name in FOLDER, for what memory shall not hold: it goes when it is closed.
 * -1, with errno set, when there can be none.
 */
int weft_nameless_file(const char *folder);

/* $TMPDIR, else /tmp */
const char *weft_temporary_folder(void);
/* Where to keep what is needed while PATH is made: its folder, if it has one.  Free it. */
char *weft_draft_folder(const char *path);

#endif
