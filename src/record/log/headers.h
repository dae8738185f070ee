/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the headers of the process and its threads, mapped in the log to survive a kill. */
#ifndef WEFT_RECORD_HEADERS_H
#define WEFT_RECORD_HEADERS_H

#include "record/log/file.h"

/* The headers of this process image. */
struct weft_headers {
    struct weft_process_header *process; /* NULL if it could not be made */
    uint64_t offset;                     /* of the process's piece in the file */
    struct weft_piece *threads; /* piece of thread headers that takes new threads */
};

/*
 * Allocate the headers in FILE; returns 0, or the error number, and then both pointers are
 * NULL.  The caller fills headers->process, then calls weft_headers_seal().
 */
WEFT_HIDDEN int weft_headers_make(struct weft_headers *headers, struct weft_file *file);
/* Mark the filled process header as valid for readers of the log. */
WEFT_HIDDEN void weft_headers_seal(struct weft_headers *headers);
/*
 * Returns a zeroed header for a thread that begins, in the piece *TABLE; NULL with *ERROR
 * if there is no room.  The caller makes it valid by setting `magic`, and calls
 * weft_headers_thread_ended() later.
 */
WEFT_HIDDEN struct weft_thread_header *weft_headers_thread(struct weft_headers *headers,
                                                           struct weft_file *file,
                                                           struct weft_piece **table,
                                                           int *error);
/* Count a thread of TABLE as ended; once all have, the table's memory is given back. */
WEFT_HIDDEN void weft_headers_thread_ended(struct weft_piece *table);

#endif
