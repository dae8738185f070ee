/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: what the tools and libraries packed comes out again; damage is told. */
#define _GNU_SOURCE
#include "support.h"

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
#include "read/rewindable_bytes.h"
#include "tests/random.h"

enum { SIZE = 700000, ROOM = 2 * SIZE };

static unsigned char plain[SIZE];

static size_t pack_gzip(unsigned char *out, const unsigned char *in, size_t size)
{
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)in, .avail_in = (uInt)size };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = out;
    z.avail_out = ROOM;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t packed = ROOM - z.avail_out;
    deflateEnd(&z);
    return packed;
}

static size_t pack_zstd(unsigned char *out, const unsigned char *in, size_t size)
{
    size_t packed = ZSTD_compress(out, ROOM, in, size, 3);
    assert_false(ZSTD_isError(packed));
    return packed;
}

static size_t pack_xz(unsigned char *out, const unsigned char *in, size_t size)
{
    size_t packed = 0;
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, in, size, out, &packed, ROOM),
        LZMA_OK);
    return packed;
}

static size_t pack_not(unsigned char *out, const unsigned char *in, size_t size)
{
    memcpy(out, in, size);
    return size;
}

static const struct {
    const char *name;
    size_t (*pack)(unsigned char *out, const unsigned char *in, size_t size);
} packers[] = {
    { "plain", pack_not }, { "gzip", pack_gzip }, { "zstd", pack_zstd }, { "xz", pack_xz }
};

/* Read all, in pieces of odd sizes; returns bytes, and whether the end was an error. */
static size_t read_all(struct weft_input *input, unsigned char *out, bool *failed,
                       struct weft_err *err)
{
    size_t n = 0, piece = 1;
    for (;;) {
        int64_t got = weft_input_read(input, out + n, piece, err);
        *failed = got < 0;
        if (got <= 0)
            return n;
        n += (size_t)got;
        piece = piece * 3 % 65521 + 1;
        assert_true(n + piece < 2 * ROOM);
    }
}

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE; i++) {
        uint64_t bits = roll(0);
        plain[i] = (unsigned char)(' ' + (bits >> 60) + (i & 63));
    }
    return 0;
}

static void all_packings_read_alike(void **state)
{
    (void)state;
    unsigned char *packed = weft_alloc(2 * ROOM), *out = weft_alloc(2 * ROOM);
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        print_message("%s\n", packers[i].name);
        /* Two members, one after the other, as cat makes them. */
        size_t size = packers[i].pack(packed, plain, SIZE / 3);
        size += packers[i].pack(packed + size, plain + SIZE / 3, SIZE - SIZE / 3);
        support_write(support_path("packed"), packed, size);
        struct weft_err err = { 0 };
        struct weft_input *input = weft_input_open(support_path("packed"), NULL, &err);
        assert_non_null(input);
        assert_int_equal(weft_input_size(input), size);
        const unsigned char *head;
        assert_true(weft_input_peek(input, &head) >= 4096);
        assert_memory_equal(head, plain, 4096);
        for (int round = 0; round < 2; round++) {
            bool failed;
            assert_int_equal(read_all(input, out, &failed, &err), SIZE);
            assert_false(failed);
            assert_memory_equal(out, plain, SIZE);
            assert_int_equal(weft_input_taken(input), size);
            assert_true(weft_input_rewind(input, &err));
        }
        weft_input_close(input);
    }
    free(packed);
    free(out);
}

static void what_was_cut_off_is_told(void **state)
{
    (void)state;
    unsigned char *packed = weft_alloc(ROOM), *out = weft_alloc(2 * ROOM);
    for (size_t i = 1; i < sizeof packers / sizeof *packers; i++) {
        print_message("%s\n", packers[i].name);
        size_t size = packers[i].pack(packed, plain, SIZE);
        for (size_t left = 20; left < size; left += size / 7) {
            support_write(support_path("cut"), packed, left);
            struct weft_err err = { 0 };
            struct weft_input *input = weft_input_open(support_path("cut"), NULL, &err);
            assert_non_null(input);
            bool failed;
            size_t n = read_all(input, out, &failed, &err);
            assert_true(failed && n < SIZE);
            assert_int_equal(err.code, WEFT_ERR_FORMAT);
            assert_memory_equal(out, plain, n); /* what came before is good */
            weft_input_close(input);
        }
    }
    free(packed);
    free(out);
}

static void damage_is_told(void **state)
{
    (void)state;
    unsigned char *packed = weft_alloc(ROOM), *out = weft_alloc(2 * ROOM);
    for (size_t i = 1; i < sizeof packers / sizeof *packers; i++) {
        print_message("%s\n", packers[i].name);
        size_t size = packers[i].pack(packed, plain, SIZE);
        for (size_t at = size / 5; at < size / 5 + 40; at += 8)
            packed[at] ^= 0x5a;
        support_write(support_path("damaged"), packed, size);
        struct weft_err err = { 0 };
        struct weft_input *input = weft_input_open(support_path("damaged"), NULL, &err);
        assert_non_null(input);
        bool failed;
        size_t n = read_all(input, out, &failed, &err);
        /* zstd as made here has no checksum: then the bytes differ. */
        assert_true(failed || n != SIZE || memcmp(out, plain, SIZE) != 0);
        weft_input_close(input);
    }
    free(packed);
    free(out);
}

static void what_follows_is_told(void **state)
{
    (void)state;
    unsigned char *packed = weft_alloc(ROOM), *out = weft_alloc(2 * ROOM);
    size_t size = pack_gzip(packed, plain, SIZE);
    memcpy(packed + size, "not compressed", 14);
    support_write(support_path("more"), packed, size + 14);
    struct weft_err err = { 0 };
    struct weft_input *input = weft_input_open(support_path("more"), NULL, &err);
    assert_non_null(input);
    bool failed;
    assert_int_equal(read_all(input, out, &failed, &err), SIZE);
    assert_true(failed);
    weft_input_close(input);
    free(packed);
    free(out);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    assert_null(weft_input_open(support_path("absent"), NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    assert_null(weft_input_open(support_path(""), NULL, &err));
    support_write(support_path("nothing"), "", 0);
    struct weft_input *input = weft_input_open(support_path("nothing"), NULL, &err);
    unsigned char byte;
    assert_non_null(input);
    assert_int_equal(weft_input_read(input, &byte, 1, &err), 0);
    weft_input_close(input);
}

/* A trace that is cut in the middle of its compression opens, and says what happened. */
static void a_cut_trace_opens(void **state)
{
    (void)state;
    char *text = weft_alloc(SIZE), *at = text;
    at += sprintf(at, "%s", support_header);
    for (int i = 0; i < 10000; i++)
        at += sprintf(at, "13 %d a E x%d\n", i, i * 7919 % 1000);
    unsigned char *packed = weft_alloc(ROOM);
    size_t size = pack_gzip(packed, (unsigned char *)text, (size_t)(at - text));
    struct weft_trace *trace = support_read_bytes(packed, size / 2);
    assert_non_null(trace);
    assert_int_equal(support_problems(trace, "damaged-input", NULL), 1);
    uint64_t n = weft_trace_schema(trace)->n_events;
    assert_true(n > 1000 && n < 10000);
    weft_trace_close(trace);
    free(packed);
    free(text);
}

/* Read the file that is written by now, after it was changed as WHAT says. */
static int64_t read_changed(const char *path, char what, struct weft_err *err)
{
    struct weft_raw raw;
    unsigned char *buffer = weft_alloc(SIZE);
    int64_t n = 0, got;
    support_write(path, plain, SIZE / 2);
    assert_true(weft_raw_open(&raw, path, NULL, err));
    assert_int_equal(weft_raw_read(&raw, buffer, 1000, err), 1000);
    /* Later than what any clock of a file system can tell apart. */
    struct timespec times[2] = { { 4000000000, 0 }, { 4000000000, 0 } };
    if (what == 'g')
        support_write(path, plain, SIZE);
    if (what == 's')
        assert_int_equal(truncate(path, 2000), 0);
    if (what == 'w')
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    if (what == 'r')
        assert_int_equal(unlink(path), 0);
    while ((got = weft_raw_read(&raw, buffer, SIZE, err)) > 0)
        n += got;
    assert_int_equal(raw.grew, what == 'g');
    weft_raw_close(&raw);
    free(buffer);
    return got < 0 ? -1 : n + 1000;
}

static void a_file_that_changes_is_told(void **state)
{
    (void)state;
    char *path = weft_strdup(support_path("changes"));
    struct weft_err err = { 0 };
    assert_int_equal(read_changed(path, '-', &err), SIZE / 2);
    assert_int_equal(read_changed(path, 'g', &err), SIZE / 2); /* as it was when opened */
    assert_int_equal(read_changed(path, 'r', &err),
                     SIZE / 2); /* the old one is still there */
    assert_int_equal(read_changed(path, 's', &err), -1);
    assert_int_equal(err.code, WEFT_ERR_READ);
    assert_non_null(strstr(err.message, "changed while it was read"));
    assert_int_equal(read_changed(path, 'w', &err), -1);
    assert_int_equal(err.code, WEFT_ERR_READ);
    free(path);
}

/* Nobody writes into the pipe, and the job was cancelled before: waiting must not begin. */
static void a_cancelled_job_does_not_wait(void **state)
{
    (void)state;
    char *path = weft_strdup(support_path("pipe"));
    struct weft_job job = { .cancelled = true };
    struct weft_err err = { 0 };
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(weft_input_open(path, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    assert_null(weft_identify(path)); /* looks at files only */
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_packings_read_alike),
        cmocka_unit_test(what_was_cut_off_is_told),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(what_follows_is_told),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_cut_trace_opens),
        cmocka_unit_test(a_file_that_changes_is_told),
        cmocka_unit_test(a_cancelled_job_does_not_wait),
    };
    return cmocka_run_group_tests(tests, setup, support_cleanup);
}
