/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads run.  A runtime starts all of its threads with one function of its own; which
 * function of the program that calls then is in what its argument points to.
 */
#ifndef WEFT_READ_RECORDING_STARTS_H
#define WEFT_READ_RECORDING_STARTS_H

#include "read/recording/logs/files.h"
#include "read/recording/sites/sites.h"

/* What a thread that was made so runs, as people call it; NULL: not known. */
const char *starts_function(struct sites *sites, uint32_t image, const struct birth *birth,
                            struct weft_arena *arena);

#endif
