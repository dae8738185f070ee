/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that this process runs and starts: the recorder's variables are put into the
 * environment of a new program, so that it is recorded, too.
 */
#ifndef WEFT_RECORD_PROGRAMS_H
#define WEFT_RECORD_PROGRAMS_H

#include "record/process/handover.h"

/* Remember the recorder's environment variables of this image.  Once in a process. */
WEFT_HIDDEN void weft_programs_start(void);
/*
 * Put the name of the program into TO, of SIZE bytes: the name by which it was executed
 * ("sh", though that is a link), which does not change when the program rewrites its
 * arguments.
 */
WEFT_HIDDEN void weft_programs_name(char *to, uint32_t size);

/*
 * The changes that an environment needs for its program to be recorded.  None if
 * it names another recording, or turns recording off by an empty WEFT_RECORD_DIR, or cannot
 * be read (the kernel refuses it).  For a program that cannot run with the recorder, our
 * libraries are taken out instead.
 */
struct weft_lacking {
    uint64_t entries; /* of the environment, before the changes */
    /* LD_PRELOAD without our libraries; NULL if it has them */
    const char *others;
    /* the entry to use instead; NULL if it must be composed, in preload_size bytes */
    const char *preload;
    uint64_t preload_size;
    bool folder; /* WEFT_RECORD_DIR is lacking */
    /* LD_PRELOAD is given without our libraries, in preload_size bytes */
    bool withheld;
    struct weft_handover handover; /* its entry is empty if not needed */
};

enum { WEFT_PROGRAMS_MORE = 4 }; /* pointers that completing an environment may add */

/* Set *LACKING; false if nothing is lacking.  MAY_ASK: see weft_handover_make(). */
WEFT_HIDDEN bool weft_programs_lacks(char *const *environment, bool may_ask,
                                     struct weft_lacking *lacking);
/* Returns true if LD_PRELOAD names a sanitizer, which must come before our libraries. */
WEFT_HIDDEN bool weft_programs_sanitize(char *const *environment);
/*
 * Returns true if the programs that this process executes can read our libraries; another
 * root or user may prevent it.  True if a filter forbids the test.  Uses errno.
 */
WEFT_HIDDEN bool weft_programs_can_load(void);
/* Set *LACKING to take our libraries out of LD_PRELOAD; false if it has none of them. */
WEFT_HIDDEN bool weft_programs_withhold(char *const *environment,
                                        struct weft_lacking *lacking);
/*
 * Put the completed environment into TO, which has room for entries + WEFT_PROGRAMS_MORE
 * pointers; new entries go into TEXT, which has room for preload_size bytes and the
 * handover's entry.
 */
WEFT_HIDDEN void weft_programs_complete(char *const *environment,
                                        const struct weft_lacking *lacking, char **to,
                                        char *text);

#endif
