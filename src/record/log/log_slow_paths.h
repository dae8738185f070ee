/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of the event path in log.h, inside the core. */
#ifndef WEFT_RECORD_LOG_SLOW_PATHS_H
#define WEFT_RECORD_LOG_SLOW_PATHS_H

#include "record/log/log.h"

/*
 * Returns the log of the calling thread, which gets the number ORDINAL; never NULL.  A log
 * that a signal handler has opened just before is renumbered.  If the process or the thread
 * cannot be recorded, the log is `dead`: events in it are lost and counted.
 */
WEFT_HIDDEN struct weft_log *weft_log_open(uint32_t ordinal);
/*
 * Gives a log to the calling thread, which has none and whose beginning was not seen, and
 * returns it; never NULL, but `dead` (events are lost) if the thread cannot be recorded,
 * and for this event alone if another thread is just starting the recording.
 */
WEFT_HIDDEN struct weft_log *weft_log_first(void);
/*
 * Makes room for WORDS words, the first included, of a record at TICKS in the calling
 * thread's LOG: drains the buffer to the file (not within a nested hook), gets a new buffer
 * after a fork, and writes a record of the full time if the 32 bits of it in a record would
 * be ambiguous.  Returns false if there is no room: the event is lost, and counted as lost.
 */
WEFT_HIDDEN bool weft_log_make_room(struct weft_log *log, uint32_t words, uint64_t ticks);
/* Counts a lost event in the header of LOG's thread; in the process's if it has none. */
WEFT_HIDDEN void weft_log_lose(struct weft_log *log);
/*
 * Returns the slot (number in records) of the pair (OBJECT, SITE), which is not at SLOT of
 * the log's table: it is searched in the next slots; if it is not there, it gets a slot and
 * a record at TICKS that defines it, with CLASS (the recorder's number for the kind of
 * object).  In a signal handler that interrupts a hook, the slot holds for this one event.
 * UINT32_MAX: the event is lost.
 */
WEFT_HIDDEN uint32_t weft_log_define(struct weft_log *log, uint64_t ticks, uint32_t class,
                                     uint64_t object, uint64_t site, uint32_t slot);
/*
 * Writes a record of KIND at TICKS into the calling thread's log, or counts it as lost:
 * N_WORDS words (at most 8; with more it does nothing), then TEXT (may be NULL: none), cut
 * to 240 bytes and filled with NULs to whole words.
 */
WEFT_HIDDEN void weft_log_text(uint64_t ticks, uint32_t kind, const uint64_t *words,
                               uint32_t n_words, const char *text);
/*
 * Records that the calling thread ends, once; no effect if it has no log, or a dead one.
 * Its events are still recorded until it is gone; where that cannot be detected (see
 * weft_pool_leave()), they are lost from now on.
 */
WEFT_HIDDEN void weft_log_close(void);
/*
 * Notes that the calling thread has lost its clocks, by seccomp's strict mode: its further
 * events are lost.  Other threads go on with the same clock.
 */
WEFT_HIDDEN void weft_log_stop(void);
/*
 * Call when the thread of LOG has called weft_log_close() and is gone: notes how far its
 * buffer is used, so that the next thread appends there, and frees its large table of
 * slots.
 */
WEFT_HIDDEN void weft_log_left(struct weft_log *log);
/*
 * Returns the cost of an event in 1/1024 ticks, measured here with a scratch log: the best
 * mean of eight rounds of 64 events.
 */
WEFT_HIDDEN uint32_t weft_log_event_cost(void);

/*
 * The steps by which weft_log_drain_step() drains a buffer: write it to the file; count its
 * bytes as drained; clear it; set its base, so that it counts again.  At a kill between two
 * steps no record is lost or doubled (format/recording_layout.h).
 */
enum {
    WEFT_DRAIN_WRITE,
    WEFT_DRAIN_COUNT,
    WEFT_DRAIN_CLEAR,
    WEFT_DRAIN_REOPEN,
    WEFT_DRAIN_STEPS
};
/*
 * Does one STEP (WEFT_DRAIN_...) of writing the buffer of LOG to the file and emptying it;
 * the caller does all in order, with all signals blocked.  Returns false if draining must
 * stop: recording has ended (disk full), and the buffer stays as it is.  If only this write
 * fails, its records count as lost.
 */
WEFT_HIDDEN bool weft_log_drain_step(struct weft_log *log, int step);

/*
 * The ordinal of the calling thread's log, kept over a fork, in which the log is wiped: it
 * is then the number of the forking thread in the parent.  0 before the first log, too.
 */
extern WEFT_HIDDEN __thread uint32_t weft_thread_ordinal
    __attribute__((tls_model("initial-exec")));

#endif
