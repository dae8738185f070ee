/* SPDX-License-Identifier: Apache-2.0 */
/* The process image that is recorded: its log, its headers, its children, its end. */
#ifndef WEFT_RECORD_PROCESS_H
#define WEFT_RECORD_PROCESS_H

#include "record/log/file.h"
#include "record/log/headers.h"

enum weft_process_state {
    WEFT_NOT_STARTED,
    WEFT_STARTING,
    WEFT_RECORDED,
    WEFT_NOT_RECORDED,
};

struct weft_process {
    int state; /* enum weft_process_state */
    int full;  /* the error number that ended recording, or 0 */
    uint32_t pid;
    uint32_t families; /* bits, as in the header */
    struct weft_file file;
    struct weft_headers headers;
    struct weft_process_header *header; /* NULL if it has none */
};

/* The state of the recorded process image. */
extern WEFT_HIDDEN struct weft_process weft_process;

/* Start recording this process image, once; false if it is not recorded. */
WEFT_HIDDEN bool weft_process_start(void);
/* In a forked child, once: make it a process image of its own. */
WEFT_HIDDEN void weft_process_forked(void);
/* Finish recording at exit.  No effect in a child of vfork, which shares the memory. */
WEFT_HIDDEN void weft_process_finish(void);
/* Returns the caller's pid; the recorded process's if seccomp forbids getpid. */
WEFT_HIDDEN uint32_t weft_process_caller(void);
/* Returns true if the caller (a pid) has TLS; a child of clone may have none. */
WEFT_HIDDEN bool weft_process_has_storage(uint32_t caller);
/*
 * Returns true if the caller (a pid) may write a record.  A child of vfork writes into its
 * parent's log; a child of clone may have no TLS.  Uses no TLS.
 */
WEFT_HIDDEN bool weft_process_can_note(uint32_t caller);
/* Returns a number for a new thread, from 0; first calls weft_process_forked(). */
WEFT_HIDDEN uint32_t weft_process_next_thread(void);
/*
 * End recording, because of ERROR (an error number), and note that in the process's header;
 * if it has none, in an empty file beside the log.
 */
WEFT_HIDDEN void weft_process_full(int error);
/*
 * Getting room in the log has failed with ERROR (0: it has not).  ENOSPC, EFBIG, EDQUOT,
 * EPERM and ESTALE end recording, by weft_process_full().
 */
WEFT_HIDDEN void weft_process_refused(int error);
/* Count lost events that no thread's header can count. */
WEFT_HIDDEN void weft_process_lose(uint64_t events);

#endif
