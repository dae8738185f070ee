/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks as texts, and the place of a stack in the program.
 *
 * A text has the names of the functions, the outermost first, with semicolons between them.
 * A function without a name is "[file]", code outside of files "[anonymous]"; a stack
 * begins with "[unknown]" if its outer part is not known, or not all of it.
 */
#ifndef WEFT_READ_RECORDING_STACKS_H
#define WEFT_READ_RECORDING_STACKS_H

#include "read/recording/join/join.h"

/* Names of the addresses in the stacks of one join, in a cache. */
struct stacks;

/*
 * Returns an empty cache for JOIN, which has its sites and builder, and must live longer;
 * stacks_free() frees it.
 */
struct stacks *stacks_new(struct join *join);
/* Frees STACKS (may be NULL). */
void stacks_free(struct stacks *stacks);

/*
 * A sample of process image IMAGE: returns its stack as a text, an index into the builder's
 * strings.
 */
uint32_t stacks_of_sample(struct stacks *stacks, uint32_t image,
                          const struct weft_schedule_place *place);
/* A thread that was looked at while it was blocked. */
struct looked_at {
    uint32_t text; /* its stack, an index into the builder's strings; WEFT_NONE: unknown */
    uint32_t site; /* the builder's, of the innermost call that is the program's own
                      (sites_own()), or where it is idle; WEFT_NONE: unknown */
    bool idle;     /* it is a runtime's worker that waits for work */
};

/* Returns where the thread of process image IMAGE was that LOOK is of. */
struct looked_at stacks_of_look(struct stacks *stacks, uint32_t image,
                                const struct weft_schedule_look *look);

#endif
