/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a log: one for a program and all processes forked from it
 * (format/recording_layout.h).  It is opened once, at the start; children inherit the
 * descriptor and the mapping of the log's head, so they need no permission to open it.
 *
 * Programs close descriptors that they do not know.  So before each use the descriptor is
 * checked to be still that of the log; if it is not, the log is opened again by its name,
 * if possible.
 *
 * An executed program makes a log of its own.  If the process has lost the right to do
 * that, the program inherits the descriptor (handover.h) and appends to this log.
 *
 * All functions may be called from any thread, from signal handlers and in forked children,
 * and keep errno.
 */
#ifndef WEFT_RECORD_FILE_H
#define WEFT_RECORD_FILE_H

#include "record/core/core.h"

enum { WEFT_PATH_MAX = 640 }; /* bytes of the path of a log */

struct weft_file {
    struct weft_log_head *head; /* shared with all processes of the log; NULL: no log */
    int descriptor;
    uint64_t device, inode; /* of the log */
    uint32_t user;          /* the effective user that made it */
    bool inherited;         /* from the program that executed this one */
    /*
     * Part of the log mapped in advance, for use under a seccomp filter that forbids to map
     * more; its first word counts the bytes in use.
     */
    char *reserve; /* NULL: none */
    uint64_t reserve_offset, reserve_size;
    char path[WEFT_PATH_MAX];
};

/* Make a log in FOLDER for the process PID; returns 0 or the error number. */
WEFT_HIDDEN int weft_file_create(struct weft_file *file, const char *folder, uint32_t pid);
/*
 * Use the log of the program that executed this one, which left it open as DESCRIPTOR; the
 * log is in FOLDER.  Returns 0 or the error number.
 */
WEFT_HIDDEN int weft_file_inherit(struct weft_file *file, const char *folder,
                                  long descriptor, uint64_t device, uint64_t inode);
/* Make an empty file beside the log, named by PID and ERROR, why it is not recorded. */
WEFT_HIDDEN void weft_file_leave_word(const struct weft_file *file, uint32_t pid,
                                      int error);
/*
 * Returns the descriptor to hand over to a program that cannot make a log of its own; 0 if
 * it can, or if there is none.  weft_file_hand_over sets whether exec leaves it open.
 */
WEFT_HIDDEN uint32_t weft_file_to_hand_over(const struct weft_file *file);
WEFT_HIDDEN void weft_file_hand_over(const struct weft_file *file, bool open);
/*
 * Allocate SIZE bytes at the end of the log and map them; *OFFSET is their place there.
 * Where seccomp forbids it, they are taken from `reserve`.  NULL with *ERROR, an error
 * number; *ERROR has no meaning else.
 */
WEFT_HIDDEN void *weft_file_map(struct weft_file *file, uint64_t size, uint64_t *offset,
                                int *error);
/* Append PIECE, of SIZE bytes, to the log; returns 0 or the negative error number. */
WEFT_HIDDEN long weft_file_append(struct weft_file *file, const void *piece, uint64_t size);
/* Map SIZE bytes as `reserve`, for when seccomp forbids to map more; false on failure. */
WEFT_HIDDEN bool weft_file_reserve(struct weft_file *file, uint64_t size);

#endif
