/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file, from front to back, and again from the front.  Bytes of a pipe are
 * copied to a nameless file meanwhile, to be read again.
 *
 * A regular file is read to the size that it had when it was opened.  If it has shrunk or
 * was written to by the end, that is an error: the bytes read are of no single state.  If
 * it has only grown, the read is good.
 */
#ifndef WEFT_READ_RAW_BYTES_H
#define WEFT_READ_RAW_BYTES_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/job.h"

struct weft_raw {
    char *path;
    int fd;
    int spool;            /* file with a copy of a pipe's bytes so far; -1 if not needed */
    bool is_pipe;         /* reading may wait for a writer */
    bool grew;            /* the file has grown while it was read; set at the end */
    uint64_t size, taken; /* bytes of the file (0: unknown), and those read so far */
    struct stat before;   /* of a regular file */
    struct weft_job *job;
};

/*
 * Open a regular file or a pipe, other kinds are refused; or "-" for standard input, any
 * kind but a folder.  Does not wait for a pipe; JOB (may be NULL) cancels later reading,
 * and must live as long as RAW.  Fails with WEFT_ERR_READ, or with WEFT_ERR_WRITE if the
 * file for a copy of a pipe's bytes cannot be made.  Call weft_raw_close() even then.
 */
bool weft_raw_open(struct weft_raw *raw, const char *path, struct weft_job *job,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Read up to SIZE bytes; returns their number, 0 at the end, -1 with *ERR: WEFT_ERR_READ
 * (also at the end, if a regular file was changed), WEFT_ERR_CANCELLED (within 50 ms when
 * it waits for a pipe), or WEFT_ERR_WRITE if a pipe's bytes cannot be copied.
 */
int64_t weft_raw_read(struct weft_raw *raw, void *buffer, size_t size,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns true if a regular file is unchanged since the open, or has only grown, and sets
 * raw->grew; else false with WEFT_ERR_READ.
 */
bool weft_raw_is_unchanged(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Read from the first byte again; reads the rest of a pipe first, so it may wait.  Fails
 * like weft_raw_read().
 */
bool weft_raw_rewind(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
/* Close the file and the copy of a pipe's bytes, and free the path.  Needed also after
   weft_raw_open() failed; a second call does nothing. */
void weft_raw_close(struct weft_raw *raw);

#endif
