/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports: the formats that weft convert writes besides stores.  The ending of the output's
 * name chooses the format.  Domains list theirs (base/domain.h).
 */
#ifndef WEFT_WRITE_EXPORT_H
#define WEFT_WRITE_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/job.h"
#include "store/source.h"

struct weft_arguments; /* cli/command.h */
struct weft_option;    /* the same */

struct weft_export {
    const char *name;           /* "PICL": as messages call it */
    const char *const *endings; /* of files: ".trf"; the list ends with NULL */
    const char *files;    /* ", FILE.trf (PICL)": goes behind others in the help of -o */
    const char *as;       /* "as PICL records": how a trace is written; or NULL */
    const char *sentence; /* "A ... becomes ...": of a part of a trace; or NULL */
    const char *alone;    /* "the ...": all that it has; NULL: *LOSSES says what it lacks */

    const struct weft_option *options; /* of weft convert; all of these may be NULL */
    size_t n_options;
    const char *options_are_for; /* "--order is for ...": when they are given for others */
    const char *reads;           /* the option that names a file which is read */
    /* Are the options right?  0, or the exit status of wrong usage, which was said. */
    int (*check)(const struct weft_arguments *arguments);

    /*
     * Writes all that a source holds for it.  ARGUMENTS: of weft convert.  *LOSSES, NULL at
     * first, gets a list of all that has no place; the caller frees it.
     */
    bool (*write)(const struct weft_source *source, FILE *stream,
                  const struct weft_arguments *arguments, char **losses,
                  struct weft_job *job, struct weft_err *err);

    /*
     * A recorded program may ask for such a file by a note with this key, which names it;
     * NULL: none can.  ASKED_BY: how the program asks.  SAME_OPTIONS: weft convert writes
     * the same with them.
     */
    const char *note, *asked_by, *same_options;
    bool (*write_asked)(const struct weft_source *source, FILE *stream,
                        struct weft_err *err);
};

/* The INDEXth export of all that were built in; NULL behind the last. */
const struct weft_export *weft_export_at(size_t index);
size_t weft_export_count(void);
/* The export that an ending of PATH stands for, or NULL. */
const struct weft_export *weft_export_find(const char *path);

#endif
