/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the recording of an FGHC program's run, for fghc and recover. */
#ifndef WEFT_CLI_CMD_FGHC_OUTPUT_H
#define WEFT_CLI_CMD_FGHC_OUTPUT_H

#include "base/err.h"

/* The name of an output: NAME.weft or NAME.vista. */
bool fghc_is_output_name(const char *path);
/* A name beside OUTPUT that nothing has, for the recording meanwhile; free it.  NULL: *err. */
char *fghc_recording_name(const char *output, struct weft_err *err);
/*
 * Write a recording as OUTPUT and remove it.  When that fails it stays, and *err says where and
 * what to do.
 */
bool fghc_write_output(const char *recording, const char *output,
                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
