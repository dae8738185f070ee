/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a recording: made before, joined and removed after. */
#ifndef WEFT_CLI_CMD_RECORD_FOLDER_H
#define WEFT_CLI_CMD_RECORD_FOLDER_H

#include "read/recording/recording.h"

/*
 * Is this a name for a recording: NAME.weft, or one without an ending?  Of another ending
 * people expect another format.
 */
bool record_is_store_name(const char *path);
/* A new folder beside OUTPUT, as an absolute path; free it.  NULL with *err. */
char *record_make_folder(const char *output, struct weft_err *err);
/* Has the recorder room for this path?  False with *err. */
bool record_folder_fits(const char *folder, struct weft_err *err);
/* Remove the files of a recording in the folder; and the folder, unless it has others. */
void record_remove_folder(const char *folder);
enum record_joined {
    RECORD_NOT_JOINED,
    RECORD_JOINED_IN_PART, /* the folders stay: there is more in them, or there will be */
    RECORD_JOINED,
};
/*
 * Join FOLDERS into OUTPUT, report on standard error, and remove the folders.  When the
 * join fails they stay, and *err says why; also when files cannot be read, and, AGAIN (who
 * records has ended, or is somebody else), when programs are still recorded or none is
 * there.
 */
enum record_joined record_join_folders(const char *const *folders, size_t n_folders,
                                       const char *output, const char *program, bool again,
                                       struct weft_err *err);

#endif
