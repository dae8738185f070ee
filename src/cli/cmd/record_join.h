/* SPDX-License-Identifier: Apache-2.0 */
/* Joins what a program recorded to a trace, and reports what came of it. */
#ifndef WEFT_CLI_CMD_RECORD_JOIN_H
#define WEFT_CLI_CMD_RECORD_JOIN_H

#include "read/recording/recording_to_store.h"

/* The success of record_join_folders() in making a trace of a recording. */
enum record_joined {
    RECORD_NOT_JOINED,     /* with *ERR */
    RECORD_JOINED_IN_PART, /* the trace is made; the folders stay: they have, or will have,
                              more records */
    RECORD_JOINED,         /* the trace is made, the folders are removed */
};
/*
 * Joins the recording in the N_FOLDERS folders into the trace OUTPUT, a path, reports on
 * standard error, and removes the folders.  PROGRAM names the program in messages.  If the
 * join fails they stay, with the reason in *ERR.  They also stay if something recorded
 * could not be read.  With AGAIN (weft recover: the recording's weft has ended or is
 * another user's) they stay, too, while programs are still recorded, and if no process is
 * in them.  Without AGAIN, also writes the files that the recorded program asked for
 * (struct weft_export); with it, only names them.  Shows a progress bar of its own: no
 * other job may be active (weft_progress_begin()).
 */
enum record_joined record_join_folders(const char *const *folders, size_t n_folders,
                                       const char *output, const char *program, bool again,
                                       struct weft_err *err);

#endif
