/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel loop.  weft_parallel() runs WORK(user, i) for every i in [0, count) on up to
 * weft_parallel_width() threads, the caller's among them; returns when all are done.
 * Indices are handed out in order, in runs of GRAIN.  WORK must not call weft_parallel()
 * itself.  The helper threads are started at the first call and wait between calls, so a
 * call costs microseconds.  Safe from several threads at once (later callers then work
 * alone).
 */
#ifndef WEFT_BASE_PARALLEL_H
#define WEFT_BASE_PARALLEL_H

#include <stddef.h>

/*
 * Runs WORK(USER, i) for every i in [0, COUNT) on up to weft_parallel_width() threads, the
 * caller's among them, and returns when all are done.  Indices are handed out in order, in
 * runs of GRAIN (0: 1).  WORK must not call weft_parallel().  Several threads may call it
 * at once: the later ones work alone.
 */
void weft_parallel(size_t count, size_t grain, void (*work)(void *user, size_t i),
                   void *user);

/*
 * Returns how many threads may run WORK at once: the environment variable WEFT_THREADS,
 * else the number of processors that this process may use; at most 64.
 */
unsigned weft_parallel_width(void);

#endif
