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
    int full;  /* errno of what ended recording, or 0 */
    uint32_t pid;
    uint32_t families; /* bits, as in the header */
    struct weft_file file;
    struct weft_headers headers;
    struct weft_process_header *header; /* NULL: it has none */
};

/* One of the globals of the core; the others are what maps.c has seen and pool.c's arenas. */
extern WEFT_HIDDEN struct weft_process weft_process;

/* Start recording this process image, once; false: it is not recorded. */
WEFT_HIDDEN bool weft_process_start(void);
/* If this is a forked child that does not know it yet: make it an image of its own. */
WEFT_HIDDEN void weft_process_forked(void);
/* It ends by its own will.  Nothing in a child of vfork, which ends in its parent's memory. */
WEFT_HIDDEN void weft_process_finish(void);
/* The number of the process that calls; where that may not be asked, of the recorded one. */
WEFT_HIDDEN uint32_t weft_process_caller(void);
/* Has it storage of a thread, as errno is in?  One that clone made need not.  Touches none. */
WEFT_HIDDEN bool weft_process_has_storage(uint32_t caller);
/*
 * May it write a record?  A child of vfork does into its parent's log; one of clone may have no
 * storage of a thread.  Touches none.
 */
WEFT_HIDDEN bool weft_process_can_note(uint32_t caller);
/* A number for a thread. */
WEFT_HIDDEN uint32_t weft_process_next_thread(void);
/* Nothing more can be recorded, for this reason. */
WEFT_HIDDEN void weft_process_full(int error);
/* The log was asked for room, with this error or 0: after some of them nothing more comes. */
WEFT_HIDDEN void weft_process_refused(int error);
/* Count events that are lost where no thread can count them. */
WEFT_HIDDEN void weft_process_lose(uint64_t events);

#endif
