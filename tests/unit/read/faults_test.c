/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each kind of fault is put into a good trace and must be listed, with its line, and what is
 * around it must still be there: the state "good" of container a, which begins at 1.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct {
    const char *kind;
    const char *lines; /* the fault is in the last of them, unless `back` says otherwise */
    int back;          /* so many lines before the last */
} faults[] = {
    { "unknown-event-name", "%EventDef PajeDance 99\n%EndEventDef", 1 },
    { "unknown-event-id", "77 1 a S x", 0 },
    { "duplicate-event-id",
      "%EventDef PajePopState 10\n% Time date\n% Type string\n"
      "% Container string\n%EndEventDef",
      0 },
    { "unknown-field-type", "%EventDef PajeTraceFile 50\n% Name rope\n%EndEventDef", 1 },
    { "duplicate-field",
      "%EventDef PajeTraceFile 50\n% Name string\n% Name string\n"
      "%EndEventDef",
      1 },
    { "missing-field", "%EventDef PajePopState 50\n% Time date\n%EndEventDef", 0 },
    { "bad-definition", "% Time date", 0 },
    { "bad-definition", "%EventDef PajeTraceFile\n% Name string\n%EndEventDef", 2 },
    { "missing-end-of-definition",
      "%EventDef PajeTraceFile 50\n% Name string\n"
      "13 1.5 a E x",
      0 },
    { "too-few-values", "10 1.5 a S", 0 },
    { "too-many-values", "13 1.5 a E x y", 0 },
    { "unterminated-string", "13 1.5 a E \"x", 0 },
    { "binary-garbage", "13 1.5 a\001 E x", 0 },
    { "bad-time", "13 soon a E x", 0 },
    { "bad-time", "13 nan a E x", 0 },
    { "time-too-fine", "13 1.00000000000000001 a E x", 0 },
    { "time-out-of-range", "13 1e40 a E x", 0 },
    { "bad-number", "14 1.5 a V NA", 0 },
    { "bad-number", "14 1.5 a V inf", 0 },
    { "bad-color", "6 v S value mauve", 0 },
    { "unknown-type", "10 1.5 a T x", 0 },
    { "unknown-type", "2 X Y State", 0 },
    { "duplicate-type", "2 S P State", 0 },
    { "wrong-kind-of-type", "14 1.5 a S 3", 0 },
    { "wrong-kind-of-type", "6 v V value \"1 0 0\"", 0 },
    { "unknown-container", "10 1.5 c S x", 0 },
    { "unknown-container", "17 1.5 0 L c x k", 0 },
    { "duplicate-container", "7 1.5 a P 0 again", 0 },
    { "wrong-container-type", "7 1.5 c P a three", 0 },
    { "wrong-container-type", "13 1.5 0 E x", 0 },
    { "duplicate-value", "6 v S one \"1 0 0\"\n6 v S two \"1 0 0\"", 0 },
    { "use-after-destroy", "8 1.5 P b\n10 1.6 b S x", 0 },
    { "destroyed-twice", "8 1.5 P b\n8 1.6 P b", 0 },
    { "out-of-order", "13 1.7 a E x\n13 1.5 a E y", 0 },
    { "before-creation", "7 1.5 c P 0 three\n13 1.4 c E x", 0 },
    { "pop-of-empty-stack", "11 1.5 b S", 0 },
    { "variable-not-set", "15 1.5 a V 1", 0 },
    { "sum-out-of-range", "14 1.5 a V 1e308\n15 1.6 a V 1e308", 0 },
    { "half-link", "17 1.5 0 L a x k", 0 },
    { "half-link", "18 1.5 0 L a x k", 0 },
    { "link-values-differ", "17 1.5 0 L a x k\n18 1.6 0 L b y k", 0 },
    { "reused-link-key",
      "17 1.5 0 L a x k\n18 1.6 0 L b x k\n17 1.7 0 L a x k\n"
      "18 1.7 0 L a x k",
      1 },
    { "link-ends-before-start", "17 1.5 0 L a x k\n18 1.4 0 L b x k", 0 },
};

static uint64_t lines_in(const char *text)
{
    uint64_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void every_fault_is_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        print_message("%s\n", faults[i].kind);
        char *text = weft_asprintf("10 1 a S good\n%s\n11 2 a S\n", faults[i].lines);
        struct weft_trace *trace = support_read(text);
        uint64_t line = 0;
        assert_int_equal(support_problems(trace, faults[i].kind, &line), 1);
        uint64_t wanted = lines_in(support_header) + 2 + lines_in(faults[i].lines)
                          - (uint64_t)faults[i].back;
        assert_int_equal(line, wanted);
        char *dump = support_dump(trace);
        assert_non_null(strstr(dump, "State, one, State, 1, 2, 1, 0, good\n"));
        free(dump);
        weft_trace_close(trace);
        free(text);
    }
}

static void a_cut_line_is_listed(void **state)
{
    (void)state;
    struct weft_trace *trace = support_read("10 1 a S good\n11 2");
    uint64_t line = 0;
    assert_int_equal(support_problems(trace, "truncated-line", &line), 1);
    assert_int_equal(line, lines_in(support_header) + 2);
    weft_trace_close(trace);
    /* One that lacks its newline may lack the end of its last word, too: it is read, and told. */
    trace = support_read("10 1 a S good\n11 2 a S");
    assert_int_equal(support_problems(trace, "unfinished-line", &line), 1);
    assert_int_equal(line, lines_in(support_header) + 2);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 1);
    weft_trace_close(trace);
    /* Where nothing is said, nothing is missing. */
    trace = support_read("10 1 a S good\n11 2 a S\n  \t");
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    weft_trace_close(trace);
    trace = support_read("10 1 a S good\n11 2 a S\n# the en");
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    weft_trace_close(trace);
}

/* Wherever it is cut, but between two lines, that is a problem, also within a word. */
static void a_cut_is_told(void **state)
{
    (void)state;
    static const char text[] = "10 1 a S good\n11 2.25 a S\n";
    for (size_t n = strlen("10 1 a S good\n"); n < sizeof text; n++) {
        char *cut = weft_asprintf("%.*s", (int)n, text);
        struct weft_trace *trace = support_read(cut);
        bool told = weft_trace_schema(trace)->n_problems > 0;
        if (told != (text[n - 1] != '\n'))
            fail_msg("cut at %zu: %s", n, told ? "a problem" : "no problem");
        weft_trace_close(trace);
        free(cut);
    }
}

static void a_line_without_end_is_skipped(void **state)
{
    (void)state;
    size_t size = 40 << 20;
    char *line = weft_alloc(size + 1);
    memset(line, 'x', size);
    line[size] = '\0';
    char *text = weft_asprintf("10 1 a S good\n%s\n11 2 a S\n11 3 b S\n", line);
    struct weft_trace *trace = support_read(text);
    uint64_t at = 0;
    assert_int_equal(support_problems(trace, "line-too-long", &at), 1);
    assert_int_equal(at, lines_in(support_header) + 2);
    assert_int_equal(support_problems(trace, "pop-of-empty-stack", &at), 1);
    assert_int_equal(at, lines_in(support_header) + 4); /* lines are still counted */
    assert_int_equal(weft_trace_schema(trace)->n_states, 1);
    weft_trace_close(trace);
    free(text);
    free(line);
}

static void too_many_fields_are_listed(void **state)
{
    (void)state;
    char text[16384] = "%EventDef PajeTraceFile 50\n", *at = text + strlen(text);
    for (int i = 0; i < 300; i++)
        at += sprintf(at, "%% F%d string\n", i);
    strcpy(at, "%EndEventDef\n");
    struct weft_trace *trace = support_read(text);
    assert_int_equal(support_problems(trace, "too-many-fields", NULL), 44);
    weft_trace_close(trace);
}

static void a_stack_has_an_end(void **state)
{
    (void)state;
    enum { PUSHES = 66000, MAX_STATES = 65534 };
    char *text = weft_alloc(PUSHES * 16), *at = text;
    for (int i = 0; i < PUSHES; i++)
        at += sprintf(at, "10 1 a S x\n");
    struct weft_trace *trace = support_read(text);
    assert_int_equal(weft_trace_schema(trace)->n_states, MAX_STATES);
    assert_int_equal(support_problems(trace, "too-many-open-states", NULL),
                     PUSHES - MAX_STATES);
    weft_trace_close(trace);
    free(text);
}

static void many_faults_are_counted(void **state)
{
    (void)state;
    char *text = weft_alloc(1 << 20), *at = text;
    for (int i = 0; i < 5000; i++)
        at += sprintf(at, "11 %d a S\n", i);
    struct weft_trace *trace = support_read(text);
    assert_int_equal(support_problems(trace, "pop-of-empty-stack", NULL), 5000);
    assert_true(weft_trace_schema(trace)->n_problems <= 101);
    weft_trace_close(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_listed),
        cmocka_unit_test(a_cut_line_is_listed),
        cmocka_unit_test(a_cut_is_told),
        cmocka_unit_test(a_line_without_end_is_skipped),
        cmocka_unit_test(too_many_fields_are_listed),
        cmocka_unit_test(a_stack_has_an_end),
        cmocka_unit_test(many_faults_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
