/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On behalf of which element each read is made (detect_loops.h has the rules), by the loops
 * of the program's code.
 *
 * A thread meets its references in the order in which it made them.  A trail keeps those of
 * iterations that have not ended.  A write is the owner of the open reads in the trail
 * whose target it is.  An iteration that ends without the write leaves open reads: these
 * are on behalf of the element that it would have written.  That follows from an anchor, a
 * read of the same iteration whose element had a constant distance from that of the write
 * whenever that was executed.  Until enough writes were seen such reads are pending.
 */
#ifndef WEFT_RECORD_ARRAYS_READ_OWNERS_H
#define WEFT_RECORD_ARRAYS_READ_OWNERS_H

#include "domains/arrays/record/arrays.h"

/*
 * Takes the next reference of a thread: NEST, of the place with index PLACE, without an
 * owner; with one loop if it has several elements.  It is of the piece thread->piece, and
 * stands for thread->rounds rounds of a loop with the same references in each, whose
 * elements advance by STRIDE.
 */
WEFT_HIDDEN void array_meet(struct array_thread *thread, uint32_t place,
                            const struct array_nest *nest, int64_t stride);
/* Lets the rounds that were handled as one be over: the trail is then that of the last. */
WEFT_HIDDEN void array_rounds_end(struct array_thread *thread);
/* Looks for the code of a place, once. */
WEFT_HIDDEN void array_look_for_code(struct array_thread *thread,
                                     struct array_place *place);
/* Ends all iterations: at the end of a step. */
WEFT_HIDDEN void array_owners_end(struct array_thread *thread);
/* Gives up waiting for writes, when the thread ends or its places become void. */
WEFT_HIDDEN void array_owners_give_up(struct array_thread *thread);

#endif
