/* SPDX-License-Identifier: Apache-2.0 */
/* PICL traces, written again: the same. */
#include "tests/unit/read/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "picl_traces.h"

/* ---- Writing ---- */

/* In order of time, ties by key and record type, both falling: so it comes back as it was. */
static const char canonical[] = "-202 -812 0 -1 -1 3 2 4 0 1\n"
                                "-3 -901 0 0 0 0\n"
                                "-3 -901 0 1 0 0\n"
                                "-2 4 1 0 0 2 2 8 9\n"
                                "-5 4 1.5 0 0 5 1 solve\n"
                                "-3 7 2 0 0 1 2 3\n"
                                "-3 -27 2.25 0 0 4 2 100 6 1 4\n"
                                "-4 -27 2.5 0 0 1 2 9\n"
                                "-3 -57 2.5 1 0 2 2 -1 -1\n"
                                "-4 -57 2.75 1 0 1 2 5\n"
                                "-3 -30 3 0 0 1 2 9\n"
                                "-3 -61 3 1 0 1 2 5\n"
                                "-4 -30 3.5 0 0 0\n"
                                "-4 7 4 0 0 1 2 4096\n"
                                "-4 -61 4 1 0 4 2 100 6 0 4\n"
                                "-3 -785 5 0 0 3 2 64 1 4\n"
                                "-3 -785 5 1 0 3 2 64 1 4\n"
                                "-4 -785 5.125 0 0 1 2 64\n"
                                "-4 -785 5.125 1 0 1 2 32\n"
                                "-3 -402 6 0 0 1 2 -1\n"
                                "-3 -402 6 1 0 1 2 -1\n"
                                "-4 -402 7 0 0 0\n"
                                "-4 -402 7 1 0 0\n"
                                "-3 -841 7.5 0 0 1 2 4\n"
                                "-4 -841 7.75 0 0 2 2 6 2\n"
                                "-202 -841 8 0 0 3 2 6 0 1\n"
                                "-3 -52 9 1 0 2 2 3 0\n"
                                "-3 -999 9 0 0 1 2 3\n"
                                "-4 -999 9.5 0 0 0\n"
                                "-6 2 10 1 0 3 \"integer\" 1 5 6\n"
                                "-4464 5 10 1 0 0\n"
                                "-70000 5 10 1 0 0\n"
                                "-4 -901 11 0 0 0\n";

static void every_record_comes_back(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read(canonical);
    char *text = trf_written(trace, WEFT_PICL_BY_TIME);
    assert_string_equal(text, canonical);
    free(text);
    weft_trace_close(trace);
    trf_assert_written_twice(canonical);
    trf_assert_written_twice(trf_one_message);
    trf_assert_written_twice(trf_collectives);
}

/* What a receive says of its length is its own, though the message has another. */
static const char other_length[] = "-3 -21 1 0 0 3 2 10 7 1\n"
                                   "-4 -21 2 0 0 0\n"
                                   "-3 -52 3 1 0 2 2 7 0\n"
                                   "-4 -52 4 1 0 3 2 8 7 0\n";

static void receives_keep_their_lengths(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read(other_length);
    assert_int_equal(
        trf_field(trace, trf_link(trace, 0).id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER)
            .integer,
        10);
    char *text = trf_written(trace, WEFT_PICL_BY_TIME);
    assert_string_equal(text, other_length);
    weft_trace_close(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_comes_back),
        cmocka_unit_test(receives_keep_their_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
