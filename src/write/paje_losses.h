/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_WRITE_PAJE_LOSSES_H
#define WEFT_WRITE_PAJE_LOSSES_H

#include "store/source.h"

/*
 * What was left out (write.h), when all is written; to be freed.  N_LINK_ENDS: how many ends of
 * links say which state or event they are of.
 */
char *paje_losses(const struct weft_source *source, uint64_t n_link_ends,
                  uint64_t n_not_finite);

#endif
