/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a thread's loads and stores to nests of loops.
 *
 * What is collected is defined by three sentences.  Each reference to an array that lies somewhere
 * (weft_array_at) counts for all elements that its bytes touch.  A write is on behalf of the
 * element itself.  A read is on behalf of the element that the same thread writes next, in the
 * same step, of any array; when it writes none any more, nobody is known (owner computes).  A write
 * of several elements at once takes the reads of as many one by one, and others for its first.
 *
 * How: the body of a loop is a sequence of places in the program, each with an address that
 * advances by a constant.  Each place knows which one comes before it and the address that is
 * next, so a reference that was foreseen costs three comparisons and an addition, and no look-up
 * of its array.  When something else comes, the loop has ended: it is one nest for each place,
 * whose reads and writes stand in an order that was the same in all rounds, so the owners are known,
 * too.  Places remember their strides: the next time around, the loop is foreseen from its second
 * round on.
 */
#ifndef WEFT_RECORD_ARRAYS_RUNS_H
#define WEFT_RECORD_ARRAYS_RUNS_H

#include "record/arrays/arrays.h"

/* A reference that was not foreseen, or lies in no array after all. */
WEFT_HIDDEN void array_runs_surprise(uintptr_t address, uint64_t site, uint32_t bytes,
                                     uint32_t operation);

/* The same of any number of bytes, of several arrays perhaps. */
WEFT_HIDDEN void array_runs_refer_range(uintptr_t address, uint64_t site, size_t bytes,
                                        uint32_t operation);

/* BYTES and OPERATION (enum weft_reference_operation: 0 read, 1 write) are constants of the site. */
static inline __attribute__((always_inline)) void
array_runs_refer(uintptr_t address, uint64_t site, uint32_t bytes, uint32_t operation)
{
    struct array_thread *thread = array_self;
    struct array_site *at;

    if (__builtin_expect(address - array_world.begin >= array_world.size, 0))
        return;
    if (__builtin_expect(thread == NULL, 0)) {
        array_runs_surprise(address, site, bytes, operation);
        return;
    }
    at = &thread->sites[(site >> 2) % ARRAY_SITES];
    if (__builtin_expect((at->key ^ site ^ array_world.stamp) | (at->address ^ address)
                             | ((uintptr_t)at->previous ^ (uintptr_t)thread->last),
                         0)) {
        array_runs_surprise(address, site, bytes, operation);
        return;
    }
    thread->last = at;
    at->address = address + (uintptr_t)at->stride;
    if (__builtin_expect(--at->remaining == 0, 0))
        at->address = 0;
}

#endif
