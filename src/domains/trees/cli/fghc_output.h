/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the recording of an FGHC program's run into its output, for weft fghc and weft
 * recover.
 */
#ifndef WEFT_CLI_CMD_FGHC_OUTPUT_H
#define WEFT_CLI_CMD_FGHC_OUTPUT_H

#include "base/err.h"

/* Returns true for a name of an output: NAME.weft or NAME.vista. */
bool fghc_is_output_name(const char *path);
/*
 * Creates an empty file beside OUTPUT for the recording; returns its path, to be freed.
 * NULL: *err.
 */
char *fghc_recording_name(const char *output, struct weft_err *err);
/*
 * Writes OUTPUT from a recording, then removes the recording. If it fails, the recording
 * stays and stderr says where it is. False also with WEFT_ERR_FORMAT when the recording is
 * damaged: OUTPUT then has the readable rest.
 */
bool fghc_write_output(const char *recording, const char *output,
                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
