/* SPDX-License-Identifier: Apache-2.0 */
/* The process image that is recorded: its folder, its header, its children, its end. */
#ifndef WEFT_RECORD_PROCESS_H
#define WEFT_RECORD_PROCESS_H

#include "record/core/core.h"

enum weft_process_state {
    WEFT_NOT_STARTED,
    WEFT_STARTING,
    WEFT_RECORDED,
    WEFT_NOT_RECORDED,
};

enum { WEFT_PATH_MOST = 512 }; /* bytes of the folder's path, with that of the machine */

struct weft_process {
    int state; /* enum weft_process_state */
    int full;  /* errno of the write that ended recording, or 0 */
    uint32_t pid, image;
    uint32_t families;                  /* bits, as in the header */
    struct weft_process_header *header; /* NULL: not recorded */
    char folder[WEFT_PATH_MOST];        /* of this machine */
};

/* One of the two globals of the core; the other is what maps.c has seen. */
extern WEFT_HIDDEN struct weft_process weft_process;

/* Start recording this process image, once; false: it is not recorded. */
WEFT_HIDDEN bool weft_process_start(void);
/* If this is a forked child that does not know it yet: make it an image of its own. */
WEFT_HIDDEN void weft_process_forked(void);
/* It ends by its own will.  Nothing in a child of vfork, which ends in its parent's memory. */
WEFT_HIDDEN void weft_process_finish(void);
/* A number for a thread. */
WEFT_HIDDEN uint32_t weft_process_next_thread(void);
/* <folder>/p<pid>-<image>; returns the end of the text. */
WEFT_HIDDEN char *weft_process_path(char *path);

#endif
