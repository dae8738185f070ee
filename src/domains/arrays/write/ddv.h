/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_WRITE_DDV_H
#define WEFT_WRITE_DDV_H

#include <stdio.h>

#include "domains/arrays/model/count.h"

/*
 * The references to an array as the trace file of CIS-TR-93-21 (figure 4.4), a line each,
 * by step; REQUESTERS: with the row and column of the processor that asked, where that is
 * known.  The first line says the sizes, behind a #.  Errors: WEFT_ERR_USAGE when array or
 * processors have more than two dimensions, WEFT_ERR_WRITE, WEFT_ERR_CANCELLED.
 */
bool weft_write_ddv(const struct weft_count_query *query, uint32_t array, bool requesters,
                    FILE *stream, struct weft_job *job,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
