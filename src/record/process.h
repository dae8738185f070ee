/* SPDX-License-Identifier: Apache-2.0 */
/* The process image that is recorded: its folder, its header, its children. */
#ifndef WEFT_RECORD_PROCESS_H
#define WEFT_RECORD_PROCESS_H

#include "record/log.h"

struct weft_process {
    int state; /* 0 not started, 1 starting, 2 recorded, 3 not recorded */
    int full;  /* errno of the write that ended recording, or 0 */
    uint32_t pid, image;
    uint32_t names; /* numbers of names given out */
    struct weft_process_header *header;
    char folder[512];
};

extern WEFT_HIDDEN struct weft_process weft_process;

/* Start recording this process image, once; false: it is not recorded. */
WEFT_HIDDEN bool weft_process_start(void);
/* In a forked child, before its first event. */
WEFT_HIDDEN void weft_process_forked(void);
/* It ends by its own will. */
WEFT_HIDDEN void weft_process_finish(void);
/* Note where the clocks stand. */
WEFT_HIDDEN void weft_process_calibrate(void);
/* Copy the map of the address space when it does not know ADDRESS yet. */
WEFT_HIDDEN void weft_process_see(uint64_t address);
/* A number for a thread. */
WEFT_HIDDEN uint32_t weft_process_next_thread(void);

/* System calls that are neither interposed nor points of cancellation; they keep errno. */
WEFT_HIDDEN long weft_sys_open(const char *path, int flags);
WEFT_HIDDEN long weft_sys_write_all(long fd, const void *bytes, uint64_t size,
                                    int64_t offset);
WEFT_HIDDEN void weft_sys_close(long fd);
/* A new file of SIZE bytes that are really there, mapped shared; NULL with *error. */
WEFT_HIDDEN void *weft_sys_map_new(const char *path, uint64_t size, int *error);
/* Decimal numbers without stdio. */
WEFT_HIDDEN char *weft_text_number(char *to, uint64_t number);
WEFT_HIDDEN char *weft_text_copy(char *to, const char *from);

#endif
