/* SPDX-License-Identifier: Apache-2.0 */
/* What the log says of the process and its threads: mapped, so that a kill loses none of it. */
#ifndef WEFT_RECORD_HEADERS_H
#define WEFT_RECORD_HEADERS_H

#include "record/log/file.h"

/* The headers of this process image, so far without a thread. */
struct weft_headers {
    struct weft_process_header *process; /* NULL: none could be made */
    uint64_t offset;                     /* of the process's piece in the file */
    struct weft_piece *threads;          /* the table that new threads go into */
};

/* Room for them; the process's piece counts from weft_headers_seal on.  0 or the error. */
WEFT_HIDDEN int weft_headers_make(struct weft_headers *headers, struct weft_file *file);
WEFT_HIDDEN void weft_headers_seal(struct weft_headers *headers);
/*
 * A header for a thread that begins, all zero, in *table; NULL with *error: no room.  The caller
 * seals it by its magic, and says when the thread has ended.
 */
WEFT_HIDDEN struct weft_thread_header *weft_headers_thread(struct weft_headers *headers,
                                                           struct weft_file *file,
                                                           struct weft_piece **table,
                                                           int *error);
WEFT_HIDDEN void weft_headers_thread_ended(struct weft_piece *table);

#endif
