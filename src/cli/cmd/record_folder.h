/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the folder that a program is recorded into, joins it to a trace, and removes it. */
#ifndef WEFT_CLI_CMD_RECORD_FOLDER_H
#define WEFT_CLI_CMD_RECORD_FOLDER_H

#include "read/recording/recording_to_store.h"

/*
 * Returns true if the path's last name can be that of a store: NAME.weft, or a name without
 * an ending (none with a dot but at its begin), not "".  Another ending would promise
 * another format.
 */
bool record_is_store_name(const char *path);
/*
 * Makes a new folder OUTPUT.recording-XXXXXX, for the recording that becomes the trace
 * OUTPUT, and returns its absolute path, which the caller frees.  NULL with WEFT_ERR_WRITE,
 * also if OUTPUT exists and is no regular file, or the path is too long for the recorder
 * (record_folder_fits()); no folder is left then.
 */
char *record_make_folder(const char *output, struct weft_err *err);
/*
 * Returns true if the recorder's buffers have room for the path FOLDER, less than
 * WEFT_FOLDER_TEXT bytes; else false with WEFT_ERR_WRITE.
 */
bool record_folder_fits(const char *folder, struct weft_err *err);
/*
 * Removes the files of a recording in FOLDER and in the folders of machines in it, then
 * each of these folders that is empty, FOLDER included; other files stay.  A FOLDER without
 * other files is first renamed to FOLDER-joined, so that processes can record no more into
 * it.  Failures are ignored.
 */
void record_remove_folder(const char *folder);
/* The result of record_join_folders(). */
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
