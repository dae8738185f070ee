/* SPDX-License-Identifier: Apache-2.0 */
/* The dump: lines worked out by hand, and what becomes of the ends of the number line. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/dump_and_paje.h"

static char *dump(struct weft_trace *trace)
{
    char *text;
    size_t size;
    struct weft_err err;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_dump(weft_trace_source(trace), stream, NULL, &err));
    fclose(stream);
    weft_trace_close(trace);
    return text;
}

/*
 * Ticks are nanoseconds.  "p" lives from 1 s to 9 s and runs from 2 to 8, waiting inside from
 * 3.5 to 4; a state that is still open when p ends closes there.
 */
static void test_every_kind_has_its_line(void **state)
{
    const int64_t second = 1000000000;
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t process = support_type(b, WEFT_CONTAINER, 0, "Process");
    uint32_t activity = support_type(b, WEFT_STATE, process, "Activity");
    uint32_t mark = support_type(b, WEFT_EVENT, process, "Mark");
    uint32_t load = support_type(b, WEFT_VARIABLE, process, "Load");
    uint32_t message = support_type(b, WEFT_LINK, 0, "Message");
    uint32_t run = weft_builder_value(b, activity, "run", "r", 0);
    uint32_t wait = weft_builder_value(b, activity, "wait, \"here\"", NULL, 0);
    uint32_t hello = weft_builder_value(b, mark, "hello", NULL, 0);
    uint32_t data = weft_builder_value(b, message, "data", NULL, 0);
    uint32_t p = weft_builder_container(b, process, 0, "p", "1", second);
    uint32_t q = weft_builder_container(b, process, p, "q q", NULL, second);
    uint32_t states = weft_builder_track(b, p, activity);
    weft_builder_push(b, states, 2 * second, run, NULL, 0, NULL);
    weft_builder_push(b, states, 3500000000, wait, NULL, 0, NULL);
    weft_builder_pop(b, states, 4 * second, NULL);
    weft_builder_pop(b, states, 8 * second, NULL);
    weft_builder_push(b, states, 8500000001, run, NULL, 0, NULL);
    weft_builder_event(b, weft_builder_track(b, q, mark), 5 * second, hello, NULL, 0, NULL);
    weft_builder_event(b, weft_builder_track(b, q, mark), 5 * second, WEFT_NONE, NULL, 0,
                       NULL);
    weft_builder_sample(b, weft_builder_track(b, p, load), 6 * second, 0.1);
    weft_builder_sample(b, weft_builder_track(b, p, load), 7 * second, -1e300);
    struct weft_link links[] = {
        support_link(b, message, data, "key 1", p, 3 * second, q, 6 * second),
        support_link(b, message, WEFT_NONE, "", q, 7 * second, p, 6 * second),
        support_link(b, message, data, "lost", p, 4 * second, WEFT_NONE, 4 * second),
        support_link(b, message, data, "lost", WEFT_NONE, 5 * second, q, 5 * second),
    };
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        weft_builder_link(b, &links[i], NULL, 0);
    weft_builder_destroy(b, p, 9 * second);
    char *text = dump(support_finish(b));
    static const char *const lines[] = {
        "Container, p, Process, 1, 9, 8, q q\n",
        "Process, 1, 9, 8, p\n",
        "State, p, Activity, 2, 8, 6, 0, run\n",
        "State, p, Activity, 3.5, 4, 0.5, 1, wait, \"here\"\n",
        "State, p, Activity, 8.500000001, 9, 0.499999999, 0, run\n",
        "Event, q q, Mark, 5, hello\n",
        "Event, q q, Mark, 5, \n",
        "Variable, p, Load, 6, 7, 1, 0.1\n",
        "Variable, p, Load, 7, 9, 2, -1e+300\n",
        "Message, 3, 6, 3, data, p, q q, key 1\n",
        "Message, 7, 6, -1, , q q, p, \n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no line %sin\n%s", lines[i], text);
    size_t n = 0;
    for (const char *at = text; *at; at++)
        n += *at == '\n';
    assert_int_equal(n, sizeof lines / sizeof *lines
                            + 1); /* the root's; half links have none */
    assert_null(strstr(text, "lost"));
    free(text);
}

/* A name of several lines does not end its line, and no control character is left of it. */
static void test_names_end_no_line(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    weft_builder_resolution(b, 1, 1);
    uint32_t type = support_type(b, WEFT_EVENT, 0, "Ma\trk");
    uint32_t value = weft_builder_value(b, type, "a\nState, p \033[2J\x7f", NULL, 0);
    uint32_t track = weft_builder_track(b, 0, type);
    weft_builder_event(b, track, 3, value, NULL, 0, NULL);
    value = weft_builder_value(b, type, "\xc2\x9b \xc3\xa9\xe9\xc2", NULL, 0);
    weft_builder_event(b, track, 4, value, NULL, 0, NULL);
    char *text = dump(support_finish(b));
    assert_non_null(strstr(text, ", Ma rk, 3, a State, p  [2J \n"));
    /* In UTF-8 the first is one character; a letter, and what is no UTF-8, stay as they are. */
    assert_non_null(strstr(text, ", Ma rk, 4,   \xc3\xa9\xe9\xc2\n"));
    free(text);
}

/* The longest span that 64 bits hold: from the least time to the greatest. */
static void test_times_at_the_ends_of_the_number_line(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    weft_builder_resolution(b, 1, 1);
    uint32_t type = support_type(b, WEFT_EVENT, 0, "Mark");
    uint32_t track = weft_builder_track(b, 0, type);
    weft_builder_event(b, track, 1 - WEFT_TIME_LIMIT, WEFT_NONE, NULL, 0, NULL);
    weft_builder_event(b, track, 0, WEFT_NONE, NULL, 0, NULL);
    weft_builder_event(b, track, WEFT_TIME_LIMIT - 1, WEFT_NONE, NULL, 0, NULL);
    char *text = dump(support_finish(b));
    assert_non_null(strstr(text, ", Mark, -4611686018427387903, \n"));
    assert_non_null(strstr(text, ", Mark, 0, \n"));
    assert_non_null(strstr(text, ", Mark, 4611686018427387903, \n"));
    free(text);
}

/* Nested as deep as the numbers of a line: depth d begins at d and ends at 2 * DEEP - d. */
static void test_depths_are_those_of_the_stack(void **state)
{
    enum { DEEP = 700 }; /* several blocks of the store */
    (void)state;
    struct weft_builder *b = support_begin();
    weft_builder_resolution(b, 1, 1);
    uint32_t type = support_type(b, WEFT_STATE, 0, "Call");
    uint32_t track = weft_builder_track(b, 0, type);
    for (int d = 0; d < DEEP; d++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", d);
        weft_builder_push(b, track, d, weft_builder_value(b, type, name, NULL, 0), NULL, 0,
                          NULL);
    }
    for (int d = DEEP; d-- > 0;)
        weft_builder_pop(b, track, 2 * DEEP - d, NULL);
    char *text = dump(support_finish(b));
    for (int d = 0; d < DEEP; d++) {
        char line[96];
        snprintf(line, sizeof line, ", Call, %d, %d, %d, %d, f%d\n", d, 2 * DEEP - d,
                 2 * (DEEP - d), d, d);
        assert_non_null(strstr(text, line));
    }
    free(text);
}

static void test_reals_read_back(void **state)
{
    static const double edges[] = { 0,         1,       0.1,      1.0 / 3,      1e21,
                                    123456789, DBL_MAX, -DBL_MIN, DBL_TRUE_MIN, 5e-324 };
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_true(strtod(weft_real_text(edges[i], text), NULL) == edges[i]);
    assert_string_equal(weft_real_text(0.1, text), "0.1");
    assert_string_equal(weft_real_text(-2.5, text), "-2.5");
}

static void test_it_says_when_it_cannot_write_or_shall_not(void **state)
{
    struct weft_err err = { 0 };
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t type = support_type(b, WEFT_EVENT, 0, "Mark");
    weft_builder_event(b, weft_builder_track(b, 0, type), 5, WEFT_NONE, NULL, 0, NULL);
    struct weft_trace *trace = support_finish(b);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_false(weft_write_dump(weft_trace_source(trace), full, NULL, &err));
        assert_int_equal(err.code, WEFT_ERR_WRITE);
        fclose(full);
    }
    struct weft_job job = { .cancelled = true };
    FILE *out = fopen("/dev/null", "w");
    assert_false(weft_write_dump(weft_trace_source(trace), out, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    fclose(out);
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_has_its_line),
        cmocka_unit_test(test_names_end_no_line),
        cmocka_unit_test(test_times_at_the_ends_of_the_number_line),
        cmocka_unit_test(test_depths_are_those_of_the_stack),
        cmocka_unit_test(test_reals_read_back),
        cmocka_unit_test(test_it_says_when_it_cannot_write_or_shall_not),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
