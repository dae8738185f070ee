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
 * Creates an empty file beside OUTPUT for the recording; returns its path, which the caller
 * frees, or NULL with *ERR.
 */
char *fghc_recording_name(const char *output, struct weft_err *err);
/*
 * Writes the trace OUTPUT from the file RECORDING, then removes RECORDING. Returns false
 * with *ERR on failure: RECORDING stays and stderr says where it is. With WEFT_ERR_FORMAT
 * it is damaged, and OUTPUT has the readable rest.
 */
bool fghc_write_output(const char *recording, const char *output,
                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
