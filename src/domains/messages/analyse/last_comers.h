/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processor for which a call of a collective operation waited: of those whose
 * data it needs, the one that entered last.  That follows from the operation's pattern: of
 * one-to-all it is the root, and the root waits for nobody.
 */
#ifndef WEFT_ANALYSE_LAST_COMERS_H
#define WEFT_ANALYSE_LAST_COMERS_H

#include "domains/messages/model/processors.h"

/*
 * For each call of a collective operation that waited, the processor that it waited for.
 * Made by weft_last_comers_read; does not refer to the processors or the source.
 */
struct weft_last_comers;

/*
 * Sets *OUT to the last comers of the collective operations in the trace of PROCESSORS,
 * NULL if it has none; the caller frees them with weft_last_comers_free.  Reads the calls
 * as weft_traffic_make; keeps 24 bytes for each call that waited.  Returns false with
 * WEFT_ERR_CANCELLED, and *OUT NULL, if JOB (may be NULL) is cancelled.
 */
bool weft_last_comers_read(const struct weft_processors *processors, struct weft_job *job,
                           struct weft_last_comers **out,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the index in weft_processors.processors of the processor for which CALL, a state,
 * waited in a collective operation: of the processors whose data it needs by the
 * operation's pattern, the one that entered last.  WEFT_NONE: none of them entered after
 * CALL did, or only after CALL had ended; CALL is no call of a collective operation, or
 * only completes one that another call began; or the operation has no known pattern or is
 * between neighbours.  Sets *ENTRY (may be NULL) to the time at which the processor
 * entered; unchanged for WEFT_NONE.  COMERS may be NULL: WEFT_NONE.  O(log n).
 */
uint32_t weft_last_comer_of(const struct weft_last_comers *comers,
                            const struct weft_state *call, int64_t *entry);
/* Returns the bytes of memory that COMERS (NULL: none) takes. */
size_t weft_last_comers_bytes(const struct weft_last_comers *comers);
/* Frees COMERS; NULL is fine. */
void weft_last_comers_free(struct weft_last_comers *comers);

#endif
