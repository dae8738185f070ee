/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks as texts, and the place of a stack in the program.
 *
 * A text has the names of the functions, the outermost first, with semicolons between them.
 * Functions of the recorder are left out, and those of the C++ library that only call a
 * lambda (sites_label()).  A name is demangled, without parameters, and cut to 256 bytes; a
 * semicolon in it becomes a comma.  A function without a name is "[file]", code outside of
 * files "[anonymous]".  A stack begins with "[unknown]" if outer callers are missing, or
 * may be.
 */
#ifndef WEFT_READ_RECORDING_CALL_STACK_TEXTS_H
#define WEFT_READ_RECORDING_CALL_STACK_TEXTS_H

#include "read/recording/join/join.h"

/* Names of the addresses in the stacks of one join, in a cache. */
struct stacks;

/*
 * Returns an empty cache for JOIN, which must have its sites and builder, and live longer;
 * stacks_free() frees it.
 */
struct stacks *stacks_new(struct join *join);
/* Frees STACKS (may be NULL). */
void stacks_free(struct stacks *stacks);

/*
 * Returns the stack of the sample PLACE, one of observed_thread.samples, of process image
 * IMAGE (index in the recording) as a text: an index into the builder's strings.  It is
 * that of "[unknown]" if nothing is known.  Sets *ADDRESS to the one in the innermost
 * function that is not the recorder's, 0 if none is known.
 */
uint32_t stacks_of_sample(struct stacks *stacks, uint32_t image,
                          const struct weft_schedule_place *place, uint64_t *address);
/* The place of a thread that was looked at while it was blocked. */
struct looked_at {
    uint32_t text; /* its stack, an index into the builder's strings; WEFT_NONE: unknown */
    uint32_t
        site;  /* index of the builder's site of the innermost call that is the program's
                      own (sites_own()); if idle, of the function in which the worker waits;
                      WEFT_NONE if `text` is */
    bool idle; /* it is a worker of a runtime (Go, Rayon, Tokio) that waits for work */
};

/*
 * Returns where a blocked thread of process image IMAGE (index in the recording) was, by
 * LOOK, one of observed_thread.looks.  If that is not known, `text` and `site` of the
 * result are WEFT_NONE.
 */
struct looked_at stacks_of_look(struct stacks *stacks, uint32_t image,
                                const struct weft_schedule_look *look);

#endif
