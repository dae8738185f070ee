/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the hosts and clocks of a recording into the store's tables. */
#ifndef WEFT_READ_RECORDING_MACHINES_H
#define WEFT_READ_RECORDING_MACHINES_H

#include "read/recording/join/join.h"

/*
 * Writes the recording's hosts and clocks into the builder's tables: a host for each boot
 * of a machine, and a clock with its correction for each clock domain.  Sets join->clocks,
 * in the join's arena: the builder's clock by index in recording->domains.
 */
void machines_define(struct join *join);

#endif
