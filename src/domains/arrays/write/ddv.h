/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_WRITE_DDV_H
#define WEFT_WRITE_DDV_H

#include <stdio.h>

#include "domains/arrays/model/count.h"

/*
 * Writes the references to an array as a trace file of CIS-TR-93-21 (figure 4.4), one line
 * for each, by step; if REQUESTERS, with the row and column of the requesting processor if
 * known.  The first line has the sizes, after a #.  Fails with WEFT_ERR_USAGE if the array
 * or the processors have more than two dimensions, WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.
 */
bool weft_write_ddv(const struct weft_count_query *query, uint32_t array, bool requesters,
                    FILE *stream, struct weft_job *job,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
