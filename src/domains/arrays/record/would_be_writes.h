/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of writes that were not executed, and runs of references with owners. */
#ifndef WEFT_RECORD_ARRAYS_WOULD_BE_WRITES_H
#define WEFT_RECORD_ARRAYS_WOULD_BE_WRITES_H

#include "domains/arrays/record/arrays.h"

/* Appends MORE to RUN if it continues that, or RUN is empty; else returns false. */
WEFT_HIDDEN bool array_run_add(struct array_run *run, const struct array_run *more);
/* Returns a run as a nest; it must not be empty. */
WEFT_HIDDEN struct array_nest array_run_nest(const struct array_run *run);
/* Moves the run of a place with known owners to its levels. */
WEFT_HIDDEN void array_flush_run(struct array_thread *thread, struct array_place *place);
/* Returns a nest with the owner fields set to the element of a write, as for reads. */
WEFT_HIDDEN struct array_nest array_owner_nest(const struct array_nest *write);
/*
 * Collects N references of a place: NEST, and each STRIDE elements behind the one before.
 * OWNER has the owner of the first, and as many loops as it has elements; the owners
 * advance by OWNER_STRIDE.
 */
WEFT_HIDDEN void array_give(struct array_thread *thread, struct array_place *place,
                            const struct array_nest *nest, int64_t stride, uint64_t n,
                            const struct array_nest *owner, int64_t owner_stride);

/* Learns from a write how far its element is from those read in the same iteration, which
   are in the trail. */
WEFT_HIDDEN void array_learn(struct array_thread *thread, const struct array_trail *write);
/* Collects an open read of N rounds on behalf of the element that its iteration, which is
   in the trail, would have written; or lets it be pending until that is known. */
WEFT_HIDDEN void array_would_be(struct array_thread *thread, const struct array_trail *read,
                                uint64_t n);
/* Collects all pending reads on behalf of nobody. */
WEFT_HIDDEN void array_pending_end(struct array_thread *thread);

#endif
