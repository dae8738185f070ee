/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_WRITE_PAJE_LOSSES_H
#define WEFT_WRITE_PAJE_LOSSES_H

#include "store/source.h"

/*
 * Returns the list of losses (write.h), after all is written; the caller frees it.
 * N_LINK_ENDS: number of link ends that name a state or event.
 */
char *paje_losses(const struct weft_source *source, uint64_t n_link_ends,
                  uint64_t n_not_finite);

#endif
