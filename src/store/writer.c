/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "store/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/store_layout.h"

enum { BUFFER = 1 << 20 }; /* bytes: so that system calls are few */

struct weft_writer {
    char *path, *temporary;
    int fd;
    int error; /* errno of the first failure; later writes are dropped */
    uint64_t offset;
    size_t used;
    unsigned char buffer[BUFFER];
};

struct weft_writer *weft_writer_new(const char *path, struct weft_err *err)
{
    struct weft_writer *writer = weft_alloc(sizeof *writer);
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    writer->path = weft_strdup(path);
    writer->temporary = weft_asprintf("%.*s.%s.XXXXXX", folder, path, path + folder);
    writer->error = 0;
    writer->used = 0;
    writer->offset = WEFT_STORE_HEADER_SIZE;
    writer->fd = mkostemp(writer->temporary, O_CLOEXEC);
    if (writer->fd < 0 || lseek(writer->fd, WEFT_STORE_HEADER_SIZE, SEEK_SET) < 0) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
        weft_writer_abandon(writer);
        return NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(writer->fd, 0666 & ~mask);
    return writer;
}

static void write_all(struct weft_writer *writer, const unsigned char *bytes, size_t size)
{
    while (size && !writer->error) {
        ssize_t n = write(writer->fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            writer->error = n < 0 ? errno : ENOSPC;
            return;
        }
        bytes += n;
        size -= (size_t)n;
    }
}

static void flush(struct weft_writer *writer)
{
    write_all(writer, writer->buffer, writer->used);
    writer->used = 0;
}

static void put(struct weft_writer *writer, const void *bytes, size_t size)
{
    writer->offset += size;
    if (size > BUFFER - writer->used)
        flush(writer);
    if (size > BUFFER) {
        write_all(writer, bytes, size);
        return;
    }
    memcpy(writer->buffer + writer->used, bytes, size);
    writer->used += size;
}

uint64_t weft_writer_append(struct weft_writer *writer, const void *bytes, size_t size)
{
    static const unsigned char zeros[8];
    put(writer, zeros, -writer->offset & 7);
    uint64_t at = writer->offset;
    if (size)
        put(writer, bytes, size);
    return at;
}

uint64_t weft_writer_offset(const struct weft_writer *writer)
{
    return (writer->offset + 7) & ~UINT64_C(7);
}

void weft_writer_header(struct weft_writer *writer, const void *header, size_t size)
{
    if (!writer->error && pwrite(writer->fd, header, size, 0) != (ssize_t)size)
        writer->error = errno ? errno : ENOSPC;
}

static bool check(const struct weft_writer *writer, struct weft_err *err)
{
    if (!writer->error)
        return true;
    errno = writer->error;
    return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", writer->path);
}

const char *weft_writer_readable(struct weft_writer *writer, struct weft_err *err)
{
    weft_writer_append(writer, NULL, 0);
    flush(writer);
    return check(writer, err) ? writer->temporary : NULL;
}

bool weft_writer_commit(struct weft_writer *writer, struct weft_err *err)
{
    flush(writer);
    if (!writer->error && rename(writer->temporary, writer->path) != 0)
        writer->error = errno;
    bool ok = check(writer, err);
    if (ok) {
        free(writer->temporary);
        writer->temporary = NULL;
    }
    weft_writer_abandon(writer);
    return ok;
}

void weft_writer_abandon(struct weft_writer *writer)
{
    if (!writer)
        return;
    if (writer->fd >= 0)
        close(writer->fd);
    if (writer->temporary && writer->fd >= 0)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->path);
    free(writer);
}
