/* SPDX-License-Identifier: Apache-2.0 */
/* A log while it is loaded, for logs.c and logs_damage.c. */
#ifndef WEFT_READ_RECORDING_LOGS_PRIV_H
#define WEFT_READ_RECORDING_LOGS_PRIV_H

#include "read/recording/logs/files.h"

/*
 * A stream piece of a log, records written out of a buffer: the bytes from `base` on in the
 * sequence of all bytes that went through the buffer whose piece is at offset `buffer`.
 */
struct buffer_run {
    uint64_t buffer, base;
    const uint64_t *words; /* in the mapped log */
    uint64_t bytes;
};

/*
 * A maps piece of a log: the bytes from `base` on of the copies of /proc/self/maps that the
 * process wrote whose piece is at offset `process`.
 */
struct maps_part {
    uint64_t process, base;
    const char *text; /* in the mapped log; no NUL at its end */
    uint64_t bytes;
};

struct buffer { /* a buffer piece of the log */
    uint64_t offset; /* of the piece in the file */
    const struct weft_piece *piece;
};

/* A log while it is loaded; log_load() makes it and frees the three arrays. */
struct log_loader {
    struct recording *recording;
    uint32_t log, folder;       /* index in recording->logs; number of the log's folder */
    const unsigned char *bytes; /* the mapped log, `size` bytes */
    uint64_t size;
    struct buffer_run *runs; /* of stream pieces, sorted by buffer and base */
    size_t n_runs, runs_capacity;
    struct maps_part *parts; /* sorted by process and base */
    size_t n_parts, parts_capacity;
    struct buffer *buffers; /* sorted by offset */
    size_t n_buffers, buffers_capacity;
    size_t first_image, first_stream; /* of this log, in the recording */
};

/*
 * Returns true if PIECE, which lies at OFFSET of the mapped log, has a valid header and its
 * used bytes lie within the file; those after them only if it is a buffer piece.  The file
 * has at least sizeof *PIECE bytes from OFFSET on.
 */
bool log_piece_is_whole(const struct log_loader *loader, const struct weft_piece *piece,
                        uint64_t offset);
/* Returns the buffer piece that begins at OFFSET of the log, or NULL. */
const struct weft_piece *log_find_buffer(const struct log_loader *loader, uint64_t offset);

/* ---- Damage (logs_damage.c) ---- */

/*
 * Returns true if the SIZE bytes of a file, all it has, look like a log that was just
 * begun: at most one page, without the magic number, clear but for the head's `end`.
 */
bool log_is_new(const unsigned char *bytes, uint64_t size);
/*
 * Returns true if the log has a head but no pieces, and has reserved no more bytes than a
 * process needs at first (header, table of threads, one buffer).
 */
bool log_has_nothing(const struct log_loader *loader);
/*
 * Searches the log for parts that are missing or inconsistent.  If there are any, describes
 * them in TEXT[SIZE] and returns true; else TEXT is not set.  The state that a kill leaves
 * is consistent: a recorder writes data before it writes their size.
 */
bool log_find_damage(const struct log_loader *loader, char *text, size_t size);

#endif
