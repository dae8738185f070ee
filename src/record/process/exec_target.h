/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test whether a program that is about to be executed would fail with the recorder's
 * libraries in LD_PRELOAD: the dynamic linker of musl cannot load them, sanitizers abort
 * when another library comes before theirs, and the loader of 32-bit programs complains.
 * Such a program runs unrecorded.
 */
#ifndef WEFT_RECORD_EXEC_TARGET_H
#define WEFT_RECORD_EXEC_TARGET_H

#include "record/core/core.h"

/* How a call of the exec family names the program that it executes. */
struct weft_target {
    enum {
        WEFT_TARGET_PATH,       /* execve: `path` */
        WEFT_TARGET_NAME,       /* execvp: `path`, searched in $PATH if it has no slash */
        WEFT_TARGET_DESCRIPTOR, /* fexecve: `file` */
        WEFT_TARGET_PLACE       /* execveat: `path` below `file`, by `flags` */
    } how;
    int file;  /* DESCRIPTOR: that of the program; PLACE: that of the folder, or AT_FDCWD */
    int flags; /* PLACE: AT_..., as for execveat */
    /* as exec's caller gave it, perhaps unreadable memory; DESCRIPTOR: NULL */
    const char *path;
};

/*
 * Returns true if the program that TARGET names is known to fail with the recorder's
 * libraries preloaded; for a script, its interpreter is examined.  False if the file cannot
 * be examined, or a filter forbids it.  Accesses errno, which it keeps.
 */
WEFT_HIDDEN bool weft_target_refuses(const struct weft_target *target);

#endif
