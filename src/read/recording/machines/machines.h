/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and clocks of a recording, in the store's tables. */
#ifndef WEFT_READ_RECORDING_MACHINES_H
#define WEFT_READ_RECORDING_MACHINES_H

#include "read/recording/join/join.h"

/* Fill join->clocks: for each domain a clock of the builder, with its correction. */
void machines_define(struct join *join);

#endif
