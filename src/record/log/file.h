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

/* The log of this process, open: there is one, weft_process.file.  It is never closed. */
struct weft_file {
    struct weft_log_head *head; /* shared with all processes of the log; NULL: no log */
    int descriptor; /* -1: none; the program may have closed it: tested before each use */
    uint64_t device, inode; /* of the log */
    uint32_t user;          /* the effective user that made it; unset if inherited */
    bool inherited;         /* from the program that executed this one */
    /*
     * Part of the log mapped in advance, for use under a seccomp filter that forbids to map
     * more; NULL: none.  Its first word counts the bytes taken after its first page.
     */
    char *reserve;
    uint64_t reserve_offset, reserve_size; /* offset in the log, and bytes */
    char path[WEFT_PATH_MAX]; /* of the log; if inherited, FOLDER/-, where no file is */
};

/*
 * Makes a log in the existing FOLDER, named l<PID>-<number>, opens it and sets *FILE.
 * FOLDER is at least 64 bytes shorter than WEFT_PATH_MAX.  Returns 0, or the error number;
 * then file->head is NULL, but file->path is set, for weft_file_leave_word().
 */
WEFT_HIDDEN int weft_file_create(struct weft_file *file, const char *folder, uint32_t pid);
/*
 * Sets *FILE to the log of the program that executed this one, which left it open as
 * DESCRIPTOR, and makes that close-on-exec; FOLDER is the one for logs of this machine.
 * Returns 0 or the error number: EBADF if that descriptor is not the file DEVICE, INODE, or
 * no log.
 */
WEFT_HIDDEN int weft_file_inherit(struct weft_file *file, const char *folder,
                                  long descriptor, uint64_t device, uint64_t inode);
/*
 * Makes an empty file beside the log's path, named x<PID>-<ERROR>: it says that process PID
 * is not recorded, for the error number ERROR.  Failures are ignored.
 */
WEFT_HIDDEN void weft_file_leave_word(const struct weft_file *file, uint32_t pid,
                                      int error);
/*
 * Returns the log's descriptor if the program that this process executes next may not make
 * a log of its own (the process has changed its user or its root, or has inherited its log)
 * and so must inherit it; else 0, also if there is no log, the program has closed the
 * descriptor, or a filter forbids the test.
 */
WEFT_HIDDEN uint32_t weft_file_to_hand_over(const struct weft_file *file);
/*
 * Sets whether exec leaves the log's descriptor OPEN: call it with true before an exec and
 * with false if that has failed.
 */
WEFT_HIDDEN void weft_file_hand_over(const struct weft_file *file, bool open);
/*
 * Allocates SIZE bytes at the end of the log, rounded up to whole pages, and maps them,
 * zeroed; sets *OFFSET to their place in the file.  Where seccomp forbids it, they are
 * taken from file->reserve.  Returns NULL with *ERROR, an error number (EPERM: the reserve
 * is used up); *ERROR has no meaning else.
 */
WEFT_HIDDEN void *weft_file_map(struct weft_file *file, uint64_t size, uint64_t *offset,
                                int *error);
/*
 * Writes PIECE (a struct weft_piece and its data), of SIZE bytes, at the end of the log;
 * into file->reserve where seccomp forbids to write.  Returns 0 or the negative error
 * number (-EPERM: the reserve is used up).
 */
WEFT_HIDDEN long weft_file_append(struct weft_file *file, const void *piece, uint64_t size);
/*
 * Maps SIZE bytes, a multiple of the page size, at the end of the log as file->reserve,
 * from which room is taken once seccomp forbids to map more (the first page holds only how
 * much was taken).  Returns false, and leaves the earlier reserve, on failure.
 */
WEFT_HIDDEN bool weft_file_reserve(struct weft_file *file, uint64_t size);

#endif
