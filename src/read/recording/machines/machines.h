/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the hosts and clocks of a recording into the store's tables. */
#ifndef WEFT_READ_RECORDING_MACHINES_H
#define WEFT_READ_RECORDING_MACHINES_H

#include "read/recording/join/join.h"

/* Adds a host and a clock, with its correction, for each domain; sets join->clocks. */
void machines_define(struct join *join);

#endif
