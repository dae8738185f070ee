/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of bytes, decompressed; the first bytes tell the format.  A file may have several
 * compressed members (as made by cat).  Memory is bounded by two blocks and the
 * decompressor's window, even if a damaged file asks for more.
 */
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "read/reader.h"
#include "read/rewindable_bytes.h"

enum {
    RAW_BLOCK = 256 * 1024, /* bytes read from the file at a time */
    /* Bytes for weft_input_peek: enough for any probe. */
    HEAD = 64 * 1024,
    XZ_MEMORY = 256 << 20, /* bytes for a decoder: xz -9 needs 65 MB */
    ZSTD_WINDOW_LOG = 27,  /* 128 MiB, the default limit of zstd */
};

enum packing { PLAIN, GZIP, ZSTD, XZ };

struct weft_input {
    struct weft_raw file;
    enum packing packing;
    bool at_end;  /* of the raw bytes */
    bool between; /* between two compressed members */
    bool ended;   /* nothing more follows */

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
    int64_t got = weft_raw_read(&input->file, input->raw, RAW_BLOCK, err);
    if (got < 0)
        return false;
    input->raw_used = 0;
    input->raw_size = (size_t)got;
    input->at_end = got == 0;
    return true;
}

static enum packing packing_of(const unsigned char *head, size_t size)
{
    if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b)
        return GZIP;
    if (size >= 4 && head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f
        && head[3] == 0xfd)
        return ZSTD;
    /*
     * A skippable frame: seekable files end with one, parallel compressors begin with one.
     */
    if (size >= 4 && (head[0] & 0xf0) == 0x50 && head[1] == 0x2a && head[2] == 0x4d
        && head[3] == 0x18)
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

/* Returns the offset of the next byte to decompress. */
static unsigned long long position(const struct weft_input *input)
{
    return input->file.taken - (input->raw_size - input->raw_used);
}

static bool damaged(const struct weft_input *input, struct weft_err *err, const char *what)
{
    return weft_fail(
        err, WEFT_ERR_FORMAT,
        "the compressed data is damaged near byte %llu (%s); what follows is lost",
        position(input), what);
}

static bool cut_short(const struct weft_input *input, struct weft_err *err)
{
    return weft_fail(err, WEFT_ERR_FORMAT,
                     "the compressed data is cut short: it ends in the middle, after byte "
                     "%llu; what follows is lost",
                     position(input));
}

/* No fault of the data: the bytes before must not count as the whole file. */
static bool no_memory(const struct weft_input *input, struct weft_err *err)
{
    return weft_fail(err, WEFT_ERR_READ, "there is no memory to unpack \"%s\"",
                     input->file.path);
}

static bool too_wide(const struct weft_input *input, struct weft_err *err, const char *most,
                     const char *command)
{
    return weft_fail(err, WEFT_ERR_LIMIT,
                     "unpacking \"%s\" takes more than %s of memory: unpack it first (%s)",
                     input->file.path, most, command);
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
            return no_memory(input, err);
        ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
        break;
    default: break;
    }
    input->between = false;
    return true;
}

/* One step of a decompressor; returns false if the data are damaged. */
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
    if (result == Z_MEM_ERROR)
        return no_memory(input, err);
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
    input->between = result == 0;
    if (!ZSTD_isError(result))
        return true;
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation: return no_memory(input, err);
    case ZSTD_error_frameParameter_windowTooLarge:
        return too_wide(input, err, "128 MiB", "zstd -d --long=31");
    default: return damaged(input, err, ZSTD_getErrorName(result));
    }
}

static bool step_xz(struct weft_input *input, unsigned char *out, size_t size, size_t *made,
                    struct weft_err *err)
{
    lzma_stream *xz = &input->xz;
    xz->next_in = input->raw + input->raw_used;
    xz->avail_in = input->raw_size - input->raw_used;
    xz->next_out = out;
    xz->avail_out = size;
    /* With LZMA_CONCATENATED the decoder itself continues with the next member. */
    lzma_ret result = lzma_code(xz, input->at_end ? LZMA_FINISH : LZMA_RUN);
    input->raw_used = input->raw_size - xz->avail_in;
    *made = size - xz->avail_out;
    input->between = result == LZMA_STREAM_END;
    if (result == LZMA_MEMLIMIT_ERROR)
        return too_wide(input, err, "256 MiB", "xz -d");
    if (result == LZMA_MEM_ERROR)
        return no_memory(input, err);
    if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
        return damaged(input, err, "xz");
    return true;
}

/* Zeros behind the last member are padding, from tapes and some tools. */
static void skip_zeros(struct weft_input *input)
{
    while (input->raw_used < input->raw_size && !input->raw[input->raw_used])
        input->raw_used++;
}

/* Returns true if another member follows; anything else ends the stream. */
static bool member_follows(struct weft_input *input)
{
    const unsigned char *at = input->raw + input->raw_used;
    size_t left = input->raw_size - input->raw_used;
    enum packing next = packing_of(at, left);
    /* Fewer than 6 bytes may be the begin of a header across two blocks: accept them. */
    return next == input->packing || (left < 6 && left && next == PLAIN);
}

/* Continue with the next member; fails if other bytes follow. */
static bool go_on_after_member(struct weft_input *input, struct weft_err *err)
{
    if (member_follows(input))
        return begin_member(input, err);
    return weft_fail(err, WEFT_ERR_FORMAT,
                     "bytes that are not compressed follow the compressed data; they are "
                     "ignored");
}

/* One step of the decompressor; *MADE bytes are good even if it fails after them. */
static bool unpack(struct weft_input *input, unsigned char *out, size_t size, size_t *made,
                   struct weft_err *err)
{
    bool empty = input->raw_used == input->raw_size;
    bool good = input->packing == GZIP   ? step_gzip(input, out, size, made, err)
                : input->packing == ZSTD ? step_zstd(input, out, size, made, err)
                                         : step_xz(input, out, size, made, err);
    if (good && !*made && input->at_end && empty && !input->between)
        return cut_short(input, err);
    return good;
}

/* The stream ends because of *ERR; MADE good bytes before it are returned first. */
static int64_t give_up(struct weft_input *input, size_t made, const struct weft_err *err)
{
    input->ended = true;
    if (!made)
        return -1;
    input->head_failed = true;
    input->head_err = *err;
    return (int64_t)made;
}

/* An uncompressed file is read directly into the caller's buffer. */
static int64_t produce_plain(struct weft_input *input, unsigned char *out, size_t size,
                             struct weft_err *err)
{
    size_t n = input->raw_size - input->raw_used;
    if (!n) {
        int64_t got = input->at_end ? 0 : weft_raw_read(&input->file, out, size, err);
        input->ended = got <= 0;
        return got;
    }
    n = n < size ? n : size;
    memcpy(out, input->raw + input->raw_used, n);
    input->raw_used += n;
    return (int64_t)n;
}

/* Produce up to SIZE bytes; *ERR, not NULL, may be set even if it returns some. */
static int64_t produce(struct weft_input *input, unsigned char *out, size_t size,
                       struct weft_err *err)
{
    while (!input->ended) {
        if (input->packing == PLAIN)
            return produce_plain(input, out, size, err);
        if (input->between && input->packing != XZ)
            skip_zeros(input);
        if (input->raw_used == input->raw_size && !input->at_end && !read_raw(input, err))
            return give_up(input, 0, err);
        if (input->between && input->packing != XZ && input->raw_used < input->raw_size
            && !input->raw[input->raw_used])
            continue; /* more zeros */
        if (input->raw_used == input->raw_size && input->between) {
            input->ended = true;
            return 0;
        }
        if (input->between && input->packing != XZ && !go_on_after_member(input, err))
            return give_up(input, 0, err);
        size_t made = 0;
        if (!unpack(input, out, size, &made, err))
            return give_up(input, made, err);
        if (made)
            return (int64_t)made;
    }
    return 0;
}

/* Read enough bytes to recognize the format: a pipe may return them one by one. */
static bool read_magic(struct weft_input *input, struct weft_err *err)
{
    enum { MAGIC = 16 /* bytes: more than packing_of() looks at */ };
    size_t size = 0;
    int64_t got;
    do {
        got = weft_raw_read(&input->file, input->raw + size, RAW_BLOCK - size, err);
        if (got < 0)
            return false;
        size += (size_t)got;
    } while (got && size < MAGIC);
    input->raw_size = size;
    input->at_end = size == 0;
    return true;
}

static bool start(struct weft_input *input, struct weft_err *err)
{
    input->raw_used = input->raw_size = 0;
    input->head_used = input->head_size = 0;
    input->at_end = input->ended = input->head_failed = false;
    input->between = true;
    if (!read_magic(input, err))
        return false;
    input->packing = packing_of(input->raw, input->raw_size);
    if (input->packing == XZ) {
        lzma_end(&input->xz);
        input->xz = (lzma_stream)LZMA_STREAM_INIT;
        if (lzma_stream_decoder(&input->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
            return weft_fail(err, WEFT_ERR_READ, "cannot start the xz decoder");
        input->between = false;
    }
    struct weft_err trouble = { 0 };
    while (input->head_size < HEAD && !input->head_failed) {
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
    if (input->head_failed && input->head_err.code != WEFT_ERR_FORMAT) {
        if (err)
            *err = input->head_err;
        return false;
    }
    if (input->head_size >= 3 && memcmp(input->head, "\xef\xbb\xbf", 3) == 0)
        input->head_used = 3; /* byte order mark of UTF-8 */
    return true;
}

struct weft_input *weft_input_open(const char *path, struct weft_job *job,
                                   struct weft_err *err)
{
    struct weft_input *input = weft_zalloc(1, sizeof *input);
    input->raw = weft_alloc(RAW_BLOCK);
    input->head = weft_alloc(HEAD);
    input->zstd = ZSTD_createDStream();
    input->xz = (lzma_stream)LZMA_STREAM_INIT;
    bool ready = input->zstd && inflateInit2(&input->gzip, 15 + 16) == Z_OK;
    if (weft_raw_open(&input->file, path, job, err) && (ready || no_memory(input, err))
        && start(input, err))
        return input;
    weft_input_close(input);
    return NULL;
}

void weft_input_close(struct weft_input *input)
{
    if (!input)
        return;
    weft_raw_close(&input->file);
    inflateEnd(&input->gzip);
    ZSTD_freeDStream(input->zstd);
    lzma_end(&input->xz);
    free(input->raw);
    free(input->head);
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
    /* produce() may fail after good bytes: return these, without the error. */
    struct weft_err trouble = { 0 };
    int64_t got = produce(input, buffer, size, &trouble);
    if (got < 0 && err)
        *err = trouble;
    return got;
}

bool weft_input_rewind(struct weft_input *input, struct weft_err *err)
{
    return weft_raw_rewind(&input->file, err) && start(input, err);
}

const char *weft_input_path(const struct weft_input *input)
{
    return input->file.path;
}

uint64_t weft_input_taken(const struct weft_input *input)
{
    return input->file.taken;
}

uint64_t weft_input_size(const struct weft_input *input)
{
    return input->file.size;
}

const struct weft_err *weft_input_trouble(const struct weft_input *input)
{
    return input->head_failed ? &input->head_err : NULL;
}

bool weft_input_is_plain(const struct weft_input *input)
{
    return input->packing == PLAIN && !input->file.is_pipe && input->file.size > 0;
}

bool weft_input_map(const struct weft_input *input, struct weft_mapping *map,
                    struct weft_err *err)
{
    char path[64]; /* the opened file, even if it was renamed */
    snprintf(path, sizeof path, "/proc/self/fd/%d", input->file.fd);
    return weft_map_file(map, path, err);
}

bool weft_input_is_unchanged(struct weft_input *input, const struct weft_mapping *map,
                             struct weft_err *err)
{
    return weft_raw_is_unchanged(&input->file, err)
           && (!weft_mapping_damaged(map)
               || weft_fail(err, WEFT_ERR_READ, "\"%s\" cannot be read to its end",
                            input->file.path));
}

void weft_input_tell(const struct weft_input *input, struct weft_builder *builder)
{
    if (input->file.grew)
        weft_builder_problem(builder, WEFT_WARNING, "grew-while-read", 0,
                             "the file grew while it was read: what came after its first "
                             "%llu bytes is missing",
                             (unsigned long long)input->file.size);
}

size_t weft_input_peek(struct weft_input *input, const unsigned char **head)
{
    *head = input->head + input->head_used;
    return input->head_size - input->head_used;
}
