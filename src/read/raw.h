/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file, from front to back, and again from the front.  Bytes of a pipe are
 * copied to a nameless file meanwhile, to be read again.
 *
 * A regular file is read to the size that it had when it was opened.  If it has shrunk or
 * was written to by the end, that is an error: the bytes read are of no single state.  If
 * it has only grown, the read is good.
 */
#ifndef WEFT_READ_RAW_H
#define WEFT_READ_RAW_H

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
 * Open a regular file, a pipe, or "-" for standard input; other kinds are refused.  JOB
 * (may be NULL) cancels waiting for a pipe, at once by a signal, else within 50 ms.  Fails
 * with WEFT_ERR_READ or WEFT_ERR_CANCELLED.
 */
bool weft_raw_open(struct weft_raw *raw, const char *path, struct weft_job *job,
                   struct weft_err *err) WEFT_MUST_CHECK;
/* Read up to SIZE bytes; returns their number, 0 at the end, -1 with *ERR. */
int64_t weft_raw_read(struct weft_raw *raw, void *buffer, size_t size,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Returns true if a regular file is unchanged since the open; false with WEFT_ERR_READ. */
bool weft_raw_is_unchanged(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
bool weft_raw_rewind(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
void weft_raw_close(struct weft_raw *raw); /* also after a failed open */

#endif
