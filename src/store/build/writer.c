/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "store/build/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "format/store_layout.h"

enum {
    BUFFER = 1 << 20, /* bytes: makes system calls rare */
    /*
     * Bytes between two checks of the free disk space, and the space that must stay free,
     * so that a large trace does not stop other programs that write there.
     */
    LOOK_EVERY = 64 << 20,
    LEAVE_FREE = 128 << 20,
};

struct weft_writer {
    struct weft_atomic_file file;
    int error; /* errno of the first failure; later writes are dropped */
    bool full; /* the failure is that less than LEAVE_FREE is left */
    uint64_t offset;
    uint64_t look_at; /* the offset at which the free space is checked next */
    size_t used;
    unsigned char buffer[BUFFER];
};

struct weft_writer *weft_writer_new(const char *path, struct weft_err *err)
{
    struct weft_writer *writer = weft_alloc(sizeof *writer);
    writer->error = 0;
    writer->full = false;
    writer->used = 0;
    writer->offset = WEFT_STORE_HEADER_SIZE;
    writer->look_at = LOOK_EVERY;
    if (!weft_atomic_file_open(&writer->file, path, err)) {
        free(writer);
        return NULL;
    }
    if (lseek(writer->file.fd, WEFT_STORE_HEADER_SIZE, SEEK_SET) < 0)
        writer->error = errno;
    return writer;
}

static void look_for_room(struct weft_writer *writer)
{
    struct statvfs disk;
    if (writer->offset < writer->look_at)
        return;
    writer->look_at = writer->offset + LOOK_EVERY;
    if (fstatvfs(writer->file.fd, &disk) != 0 || disk.f_bavail * disk.f_frsize >= LEAVE_FREE
        || writer->error)
        return;
    writer->full = true;
    writer->error = ENOSPC;
}

static void write_all(struct weft_writer *writer, const unsigned char *bytes, size_t size)
{
    while (size && !writer->error) {
        ssize_t n = write(writer->file.fd, bytes, size);
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
    look_for_room(writer);
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
    for (size_t done = 0; done < size && !writer->error;) {
        ssize_t n =
            pwrite(writer->file.fd, (const char *)header + done, size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            writer->error = n < 0 ? errno : ENOSPC;
        else
            done += (size_t)n;
    }
}

static bool check(const struct weft_writer *writer, struct weft_err *err)
{
    if (!writer->error)
        return true;
    if (writer->full)
        return weft_fail(err, WEFT_ERR_WRITE,
                         "cannot write %s: less than %d MiB would be left on the disk",
                         writer->file.path, LEAVE_FREE >> 20);
    errno = writer->error;
    return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", writer->file.path);
}

const char *weft_writer_readable(struct weft_writer *writer, struct weft_err *err)
{
    weft_writer_append(writer, NULL, 0);
    flush(writer);
    return check(writer, err) ? writer->file.meanwhile : NULL;
}

bool weft_writer_commit(struct weft_writer *writer, struct weft_err *err)
{
    flush(writer);
    bool ok = check(writer, err) && weft_atomic_file_commit(&writer->file, err);
    weft_writer_abandon(writer);
    return ok;
}

void weft_writer_abandon(struct weft_writer *writer)
{
    if (!writer)
        return;
    weft_atomic_file_abandon(&writer->file);
    free(writer);
}
