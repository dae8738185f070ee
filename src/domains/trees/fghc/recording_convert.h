/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the recording of a run to VISTA's format and to a store. */
#ifndef WEFT_FGHC_RECORDING_CONVERT_H
#define WEFT_FGHC_RECORDING_CONVERT_H

#include "domains/trees/fghc/recording.h"

/*
 * Writes a recording to OUT in VISTA's format (Park 1991, figure 9): the number of PEs
 * (threads of the run), then a line for each reduction: time in microseconds from the run's
 * start, clause, PE and index on it, PE and index of its parent, index 0 for none.  JOB may
 * be NULL.  OUT stays open and is not flushed.  Returns false with WEFT_ERR_READ, _WRITE or
 * _CANCELLED in *ERR.
 */
bool fghc_write_vista(struct fghc_recording *recording, FILE *out, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Makes the trace file PATH (a store, .weft) of a recording, with the schema of
 * model/tree.h. Besides VISTA's six fields it has the variables that goals waited for, and
 * links from the reduction whose binding woke a goal to the reduction of that goal.
 * Missing parts of the recording become problems of the trace, no errors.  JOB may be NULL.
 * Returns false with WEFT_ERR_READ, _WRITE, _LIMIT or _CANCELLED in *ERR; there is then no
 * new file.
 */
bool fghc_write_store(struct fghc_recording *recording, const char *path,
                      struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
