/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports: formats of other tools that weft convert writes, Paje and those of domains.
 * The ending of the output's name chooses the format.  Domains list theirs
 * (base/domain.h).
 */
#ifndef WEFT_WRITE_EXPORT_H
#define WEFT_WRITE_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

struct weft_arguments; /* cli/command.h */
struct weft_option;    /* cli/command.h, too */

/* One format that weft convert writes; a constant. */
struct weft_export {
    const char *name;           /* "PICL": its name in messages */
    const char *const *endings; /* of files: ".trf"; the list ends with NULL */
    const char *files;          /* ", FILE.trf (PICL)": follows others in the help of -o */
    const char *as; /* "as PICL records": in the help, how a trace is written; or NULL */
    const char *sentence; /* of the help, if it writes only a part of a trace; or NULL */
    /* "the ...", for the message that the file holds these alone; NULL: it holds most, and
       `write` says in *LOSSES what it lacks */
    const char *alone;

    /* Options of weft convert for this format; all members about them may be NULL. */
    const struct weft_option *options;
    size_t n_options;
    /* "--order is for ...": the error if they are given for another format */
    const char *options_are_for;
    /* name of the option whose value is a file to read, which -o must not name; or NULL */
    const char *reads;
    /*
     * Checks the options; returns 0, or the exit status of wrong usage after reporting it.
     */
    int (*check)(const struct weft_arguments *arguments);

    /*
     * Writes all of SOURCE that the format can hold; false with *ERR.  ARGUMENTS are weft
     * convert's.  *LOSSES, NULL at first, may be set to a text that counts what the format
     * cannot hold, "3 states (lock), 1 clock"; the caller frees it.
     */
    bool (*write)(const struct weft_source *source, FILE *stream,
                  const struct weft_arguments *arguments, char **losses,
                  struct weft_job *job, struct weft_err *err);

    /*
     * note: key of the note in a trace by which the recorded program asks for a file of
     * this format; the note's text is the file's path.  NULL: there is no such note, and
     * the other three members are NULL.  asked_by: how the program asks, for messages.
     * same_options: options with which weft convert writes what write_asked() writes.
     */
    const char *note, *asked_by, *same_options;
    bool (*write_asked)(const struct weft_source *source, FILE *stream,
                        struct weft_err *err);
};

/* Returns export INDEX, from 0, of all that were built in; NULL behind the last. */
const struct weft_export *weft_export_at(size_t index);
/* Returns how many exports were built in. */
size_t weft_export_count(void);
/*
 * Returns the first export with an ending that PATH ends with, after at least one other
 * character; NULL if there is none.
 */
const struct weft_export *weft_export_find(const char *path);

#endif
