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

/* A log and its buffer: number `index` of those made at one time (the pool's arena). */
struct weft_place {
    struct weft_arena *arena;
    uint32_t index;
};

/*
 * Begins a pool of one free place (a thread's log with its buffer) in a new process image,
 * whose file must be open: the buffer lies in it.  Forgets the places of a parent.  Returns
 * 0 or the error number.
 */
WEFT_HIDDEN int weft_pool_start(void);
/*
 * Returns true in a forked child of the process that started the pool, until the child
 * starts its own; false in a child of vfork, which shares the memory, and without a pool.
 */
WEFT_HIDDEN bool weft_pool_is_foreign(void);
/*
 * Sets *PLACE to a free place (a thread's log with its buffer), which is the caller's until
 * weft_pool_give() or weft_pool_leave(); more are made if there is none.  Its log may be
 * that of an earlier thread: the caller clears it.  Returns false with *ERROR, an error
 * number, if no more can be made.
 */
WEFT_HIDDEN bool weft_pool_take(struct weft_place *place, int *error);
/*
 * Gives PLACE (a thread's log with its buffer) back to the pool; no thread may use these
 * any more.
 */
WEFT_HIDDEN void weft_pool_give(struct weft_place place);
/*
 * Has PLACE given back to the pool when the calling thread, which uses it until then, is
 * gone.  Returns false, and does nothing, if that cannot be detected here, or if more than
 * 16,384 threads are ending at once: then the caller gives it back.
 */
WEFT_HIDDEN bool weft_pool_leave(struct weft_place place);
/* Returns the log of PLACE: the first member of a struct weft_pooled_log.  Never NULL. */
WEFT_HIDDEN struct weft_log *weft_pool_log(struct weft_place place);
/*
 * Returns the buffer of PLACE: a mapped piece of the log's file, zeroed if it is new, else
 * with the records of earlier threads.  Sets *OFFSET to its place in the file, in bytes.
 */
WEFT_HIDDEN struct weft_piece *weft_pool_buffer(struct weft_place place, uint64_t *offset);
/*
 * Makes places (a thread's log with its buffer) until about N are free in all, so that N
 * more threads can begin without a system call; fewer if there is no room.
 */
WEFT_HIDDEN void weft_pool_prepare(uint32_t n);

#endif
