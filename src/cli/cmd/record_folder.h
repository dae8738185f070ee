/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the folder that a program is recorded into, and removes it. */
#ifndef WEFT_CLI_CMD_RECORD_FOLDER_H
#define WEFT_CLI_CMD_RECORD_FOLDER_H

#include <stdbool.h>

#include "base/err.h"

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
/*
 * Returns PROGRAM-N.weft, without the folder of PROGRAM, with the lowest N that no trace
 * and no recording in the working directory has; the caller frees it.
 */
char *record_default_output(const char *program);

#endif
