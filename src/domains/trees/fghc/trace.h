/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the recording of a run to VISTA's format and to a store. */
#ifndef WEFT_FGHC_TRACE_H
#define WEFT_FGHC_TRACE_H

#include "domains/trees/fghc/recording.h"

/*
 * Writes VISTA's format (Park 1991, figure 9): the number of PEs, then for each reduction
 * time in microseconds, clause, PE and index, and PE and index of its parent.  Errors:
 * WEFT_ERR_READ, _WRITE, _CANCELLED.
 */
bool fghc_write_vista(struct fghc_recording *recording, FILE *out, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Writes a store with the schema of model/tree.h.  Besides VISTA's six fields it has the
 * variables that goals waited for, and links from the reduction whose binding woke a goal
 * to the reduction of that goal.  Missing parts of the recording become problems of the
 * trace. Memory is bounded.  Errors: WEFT_ERR_READ, _WRITE, _LIMIT, _CANCELLED.
 */
bool fghc_write_store(struct fghc_recording *recording, const char *path,
                      struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
