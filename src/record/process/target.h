/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is about to be executed: would it fail with the recorder's libraries in LD_PRELOAD?  The
 * dynamic linker of musl cannot load them, sanitizers end a program when another library comes
 * before theirs, and the loader of 32-bit programs complains.  Such a program is not recorded, and
 * runs as it would without us.
 */
#ifndef WEFT_RECORD_TARGET_H
#define WEFT_RECORD_TARGET_H

#include "record/core/core.h"

struct weft_target {
    enum {
        WEFT_TARGET_PATH,
        WEFT_TARGET_NAME,
        WEFT_TARGET_DESCRIPTOR,
        WEFT_TARGET_PLACE
    } how;
    int file;         /* the descriptor; of a place, that of the folder, or AT_FDCWD */
    int flags;        /* of a place, as of execveat */
    const char *path; /* a NAME is looked for in PATH; NULL: by the descriptor alone */
};

/*
 * True: it is known to fail.  Of a script its interpreter counts.  Needs errno's storage; what
 * cannot be looked at is not refused.
 */
WEFT_HIDDEN bool weft_target_refuses(const struct weft_target *target);

#endif
