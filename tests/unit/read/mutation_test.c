/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hundreds of damaged copies of one trace, plain and compressed: none may crash, hang or leak
 * (the test runs under the sanitizers in make check); and what opens must be readable.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "tests/random.h"

enum { COPIES = 400, ROOM = 1 << 16 };

static size_t make_trace(char *out)
{
    char *at = out + sprintf(out, "%s", support_header);
    for (int i = 0; i < 200; i++) {
        at += sprintf(at, "10 %d.%03d a S x%d\n17 %d 0 L a m k%d\n", i, i, i % 5, i, i);
        at += sprintf(at, "14 %d b V %d.5\n13 %d b E \"e %d\"\n", i, i, i, i);
        at += sprintf(at, "11 %d.5 a S\n18 %d.25 0 L b m k%d\n", i, i, i);
    }
    at += sprintf(at, "8 300 P a\n8 300 P b\n");
    return (size_t)(at - out);
}

/* One of six kinds of damage; returns the new size. */
static size_t damage(char *text, size_t size)
{
    size_t at = roll(size), n = 1 + roll(40);
    n = at + n > size ? size - at : n;
    switch (roll(6)) {
    case 0: text[at] ^= (char)(1 << roll(8)); return size;
    case 1: text[at] = (char)roll(0); return size;
    case 2: return at + 1; /* cut off */
    case 3: memmove(text + at, text + at + n, size - at - n); return size - n;
    case 4: /* doubled */ memmove(text + at + n, text + at, size - at); return size + n;
    default: { /* exchanged with another place */
        size_t other = roll(size - n + 1);
        for (size_t i = 0; i < n; i++) {
            char swap = text[at + i];
            text[at + i] = text[other + i];
            text[other + i] = swap;
        }
        return size;
    }
    }
}

static void look(struct weft_trace *trace)
{
    if (!trace)
        return; /* refused: fine too */
    char *dump = support_dump(trace);
    assert_true(strncmp(dump, "Container, 0, 0, ", 17) == 0);
    free(dump);
    weft_trace_close(trace);
}

static void damaged_text(void **state)
{
    (void)state;
    char *good = weft_alloc(ROOM), *bad = weft_alloc(2 * ROOM);
    size_t size = make_trace(good);
    for (int i = 0; i < COPIES; i++) {
        memcpy(bad, good, size);
        size_t left = size;
        for (uint64_t times = 1 + roll(4); times-- && left > 1;)
            left = damage(bad, left);
        look(support_read_bytes(bad, left));
    }
    free(good);
    free(bad);
}

static void damaged_gzip(void **state)
{
    (void)state;
    char *good = weft_alloc(ROOM);
    unsigned char *packed = weft_alloc(2 * ROOM), *bad = weft_alloc(4 * ROOM);
    size_t size = make_trace(good);
    z_stream z = { .next_in = (unsigned char *)good, .avail_in = (uInt)size };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = packed;
    z.avail_out = 2 * ROOM;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size = 2 * ROOM - z.avail_out;
    deflateEnd(&z);
    for (int i = 0; i < COPIES / 2; i++) {
        memcpy(bad, packed, size);
        look(support_read_bytes(bad, damage((char *)bad, size)));
    }
    free(good);
    free(packed);
    free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_text),
        cmocka_unit_test(damaged_gzip),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
