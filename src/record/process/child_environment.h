/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that this process runs and starts: the recorder's variables are put into the
 * environment of a new program, so that it is recorded, too.
 */
#ifndef WEFT_RECORD_CHILD_ENVIRONMENT_H
#define WEFT_RECORD_CHILD_ENVIRONMENT_H

#include "record/process/handover.h"

/*
 * Remembers the recorder's libraries in this image's LD_PRELOAD, and its WEFT_RECORD_DIR,
 * which later programs are given.  Once in a process.
 */
WEFT_HIDDEN void weft_programs_start(void);
/*
 * Puts the name of this program into TO, cut to SIZE - 1 bytes, with a NUL: the name by
 * which it was executed, without folder ("sh", though that is a link), which does not
 * change when the program rewrites its arguments; "" if it is unknown.
 */
WEFT_HIDDEN void weft_programs_name(char *to, uint32_t size);

/*
 * The changes that an environment (array of entries, ends with NULL) needs for its program
 * to be recorded.  None if it turns recording off by an empty WEFT_RECORD_DIR, or cannot be
 * read (the kernel refuses it); if it names another recording, that is kept.  For a program
 * that cannot run with the recorder, the recorder's libraries are taken out instead.
 * Pointers are into the environment, or constant.
 */
struct weft_lacking {
    uint64_t entries; /* number of entries of the environment, before the changes */
    /*
     * The value of its LD_PRELOAD ("" if unset), to which the recorder's libraries are to
     * be added; NULL: they are there already.
     */
    const char *others;
    /* the entry to use instead; NULL if it must be composed, in preload_size bytes */
    const char *preload;
    uint64_t preload_size; /* with the NUL; 0: nothing is composed */
    bool folder;           /* WEFT_RECORD_DIR is lacking */
    /* LD_PRELOAD is given without the recorder's libraries, in preload_size bytes */
    bool withheld;
    /*
     * The entry is empty if not needed.  `log` is right also if nothing is lacking, since
     * the environment may have that entry already.
     */
    struct weft_handover handover;
};

enum { WEFT_PROGRAMS_MORE = 4 }; /* pointers that completing an environment may add */

/*
 * Sets *LACKING to the changes that ENVIRONMENT (may be NULL: empty) needs for its program
 * to be recorded; returns false if it needs none, or must not be changed.  MAY_ASK: the
 * process is recorded and has errno, so that system calls may find out whether the next
 * program needs the log.
 */
WEFT_HIDDEN bool weft_programs_lacks(char *const *environment, bool may_ask,
                                     struct weft_lacking *lacking);
/*
 * Returns true if LD_PRELOAD in ENVIRONMENT (may be NULL) names a sanitizer's library,
 * which must come before all others, also the recorder's.
 */
WEFT_HIDDEN bool weft_programs_sanitize(char *const *environment);
/*
 * Returns true if the programs that this process executes can read the recorder's
 * libraries; another root or user may prevent it.  True if a filter forbids the test.
 * Accesses errno, which it keeps.
 */
WEFT_HIDDEN bool weft_programs_can_load(void);
/*
 * Sets *LACKING to the change that takes the recorder's libraries out of LD_PRELOAD in
 * ENVIRONMENT (may be NULL); returns false if none of them is there.
 */
WEFT_HIDDEN bool weft_programs_withhold(char *const *environment,
                                        struct weft_lacking *lacking);
/*
 * Puts the entries of ENVIRONMENT (may be NULL), changed as *LACKING says, and a NULL into
 * TO, which has room for lacking->entries + WEFT_PROGRAMS_MORE pointers.  *LACKING was made
 * for this ENVIRONMENT by a function that returned true.  New entries go into TEXT, which
 * has room for lacking->preload_size + WEFT_HANDOVER_TEXT bytes, or are constant; all
 * others are not copied.
 */
WEFT_HIDDEN void weft_programs_complete(char *const *environment,
                                        const struct weft_lacking *lacking, char **to,
                                        char *text);

#endif
