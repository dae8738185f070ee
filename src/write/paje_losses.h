/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a Paje trace cannot hold of a trace. */
#ifndef WEFT_WRITE_PAJE_LOSSES_H
#define WEFT_WRITE_PAJE_LOSSES_H

#include "store/source.h"

/*
 * Returns the list *LOSSES of weft_write_paje(), after all is written; the caller frees it.
 * N_LINK_ENDS: number of link ends that name a state or event.  N_NOT_FINITE: of samples
 * whose value is not finite.
 */
char *paje_losses(const struct weft_source *source, uint64_t n_link_ends,
                  uint64_t n_not_finite);

#endif
