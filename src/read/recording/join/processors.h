/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a row for each processor: the threads of the program that ran on it. */
#ifndef WEFT_READ_RECORDING_PROCESSORS_H
#define WEFT_READ_RECORDING_PROCESSORS_H

#include "read/recording/join/join.h"

/*
 * Makes a container "processor N" for each processor on which an observed thread ran, below
 * its host, with a state "running" for each interval in which a thread had it; the state's
 * field "thread" (role holder) is the thread's container.  Between the states none of the
 * program's threads had the processor.  Call it once after all records were joined; it
 * defines nothing if the kernel told no switches.
 */
void processors_write(struct join *join);

#endif
