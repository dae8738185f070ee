/* SPDX-License-Identifier: Apache-2.0 */
/* A log while it is loaded: what logs.c finds in it, and logs_damage.c looks at. */
#ifndef WEFT_READ_RECORDING_LOGS_PRIV_H
#define WEFT_READ_RECORDING_LOGS_PRIV_H

#include "read/recording/logs/files.h"

struct run { /* bytes of a buffer's sequence */
    uint64_t buffer, base;
    const uint64_t *words;
    uint64_t bytes;
};

struct part { /* of a process's maps */
    uint64_t process, base;
    const char *text;
    uint64_t bytes;
};

struct buffer {
    uint64_t offset;
    const struct weft_piece *piece;
};

struct loading {
    struct recording *recording;
    uint32_t log, folder;
    const unsigned char *bytes;
    uint64_t size;
    struct run *runs; /* of stream pieces, by buffer and base */
    size_t n_runs, runs_capacity;
    struct part *parts; /* by process and base */
    size_t n_parts, parts_capacity;
    struct buffer *buffers; /* by offset, as they are found */
    size_t n_buffers, buffers_capacity;
    size_t first_image, first_stream;
};

/* The piece at OFFSET lies in the file whole, with all that one of its kind holds at least. */
bool log_piece_is_whole(const struct loading *loading, const struct weft_piece *piece,
                        uint64_t offset);
/* The buffer whose piece begins at OFFSET, or NULL. */
const struct weft_piece *log_find_buffer(const struct loading *loading, uint64_t offset);

/* ---- Damage (logs_damage.c) ---- */

/* Does a file with these bytes look like a log that was made, and not written into yet? */
bool log_is_new(const unsigned char *bytes, uint64_t size);
/* Is there no more in the log than its head, and room that was taken for what comes first? */
bool log_has_nothing(const struct loading *loading);
/*
 * What in the log is not there, or does not fit the rest, in TEXT; false: nothing.  What a kill
 * leaves fits: a recorder writes all that says how much there is after what there is.
 */
bool log_find_damage(const struct loading *loading, char *text, size_t size);

#endif
