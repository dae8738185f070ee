/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the recording of an FGHC program's run into its output, for weft fghc and weft
 * recover.
 */
#ifndef WEFT_CLI_CMD_FGHC_RECORDING_TO_TRACE_H
#define WEFT_CLI_CMD_FGHC_RECORDING_TO_TRACE_H

#include "base/err.h"

/* Returns true for a path that ends in .weft or .vista, with at least a character
 * before. */
bool fghc_is_output_name(const char *path);
/*
 * Creates an empty file in OUTPUT's folder for the recording of a run; returns its path,
 * OUTPUT.recording-XXXXXX with random letters, which the caller frees.  NULL with
 * WEFT_ERR_WRITE in *ERR when it cannot be created.
 */
char *fghc_recording_name(const char *output, struct weft_err *err);
/*
 * Writes the trace OUTPUT, in VISTA's format or as a store by the end of its name, from the
 * file RECORDING of a run, then removes RECORDING.  The recording of a killed run gives
 * what is there, and a message on stderr.  Returns false with *ERR on failure: RECORDING
 * stays and stderr says where it is.  When blocks of RECORDING are damaged
 * (WEFT_ERR_FORMAT), OUTPUT has the readable rest; with a damaged head, also
 * WEFT_ERR_FORMAT, or on any other failure, no OUTPUT is written.
 */
bool fghc_write_output(const char *recording, const char *output,
                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
