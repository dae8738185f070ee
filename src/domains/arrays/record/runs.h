/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a thread's loads and stores to nests of loops.
 *
 * What is collected is defined by three sentences.  Each reference to an array that lies
 * somewhere counts for all elements that its bytes touch.  A write is on behalf of the
 * element itself.  A read is on behalf of the element that the same thread writes next, in
 * the same step, of any array; when it writes none any more, nobody is known (owner
 * computes).  A write of several elements at once takes the reads of as many one by one,
 * and other reads for its first.
 *
 * How: the body of a loop is a sequence of places in the program, each with an address that
 * advances by a constant.  So a place knows which one comes before it and the address that
 * is next, and a reference that was foreseen costs its hook a comparison and some
 * additions, and no look-up of its array (hooks.h).  When something else comes, the loop
 * has ended: it is one nest for each place, whose reads and writes stand in an order that
 * was the same in all rounds, so the owners are known, too.  Places remember their strides:
 * the next time around, the loop is foreseen from its second round on.
 */
#ifndef WEFT_RECORD_ARRAYS_RUNS_H
#define WEFT_RECORD_ARRAYS_RUNS_H

#include "domains/arrays/record/arrays.h"

/* A reference that was not foreseen, or a range of memory, of several arrays perhaps, or of
   none. */
WEFT_HIDDEN void array_runs_surprise(struct weft_hook_thread **self, uintptr_t address,
                                     uint64_t site, uint64_t bytes, uint32_t operation);

#endif
