/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a trace has that is lost when it is written as a Paje trace. */
#ifndef WEFT_WRITE_PAJE_LOSSES_H
#define WEFT_WRITE_PAJE_LOSSES_H

#include "store/source.h"

/*
 * Returns a text that counts what SOURCE has and a Paje trace of it cannot hold, "12 facts
 * of containers, 1 clock"; "" if nothing is lost.  The caller frees it.  The caller has
 * counted N_LINK_ENDS, the ends of links that name a state or event (0 to 2 a link), and
 * N_NOT_FINITE, the samples whose value is not finite, as it wrote the trace.
 */
char *paje_losses(const struct weft_source *source, uint64_t n_link_ends,
                  uint64_t n_not_finite);

#endif
