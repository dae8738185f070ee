/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the events of model/logical_time.h. */
#ifndef WEFT_MODEL_LOGICAL_TIME_PRIV_H
#define WEFT_MODEL_LOGICAL_TIME_PRIV_H

#include "domains/messages/model/logical_time.h"

/* The step of a message whose send is no event: its receive waits for nothing. */
#define LOGICAL_NO_SENDER UINT32_MAX

/*
 * Sets the steps of logical->events, which are in order, and n_forced.  STEP_OF_MESSAGE, by
 * the number of a message, is 0 or LOGICAL_NO_SENDER, and overwritten.  O(events * log
 * processors).  Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
bool weft_logical_count_steps(struct weft_logical *logical, uint32_t *step_of_message,
                              struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
