/* SPDX-License-Identifier: Apache-2.0 */
/* The process image that is recorded: its log, its headers, its children, its end. */
#ifndef WEFT_RECORD_PROCESS_H
#define WEFT_RECORD_PROCESS_H

#include "record/log/file.h"
#include "record/log/headers.h"

/* Whether this process image is recorded. */
enum weft_process_state {
    WEFT_NOT_STARTED,  /* weft_process_start() was not called yet */
    WEFT_STARTING,     /* a thread is making the log */
    WEFT_RECORDED,     /* also after its log was full */
    WEFT_NOT_RECORDED, /* no log could be made for it, or no headers after a fork */
};

/* The process image that this library records: there is one, the variable weft_process. */
struct weft_process {
    int state;         /* enum weft_process_state */
    int full;          /* the error number that ended recording, or 0 */
    uint32_t pid;      /* 0: unknown, seccomp forbids getpid */
    uint32_t families; /* bits 1 << number of the recorder libraries that have joined */
    struct weft_file file;
    struct weft_headers headers;
    struct weft_process_header *header; /* that of `headers`; NULL if it has none */
};

/* The state of the recorded process image. */
extern WEFT_HIDDEN struct weft_process weft_process;

/*
 * Starts recording this process image (a process from an exec or fork on), at the first
 * call: makes its log, its headers and the calling thread's log; later calls change
 * nothing.  Returns true if the process is recorded, also after its log was full; false
 * also while another thread is starting it.
 */
WEFT_HIDDEN bool weft_process_start(void);
/*
 * If this is a forked child of the recorded process, makes it a process image of its own,
 * with headers and a pool of logs, or notes why it cannot be recorded; once.  No effect in
 * other processes, nor after vfork.
 */
WEFT_HIDDEN void weft_process_forked(void);
/*
 * At exit: samples the clocks a last time, and notes in the process's header that it
 * exited.  No effect without a header, where seccomp forbids getpid, and in a child of
 * vfork, which shares the memory.  Uses no errno, no TLS.
 */
WEFT_HIDDEN void weft_process_finish(void);
/* Returns the caller's pid; the recorded process's if seccomp forbids getpid. */
WEFT_HIDDEN uint32_t weft_process_caller(void);
/*
 * Returns true if the calling thread, whose process has the pid CALLER
 * (weft_process_caller()), has thread-local storage (TLS) of its own or its parent's: it is
 * of the recorded process, or the C library made the TLS.  A child made by clone() may have
 * none.
 */
WEFT_HIDDEN bool weft_process_has_storage(uint32_t caller);
/*
 * Returns true if the calling thread, whose process has the pid CALLER
 * (weft_process_caller()), may write a record: the process is recorded, and the thread is
 * one of it, or of a child that shares its memory (vfork) and writes into its parent's log.
 * A child made by clone() without thread-local storage (TLS) may not.  The test uses TLS
 * only where it is there.
 */
WEFT_HIDDEN bool weft_process_can_note(uint32_t caller);
/*
 * Returns the next number for a thread of this process image, from 0; each is given once.
 * Calls weft_process_forked() first, since a fork may have bypassed the C library.
 */
WEFT_HIDDEN uint32_t weft_process_next_thread(void);
/*
 * Ends recording, because of ERROR (an error number), and notes that in the process's
 * header; if it has none, in an empty file beside the log.
 */
WEFT_HIDDEN void weft_process_full(int error);
/*
 * Call after an attempt to get room in the log: ERROR is its error number, 0 if it did not
 * fail.  ENOSPC, EFBIG, EDQUOT, EPERM and ESTALE end recording, by weft_process_full();
 * other errors have no effect.
 */
WEFT_HIDDEN void weft_process_refused(int error);
/*
 * Counts EVENTS lost events that no thread's header can count: in the process's header; if
 * there is none, in the head of the log; before there is a log, in memory, for the header
 * that is made later.
 */
WEFT_HIDDEN void weft_process_lose(uint64_t events);

#endif
