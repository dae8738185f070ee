/* SPDX-License-Identifier: Apache-2.0 */
/* A log while it is loaded, for logs.c and logs_damage.c. */
#ifndef WEFT_READ_RECORDING_LOGS_PRIV_H
#define WEFT_READ_RECORDING_LOGS_PRIV_H

#include "read/recording/logs/files.h"

struct buffer_run { /* bytes of a stream piece: from `base` on in its buffer's sequence */
    uint64_t buffer, base;
    const uint64_t *words;
    uint64_t bytes;
};

struct maps_part { /* a maps piece: bytes from `base` on of the maps of a process */
    uint64_t process, base;
    const char *text;
    uint64_t bytes;
};

struct buffer { /* a buffer piece of the log */
    uint64_t offset;
    const struct weft_piece *piece;
};

struct log_loader {
    struct recording *recording;
    uint32_t log, folder;
    const unsigned char *bytes;
    uint64_t size;
    struct buffer_run *runs; /* of stream pieces, sorted by buffer and base */
    size_t n_runs, runs_capacity;
    struct maps_part *parts; /* sorted by process and base */
    size_t n_parts, parts_capacity;
    struct buffer *buffers; /* sorted by offset */
    size_t n_buffers, buffers_capacity;
    size_t first_image, first_stream;
};

/* Returns true if the piece at OFFSET lies within the file and holds its header. */
bool log_piece_is_whole(const struct log_loader *loader, const struct weft_piece *piece,
                        uint64_t offset);
/* Returns the buffer whose piece begins at OFFSET, or NULL. */
const struct weft_piece *log_find_buffer(const struct log_loader *loader, uint64_t offset);

/* ---- Damage (logs_damage.c) ---- */

/* Returns true if the bytes look like a new log that nothing was written to yet. */
bool log_is_new(const unsigned char *bytes, uint64_t size);
/* Returns true if the log has only a head, with at most room for what comes first. */
bool log_has_nothing(const struct log_loader *loader);
/*
 * Describe parts of the log that are missing or inconsistent in TEXT[SIZE]; returns false
 * if there are none.  The state that a kill leaves is consistent: a recorder writes data
 * before it writes their size.
 */
bool log_find_damage(const struct log_loader *loader, char *text, size_t size);

#endif
