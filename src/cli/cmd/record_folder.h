/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a recording: made before the run, joined and removed after it. */
#ifndef WEFT_CLI_CMD_RECORD_FOLDER_H
#define WEFT_CLI_CMD_RECORD_FOLDER_H

#include "read/recording/recording.h"

/*
 * Returns true if the path can name a store: NAME.weft, or a name without an ending.
 * Another ending would promise another format.
 */
bool record_is_store_name(const char *path);
/*
 * Makes a new folder beside OUTPUT and returns its absolute path, which the caller frees;
 * NULL with *ERR.
 */
char *record_make_folder(const char *output, struct weft_err *err);
/* Returns true if the recorder's buffers have room for this path; else false with *ERR. */
bool record_folder_fits(const char *folder, struct weft_err *err);
/* Removes a recording's files in the folder, and the folder unless it has others. */
void record_remove_folder(const char *folder);
enum record_joined {
    RECORD_NOT_JOINED,
    RECORD_JOINED_IN_PART, /* the folders stay: they have, or will have, more records */
    RECORD_JOINED,
};
/*
 * Joins FOLDERS into OUTPUT, reports on standard error, and removes the folders.  If the
 * join fails they stay, with the reason in *ERR.  They also stay if some files cannot be
 * read and, with AGAIN (weft recover: the recording's weft has ended or is another user's),
 * while programs are still recorded or if no process is in them.
 */
enum record_joined record_join_folders(const char *const *folders, size_t n_folders,
                                       const char *output, const char *program, bool again,
                                       struct weft_err *err);

#endif
