/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of logs and buffers for threads.  They are made several at a time and reused: a
 * new thread takes one that another thread has left, without a system call, and appends to
 * its buffer.  A place is a log with its buffer; places that stay unused give their memory
 * back.
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

/* A log and its buffer: element INDEX of an arena. */
struct weft_place {
    struct weft_arena *arena;
    uint32_t index;
};

/*
 * Begin a pool of one free place in a new process image, whose log must be open (its file
 * gets the buffer); forgets the places of a parent.  Returns 0 or the error number.
 */
WEFT_HIDDEN int weft_pool_start(void);
/* Returns true in a forked child of the process that started the pool; not after vfork. */
WEFT_HIDDEN bool weft_pool_is_foreign(void);
/* Set *PLACE to a free place, now the caller's; false with *ERROR, an errno. */
WEFT_HIDDEN bool weft_pool_take(struct weft_place *place, int *error);
/* Give back a place whose thread no longer uses it. */
WEFT_HIDDEN void weft_pool_give(struct weft_place place);
/*
 * Have the place given back when the calling thread, which owns it, is gone.  Returns
 * false, and does nothing, if that cannot be detected here.
 */
WEFT_HIDDEN bool weft_pool_leave(struct weft_place place);
/* Returns a place's log. */
WEFT_HIDDEN struct weft_log *weft_pool_log(struct weft_place place);
/* Returns a place's buffer, a piece of the log's file; sets *OFFSET to its place there. */
WEFT_HIDDEN struct weft_piece *weft_pool_buffer(struct weft_place place, uint64_t *offset);
/* Make sure that at least N more threads can begin without a system call. */
WEFT_HIDDEN void weft_pool_prepare(uint32_t n);

#endif
