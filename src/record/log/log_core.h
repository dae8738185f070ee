/* SPDX-License-Identifier: Apache-2.0 */
/* The slow half of the event path, inside the core. */
#ifndef WEFT_RECORD_LOG_CORE_H
#define WEFT_RECORD_LOG_CORE_H

#include "record/log/log.h"

/* Give the calling thread a log under this number; one that is dead when that fails. */
WEFT_HIDDEN struct weft_log *weft_log_open(uint32_t ordinal);
/* The same at a thread's first event, when nobody said that it began. */
WEFT_HIDDEN struct weft_log *weft_log_first(void);
/* Room for WORDS words: drain, revive after a fork, write the whole time; as log.h needs. */
WEFT_HIDDEN bool weft_log_make_room(struct weft_log *log, uint32_t words, uint64_t ticks);
/* Count an event that is lost, where it can be counted. */
WEFT_HIDDEN void weft_log_lose(struct weft_log *log);
/*
 * The slot of a pair that is not at SLOT of the log's table: it is looked for behind that, and
 * else gets a slot and a record that says so, in signal handlers for this one event.
 */
WEFT_HIDDEN uint32_t weft_log_define(struct weft_log *log, uint64_t ticks, uint32_t class,
                                     uint64_t object, uint64_t site, uint32_t slot);
WEFT_HIDDEN void weft_log_text(uint64_t ticks, uint32_t kind, const uint64_t *words,
                               uint32_t n_words, const char *text);
/* The calling thread ends.  What it still does until it is gone is recorded, too. */
WEFT_HIDDEN void weft_log_close(void);
/* The calling thread has no clock any more: what it does is lost. */
WEFT_HIDDEN void weft_log_stop(void);
/* The thread of a log that was closed is gone: another one may have its buffer. */
WEFT_HIDDEN void weft_log_left(struct weft_log *log);
/* What one event costs here, in ticks / 1024: tried with a log that goes nowhere. */
WEFT_HIDDEN uint32_t weft_log_event_cost(void);

/*
 * Draining a buffer, in the order that recording_layout.h promises; false: not further (the
 * disk is full, and the buffer stays as it is).  With all signals blocked.
 */
enum {
    WEFT_DRAIN_WRITE,
    WEFT_DRAIN_COUNT,
    WEFT_DRAIN_CLEAR,
    WEFT_DRAIN_REOPEN,
    WEFT_DRAIN_STEPS
};
WEFT_HIDDEN bool weft_log_drain_step(struct weft_log *log, int step);

/* The number of the calling thread, which its log is wiped of in a forked child. */
extern WEFT_HIDDEN __thread uint32_t weft_thread_ordinal
    __attribute__((tls_model("initial-exec")));

#endif
