/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of PICL traces are read in one pass when they look as programs write them: what that says
 * is what the general reader of lines says of them.  And faults are listed in order of lines,
 * though records are put together by processors.
 */
#include "tests/unit/read/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/read/picl_priv.h"
#include "picl_traces.h"
#include "tests/random.h"

enum { BEYOND = 16 };

/* As both of them see it, with a newline and room behind. */
static char *line_of(const char *text, size_t length)
{
    char *line = calloc(1, length + 1 + BEYOND);
    assert_non_null(line);
    memcpy(line, text, length);
    line[length] = '\n';
    return line;
}

static void assert_same_record(const struct picl_record *a, const struct picl_record *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->key, b->key);
    assert_true(a->time == b->time);
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->n_values, b->n_values);
    for (uint32_t i = 0; i < a->n_values; i++)
        assert_true(a->values[i] == b->values[i]);
    assert_int_equal(a->integers, b->integers);
    assert_int_equal(a->rounded, b->rounded);
    assert_int_equal(a->untyped, b->untyped);
    assert_ptr_equal(a->parameters, b->parameters);
    assert_int_equal(a->length, b->length);
}

/* Was the line read in one pass?  Then the general reader says the same. */
static bool is_quick(const char *text, size_t length, struct paje_clock clock)
{
    char *line = line_of(text, length);
    struct paje_clock after = clock;
    struct picl_record quick, general = { 0 };
    const char *newline = picl_lex_quick(&clock, line, &quick);
    if (newline) {
        assert_ptr_equal(newline, line + length);
        assert_int_equal(picl_lex(&after, line, line + length, &general), PICL_RECORD);
        assert_same_record(&quick, &general);
        assert_memory_equal(&after, &clock, sizeof clock);
    }
    free(line);
    return newline != NULL;
}

static const struct paje_clock nanoseconds = { 9, 0, 15, 9 };

static void lines_as_programs_write_them_are_read_in_one_pass(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "-3 -901 0.000000 63 0 0",
        "-3 -57 0.025588 103 0 2 2 2 135",
        "-3 -21 12345678.123456 16383 0 3 2 1048576 0 16382",
        "-4 -61 1.5 0 0 4 2 -1 -2 123456789012345678 0",
        "-4 7 100 0 0 1 2 1000",
        "-2 2147483647 0.000000001 0 0 0 ",
        "-3  -21   1.0  2 0 1 9  3 \r",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!is_quick(lines[i], strlen(lines[i]), nanoseconds))
            fail_msg("not read in one pass: %s", lines[i]);
}

static void what_needs_a_closer_look_is_left_to_the_general_reader(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "",
        "# a comment",
        "3 -21 1 0 0 0",
        "-0 -21 1 0 0 0",
        "-3 -21 -1 0 0 0",
        "-3 -21 +1 0 0 0",
        "-3 -21 1e3 0 0 0",
        "-3 -21 1. 0 0 0",
        "-3 -21 .5 0 0 0",
        "-3 -21 1.0000000001 0 0 0", /* needs a finer clock */
        "-3 -21 9999999999.0 0 0 0", /* too late for nanoseconds */
        "-3 -21 1.5 2147483648 0 0", /* no node */
        "-3 -21 1.5 32767 0 0",      /* the host */
        "-5 3 1.5 0 0 2 2 5 6",      /* a label, which is text */
        "-3 -201 1.5 0 0 2 2 5 6",   /* so is the name of a file */
        "-3 -21 1.5 0 0 1 2",        /* too few */
        "-3 -21 1.5 0 0 1 2 3 4",    /* too many */
        "-3 -21 1.5 0 0 0 2",        /* the same */
        "-3 -21 1.5 0 0 1 3",        /* without the type */
        "-3 -21 1.5 0 0 1 2 3.0",    /* no integer */
        "-3 -21 1.5 0 0 1 2 1234567890123456789",
        "-3 -21 1.5 0 0 5 2 1 2 3 4 5", /* more than shapes have */
        "-3 -21 1.5 0 0 2 \"%d%d\" 1 2",
        "-3\t-21 1.5 0 0 0",
        "-3 -21 1.5 0 0 0\v",
        "-3 -21 1.5 0 0",
        "-3 -21 1.5 0",
        "-3 -21 1.5",
        "-3 -21",
        "-3",
        "-",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (is_quick(lines[i], strlen(lines[i]), nanoseconds))
            fail_msg("read in one pass: %s", lines[i]);
}

/* A line of words that are mostly such as a record has, and then perhaps some bytes changed. */
static size_t random_line(char *line)
{
    static const char *const words[] = {
        "0",
        "1",
        "-1",
        "2",
        "3",
        "4",
        "-3",
        "-4",
        "-21",
        "-57",
        "1.5",
        "0.025588",
        "12.",
        ".5",
        "1e2",
        "+1",
        "-0",
        "2147483647",
        "-2147483648",
        "2147483648",
        "007",
        "-",
        "99999999",
        "-5",
        "999999999999999999",
        "1000000000000000000",
        "3.000000001",
        "3.0000000001",
        "32767",
        "123456789.123456789",
        "1234567890.123456789",
        "\"%d %d\"",
        "12345678.12345678",
    };
    static const char bytes[] = " \t\r.-+0123456789eE\"#x\v";
    enum { WORDS = sizeof words / sizeof *words };
    static const char *const usual[] = { "-3", "-57", "0.000123", "5", "0" };
    size_t n = 0, n_values = roll(6);
    for (size_t i = 0; i < 5; i++) {
        bool odd = roll(10) == 0;
        n += (size_t)sprintf(line + n, "%s%s", i ? " " : "",
                             odd ? words[roll(WORDS)] : usual[i]);
    }
    n += (size_t)sprintf(line + n, " %zu", n_values);
    for (size_t i = 0; n_values && i <= n_values; i++)
        n += (size_t)sprintf(line + n, " %s", words[roll(WORDS)]);
    for (uint64_t changes = roll(3); changes--;)
        line[roll(n)] = bytes[roll(sizeof bytes - 1)];
    return roll(8) ? n : roll(n);
}

static void random_lines_are_the_same_records(void **unused)
{
    (void)unused;
    enum { LINES = 200000 };
    const struct paje_clock clocks[] = {
        nanoseconds, { 15, 0, 15, 15 }, { 9, 6, 15, 9 }, { 9, 3, 15, 12 }
    };
    char line[512];
    size_t quick = 0;
    for (size_t i = 0; i < LINES; i++) {
        size_t length = random_line(line);
        quick += is_quick(line, length, clocks[i % 4]);
    }
    assert_in_range(quick, LINES / 40, LINES); /* else hardly anything was compared */
}

/* ---- Faults ---- */

/* Every 37th line leaves what it did not enter; of the others every 50th is no record. */
static void faults_are_listed_in_the_order_of_lines(void **unused)
{
    (void)unused;
    enum { LINES = 3000, NODES = 7, LEAVE = 37, SPOIL = 50 };
    char *text = calloc(LINES, 64);
    assert_non_null(text);
    size_t n = 0;
    for (int i = 1; i <= LINES; i++) {
        if (i % LEAVE == 0)
            n += (size_t)sprintf(text + n, "-4 -51 %d.0 %d 0 0\n", i, i % NODES);
        else if (i % SPOIL == 0)
            n += (size_t)sprintf(text + n, "-4 -51 %d.0 x 0 0\n", i);
        else
            n += (size_t)sprintf(text + n, "-2 %d %d.0 %d 0 0\n", i % 5, i, i % NODES);
    }
    struct weft_trace *trace = trf_read(text);
    const struct weft_schema *schema = weft_trace_schema(trace);
    size_t found = 0;
    for (uint64_t i = 1; i <= LINES; i++) {
        if (i % LEAVE && i % SPOIL)
            continue;
        assert_in_range(found, 0, schema->n_problems - 1);
        assert_int_equal(schema->problems[found].line, i);
        assert_string_equal(schema->problems[found++].kind,
                            i % LEAVE ? "bad-number" : "exit-without-entry");
    }
    assert_int_equal(found, schema->n_problems);
    weft_trace_close(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_as_programs_write_them_are_read_in_one_pass),
        cmocka_unit_test(what_needs_a_closer_look_is_left_to_the_general_reader),
        cmocka_unit_test(random_lines_are_the_same_records),
        cmocka_unit_test(faults_are_listed_in_the_order_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
