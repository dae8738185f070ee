/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes nests of loops from a thread's loads and stores.
 *
 * Each reference to an array with a known address counts for all elements that its bytes
 * touch.  The owner of a write is the element itself.  The owner of a read is that of the
 * write for which it is made, which the loops of the program's code tell (code_loops.h); if
 * that write was not executed, the element that it would have been to (read_owners.h).
 * Where the code cannot be read it is the element, of any array, that the same thread
 * writes next in the same step.  A write of several elements at once is the owner of as
 * many reads one by one, and its first element of all other reads.
 *
 * The body of a loop is a sequence of sites (places in the program), each with an address
 * that advances by a constant.  A site stores the site before it and the next address, so a
 * predicted reference costs its hook a comparison and some additions, and no look-up of its
 * array (load_store_hooks.h).  When another reference comes, the loop has ended: its
 * references are then met in their order, all rounds but the first and last at once.  Sites
 * keep their strides, so the next execution of the loop is predicted from its second
 * iteration on.
 */
#ifndef WEFT_RECORD_ARRAYS_DETECT_LOOPS_H
#define WEFT_RECORD_ARRAYS_DETECT_LOOPS_H

#include "domains/arrays/record/arrays.h"

/* Records a reference that no hook predicted: to BYTES bytes at ADDRESS, which may be in
   one array, in several or in none (it is then ignored), by the instruction before the
   return address SITE; OPERATION 0 is a read, 1 a write.  Makes *SELF, a hook's
   thread-local pointer, point to the calling thread's predictions, unless the reference is
   ignored or lost.  Installed as `surprise` of struct weft_hook_gate. */
WEFT_HIDDEN void array_runs_surprise(struct weft_hook_thread **self, uintptr_t address,
                                     uint64_t site, uint64_t bytes, uint32_t operation);

#endif
