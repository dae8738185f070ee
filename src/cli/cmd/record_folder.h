/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the folder that a program is recorded into, joins it to a trace, and removes it. */
#ifndef WEFT_CLI_CMD_RECORD_FOLDER_H
#define WEFT_CLI_CMD_RECORD_FOLDER_H

#include "read/recording/recording.h"

/*
 * Returns true if the path can name a store: NAME.weft, or a name without an ending.
 * Another ending would promise another format.
 */
bool record_is_store_name(const char *path);
/*
 * Makes a new folder OUTPUT.recording-XXXXXX and returns its absolute path, which the
 * caller frees.  NULL with WEFT_ERR_WRITE, also if OUTPUT exists and is no regular file,
 * or the path is too long for the recorder (record_folder_fits()).
 */
char *record_make_folder(const char *output, struct weft_err *err);
/*
 * Returns true if the recorder's buffers have room for the path FOLDER; else false with
 * WEFT_ERR_WRITE.
 */
bool record_folder_fits(const char *folder, struct weft_err *err);
/*
 * Removes the files of a recording in FOLDER, and FOLDER itself unless it has other files.
 * Failures are ignored.
 */
void record_remove_folder(const char *folder);
enum record_joined {
    RECORD_NOT_JOINED,
    RECORD_JOINED_IN_PART, /* the trace is made; the folders stay: they have, or will have,
                              more records */
    RECORD_JOINED,
};
/*
 * Joins the recording in FOLDERS into the trace OUTPUT, reports on standard error, and
 * removes the folders.  PROGRAM names the program in messages.  If the join fails they
 * stay, with the reason in *ERR.  They also stay if some files cannot be read and, with
 * AGAIN (weft recover: the recording's weft has ended or is another user's), while
 * programs are still recorded or if no process is in them.  Without AGAIN, also writes the
 * files that the recorded program asked for (struct weft_export).
 */
enum record_joined record_join_folders(const char *const *folders, size_t n_folders,
                                       const char *output, const char *program, bool again,
                                       struct weft_err *err);

#endif
