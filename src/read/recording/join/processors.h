/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a row for each processor: the threads of the program that ran on it. */
#ifndef WEFT_READ_RECORDING_PROCESSORS_H
#define WEFT_READ_RECORDING_PROCESSORS_H

#include "read/recording/join/join.h"

/*
 * Defines containers "processor N" and their states, one for each time that an observed
 * thread had the processor; the field "thread" (role holder) is its container.  Between the
 * states none of the program's threads had it.  Call it after all records were joined;
 * does nothing if nothing was observed.
 */
void processors_write(struct join *join);

#endif
