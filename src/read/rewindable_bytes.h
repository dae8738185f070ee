/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file, from front to back, and again from the front.  Bytes of a pipe are
 * copied to a nameless file meanwhile, to be read again.
 *
 * A regular file is read to the size that it had when it was opened.  If it has shrunk or
 * was written to by the end, that is an error: the bytes read are of no single state.  If
 * it has only grown, the read is good.
 */
#ifndef WEFT_READ_REWINDABLE_BYTES_H
#define WEFT_READ_REWINDABLE_BYTES_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/progress_and_cancel.h"

/* A file that is being read; weft_raw_open() sets it, weft_raw_close() ends it. */
struct weft_raw {
    char *path;           /* as it was given; heap */
    int fd;               /* what is read; -1: not open */
    int spool;            /* file with a copy of a pipe's bytes so far; -1 if not needed */
    bool is_pipe;         /* reading may wait for a writer */
    bool grew;            /* the file has grown while it was read; set at the end */
    uint64_t size, taken; /* bytes of the file (0: unknown), and those read so far */
    struct stat before;   /* its state when it was opened */
    struct weft_job *job; /* borrowed, or NULL */
};

/*
 * Opens PATH, a regular file or a pipe, other kinds are refused; or "-", standard input of
 * any kind but a folder.  Does not wait for a pipe's writer; JOB (may be NULL) cancels
 * later reading, and must live as long as RAW.  Fails with WEFT_ERR_READ, or with
 * WEFT_ERR_WRITE if the file for a copy of a pipe's bytes cannot be made.  Call
 * weft_raw_close() even then.
 */
bool weft_raw_open(struct weft_raw *raw, const char *path, struct weft_job *job,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Reads up to SIZE bytes, maybe fewer before the end, into BUFFER; returns their number, 0
 * at the end, -1 with *ERR: WEFT_ERR_READ (also at the end, if a regular file was changed),
 * WEFT_ERR_CANCELLED (within 50 ms when it waits for a pipe), or WEFT_ERR_WRITE if a pipe's
 * bytes cannot be copied.
 */
int64_t weft_raw_read(struct weft_raw *raw, void *buffer, size_t size,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns true if a regular file has the size and time of its last write that it had when
 * it was opened, or is larger, and sets raw->grew to whether it is; else false with
 * WEFT_ERR_READ.  Bytes that were overwritten before it grew are not noticed.
 */
bool weft_raw_is_unchanged(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Makes the next weft_raw_read() read the first byte again; reads the rest of a pipe first,
 * so it may wait.  Fails like weft_raw_read().
 */
bool weft_raw_rewind(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Closes the file and the copy of a pipe's bytes, and frees the path.  Needed also after
 * weft_raw_open() failed; a second call does nothing.
 */
void weft_raw_close(struct weft_raw *raw);

#endif
