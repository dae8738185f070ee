/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observation without the kernel's records of switches, where it refuses them: in each
 * round, the counts in /proc say what each thread of a process, and of the processes that
 * it has started, did since the round before.
 */
#ifndef WEFT_OBSERVE_PROC_POLLING_H
#define WEFT_OBSERVE_PROC_POLLING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The threads of one process and its descendants, with their counts in the last round: the
 * time for which each has run, and how often (schedstat in /proc).
 */
struct rounds;

/*
 * Takes one record of format/schedule_layout.h, SIZE bytes at BYTES, which are valid only
 * during the call.  USER is that of rounds_new().
 */
typedef void rounds_put(void *user, const void *bytes, size_t size);

/*
 * Returns rounds for process CHILD, before the first one: /proc is not read yet.  Never
 * NULL; rounds_free() frees the result.  rounds_ask() will give its records to PUT, with
 * USER.
 */
struct rounds *rounds_new(pid_t child, rounds_put *put, void *user);
/* Frees ROUNDS, and puts no more records; NULL is fine. */
void rounds_free(struct rounds *rounds);
/*
 * Does one round: reads the counts of each thread, and puts records of threads that began,
 * ended, changed their name, or did something else than before (run, be ready, be blocked,
 * or a mixture).  For a thread that was blocked since the round before it also puts the
 * record of a look_at(), once in each wait.  A round sees at most 4,096 processes.  Returns
 * the processor time that the calling thread spent in it, in ns.
 */
int64_t rounds_ask(struct rounds *rounds);

#endif
