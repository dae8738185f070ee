/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel loop.  Its helper threads are started at the first call and wait between
 * calls, so a call costs microseconds.
 */
#ifndef WEFT_BASE_PARALLEL_H
#define WEFT_BASE_PARALLEL_H

#include <stddef.h>

/*
 * Runs WORK(USER, i) for every i in [0, COUNT) on up to weft_parallel_width() threads, the
 * caller's among them, and returns when all are done.  Indices are handed out in order, in
 * runs of GRAIN (0: 1); if COUNT is at most GRAIN, the caller works alone.  WORK must not
 * call weft_parallel().  Several threads may call it at once: while one uses the helpers,
 * the others work alone.
 */
void weft_parallel(size_t count, size_t grain, void (*work)(void *user, size_t i),
                   void *user);

/*
 * Returns how many threads may run WORK at once, from 1 to 64: the environment variable
 * WEFT_THREADS if it is a number above 0, else the number of processors that this process
 * may use.
 */
unsigned weft_parallel_width(void);

#endif
