/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of what threads executed, as they were observed from outside
 * (observed/observed.h): events of type "Sample" in the thread's container, each with its
 * place (if it is in known code), its call stack (call_stack_texts.h) and the processor
 * time in ns that it stands for.
 */
#ifndef WEFT_READ_RECORDING_SAMPLES_H
#define WEFT_READ_RECORDING_SAMPLES_H

#include "read/recording/join/join.h"

/*
 * How far the samples of each thread of a join are written.  NULL stands for a join
 * without samples: the functions below then have no effect.
 */
struct samples;

/*
 * Defines the type "Sample" in the join's builder.  Returns NULL, and defines nothing, if
 * no samples were taken.  JOIN must have its threads (lifecycle_prepare) and live longer;
 * samples_free() frees the result.
 */
struct samples *samples_new(struct join *join);
/* Frees SAMPLES (may be NULL); samples that are not written yet are lost. */
void samples_free(struct samples *samples);
/*
 * THREAD's container was made at TIME in ns: leaves out its samples from before TIME.
 * Writes nothing.  No effect if SAMPLES is NULL or THREAD was not observed.
 */
void samples_begin(struct samples *samples, const struct join_thread *thread, int64_t time);
/*
 * The program of BEFORE has executed another one at TIME in ns, which continues as THREAD:
 * writes the samples of BEFORE up to the execve() that the kernel told, else up to TIME.
 * The later ones are THREAD's.  No effect if SAMPLES is NULL or BEFORE was not observed.
 */
void samples_become(struct samples *samples, const struct join_thread *thread,
                    const struct join_thread *before, int64_t time);
/*
 * Writes the samples of THREAD, which has a container, up to its end at TIME, in ns.  The
 * samples of a thread for which it is not called stay out of the trace.  No effect if
 * SAMPLES is NULL or THREAD was not observed.
 */
void samples_end(struct samples *samples, const struct join_thread *thread, int64_t time);

#endif
