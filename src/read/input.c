/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of bytes, decompressed; the first bytes tell the format.  A file may hold several
 * compressed members one after the other (as made by cat).  Memory is bounded by two blocks
 * and the window of the decompressor, also when a damaged file asks for more.
 */
#define _GNU_SOURCE /* mkostemp, memrchr */

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "read/reader.h"

enum {
    RAW_BLOCK = 256 * 1024, /* bytes that are read from the file at a time */
    /* Bytes for weft_input_peek: plenty for a reader's probe. */
    HEAD = 64 * 1024,
    XZ_MEMORY = 256 << 20, /* bytes for a decoder: xz -9 needs 65 MB */
    ZSTD_WINDOW_LOG = 27,  /* 128 MiB, what zstd itself allows unless told otherwise */
};

enum packing { PLAIN, GZIP, ZSTD, XZ };

struct weft_input {
    char *path;
    int fd;
    int spool; /* a file with what standard input gave so far, to rewind; -1: not needed */
    uint64_t size, taken;
    enum packing packing;
    bool at_end;  /* of the raw bytes */
    bool between; /* between two compressed members */
    bool ended;   /* nothing more comes */

    unsigned char *raw;
    size_t raw_used, raw_size;
    unsigned char *head; /* decompressed bytes that were not read yet */
    size_t head_used, head_size;
    bool head_failed;
    struct weft_err head_err;

    z_stream gzip;
    ZSTD_DStream *zstd;
    lzma_stream xz;
};

static bool read_raw(struct weft_input *input, struct weft_err *err)
{
    ssize_t got;
    do
        got = read(input->fd, input->raw, RAW_BLOCK);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\"", input->path);
    input->raw_used = 0;
    input->raw_size = (size_t)got;
    input->at_end = got == 0;
    input->taken += (uint64_t)got;
    for (size_t done = 0; input->spool >= 0 && done < input->raw_size;) {
        ssize_t put = write(input->spool, input->raw + done, input->raw_size - done);
        if (put < 0 && errno != EINTR)
            return weft_fail_errno(err, WEFT_ERR_READ,
                                   "cannot keep standard input in a temporary file");
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static enum packing packing_of(const unsigned char *head, size_t size)
{
    if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b)
        return GZIP;
    if (size >= 4 && head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f
        && head[3] == 0xfd)
        return ZSTD;
    if (size >= 6
        && memcmp(head,
                  "\xfd"
                  "7zXZ",
                  6)
               == 0)
        return XZ;
    return PLAIN;
}

static bool damaged(const struct weft_input *input, struct weft_err *err, const char *what)
{
    return weft_fail(
        err, WEFT_ERR_FORMAT,
        "the compressed data is damaged near byte %llu (%s); what follows is lost",
        (unsigned long long)(input->taken - (input->raw_size - input->raw_used)), what);
}

static bool begin_member(struct weft_input *input, struct weft_err *err)
{
    switch (input->packing) {
    case GZIP:
        if (inflateReset(&input->gzip) != Z_OK)
            return damaged(input, err, "zlib");
        break;
    case ZSTD:
        if (ZSTD_isError(ZSTD_initDStream(input->zstd)))
            return damaged(input, err, "zstd");
        ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
        break;
    default: break;
    }
    input->between = false;
    return true;
}

/* One step of each decompressor: moves what it can; false when the data is damaged. */
static bool step_gzip(struct weft_input *input, unsigned char *out, size_t size,
                      size_t *made, struct weft_err *err)
{
    z_stream *z = &input->gzip;
    z->next_in = input->raw + input->raw_used;
    z->avail_in = (uInt)(input->raw_size - input->raw_used);
    z->next_out = out;
    z->avail_out = (uInt)(size < 1u << 30 ? size : 1u << 30);
    uInt room = z->avail_out;
    int result = inflate(z, Z_NO_FLUSH);
    input->raw_used = input->raw_size - z->avail_in;
    *made = room - z->avail_out;
    input->between = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return damaged(input, err, z->msg ? z->msg : "zlib");
    return true;
}

static bool step_zstd(struct weft_input *input, unsigned char *out, size_t size,
                      size_t *made, struct weft_err *err)
{
    ZSTD_inBuffer in = { input->raw, input->raw_size, input->raw_used };
    ZSTD_outBuffer to = { out, size, 0 };
    size_t result = ZSTD_decompressStream(input->zstd, &to, &in);
    input->raw_used = in.pos;
    *made = to.pos;
    if (ZSTD_isError(result))
        return damaged(input, err, ZSTD_getErrorName(result));
    input->between = result == 0;
    return true;
}

static bool step_xz(struct weft_input *input, unsigned char *out, size_t size, size_t *made,
                    struct weft_err *err)
{
    lzma_stream *xz = &input->xz;
    xz->next_in = input->raw + input->raw_used;
    xz->avail_in = input->raw_size - input->raw_used;
    xz->next_out = out;
    xz->avail_out = size;
    /* With LZMA_CONCATENATED the decoder itself goes on to the next member. */
    lzma_ret result = lzma_code(xz, input->at_end ? LZMA_FINISH : LZMA_RUN);
    input->raw_used = input->raw_size - xz->avail_in;
    *made = size - xz->avail_out;
    input->between = result == LZMA_STREAM_END;
    if (result == LZMA_MEMLIMIT_ERROR)
        return damaged(input, err, "it asks for more than 256 MiB of memory");
    if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
        return damaged(input, err, "xz");
    return true;
}

/* True when another member follows a member; anything else ends the stream. */
static bool member_follows(struct weft_input *input)
{
    const unsigned char *at = input->raw + input->raw_used;
    size_t left = input->raw_size - input->raw_used;
    enum packing next = packing_of(at, left);
    /* Fewer than 6 bytes may be a header that two blocks share: take it for one. */
    return next == input->packing || (left < 6 && left && next == PLAIN && *at);
}

/* A file that is not compressed is read directly into the caller's buffer. */
static int64_t read_plain(struct weft_input *input, unsigned char *out, size_t size,
                          struct weft_err *err)
{
    ssize_t got;
    do
        got = read(input->fd, out, size);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\"", input->path);
    input->taken += got > 0 ? (uint64_t)got : 0;
    input->ended = got <= 0;
    return got < 0 ? -1 : got;
}

static int64_t produce(struct weft_input *input, unsigned char *out, size_t size,
                       struct weft_err *err)
{
    for (;;) {
        if (input->ended)
            return 0;
        if (input->packing == PLAIN && input->spool < 0
            && input->raw_used == input->raw_size && !input->at_end)
            return read_plain(input, out, size, err);
        if (input->raw_used == input->raw_size && !input->at_end && !read_raw(input, err)) {
            input->ended = true;
            return -1;
        }
        bool empty = input->raw_used == input->raw_size;
        if (input->packing == PLAIN || (empty && input->between)) {
            size_t n = input->raw_size - input->raw_used;
            n = n < size ? n : size;
            memcpy(out, input->raw + input->raw_used, n);
            input->raw_used += n;
            input->ended = n == 0;
            return (int64_t)n;
        }
        if (input->between && input->packing != XZ && !member_follows(input)) {
            input->ended = true;
            weft_fail(err, WEFT_ERR_FORMAT,
                      "bytes that are not compressed follow the "
                      "compressed data; they are ignored");
            return -1;
        }
        if (input->between && !begin_member(input, err)) {
            input->ended = true;
            return -1;
        }
        size_t made = 0;
        bool good = input->packing == GZIP   ? step_gzip(input, out, size, &made, err)
                    : input->packing == ZSTD ? step_zstd(input, out, size, &made, err)
                                             : step_xz(input, out, size, &made, err);
        if (made && good)
            return (int64_t)made;
        if (good && input->at_end && empty && !input->between)
            good = damaged(input, err, "it ends too early");
        if (!good) {
            input->ended = true;
            if (!made)
                return -1;
            /* The bytes before the damage are good: the next call reports the damage. */
            input->head_failed = true;
            if (err)
                input->head_err = *err;
            return (int64_t)made;
        }
    }
}

static bool start(struct weft_input *input, struct weft_err *err)
{
    input->taken = input->raw_used = input->raw_size = 0;
    input->head_used = input->head_size = 0;
    input->at_end = input->ended = input->head_failed = false;
    input->between = true;
    if (!read_raw(input, err))
        return false;
    input->packing = packing_of(input->raw, input->raw_size);
    if (input->packing == XZ) {
        lzma_end(&input->xz);
        input->xz = (lzma_stream)LZMA_STREAM_INIT;
        if (lzma_stream_decoder(&input->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
            return weft_fail(err, WEFT_ERR_READ, "cannot start the xz decoder");
        input->between = false;
    }
    while (input->head_size < HEAD && !input->head_failed) {
        struct weft_err trouble = { 0 };
        int64_t got = produce(input, input->head + input->head_size,
                              HEAD - input->head_size, &trouble);
        if (got < 0) {
            input->head_failed = true;
            input->head_err = trouble;
        }
        if (got <= 0)
            break;
        input->head_size += (size_t)got;
    }
    return true;
}

/* A temporary file, unlinked at once, that keeps what standard input gives. */
static int spool_open(struct weft_err *err)
{
    const char *folder = getenv("TMPDIR");
    char *path = weft_asprintf("%s/weft-stdin-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        weft_fail_errno(err, WEFT_ERR_READ, "cannot make a temporary file \"%s\"", path);
    else
        unlink(path);
    free(path);
    return fd;
}

static bool open_file(struct weft_input *input, struct weft_err *err)
{
    if (strcmp(input->path, "-") == 0) {
        input->fd = dup(STDIN_FILENO);
        return input->fd >= 0 ? (input->spool = spool_open(err)) >= 0
                              : weft_fail_errno(err, WEFT_ERR_READ, "no standard input");
    }
    input->fd = open(input->path, O_RDONLY | O_CLOEXEC);
    struct stat stat;
    if (input->fd < 0 || fstat(input->fd, &stat) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot open \"%s\"", input->path);
    if (S_ISDIR(stat.st_mode))
        return weft_fail(err, WEFT_ERR_READ, "\"%s\" is a directory", input->path);
    input->size = S_ISREG(stat.st_mode) ? (uint64_t)stat.st_size : 0;
    return true;
}

struct weft_input *weft_input_open(const char *path, struct weft_err *err)
{
    struct weft_input *input = weft_zalloc(1, sizeof *input);
    input->path = weft_strdup(path);
    input->fd = input->spool = -1;
    input->raw = weft_alloc(RAW_BLOCK);
    input->head = weft_alloc(HEAD);
    input->zstd = ZSTD_createDStream();
    input->xz = (lzma_stream)LZMA_STREAM_INIT;
    WEFT_REQUIRE(input->zstd && inflateInit2(&input->gzip, 15 + 16) == Z_OK,
                 "out of memory");
    if (open_file(input, err) && start(input, err))
        return input;
    weft_input_close(input);
    return NULL;
}

void weft_input_close(struct weft_input *input)
{
    if (!input)
        return;
    if (input->fd >= 0)
        close(input->fd);
    if (input->spool >= 0)
        close(input->spool);
    inflateEnd(&input->gzip);
    ZSTD_freeDStream(input->zstd);
    lzma_end(&input->xz);
    free(input->raw);
    free(input->head);
    free(input->path);
    free(input);
}

int64_t weft_input_read(struct weft_input *input, void *buffer, size_t size,
                        struct weft_err *err)
{
    if (input->head_used < input->head_size) {
        size_t n = input->head_size - input->head_used;
        n = n < size ? n : size;
        memcpy(buffer, input->head + input->head_used, n);
        input->head_used += n;
        return (int64_t)n;
    }
    if (input->head_failed) {
        input->head_failed = false;
        if (err)
            *err = input->head_err;
        return -1;
    }
    /* produce() may fail after good bytes, which are returned without the error. */
    struct weft_err trouble = { 0 };
    int64_t got = produce(input, buffer, size, &trouble);
    if (got < 0 && err)
        *err = trouble;
    return got;
}

/* Take the rest of standard input into the spool, and read that from now on. */
static bool spool_rest(struct weft_input *input, struct weft_err *err)
{
    input->at_end = false;
    while (!input->at_end)
        if (!read_raw(input, err))
            return false;
    close(input->fd);
    input->fd = input->spool;
    input->spool = -1;
    return true;
}

bool weft_input_rewind(struct weft_input *input, struct weft_err *err)
{
    if (input->spool >= 0 && !spool_rest(input, err))
        return false;
    if (lseek(input->fd, 0, SEEK_SET) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read \"%s\" a second time",
                               input->path);
    return start(input, err);
}

const char *weft_input_path(const struct weft_input *input)
{
    return input->path;
}

uint64_t weft_input_taken(const struct weft_input *input)
{
    return input->taken;
}

uint64_t weft_input_size(const struct weft_input *input)
{
    return input->size;
}

size_t weft_input_peek(struct weft_input *input, const unsigned char **head)
{
    *head = input->head + input->head_used;
    return input->head_size - input->head_used;
}
