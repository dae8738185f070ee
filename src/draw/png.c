/* SPDX-License-Identifier: Apache-2.0 */
#include "draw/png.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/memory.h"

enum {
    /* level of libdeflate; 6 is a seventh smaller and takes three times as long */
    QUICKEST = 1,
    CHUNK_FRAME = 12,       /* length, name and checksum of a chunk */
    MAX_IN_CHUNK = 1 << 30, /* bytes; the format allows 2^31 - 1 */
    /* Bytes of pixels that are compressed in one call, which no job ends: about 50 ms. */
    MAX_AT_ONCE = 12 << 20,
};

static unsigned char *put_number(unsigned char *out, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = (unsigned char)(number >> shift);
    return out;
}

/* Frames a chunk whose SIZE bytes are already in place, 8 bytes after OUT. */
static unsigned char *frame_chunk(unsigned char *out, const char name[4], size_t size)
{
    put_number(out, (uint32_t)size);
    memcpy(out + 4, name, 4);
    return put_number(out + 8 + size, libdeflate_crc32(0, out + 4, 4 + size));
}

static unsigned char *put_header(unsigned char *out, const struct weft_png *png)
{
    enum { BITS = 8, COLORS = 2, COLORS_AND_ALPHA = 6 };
    static const unsigned char signature[] = {
        0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'
    };
    memcpy(out, signature, sizeof signature);
    out += sizeof signature;
    unsigned char *at = put_number(put_number(out + 8, png->width), png->height);
    *at++ = BITS;
    *at++ = png->has_alpha ? COLORS_AND_ALPHA : COLORS;
    memset(at, 0, 3); /* methods of compression, filter and interlace */
    return frame_chunk(out, "IHDR", 13);
}

/* Returns the bytes of a row, with the filter byte. */
static size_t row_size(const struct weft_png *png)
{
    return 1 + (size_t)png->width * (png->has_alpha ? 4 : 3);
}

static void put_row(const struct weft_png *png, uint32_t y, unsigned char *out)
{
    *out = 0; /* no filter */
    png->row(png->user, y, out + 1);
}

static unsigned char *plain_rows(const struct weft_png *png, size_t *size)
{
    size_t row = row_size(png);
    unsigned char *rows = weft_alloc(row * png->height);
    for (uint32_t y = 0; y < png->height; y++)
        put_row(png, y, rows + y * row);
    *size = row * png->height;
    return rows;
}

static unsigned char *compress_at_once(const struct weft_png *png, size_t *size)
{
    size_t plain_size;
    unsigned char *plain = plain_rows(png, &plain_size);
    struct libdeflate_compressor *compressor =
        weft_or_end(libdeflate_alloc_compressor(QUICKEST), 64 << 10);
    size_t room = libdeflate_zlib_compress_bound(compressor, plain_size);
    unsigned char *packed = weft_alloc(room);
    *size = libdeflate_zlib_compress(compressor, plain, plain_size, packed, room);
    libdeflate_free_compressor(compressor);
    free(plain);
    return packed;
}

/* Lets zlib consume its input, or finish with Z_FINISH, into a growing *PACKED. */
static void feed(z_stream *stream, int flush, unsigned char **packed, size_t *capacity)
{
    enum { ROOM = 64 << 10 }; /* bytes */
    int status;
    do {
        *packed = weft_grow(*packed, capacity, stream->total_out + ROOM, 1);
        stream->next_out = *packed + stream->total_out;
        stream->avail_out = ROOM;
        status = deflate(stream, flush);
    } while (flush == Z_FINISH ? status != Z_STREAM_END : stream->avail_in > 0);
}

/* Compresses row by row, by zlib; NULL if the job is cancelled. */
static unsigned char *compress_in_steps(const struct weft_png *png, size_t *size)
{
    z_stream stream = { 0 };
    unsigned char *packed = NULL, *row = weft_alloc(row_size(png));
    size_t capacity = 0;
    (void)weft_or_end(deflateInit(&stream, QUICKEST) == Z_OK ? &stream : NULL, 256 << 10);
    uint32_t y = 0;
    for (; y < png->height && weft_job_step(png->job, y, png->height, NULL); y++) {
        put_row(png, y, row);
        stream.next_in = row;
        stream.avail_in = (uInt)row_size(png);
        feed(&stream, Z_NO_FLUSH, &packed, &capacity);
    }
    if (y == png->height)
        feed(&stream, Z_FINISH, &packed, &capacity);
    *size = stream.total_out;
    deflateEnd(&stream);
    free(row);
    if (y == png->height)
        return packed;
    free(packed);
    return NULL;
}

unsigned char *weft_png_encode(const struct weft_png *png, size_t *size)
{
    size_t packed_size;
    bool in_steps = png->job && row_size(png) * png->height > MAX_AT_ONCE;
    unsigned char *packed =
        (in_steps ? compress_in_steps : compress_at_once)(png, &packed_size);
    if (!packed)
        return NULL;
    size_t n_chunks = 3 + packed_size / MAX_IN_CHUNK; /* with the header's and the end's */
    unsigned char *file = weft_alloc(8 + 13 + packed_size + n_chunks * CHUNK_FRAME);
    unsigned char *out = put_header(file, png);
    for (size_t at = 0, n; at < packed_size; at += n) {
        n = packed_size - at < MAX_IN_CHUNK ? packed_size - at : MAX_IN_CHUNK;
        memcpy(out + 8, packed + at, n);
        out = frame_chunk(out, "IDAT", n);
    }
    out = frame_chunk(out, "IEND", 0);
    free(packed);
    *size = (size_t)(out - file);
    return file;
}
