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
struct weft_option;    /* cli/command.h, too */

struct weft_export {
    const char *name;           /* "PICL": its name in messages */
    const char *const *endings; /* of files: ".trf"; the list ends with NULL */
    const char *files;          /* ", FILE.trf (PICL)": follows others in the help of -o */
    const char *as;             /* "as PICL records": how a trace is written; or NULL */
    const char *sentence;       /* "A ... becomes ...": for a part of a trace; or NULL */
    const char *alone;          /* "the ...": all that it holds; NULL: *LOSSES tells what it
                             lacks */

    const struct weft_option *options; /* of weft convert; all of these may be NULL */
    size_t n_options;
    const char *options_are_for; /* "--order is for ...": if given with another format */
    const char *reads;           /* the option that names a file to read */
    /*
     * Checks the options; returns 0, or the exit status of wrong usage after reporting it.
     */
    int (*check)(const struct weft_arguments *arguments);

    /*
     * Writes all of a source that the format can hold.  ARGUMENTS are weft convert's.
     * *LOSSES, NULL at first, may get a list of what it cannot hold; the caller frees it.
     */
    bool (*write)(const struct weft_source *source, FILE *stream,
                  const struct weft_arguments *arguments, char **losses,
                  struct weft_job *job, struct weft_err *err);

    /*
     * The key of a note by which a recorded program asks for such a file, and which names
     * it; NULL: none.  ASKED_BY: how the program asks.  SAME_OPTIONS: options with which
     * weft convert writes the same.
     */
    const char *note, *asked_by, *same_options;
    bool (*write_asked)(const struct weft_source *source, FILE *stream,
                        struct weft_err *err);
};

/* Returns the INDEXth export of all that were built in; NULL behind the last. */
const struct weft_export *weft_export_at(size_t index);
size_t weft_export_count(void);
/* Returns the export for an ending of PATH, or NULL. */
const struct weft_export *weft_export_find(const char *path);

#endif
