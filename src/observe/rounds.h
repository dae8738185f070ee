/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the kernel refuses its records of switches: asks /proc in rounds what each thread
 * of a process, and of all that it starts, did since the last round.
 */
#ifndef WEFT_OBSERVE_ROUNDS_H
#define WEFT_OBSERVE_ROUNDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rounds;

/* Takes SIZE bytes: a record of format/schedule_layout.h. */
typedef void rounds_put(void *user, const void *bytes, size_t size);

/*
 * Returns the rounds of process CHILD: no thread of it is known.  Each round gives its
 * records to PUT with USER.  rounds_free() frees the result.
 */
struct rounds *rounds_new(pid_t child, rounds_put *put, void *user);
/* Frees ROUNDS; NULL is fine. */
void rounds_free(struct rounds *rounds);
/*
 * Asks about each thread, and looks at those that are blocked.  Returns the processor time
 * that it took, in ns.
 */
int64_t rounds_ask(struct rounds *rounds);

#endif
