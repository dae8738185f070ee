/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file as they are, from front to back, and again from the front.  A pipe, and
 * standard input when it is one, are kept in a nameless file on the way, to be read again.
 *
 * A regular file is read as long as it was when it was opened.  One that is shorter at the end,
 * or was written to, is an error, because what was read is of no one moment; one that only grew
 * was read whole as far as it went.
 */
#ifndef WEFT_READ_RAW_H
#define WEFT_READ_RAW_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/job.h"

struct weft_raw {
    char *path;
    int fd;
    int spool;    /* a pipe's bytes so far; -1: not needed */
    bool is_pipe; /* reading may wait for who writes */
    bool grew;    /* known at the end */
    uint64_t size, taken;
    struct stat before; /* of a regular file */
    struct weft_job *job;
};

/*
 * Regular files, pipes, and "-" for standard input; other things are refused by name.  JOB, or
 * NULL, cancels waiting for a pipe, within 50 ms or at once by a signal.  Errors: WEFT_ERR_READ,
 * WEFT_ERR_CANCELLED.
 */
bool weft_raw_open(struct weft_raw *raw, const char *path, struct weft_job *job,
                   struct weft_err *err) WEFT_MUST_CHECK;
/* Up to SIZE bytes; 0 at the end; -1 with *err. */
int64_t weft_raw_read(struct weft_raw *raw, void *buffer, size_t size,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* At the end of a regular file: is it what was opened?  Errors: WEFT_ERR_READ. */
bool weft_raw_is_unchanged(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
bool weft_raw_rewind(struct weft_raw *raw, struct weft_err *err) WEFT_MUST_CHECK;
void weft_raw_close(struct weft_raw *raw); /* one that did not open is fine */

#endif
