/* SPDX-License-Identifier: Apache-2.0 */
#include "read/rewindable_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"

enum {
    /*
     * Milliseconds between two checks for cancellation, if a signal came before the wait.
     */
    WAIT_MS = 50,
    COPY = 64 * 1024, /* bytes of a pipe copied at a time */
};

static bool is_cancelled(const struct weft_raw *raw, struct weft_err *err)
{
    if (!weft_job_cancelled(raw->job))
        return false;
    weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    return true;
}

/* Wait for bytes, or for the end.  A named pipe also waits for its first writer. */
static bool wait_for_bytes(const struct weft_raw *raw, struct weft_err *err)
{
    struct pollfd ready = { .fd = raw->fd, .events = POLLIN };
    for (;;) {
        if (is_cancelled(raw, err))
            return false;
        int n = poll(&ready, 1, WAIT_MS);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\"", raw->path);
    }
}

static bool keep(struct weft_raw *raw, const unsigned char *bytes, size_t size,
                 struct weft_err *err)
{
    while (size) {
        ssize_t put = write(raw->spool, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return weft_fail_errno(err, WEFT_ERR_WRITE,
                                   "cannot keep what comes from \"%s\" in %s", raw->path,
                                   weft_temporary_folder());
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

bool weft_raw_is_unchanged(struct weft_raw *raw, struct weft_err *err)
{
    struct stat now;
    if (fstat(raw->fd, &now) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\"", raw->path);
    const struct stat *before = &raw->before;
    raw->grew = now.st_size > before->st_size;
    bool written = now.st_mtim.tv_sec != before->st_mtim.tv_sec
                   || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
    if (raw->grew || (now.st_size == before->st_size && !written))
        return true;
    return weft_fail(
        err, WEFT_ERR_READ,
        "\"%s\" was changed while it was read (it had %lld bytes, and has %lld)", raw->path,
        (long long)before->st_size, (long long)now.st_size);
}

static int64_t read_once(struct weft_raw *raw, void *buffer, size_t size,
                         struct weft_err *err)
{
    for (;;) {
        if (raw->is_pipe ? !wait_for_bytes(raw, err) : is_cancelled(raw, err))
            return -1;
        ssize_t got = read(raw->fd, buffer, size);
        if (got >= 0)
            return got;
        if (errno != EINTR && !(errno == EAGAIN && raw->is_pipe)) {
            weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\"", raw->path);
            return -1;
        }
    }
}

int64_t weft_raw_read(struct weft_raw *raw, void *buffer, size_t size, struct weft_err *err)
{
    /* Files in /proc have size 0: read them to their end. */
    bool bounded = raw->size > 0;
    if (bounded && size > raw->size - raw->taken)
        size = (size_t)(raw->size - raw->taken);
    int64_t got = size ? read_once(raw, buffer, size, err) : 0;
    if (got < 0)
        return -1;
    if (got == 0 && bounded)
        return weft_raw_is_unchanged(raw, err)
                       && (raw->taken == raw->size
                           || weft_fail(err, WEFT_ERR_READ,
                                        "\"%s\" ends after %llu of its %llu bytes",
                                        raw->path, (unsigned long long)raw->taken,
                                        (unsigned long long)raw->size))
                   ? 0
                   : -1;
    raw->taken += (uint64_t)got;
    if (raw->spool >= 0 && !keep(raw, buffer, (size_t)got, err))
        return -1;
    return got;
}

/* Copy the rest of a pipe into the spool, and read from there on. */
static bool spool_rest(struct weft_raw *raw, struct weft_err *err)
{
    unsigned char *buffer = weft_alloc(COPY);
    int64_t got;
    do
        got = weft_raw_read(raw, buffer, COPY, err);
    while (got > 0);
    free(buffer);
    if (got < 0)
        return false;
    close(raw->fd);
    raw->fd = raw->spool;
    raw->spool = -1;
    raw->is_pipe = false;
    return true;
}

bool weft_raw_rewind(struct weft_raw *raw, struct weft_err *err)
{
    if (raw->spool >= 0 && !spool_rest(raw, err))
        return false;
    raw->taken = 0;
    return lseek(raw->fd, 0, SEEK_SET) == 0
           || weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\" a second time",
                              raw->path);
}

static const char *what_is(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Checked before opening, because opening a device may have effects. */
static bool is_readable(mode_t mode, const char *path, struct weft_err *err)
{
    return S_ISREG(mode) || S_ISFIFO(mode)
           || weft_fail(err, WEFT_ERR_READ, "\"%s\" is %s, not a file", path,
                        what_is(mode));
}

static bool open_named(struct weft_raw *raw, struct weft_err *err)
{
    struct stat status;
    if (stat(raw->path, &status) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot open \"%s\"", raw->path);
    if (!is_readable(status.st_mode, raw->path, err))
        return false;
    /* With O_NONBLOCK, open does not wait for a pipe's writer; wait_for_bytes does. */
    raw->fd = open(raw->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (raw->fd < 0 || fstat(raw->fd, &raw->before) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot open \"%s\"", raw->path);
    return is_readable(raw->before.st_mode, raw->path, err);
}

/* Standard input may be anything, even a terminal. */
static bool open_standard_input(struct weft_raw *raw, struct weft_err *err)
{
    raw->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (raw->fd < 0 || fstat(raw->fd, &raw->before) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read standard input");
    return !S_ISDIR(raw->before.st_mode)
           || weft_fail(err, WEFT_ERR_READ, "standard input is a folder, not a file");
}

bool weft_raw_open(struct weft_raw *raw, const char *path, struct weft_job *job,
                   struct weft_err *err)
{
    bool standard_input = strcmp(path, "-") == 0;
    *raw =
        (struct weft_raw){ .path = weft_strdup(path), .fd = -1, .spool = -1, .job = job };
    if (!(standard_input ? open_standard_input(raw, err) : open_named(raw, err)))
        return false;
    /* If a part was read by others already, only the rest is ours. */
    raw->is_pipe = !S_ISREG(raw->before.st_mode) || lseek(raw->fd, 0, SEEK_CUR) != 0;
    if (!raw->is_pipe) {
        raw->size = (uint64_t)raw->before.st_size;
        return true;
    }
    raw->spool = weft_nameless_file(weft_temporary_folder());
    return raw->spool >= 0
           || weft_fail_errno(err, WEFT_ERR_WRITE,
                              "cannot keep what comes from \"%s\" in %s", path,
                              weft_temporary_folder());
}

void weft_raw_close(struct weft_raw *raw)
{
    if (raw->fd >= 0)
        close(raw->fd);
    if (raw->spool >= 0)
        close(raw->spool);
    free(raw->path);
    *raw = (struct weft_raw){ .fd = -1, .spool = -1 };
}
