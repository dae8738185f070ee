/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Returns true for a device or a pipe, which is written directly, not replaced. */
static bool is_no_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Opens a stream on a copy of the descriptor, because closing the stream closes it. */
static bool open_copy(struct weft_output *out, int descriptor, const char *mode,
                      const char *path, struct weft_err *err)
{
    int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    out->stream = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (out->stream) {
        out->path = weft_strdup(path);
        return true;
    }
    weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    if (fd >= 0)
        close(fd);
    return false;
}

/*
 * An inherited descriptor is written directly, not replaced: its owner may go on writing
 * after this output.  A descriptor that this program opened itself (FD_CLOEXEC) counts as
 * closed: EBADF.
 */
static bool open_descriptor(struct weft_output *out, int descriptor, const char *path,
                            struct weft_err *err)
{
    int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0 && flags & FD_CLOEXEC) {
        errno = EBADF;
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    }
    return open_copy(out, descriptor, "w", path, err);
}

bool weft_output_open(struct weft_output *out, const char *path, struct weft_err *err)
{
    *out = (struct weft_output){ .file = { .fd = -1 } };
    int descriptor = STDOUT_FILENO;
    if (strcmp(path, "-") != 0)
        free(weft_atomic_file_place(path, &descriptor));
    if (descriptor == STDOUT_FILENO) {
        out->stream = stdout;
        return true;
    }
    if (descriptor >= 0)
        return open_descriptor(out, descriptor, path, err);
    if (is_no_file(path)) {
        out->stream = fopen(path, "we");
        if (!out->stream)
            return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
        out->path = weft_strdup(path);
        return true;
    }
    if (!weft_atomic_file_open(&out->file, path, err))
        return false;
    if (open_copy(out, out->file.fd, "w+b", path, err))
        return true;
    weft_atomic_file_abandon(&out->file);
    return false;
}

static void output_free(struct weft_output *out)
{
    weft_atomic_file_abandon(&out->file);
    free(out->path);
    *out = (struct weft_output){ .file = { .fd = -1 } };
}

bool weft_output_is_direct(const struct weft_output *out)
{
    return out->file.fd < 0;
}

/* stdio lost errno of the failed write: write one more byte to get it again. */
static int why_not_written(FILE *stream)
{
    errno = 0;
    return write(fileno(stream), "", 1) < 0 && errno ? errno : EIO;
}

static bool cannot_write(const struct weft_output *out, int why, struct weft_err *err)
{
    errno = why;
    return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s",
                           out->path ? out->path : "to standard output");
}

bool weft_output_explain(const struct weft_output *out, bool ok, struct weft_err *err)
{
    if (!ok && ferror(out->stream))
        (void)cannot_write(out, why_not_written(out->stream), err);
    return ok;
}

bool weft_output_commit(struct weft_output *out, struct weft_err *err)
{
    errno = 0;
    bool ok = fflush(out->stream) == 0 && !ferror(out->stream);
    int why = ok ? 0 : errno ? errno : why_not_written(out->stream);
    if (out->path && fclose(out->stream) != 0 && ok) {
        ok = false;
        why = errno;
    }
    if (!ok)
        (void)cannot_write(out, why, err);
    else if (out->file.fd >= 0)
        ok = weft_atomic_file_commit(&out->file, err);
    output_free(out);
    return ok;
}

void weft_output_abandon(struct weft_output *out)
{
    if (out->path)
        fclose(out->stream);
    output_free(out);
}
