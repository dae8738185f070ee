/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PICL traces, good and bad: what becomes of each record, and each fault one problem at its line.
 * What is expected was worked out by hand from the records.
 */
#include "tests/unit/read/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "picl_traces.h"

/* ---- What becomes of good records ---- */

static void a_message_is_a_link_between_two_calls(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read(trf_one_message);
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_int_equal(schema->n_problems, 0);
    assert_int_equal(schema->n_records, 8);
    assert_int_equal(schema->n_states, 2);
    assert_int_equal(schema->n_links, 1);
    assert_int_equal(schema->span.end, 5000); /* nanoseconds */
    struct weft_state send = trf_state(trace, "0", "call", 0);
    struct weft_state receive = trf_state(trace, "1", "call", 0);
    assert_int_equal(send.begin, 1000);
    assert_int_equal(send.end, 2000);
    assert_int_equal(receive.begin, 500);
    assert_int_equal(receive.end, 4000);
    assert_true(weft_role_is(trf_role(trace, &send), WEFT_ROLE_OVERHEAD));
    assert_true(weft_role_is(trf_role(trace, &receive), WEFT_ROLE_IDLE));
    struct weft_link link = trf_link(trace, 0);
    assert_int_equal(link.begin, 1000);
    assert_int_equal(link.end, 4000);
    assert_string_equal(trf_container_name(trace, link.from), "0");
    assert_string_equal(trf_container_name(trace, link.to), "1");
    assert_true(link.from_entity == send.id && link.to_entity == receive.id);
    assert_int_equal(trf_field(trace, link.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
                     8);
    assert_int_equal(trf_field(trace, link.id, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER).integer,
                     5);
    uint32_t world =
        trf_field(trace, link.id, WEFT_ROLE_COMMUNICATOR_OF, WEFT_FIELD_CONTAINER).index;
    assert_string_equal(trf_container_name(trace, world), "world");
    const struct weft_field_value *members =
        weft_container_fact(schema, world, WEFT_ROLE_MEMBERS, WEFT_FIELD_TEXT);
    assert_string_equal(schema->strings[members->index], "0-1");
    assert_int_equal(
        weft_container_fact(schema, link.to, WEFT_ROLE_RANK_NUMBER, WEFT_FIELD_INTEGER)
            ->integer,
        1);
    weft_trace_close(trace);
}

/*
 * 1 begins a receive of anything, tests in vain, and waits; 0 begins a send and waits for its
 * end.  The message goes from the begin of the send to the end of the wait.
 */
static void requests_carry_messages(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 -57 1 1 0 2 2 -1 -1\n"
                                        "-4 -57 2 1 0 1 2 77\n"
                                        "-3 -58 3 1 0 1 2 77\n"
                                        "-4 -58 4 1 0 0\n"
                                        "-3 -27 4 0 0 3 2 100 6 1\n"
                                        "-4 -27 5 0 0 1 2 9\n"
                                        "-3 -31 6 0 0 1 2 9\n"
                                        "-3 -61 6 1 0 1 2 77\n"
                                        "-4 -31 8 0 0 0\n"
                                        "-4 -61 9 1 0 3 2 100 6 0\n");
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    struct weft_link link = trf_link(trace, 0);
    assert_int_equal(link.begin, INT64_C(4000000000));
    assert_int_equal(link.end, INT64_C(9000000000));
    assert_true(link.from_entity == trf_state(trace, "0", "call", 0).id);
    assert_true(link.to_entity == trf_state(trace, "1", "call", 2).id);
    struct weft_state test = trf_state(trace, "1", "call", 1);
    assert_int_equal(trf_role(trace, &test), WEFT_ROLE_TESTING);
    assert_true(trf_has_field(trace, test.id, "request"));
    assert_true(trf_has_field(trace, trf_state(trace, "1", "call", 0).id, "entry"));
    weft_trace_close(trace);
}

static void calls_name_the_operation_they_are_part_of(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read(trf_collectives);
    const struct weft_schema *schema = weft_trace_schema(trace);
    const struct weft_source *source = weft_trace_source(trace);
    assert_int_equal(support_problems(trace, "incomplete-collective", NULL), 0);
    struct weft_event events[4];
    for (int p = 0; p < 4; p++) {
        char number[2] = { (char)('0' + p), 0 };
        struct weft_state call = trf_state(trace, number, "call", 1);
        uint64_t id =
            trf_field(trace, call.id, WEFT_ROLE_OPERATION, WEFT_FIELD_ENTITY).entity;
        assert_true(source->ops->event(source, id, &events[p]));
        assert_int_equal(
            trf_field(trace, call.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
            p < 2 ? 64 : 4);
    }
    assert_true(events[0].id == events[1].id && events[2].id == events[3].id);
    assert_true(events[0].id != events[2].id);
    assert_int_equal(events[0].time, INT64_C(7000000000)); /* 1 was first */
    assert_int_equal(schema->values[events[0].value].role, WEFT_ROLE_ONE_TO_ALL);
    assert_int_equal(schema->values[events[2].value].role, WEFT_ROLE_ALL_TO_ALL);
    assert_int_equal(
        trf_field(trace, events[0].id, WEFT_ROLE_ROOT, WEFT_FIELD_INTEGER).integer, 0);
    uint32_t group = schema->tracks[weft_entity_track(events[0].id)].container;
    assert_string_equal(
        schema->strings
            [weft_container_fact(schema, group, WEFT_ROLE_MEMBERS, WEFT_FIELD_TEXT)->index],
        "1,0");
    weft_trace_close(trace);
}

/* The work of the outer task is known after two others began inside of it. */
static void tasks_have_work(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 3 1 0 0 0\n"
                                        "-3 0 2 0 0 2 2 11 12\n"
                                        "-4 0 3 0 0 1 2 50\n"
                                        "-3 0 4 0 0 0\n"
                                        "-4 0 5 0 0 0\n"
                                        "-4 3 6 0 0 2 2 1000 7\n");
    static const struct {
        int64_t begin, end, number, work;
        bool has_work;
    } expected[] = { { 1, 6, 3, 1000, true },
                     { 2, 3, 0, 50, true },
                     { 4, 5, 0, 0, false } };
    for (uint64_t i = 0; i < 3; i++) {
        struct weft_state task = trf_state(trace, "0", "task", i);
        assert_int_equal(task.begin, expected[i].begin * INT64_C(1000000000));
        assert_int_equal(task.end, expected[i].end * INT64_C(1000000000));
        assert_int_equal(
            trf_field(trace, task.id, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER).integer,
            expected[i].number);
        assert_int_equal(trf_has_field(trace, task.id, "work"), expected[i].has_work);
        if (expected[i].has_work)
            assert_true(trf_field(trace, task.id, WEFT_ROLE_WORK, WEFT_FIELD_REAL).real
                        == (double)expected[i].work);
    }
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    weft_trace_close(trace);
}

static void other_records_are_events(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 -901 0 0 0 0\n"
                                        "-2 4 1 0 0 2 2 8 9\n"
                                        "-5 4 1 0 0 5 1 solve\n"
                                        "-7 1 2 0 0 11 1 hello there\n"
                                        "-6 2 3 0 0 3 \"integer\" 1 5 6\n"
                                        "-2 -904 3 0 0 3 2 4 4 0\n"
                                        "-3 -955 4 0 0 1 2 3\n"
                                        "-4 -955 5 0 0 0\n"
                                        "-4 -901 6 0 0 0\n");
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_int_equal(schema->n_problems, 0);
    assert_int_equal(schema->n_events, 9);
    char *dump = support_dump(trace);
    static const char *const lines[] = {
        "Event, 0, mark, 1, mark 4\n",
        "Event, 0, label, 1, label 4\n",
        "Event, 0, note, 2, note 1\n",
        "Event, 0, data, 3, data 2\n",
        "Event, 0, record, 3, tracelevel\n",
        "Event, 0, record, 4, begin of key -955\n",
        "Event, 0, record, 5, end of key -955\n",
        "Event, 0, record, 6, end of tracing\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(dump, lines[i]));
    free(dump);
    weft_trace_close(trace);
}

/* Values are counted by what the record announces, whatever the word of their type is. */
static void counts_decide_what_values_are(void **unused)
{
    (void)unused;
    trf_assert_same(trf_one_message, "-3 -901 0 0 0 0\n"
                                     "-3 -901 0 1 0 0\n"
                                     "-3 -52 0.0000005 1 0 3 2 5 0 0\n"
                                     "-3 -21 0.000001 0 0 4 \"%d %d %d %d\" 8 5 1 0\n"
                                     "-4 -21 0.000002 0 0 0\n"
                                     "-4 -52 0.000004 1 0 3 8 5 0\n" /* without the word */
                                     "-4 -901 0.000005 0 0 0\n"
                                     "-4 -901 0.000005 1 0 0\n");
}

static void the_host_is_left_out(void **unused)
{
    (void)unused;
    struct weft_trace *trace =
        trf_read("-3 -21 1 32767 0 3 2 8 5 1\n-4 -21 1 32767 0 0\n"
                 "-3 -51 2 1 0 2 2 5 32767\n-4 -51 2 1 0 3 2 8 5 32767\n"
                 "-3 -21 3 1 0 3 2 8 5 32767\n-4 -21 3 1 0 0\n");
    assert_int_equal(weft_trace_schema(trace)->n_links, 0);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_states, 2);
    weft_trace_close(trace);
}

static void times_keep_their_digits(void **unused)
{
    (void)unused;
    char *dump = trf_dump("-3 0 1.000000000001 0 0 0\n-4 0 1.0000000000025 0 0 0\n");
    assert_non_null(strstr(dump, "1.000000000001, 1.0000000000025"));
    free(dump);
    dump = trf_dump("-3 0 1763750000.123456789 0 0 0\n-4 0 1763750000.987654321 0 0 0\n");
    assert_non_null(strstr(dump, "1763750000.123456789, 1763750000.987654321"));
    free(dump);
}

/* ---- Orders ---- */

static void sorting_gives_the_same_trace(void **unused)
{
    (void)unused;
    static const char by_node[] = "-3 -901 0 0 0 0\n"
                                  "-3 -21 0.000001 0 0 3 2 8 5 1\n"
                                  "-4 -21 0.000002 0 0 0\n"
                                  "-4 -901 0.000005 0 0 0\n"
                                  "-3 -901 0 1 0 0\n"
                                  "-3 -52 0.0000005 1 0 2 2 5 0\n"
                                  "-4 -52 0.000004 1 0 3 2 8 5 0\n"
                                  "-4 -901 0.000005 1 0 0\n";
    static const char shuffled[] = "-3 -901 0 1 0 0\n"
                                   "-4 -21 0.000002 0 0 0\n"
                                   "-3 -901 0 0 0 0\n"
                                   "-4 -52 0.000004 1 0 3 2 8 5 0\n"
                                   "-3 -52 0.0000005 1 0 2 2 5 0\n"
                                   "-3 -21 0.000001 0 0 3 2 8 5 1\n"
                                   "-4 -901 0.000005 1 0 0\n"
                                   "-4 -901 0.000005 0 0 0\n";
    trf_assert_same(trf_one_message, by_node);
    trf_assert_same(trf_one_message, shuffled);
    struct weft_trace *trace = trf_read(shuffled);
    uint64_t line;
    assert_int_equal(support_problems(trace, "not-sorted", &line), 3);
    assert_int_equal(line, 3);
    weft_trace_close(trace);
}

/* The second trace is behind the first; each has its own message. */
static void concatenated_traces_follow_one_another(void **unused)
{
    (void)unused;
    char *twice = weft_asprintf("%s%s", trf_one_message, trf_one_message);
    struct weft_trace *trace = trf_read(twice);
    uint64_t line;
    assert_int_equal(support_problems(trace, "concatenated", &line), 1);
    assert_int_equal(line, 9);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 1);
    assert_int_equal(trf_link(trace, 0).begin, 1000);
    assert_int_equal(trf_link(trace, 1).begin, 5000 + 1000);
    assert_int_equal(weft_trace_schema(trace)->span.end, 10000);
    weft_trace_close(trace);
    free(twice);
}

/* ---- Faults ---- */

static const struct {
    const char *kind;
    uint64_t line, count;
    const char *text; /* behind "-3 0 0 0 0 0\n-4 0 0 0 0 0\n", which are lines 1 and 2 */
} faults[] = {
    { "bad-record", 3, 1, "-3 1 2 0\n-3 1 2 0 0 0\n-4 1 2 0 0 0\n" },
    { "bad-record", 3, 1, "-3 -21 2 0 0 3 2 5\n\n" },
    { "bad-number", 3, 1, "-3 1x 2 0 0 0\n" },
    { "bad-number", 3, 1, "-3 1 2 0 0 -1\n" },
    { "bad-time", 3, 1, "-3 1 two 0 0 0\n" },
    { "rounded-time", 3, 1, "-2 1 0.12345678901234567 0 0 0\n" },
    { "too-many-words", 3, 1, "-2 1 2 0 0 1 2 5 6\n" },
    { "unknown-record", 3, 1, "-77 1 2 0 0 0\n" },
    { "bad-node", 3, 1, "-3 1 2 -1 0 0\n" },
    { "bad-values", 3, 1, "-3 -402 2 0 0 0\n-4 -402 3 0 0 0\n" },
    { "cut-short", 4, 1, "-3 1 2 0 0 0\n-4 1 3 0 0 1 2" },
    { "unfinished-line", 4, 1, "-3 1 2 0 0 0\n-4 1 3 0 0 1 2 17" },
    { "exit-without-entry", 3, 1, "-4 1 2 0 0 0\n" },
    { "badly-nested", 5, 1, "-3 1 2 0 0 0\n-3 2 3 0 0 0\n-4 1 4 0 0 0\n-4 2 5 0 0 0\n" },
    { "exit-without-entry", 6, 1,
      "-3 1 2 0 0 0\n-3 2 3 0 0 0\n-4 1 4 0 0 0\n-4 2 5 0 0 0\n" },
    { "never-left", 3, 1, "-3 1 2 0 0 0\n" },
    { "never-left", 3, 1, "-3 -901 2 0 0 0\n" },
    { "unmatched-send", 3, 1, "-3 -21 2 0 0 3 2 5 1 1\n-4 -21 2 0 0 0\n" },
    { "unmatched-receive", 4, 1, "-3 -52 2 0 0 2 2 1 1\n-4 -52 2 0 0 3 2 5 1 1\n" },
    { "tachyon", 6, 1,
      "-3 -21 5 0 0 3 2 5 1 1\n-4 -21 5 0 0 0\n-3 -52 2 1 0 2 2 1 0\n"
      "-4 -52 3 1 0 3 2 5 1 0\n" },
    { "unknown-request", 4, 1, "-3 -31 2 0 0 1 2 4\n-4 -31 2 0 0 0\n" },
    { "unknown-group", 3, 1, "-3 -402 2 0 0 1 2 9\n-4 -402 3 0 0 0\n" },
    { "incomplete-collective", 4, 1,
      "-2 0 2 1 0 0\n-3 -402 2 0 0 1 2 -1\n-4 -402 3 0 0 0\n" },
};

static void each_fault_is_a_problem_at_its_line(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char *text = weft_asprintf("-3 0 0 0 0 0\n-4 0 0 0 0 0\n%s", faults[i].text);
        struct weft_trace *trace = trf_read(text);
        uint64_t line = 0, n = support_problems(trace, faults[i].kind, &line);
        if (n != faults[i].count || line != faults[i].line)
            print_message("%s: %" PRIu64 " at line %" PRIu64 "\n%s", faults[i].kind, n,
                          line, text);
        assert_int_equal(n, faults[i].count);
        assert_int_equal(line, faults[i].line);
        weft_trace_close(trace);
        free(text);
    }
}

/* The second trace begins with node 0 at 3 s, but its node 1 is earlier: time does not go back. */
static void concatenated_traces_never_go_back(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 1 5 0 0 0\n-4 1 6 0 0 0\n"
                                        "-3 1 5 1 0 0\n-4 1 6 1 0 0\n"
                                        "-3 1 3 0 0 0\n-4 1 4 0 0 0\n"
                                        "-3 1 1 1 0 0\n-4 1 2 1 0 0\n");
    struct weft_state first = trf_state(trace, "1", "task", 0);
    struct weft_state second = trf_state(trace, "1", "task", 1);
    assert_true(second.begin >= first.end);
    assert_int_equal(second.end - second.begin, INT64_C(1000000000));
    weft_trace_close(trace);
}

static void half_messages_say_who_was_meant(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 -21 2 0 0 3 2 5 1 9\n-4 -21 2 0 0 0\n");
    struct weft_link link = trf_link(trace, 0);
    assert_int_equal(link.to, WEFT_NONE);
    assert_true(trf_has_field(trace, link.id, "peer"));
    weft_trace_close(trace);
}

/* Node 1 lives: a message to it that it never receives is on its way to the end, at 7 s. */
static void what_nobody_receives_stays_on_its_way(void **unused)
{
    (void)unused;
    struct weft_trace *trace = trf_read("-3 -21 2 0 0 3 2 5 1 1\n-4 -21 2 0 0 0\n"
                                        "-2 0 3 1 0 0\n-2 0 7 0 0 0\n");
    struct weft_link link = trf_link(trace, 0);
    const struct weft_schema *schema = weft_trace_source(trace)->schema;
    assert_int_equal(link.flags, WEFT_END_IMPLIED);
    assert_int_not_equal(link.to, WEFT_NONE);
    assert_int_not_equal(link.to, link.from);
    assert_int_equal(link.end, schema->span.end);
    assert_true(link.end > link.begin);
    weft_trace_close(trace);
}

/* ---- Old traces ---- */

/* Both ways of writing them; 0 sends to 1, which waits, and to all, which two receive. */
static void old_traces_are_read(void **unused)
{
    (void)unused;
    static const char compact[] = "1 0 0 0 1 1 1\n"
                                  "2 0 5 0\n"
                                  "7 0 10 1 3\n"
                                  "4 0 20 0 1 3 100\n"
                                  "8 0 30 1 0 3 100\n"
                                  "4 0 40 0 -1 4 50\n"
                                  "6 0 50 1 0 4 50\n"
                                  "6 0 60 2 0 4 50\n"
                                  "20 1 0 2 5 0 0\n"
                                  "21 1 500000 2 5 0 0\n"
                                  "15 2 0 2 8\n";
    static const char verbose[] =
        "trace_start clock 0 0 node 0 event 1 compstats 1 commstats 1\n"
        "open clock 0 5 node 0\n"
        "recv_blocking clock 0 10 node 1 type 3\n"
        "send clock 0 20 node 0 to 1 type 3 lth 100\n"
        "recv_waking clock 0 30 node 1 from 0 type 3 lth 100\n"
        "send clock 0 40 node 0 to -1 type 4 lth 50\n"
        "recv clock 0 50 node 1 from 0 type 4 lth 50\n"
        "recv clock 0 60 node 2 from 0 type 4 lth 50\n"
        "block_begin clock 1 0 node 2 block_type 5 location_type 0 "
        "parameter_type 0\n"
        "block_end clock 1 500000 node 2 block_type 5 location_type "
        "0 parameter_type 0\n"
        "trace_mark clock 2 0 node 2 type 8\n";
    struct weft_trace *trace = trf_read(compact);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_links, 3);
    assert_int_equal(trf_link(trace, 0).begin, 20000);
    assert_int_equal(trf_link(trace, 0).end, 30000);
    /* That to all begins once and ends twice. */
    assert_int_equal(trf_link(trace, 1).begin, 40000);
    assert_int_equal(trf_link(trace, 2).begin, 40000);
    assert_int_equal(trf_link(trace, 1).end + trf_link(trace, 2).end, 50000 + 60000);
    struct weft_state wait = trf_state(trace, "1", "call", 0);
    assert_int_equal(wait.end - wait.begin, 20000);
    struct weft_state task = trf_state(trace, "2", "task", 0);
    assert_int_equal(task.end - task.begin, 500000000);
    weft_trace_close(trace);
    trf_assert_same(compact, verbose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_a_link_between_two_calls),
        cmocka_unit_test(requests_carry_messages),
        cmocka_unit_test(calls_name_the_operation_they_are_part_of),
        cmocka_unit_test(tasks_have_work),
        cmocka_unit_test(other_records_are_events),
        cmocka_unit_test(counts_decide_what_values_are),
        cmocka_unit_test(the_host_is_left_out),
        cmocka_unit_test(times_keep_their_digits),
        cmocka_unit_test(sorting_gives_the_same_trace),
        cmocka_unit_test(concatenated_traces_follow_one_another),
        cmocka_unit_test(concatenated_traces_never_go_back),
        cmocka_unit_test(each_fault_is_a_problem_at_its_line),
        cmocka_unit_test(half_messages_say_who_was_meant),
        cmocka_unit_test(what_nobody_receives_stays_on_its_way),
        cmocka_unit_test(old_traces_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
