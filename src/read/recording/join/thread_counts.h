/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of each thread from outside: switches, and performance counters. */
#ifndef WEFT_READ_RECORDING_THREAD_COUNTS_H
#define WEFT_READ_RECORDING_THREAD_COUNTS_H

#include "read/recording/join/join.h"

/*
 * Sets fields of each observed thread's container, of its whole life: how often it gave its
 * processor up, lost it, and got another one; what each counter of --counters counted; and
 * if no recorder in the program told, its page faults and its time in the kernel.  Unknown
 * ones are left out.  Adds a problem for each counter that the kernel refused.  Call it
 * once after all records were joined.
 */
void counts_write(struct join *join);

#endif
