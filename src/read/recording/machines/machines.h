/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the hosts and clocks of a recording into the store's tables. */
#ifndef WEFT_READ_RECORDING_MACHINES_H
#define WEFT_READ_RECORDING_MACHINES_H

#include "read/recording/join/join.h"

/* Fill join->clocks: a clock of the builder for each domain, with its correction. */
void machines_define(struct join *join);

#endif
