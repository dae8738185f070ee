/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that this process runs, and those that it starts: their environment keeps the
 * recorder's variables, and the log says which process became what.
 */
#ifndef WEFT_RECORD_PROGRAMS_H
#define WEFT_RECORD_PROGRAMS_H

#include "record/process/handover.h"

/* Note the recorder's variables as this image has got them.  Once a process. */
WEFT_HIDDEN void weft_programs_start(void);
/*
 * The name of the program, SIZE bytes at most: as it was executed, so that it is "sh" and not
 * what that is a link to, and does not change when the program rewrites its arguments.
 */
WEFT_HIDDEN void weft_programs_name(char *to, uint32_t size);

/*
 * What is lacking in an environment for the program that gets it to be recorded, too.  Nothing
 * is when it names another recording, or none by an empty WEFT_RECORD_DIR, or when it cannot be
 * read: the kernel refuses it.  For a program that cannot bear the recorder it is the other way
 * round: our libraries are taken out.
 */
struct weft_lacking {
    uint64_t entries;   /* of the environment */
    const char *others; /* LD_PRELOAD without our libraries, or NULL: it has them */
    const char
        *preload; /* the entry that stands for it; NULL: it takes preload_size bytes */
    uint64_t preload_size;
    bool folder;
    bool withheld; /* lists of libraries are given without ours, in preload_size bytes */
    struct weft_handover handover; /* it has no entry where that is there, or not needed */
};

enum { WEFT_PROGRAMS_MORE = 4 }; /* pointers more than the environment's, at most */

/* False: nothing lacks.  MAY_ASK: as for weft_handover_make. */
WEFT_HIDDEN bool weft_programs_lacks(char *const *environment, bool may_ask,
                                     struct weft_lacking *lacking);
/* Does it preload a sanitizer, which must come before our libraries? */
WEFT_HIDDEN bool weft_programs_sanitize(char *const *environment);
/*
 * Can our libraries be read by what this process executes?  Not in another root, perhaps, or by
 * another user.  Where that may not be asked: yes.  Needs errno's storage.
 */
WEFT_HIDDEN bool weft_programs_can_load(void);
/* What is lacking for a program that is not to have our libraries.  False: they are not in it. */
WEFT_HIDDEN bool weft_programs_withhold(char *const *environment,
                                        struct weft_lacking *lacking);
/*
 * The environment with it, in TO, which has room for entries + WEFT_PROGRAMS_MORE pointers, and in
 * TEXT, which has room for preload_size bytes and then for the entry of the handover.
 */
WEFT_HIDDEN void weft_programs_complete(char *const *environment,
                                        const struct weft_lacking *lacking, char **to,
                                        char *text);

#endif
