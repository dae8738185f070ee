/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of logs and buffers for threads.  They are made several at a time and reused: a
 * new thread takes one that another thread has left, without a system call, and appends to
 * its buffer.  Places that stay unused give their memory back.
 *
 * A thread that ends may have events until its last instruction: in signal handlers,
 * destructors of other libraries, or exit().  So it holds a robust mutex of its place,
 * which the kernel marks when the thread is gone, and only then is the place reused.
 *
 * The logs are wiped in a forked child, however it was forked; so is the mark by which a
 * process detects that it is one.
 */
#ifndef WEFT_RECORD_POOL_H
#define WEFT_RECORD_POOL_H

#include "record/log/log.h"

struct weft_arena;

/* The index of a place in an arena: a log and its buffer. */
struct weft_place {
    struct weft_arena *arena;
    uint32_t index;
};

/* Begin an empty pool in a new process image; returns 0 or the error number. */
WEFT_HIDDEN int weft_pool_start(void);
/* Returns true in a forked child of the process that started the pool; not after vfork. */
WEFT_HIDDEN bool weft_pool_is_foreign(void);
/* Take a free place; false with *error. */
WEFT_HIDDEN bool weft_pool_take(struct weft_place *place, int *error);
/* Give a place back. */
WEFT_HIDDEN void weft_pool_give(struct weft_place place);
/*
 * Free the place when the calling thread, which owns it, is gone.  Returns false if that
 * cannot be detected here; then the place is unchanged.
 */
WEFT_HIDDEN bool weft_pool_leave(struct weft_place place);
/* Returns the log of a place; the first of its buffer's two pieces, with its offset. */
WEFT_HIDDEN struct weft_log *weft_pool_log(struct weft_place place);
WEFT_HIDDEN struct weft_piece *weft_pool_buffer(struct weft_place place, uint64_t *offset);
/* Make sure that at least N more threads can begin without a system call. */
WEFT_HIDDEN void weft_pool_prepare(uint32_t n);

#endif
