/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the headers of the process and its threads, mapped in the log to survive a kill. */
#ifndef WEFT_RECORD_HEADERS_H
#define WEFT_RECORD_HEADERS_H

#include "record/log/file.h"

/* The headers of this process image in its log; mapped, and never unmapped. */
struct weft_headers {
    struct weft_process_header *process; /* NULL if it could not be made */
    uint64_t offset;                     /* in the file, of the piece with `process` */
    struct weft_piece *threads; /* piece of thread headers that takes new threads */
};

/*
 * Allocates a zeroed header of the process and a first table of thread headers in FILE, and
 * sets *HEADERS.  The caller fills headers->process, then calls weft_headers_seal().
 * Returns 0, or the error number; then both pointers are NULL.
 */
WEFT_HIDDEN int weft_headers_make(struct weft_headers *headers, struct weft_file *file);
/* Marks headers->process, which the caller has filled, as valid for readers of the log. */
WEFT_HIDDEN void weft_headers_seal(struct weft_headers *headers);
/*
 * Returns a zeroed header in FILE for a thread that begins, and sets *TABLE to the piece
 * (part of the log) that has it; NULL with *ERROR, an error number, if there is no room.
 * The caller fills it, makes it valid by storing WEFT_THREAD_MAGIC in `magic` last, and
 * calls weft_headers_thread_ended(*TABLE) at the thread's end.
 */
WEFT_HIDDEN struct weft_thread_header *weft_headers_thread(struct weft_headers *headers,
                                                           struct weft_file *file,
                                                           struct weft_piece **table,
                                                           int *error);
/*
 * Counts a thread of TABLE, a piece of thread headers, as ended.  When all that fit there
 * have, the memory is given back to the system; it stays mapped, with the file's contents.
 */
WEFT_HIDDEN void weft_headers_thread_ended(struct weft_piece *table);

#endif
