/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs and buffers for threads.  They are made some at a time and used again: a thread that
 * begins takes one that another thread has left, without a system call, and goes on in the
 * buffer behind the other's records.  What is not used for long gives its memory back.
 *
 * A thread that ends may have events until its very last instruction: signal handlers,
 * destructors of other libraries, exit() when it is the last one.  So it holds a robust mutex
 * of its place, which the kernel marks when the thread is gone, and only then is the place
 * another's.
 *
 * Logs are wiped in a forked child, however it was forked; so is the mark by which a process
 * knows that it is one.
 */
#ifndef WEFT_RECORD_POOL_H
#define WEFT_RECORD_POOL_H

#include "record/log/log.h"

struct weft_arena;

/* A log of the pool, or a buffer alone: which one it is. */
struct weft_place {
    struct weft_arena *arena;
    uint32_t index;
};

/* Begin an empty pool, in a new process image; 0 or the error number. */
WEFT_HIDDEN int weft_pool_start(void);
/* Is this a child of the process that started the pool?  Not so in a child of vfork. */
WEFT_HIDDEN bool weft_pool_is_foreign(void);
/* A place that nobody uses; false with *error. */
WEFT_HIDDEN bool weft_pool_take(struct weft_place *place, int *error);
/* The place is free now. */
WEFT_HIDDEN void weft_pool_give(struct weft_place place);
/*
 * The place is free when the calling thread, whose it is, is gone.  False: that cannot be known
 * here, and the place is as it was.
 */
WEFT_HIDDEN bool weft_pool_leave(struct weft_place place);
/* The log of a place, and its buffer's first piece; the other piece and the buffer follow. */
WEFT_HIDDEN struct weft_log *weft_pool_log(struct weft_place place);
WEFT_HIDDEN struct weft_piece *weft_pool_buffer(struct weft_place place, uint64_t *offset);
/* Make sure that at least N threads more can begin without a system call. */
WEFT_HIDDEN void weft_pool_prepare(uint32_t n);

#endif
