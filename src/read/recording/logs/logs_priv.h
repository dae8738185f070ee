/* SPDX-License-Identifier: Apache-2.0 */
/* A log while it is loaded, for logs.c and logs_damage.c. */
#ifndef WEFT_READ_RECORDING_LOGS_PRIV_H
#define WEFT_READ_RECORDING_LOGS_PRIV_H

#include "read/recording/logs/load_recording.h"

/*
 * A stream piece of a log (a piece is a block with a header, recording_layout.h): records
 * that were copied out of a buffer.
 */
struct buffer_run {
    /* the buffer: bytes from the begin of the log to its own piece; the bytes that went
       through this buffer before these */
    uint64_t buffer, base;
    const uint64_t *words; /* the records, in the mapped log */
    uint64_t bytes;        /* their length */
};

/*
 * A maps piece of a log (a block with a header, recording_layout.h): a part of the text of
 * all copies of /proc/self/maps, one after the other, that one process wrote.
 */
struct maps_part {
    /* the process: bytes from the begin of the log to its piece; the bytes of the process's
       text before this part */
    uint64_t process, base;
    const char *text; /* in the mapped log; no NUL at its end */
    uint64_t bytes;   /* the part's length */
};

/*
 * A buffer piece of the log (a block with a header, recording_layout.h): the memory into
 * which threads, one after the other, write their records.
 */
struct buffer {
    uint64_t offset;                /* of the piece in the file, in bytes */
    const struct weft_piece *piece; /* in the mapped log */
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
    size_t first_image, first_stream; /* of this log, in recording->images and ->streams */
};

/*
 * Returns true if PIECE, which lies at byte OFFSET of the mapped log, has a valid header
 * and the bytes that it uses lie within the file; a buffer piece must lie within it as a
 * whole.  The file must have sizeof *PIECE bytes from OFFSET on.  Its kind need not be a
 * known one.
 */
bool log_piece_is_whole(const struct log_loader *loader, const struct weft_piece *piece,
                        uint64_t offset);
/*
 * Returns the buffer piece that begins at byte OFFSET of the log, in the mapped file; NULL
 * if none does.
 */
const struct weft_piece *log_find_buffer(const struct log_loader *loader, uint64_t offset);

/* ---- Damage (logs_damage.c) ---- */

/*
 * Returns true if the SIZE bytes of a file, all it has, look like a log that was just
 * begun: at most one page, without the magic number, clear but for the head's `end`.
 */
bool log_is_new(const unsigned char *bytes, uint64_t size);
/*
 * Returns true if the log has a head but no piece of any kind (no process, thread, map,
 * buffer or stream), and is no longer, by its head and by its size, than what a process
 * reserves at first (header, table of threads, one buffer): its process ended as it began
 * to record.  A longer log without pieces has lost them.
 */
bool log_has_nothing(const struct log_loader *loader);
/*
 * Searches the loaded log for parts that are missing or inconsistent.  Its images are in
 * order of offset, and its streams in order of buffer (first_image, first_stream and up),
 * as log_load() leaves them.  If there are any such parts, describes the first in
 * TEXT[SIZE], cut to fit, and how many bytes are missing, if any, and returns true; else
 * TEXT is not set.  The state that a kill leaves is consistent: a recorder writes data
 * before it writes their size.
 */
bool log_find_damage(const struct log_loader *loader, char *text, size_t size);

#endif
