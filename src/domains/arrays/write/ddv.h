/* SPDX-License-Identifier: Apache-2.0 */
/* Writes traces of the Data Distribution Visualization (read/ddv_priv.h). */
#ifndef WEFT_WRITE_DDV_H
#define WEFT_WRITE_DDV_H

#include <stdio.h>

#include "domains/arrays/model/count.h"

/*
 * Writes the references to array number ARRAY in the query's steps as a trace file of
 * CIS-TR-93-21 (figure 4.4), one line for each, step by step; if REQUESTERS, with the row
 * and column of the requesting processor if that is known.  Unowned reads are neither local
 * nor remote, so they have no line; if there are any, the last line, after a #, has their
 * number.  The first line has the sizes, after a #, with the most rows of processors of any
 * step; a vector is one column.  Without distributions in the query, owners are as the
 * trace names them.  STREAM is neither flushed nor closed, so the caller checks it for
 * later errors.  Returns false with WEFT_ERR_USAGE if the array or its processors have more
 * than two dimensions, or if by the query's distributions, in step 0 or any step with
 * references, it has none, or the processors' number of columns changes; WEFT_ERR_WRITE,
 * WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (too many references).
 */
bool weft_write_ddv(const struct weft_count_query *query, uint32_t array, bool requesters,
                    FILE *stream, struct weft_job *job,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
