/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: one file for a program and all processes that are forked from it
 * (format/recording_layout.h).  It is opened once, at the start, and its descriptor and the
 * mapping of its head are inherited by children: what a process may open later is not asked.
 *
 * Programs close descriptors that they do not know.  Whether ours is still that of the log is
 * looked at before each use; when it is not, the log is opened again by its name, if that can
 * still be done.
 *
 * A program that is executed makes a log of its own.  When the process has given up the right to
 * do that, the descriptor is handed over to it (handover.h), and it goes on in this one.
 *
 * All functions may be called from any thread, from signal handlers and in forked children, and
 * keep errno.
 */
#ifndef WEFT_RECORD_FILE_H
#define WEFT_RECORD_FILE_H

#include "record/core/core.h"

enum { WEFT_PATH_MOST = 640 }; /* bytes of the path of a log */

struct weft_file {
    struct weft_log_head *head; /* shared with all processes of the log; NULL: no log */
    int descriptor;
    uint64_t device, inode; /* of the log */
    uint32_t user;          /* who made it */
    bool inherited;         /* of the program before this one */
    /* Taken and mapped for a sandbox that allows no more; the first word counts what is used. */
    char *reserve; /* NULL: none */
    uint64_t reserve_offset, reserve_size;
    char path[WEFT_PATH_MOST];
};

/* Make a log in FOLDER, for the process PID; 0 or the error number. */
WEFT_HIDDEN int weft_file_create(struct weft_file *file, const char *folder, uint32_t pid);
/*
 * Go on in the log of the program that this one was executed by, which has left it open as
 * DESCRIPTOR; FOLDER: as above.  0 or the error number.
 */
WEFT_HIDDEN int weft_file_inherit(struct weft_file *file, const char *folder,
                                  long descriptor, uint64_t device, uint64_t inode);
/* An empty file where the log is, or was to be, says why the process PID is not recorded. */
WEFT_HIDDEN void weft_file_leave_word(const struct weft_file *file, uint32_t pid,
                                      int error);
/*
 * The descriptor to hand over to a program that cannot make a log where this one is; 0: it can,
 * or there is none.  Then whether exec leaves it open.
 */
WEFT_HIDDEN uint32_t weft_file_to_hand_over(const struct weft_file *file);
WEFT_HIDDEN void weft_file_hand_over(const struct weft_file *file, bool open);
/* New room of SIZE bytes that are really there, mapped; NULL with *error. */
WEFT_HIDDEN void *weft_file_map(struct weft_file *file, uint64_t size, uint64_t *offset,
                                int *error);
/* Write a piece into new room; 0 or the negative error number. */
WEFT_HIDDEN long weft_file_append(struct weft_file *file, const void *piece, uint64_t size);
/* Take a reserve, which is used for what cannot be asked of the system any more. */
WEFT_HIDDEN bool weft_file_reserve(struct weft_file *file, uint64_t size);

#endif
