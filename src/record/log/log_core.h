/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of the event path in log.h, inside the core. */
#ifndef WEFT_RECORD_LOG_CORE_H
#define WEFT_RECORD_LOG_CORE_H

#include "record/log/log.h"

/* Returns the calling thread's log, made if needed; a `dead` one if that fails. */
WEFT_HIDDEN struct weft_log *weft_log_open(uint32_t ordinal);
/* Like weft_log_open(), at the first event of a thread whose beginning was not seen. */
WEFT_HIDDEN struct weft_log *weft_log_first(void);
/*
 * Make room for WORDS words: drain the buffer, get a new log after a fork, write a time
 * record; false if the event is lost.
 */
WEFT_HIDDEN bool weft_log_make_room(struct weft_log *log, uint32_t words, uint64_t ticks);
/* Count a lost event in the thread's header, else in the process's. */
WEFT_HIDDEN void weft_log_lose(struct weft_log *log);
/*
 * Returns the slot of the pair (OBJECT, SITE), which is not at SLOT of the table: it is
 * searched in the next slots; if it is not there, it gets a slot and a record that defines
 * it.  In a signal handler the slot holds for this one event.
 */
WEFT_HIDDEN uint32_t weft_log_define(struct weft_log *log, uint64_t ticks, uint32_t class,
                                     uint64_t object, uint64_t site, uint32_t slot);
WEFT_HIDDEN void weft_log_text(uint64_t ticks, uint32_t kind, const uint64_t *words,
                               uint32_t n_words, const char *text);
/* Note that the calling thread ends; its events are still recorded until it is gone. */
WEFT_HIDDEN void weft_log_close(void);
/* Note that the calling thread has lost its clocks: its further events are lost. */
WEFT_HIDDEN void weft_log_stop(void);
/* The thread of a log after weft_log_close() is gone: others may use the buffer. */
WEFT_HIDDEN void weft_log_left(struct weft_log *log);
/* Returns the cost of an event in ticks / 1024, measured here with a scratch log. */
WEFT_HIDDEN uint32_t weft_log_event_cost(void);

/*
 * Drain a buffer (write it to the file and empty it) by one of the steps below, in the
 * order that recording_layout.h promises; returns false if draining must stop (the disk is
 * full, and the buffer stays as it is).  The caller blocks all signals.
 */
enum {
    WEFT_DRAIN_WRITE,
    WEFT_DRAIN_COUNT,
    WEFT_DRAIN_CLEAR,
    WEFT_DRAIN_REOPEN,
    WEFT_DRAIN_STEPS
};
WEFT_HIDDEN bool weft_log_drain_step(struct weft_log *log, int step);

/* The calling thread's ordinal, kept over a fork, in which its log is wiped. */
extern WEFT_HIDDEN __thread uint32_t weft_thread_ordinal
    __attribute__((tls_model("initial-exec")));

#endif
