/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of the process and its threads, mapped in the log: they survive a kill. */
#ifndef WEFT_RECORD_HEADERS_H
#define WEFT_RECORD_HEADERS_H

#include "record/log/file.h"

/* The headers of this process image. */
struct weft_headers {
    struct weft_process_header *process; /* NULL if it could not be made */
    uint64_t offset;                     /* of the process's piece in the file */
    struct weft_piece *threads;          /* the table that takes new threads */
};

/* Allocate the headers; 0 or the error.  weft_headers_seal makes the process's valid. */
WEFT_HIDDEN int weft_headers_make(struct weft_headers *headers, struct weft_file *file);
WEFT_HIDDEN void weft_headers_seal(struct weft_headers *headers);
/*
 * Returns a zeroed header for a thread that begins, and its *table; NULL with *error if
 * there is no room.  The caller seals the header by its magic, and calls
 * weft_headers_thread_ended.
 */
WEFT_HIDDEN struct weft_thread_header *weft_headers_thread(struct weft_headers *headers,
                                                           struct weft_file *file,
                                                           struct weft_piece **table,
                                                           int *error);
/* Count a thread of the table as ended; once all have, its memory is given back. */
WEFT_HIDDEN void weft_headers_thread_ended(struct weft_piece *table);

#endif
