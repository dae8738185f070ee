/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of what threads executed, as they were observed from outside
 * (observed/observed.h): events of type "Sample", each with its place, its call stack
 * (stacks.h) and the processor time that it stands for.
 */
#ifndef WEFT_READ_RECORDING_SAMPLES_H
#define WEFT_READ_RECORDING_SAMPLES_H

#include "read/recording/join/join.h"

/* The samples of a join, as far as they are written; all functions allow NULL. */
struct samples;

/*
 * Defines the type "Sample" in the join's builder.  Returns NULL if no samples were taken.
 * JOIN has its threads, and must live longer; samples_free() frees the result.
 */
struct samples *samples_new(struct join *join);
/* Frees SAMPLES. */
void samples_free(struct samples *samples);
/* The samples of THREAD, whose container was made at TIME in ns, count from then on. */
void samples_begin(struct samples *samples, const struct join_thread *thread, int64_t time);
/*
 * The program of BEFORE has executed another one at TIME in ns, which continues as THREAD:
 * writes the samples of BEFORE.
 */
void samples_become(struct samples *samples, const struct join_thread *thread,
                    const struct join_thread *before, int64_t time);
/* Writes the samples of THREAD before its end at TIME, in ns. */
void samples_end(struct samples *samples, const struct join_thread *thread, int64_t time);

#endif
