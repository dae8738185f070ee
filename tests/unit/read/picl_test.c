/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PICL traces, good and bad: what becomes of each record, each fault one problem at its line,
 * and written again the same.  What is expected was worked out by hand from the records.
 */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/picl.h"

static struct weft_trace *read_text(const char *text)
{
    char *trace = weft_strdup(support_path("trace.trf")),
         *store = weft_strdup(support_path("store"));
    struct weft_err err = { 0 };
    support_write(trace, text, strlen(text));
    struct weft_trace *read = NULL;
    if (weft_import(trace, NULL, store, NULL, &err))
        read = weft_trace_open(store, &err);
    if (!read)
        print_message("%s\n", err.message);
    assert_non_null(read);
    assert_string_equal(weft_trace_schema(read)->format, "picl");
    free(trace);
    free(store);
    return read;
}

static char *dump_of(const char *text)
{
    struct weft_trace *trace = read_text(text);
    char *dump = support_dump(trace);
    weft_trace_close(trace);
    return dump;
}

static void assert_same_trace(const char *a, const char *b)
{
    char *x = dump_of(a), *y = dump_of(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

/* The field of an entity with a role; fails when it has none. */
static struct weft_field_value field_of(const struct weft_trace *trace, uint64_t id,
                                        enum weft_role role, enum weft_field_kind kind)
{
    struct weft_field_value fields[16];
    const struct weft_source *source = weft_trace_source(trace);
    size_t n = source->ops->fields(source, id, fields, 16);
    const struct weft_field_value *found =
        weft_field_with_role(source->schema, fields, n, role, kind);
    assert_non_null(found);
    return *found;
}

static bool has_field(const struct weft_trace *trace, uint64_t id, const char *name)
{
    struct weft_field_value fields[16];
    const struct weft_source *source = weft_trace_source(trace);
    size_t n = source->ops->fields(source, id, fields, 16);
    for (size_t i = 0; i < n; i++)
        if (strcmp(source->schema->fields[fields[i].field].name, name) == 0)
            return true;
    return false;
}

static uint32_t track_of(const struct weft_trace *trace, const char *container,
                         const char *type)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (strcmp(schema->containers[schema->tracks[t].container].name, container) == 0
            && strcmp(schema->types[schema->tracks[t].type].name, type) == 0)
            return t;
    return WEFT_NONE;
}

static struct weft_state state_at(const struct weft_trace *trace, const char *container,
                                  const char *type, uint64_t ordinal)
{
    struct weft_state state;
    const struct weft_source *source = weft_trace_source(trace);
    uint32_t track = track_of(trace, container, type);
    assert_int_not_equal(track, WEFT_NONE);
    assert_true(source->ops->state(source, weft_entity_id(track, ordinal), &state));
    return state;
}

static enum weft_role role_of(const struct weft_trace *trace,
                              const struct weft_state *state)
{
    return weft_trace_schema(trace)->values[state->value].role;
}

static struct weft_link link_at(const struct weft_trace *trace, uint64_t ordinal)
{
    struct weft_link link;
    const struct weft_source *source = weft_trace_source(trace);
    uint32_t track = track_of(trace, "0", "message");
    assert_int_not_equal(track, WEFT_NONE);
    assert_true(source->ops->link(source, weft_entity_id(track, ordinal), &link));
    return link;
}

static const char *name_of(const struct weft_trace *trace, uint32_t container)
{
    return weft_trace_schema(trace)->containers[container].name;
}

/* ---- What becomes of good records ---- */

/* 0 sends 8 bytes with tag 5 to 1, from 1 us to 2 us; 1 waits for them from 0.5 us to 4 us. */
static const char one_message[] = "-3 -901 0 0 0 0\n"
                                  "-3 -901 0 1 0 0\n"
                                  "-3 -52 0.0000005 1 0 2 2 5 0\n"
                                  "-3 -21 0.000001 0 0 3 2 8 5 1\n"
                                  "-4 -21 0.000002 0 0 0\n"
                                  "-4 -52 0.000004 1 0 3 2 8 5 0\n"
                                  "-4 -901 0.000005 0 0 0\n"
                                  "-4 -901 0.000005 1 0 0\n";

static void a_message_is_a_link_between_two_calls(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text(one_message);
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_int_equal(schema->n_problems, 0);
    assert_int_equal(schema->n_records, 8);
    assert_int_equal(schema->n_states, 2);
    assert_int_equal(schema->n_links, 1);
    assert_int_equal(schema->span.end, 5000); /* nanoseconds */
    struct weft_state send = state_at(trace, "0", "call", 0);
    struct weft_state receive = state_at(trace, "1", "call", 0);
    assert_int_equal(send.begin, 1000);
    assert_int_equal(send.end, 2000);
    assert_int_equal(receive.begin, 500);
    assert_int_equal(receive.end, 4000);
    assert_true(weft_role_is(role_of(trace, &send), WEFT_ROLE_OVERHEAD));
    assert_true(weft_role_is(role_of(trace, &receive), WEFT_ROLE_IDLE));
    struct weft_link link = link_at(trace, 0);
    assert_int_equal(link.begin, 1000);
    assert_int_equal(link.end, 4000);
    assert_string_equal(name_of(trace, link.from), "0");
    assert_string_equal(name_of(trace, link.to), "1");
    assert_true(link.from_entity == send.id && link.to_entity == receive.id);
    assert_int_equal(field_of(trace, link.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
                     8);
    assert_int_equal(field_of(trace, link.id, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER).integer,
                     5);
    uint32_t world =
        field_of(trace, link.id, WEFT_ROLE_COMMUNICATOR_OF, WEFT_FIELD_CONTAINER).index;
    assert_string_equal(name_of(trace, world), "world");
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
    struct weft_trace *trace = read_text("-3 -57 1 1 0 2 2 -1 -1\n"
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
    struct weft_link link = link_at(trace, 0);
    assert_int_equal(link.begin, INT64_C(4000000000));
    assert_int_equal(link.end, INT64_C(9000000000));
    assert_true(link.from_entity == state_at(trace, "0", "call", 0).id);
    assert_true(link.to_entity == state_at(trace, "1", "call", 2).id);
    struct weft_state test = state_at(trace, "1", "call", 1);
    assert_int_equal(role_of(trace, &test), WEFT_ROLE_TESTING);
    assert_true(has_field(trace, test.id, "request"));
    assert_true(has_field(trace, state_at(trace, "1", "call", 0).id, "entry"));
    weft_trace_close(trace);
}

/* Sends of one source, destination and tag are received in order; another tag overtakes. */
static void messages_match_in_order(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text("-3 -21 1 0 0 3 2 10 1 1\n-4 -21 1 0 0 0\n"
                                         "-3 -21 2 0 0 3 2 20 1 1\n-4 -21 2 0 0 0\n"
                                         "-3 -21 3 0 0 3 2 30 2 1\n-4 -21 3 0 0 0\n"
                                         "-3 -51 4 1 0 2 2 2 0\n-4 -51 4 1 0 3 2 30 2 0\n"
                                         "-3 -51 5 1 0 2 2 1 0\n-4 -51 5 1 0 3 2 10 1 0\n"
                                         "-3 -51 6 1 0 2 2 1 0\n-4 -51 6 1 0 3 2 20 1 0\n");
    const int64_t ends[] = { 5, 6, 4 };
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(link_at(trace, i).end, ends[i] * INT64_C(1000000000));
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    weft_trace_close(trace);
}

/* The ends of the links in order of their begins, in seconds, and the bytes. */
static void assert_links(const char *text, const int64_t ends[], const int64_t bytes[],
                         uint64_t n)
{
    struct weft_trace *trace = read_text(text);
    assert_int_equal(weft_trace_schema(trace)->n_links, n);
    for (uint64_t i = 0; i < n; i++) {
        struct weft_link link = link_at(trace, i);
        assert_int_equal(link.end, ends[i] * INT64_C(1000000000));
        assert_int_equal(
            field_of(trace, link.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
            bytes[i]);
    }
    weft_trace_close(trace);
}

/* The receiver's first request is for the first message, though the second is waited for first. */
static void receives_match_in_the_order_of_posting(void **unused)
{
    (void)unused;
    static const char sends[] = "-3 -27 10 0 0 3 2 200 7 1\n-4 -27 11 0 0 1 2 1\n"
                                "-3 -27 12 0 0 3 2 50 7 1\n-4 -27 13 0 0 1 2 2\n";
    static const char posts[] = "-3 -57 2 1 0 2 2 7 0\n-4 -57 3 1 0 1 2 1\n"
                                "-3 -57 4 1 0 2 2 7 0\n-4 -57 5 1 0 1 2 2\n";
    static const char waits[] = "-3 -61 20 1 0 1 2 2\n-4 -61 25 1 0 3 2 50 7 0\n"
                                "-3 -58 28 1 0 1 2 1\n-4 -58 29 1 0 0\n"
                                "-3 -60 40 1 0 1 2 1\n-4 -60 42 1 0 3 2 200 7 0\n";
    char *by_time = weft_asprintf("%s%s%s", posts, sends, waits);
    char *sender_first = weft_asprintf("%s%s%s", sends, posts, waits);
    char *receiver_first = weft_asprintf("%s%s%s", posts, waits, sends);
    const int64_t ends[] = { 42, 25 }, bytes[] = { 200, 50 };
    assert_links(by_time, ends, bytes, 2);
    assert_links(sender_first, ends, bytes, 2);
    assert_links(receiver_first, ends, bytes, 2);
    free(by_time);
    free(sender_first);
    free(receiver_first);
}

/*
 * What was posted first, and asks for anything of 0, gets the first message; the blocking receive
 * behind it, which is complete first, the second.  One that never completes stands before none,
 * nor does one whose number is given again.
 */
static void open_receives_stand_before_those_behind_them(void **unused)
{
    (void)unused;
    static const char waited[] = "-3 -57 1 1 0 2 2 -1 0\n-4 -57 2 1 0 1 2 1\n"
                                 "-3 -21 3 0 0 3 2 10 7 1\n-4 -21 3 0 0 0\n"
                                 "-3 -21 4 0 0 3 2 20 7 1\n-4 -21 4 0 0 0\n"
                                 "-3 -52 5 1 0 2 2 7 0\n-4 -52 6 1 0 3 2 20 7 0\n"
                                 "-3 -61 7 1 0 1 2 1\n-4 -61 8 1 0 3 2 10 7 0\n";
    const int64_t waited_ends[] = { 8, 6 }, bytes[] = { 10, 20 };
    assert_links(waited, waited_ends, bytes, 2);
    static const char never[] = "-3 -57 1 1 0 2 2 -1 0\n-4 -57 2 1 0 1 2 1\n"
                                "-3 -57 3 1 0 2 2 7 0\n-4 -57 4 1 0 1 2 2\n"
                                "-3 -57 5 1 0 2 2 -1 -1\n-4 -57 6 1 0 1 2 2\n"
                                "-3 -21 7 0 0 3 2 10 7 1\n-4 -21 7 0 0 0\n"
                                "-3 -21 8 0 0 3 2 20 7 1\n-4 -21 8 0 0 0\n"
                                "-3 -52 9 1 0 2 2 7 0\n-4 -52 10 1 0 3 2 10 7 0\n"
                                "-3 -52 11 1 0 2 2 7 0\n-4 -52 12 1 0 3 2 20 7 0\n";
    const int64_t never_ends[] = { 10, 12 };
    assert_links(never, never_ends, bytes, 2);
}

/*
 * A barrier of all, a broadcast of 0 to {1, 0}, which was split from all, and a sum of {2, 3},
 * which has the same number for them.
 */
static const char collectives[] = "-3 -402 1 0 0 1 2 -1\n-3 -402 2 1 0 1 2 -1\n"
                                  "-3 -402 3 2 0 1 2 -1\n-3 -402 4 3 0 1 2 -1\n"
                                  "-4 -402 5 0 0 0\n-4 -402 5 1 0 0\n"
                                  "-4 -402 5 2 0 0\n-4 -402 5 3 0 0\n"
                                  "-202 -812 6 0 0 3 2 7 1 0\n-202 -812 6 1 0 3 2 7 1 0\n"
                                  "-202 -812 6 2 0 3 2 7 2 3\n-202 -812 6 3 0 3 2 7 2 3\n"
                                  "-3 -785 8 0 0 3 2 64 0 7\n-3 -785 7 1 0 3 2 64 0 7\n"
                                  "-3 -782 8 2 0 2 2 4 7\n-3 -782 8 3 0 2 2 4 7\n"
                                  "-4 -785 9 0 0 1 2 64\n-4 -785 9 1 0 1 2 64\n"
                                  "-4 -782 9 2 0 1 2 4\n-4 -782 9 3 0 1 2 4\n";

static void calls_name_the_operation_they_are_part_of(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text(collectives);
    const struct weft_schema *schema = weft_trace_schema(trace);
    const struct weft_source *source = weft_trace_source(trace);
    assert_int_equal(support_problems(trace, "incomplete-collective", NULL), 0);
    struct weft_event events[4];
    for (int p = 0; p < 4; p++) {
        char number[2] = { (char)('0' + p), 0 };
        struct weft_state call = state_at(trace, number, "call", 1);
        uint64_t id =
            field_of(trace, call.id, WEFT_ROLE_OPERATION, WEFT_FIELD_ENTITY).entity;
        assert_true(source->ops->event(source, id, &events[p]));
        assert_int_equal(
            field_of(trace, call.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
            p < 2 ? 64 : 4);
    }
    assert_true(events[0].id == events[1].id && events[2].id == events[3].id);
    assert_true(events[0].id != events[2].id);
    assert_int_equal(events[0].time, INT64_C(7000000000)); /* 1 was first */
    assert_int_equal(schema->values[events[0].value].role, WEFT_ROLE_ONE_TO_ALL);
    assert_int_equal(schema->values[events[2].value].role, WEFT_ROLE_ALL_TO_ALL);
    assert_int_equal(
        field_of(trace, events[0].id, WEFT_ROLE_ROOT, WEFT_FIELD_INTEGER).integer, 0);
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
    struct weft_trace *trace = read_text("-3 3 1 0 0 0\n"
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
        struct weft_state task = state_at(trace, "0", "task", i);
        assert_int_equal(task.begin, expected[i].begin * INT64_C(1000000000));
        assert_int_equal(task.end, expected[i].end * INT64_C(1000000000));
        assert_int_equal(
            field_of(trace, task.id, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER).integer,
            expected[i].number);
        assert_int_equal(has_field(trace, task.id, "work"), expected[i].has_work);
        if (expected[i].has_work)
            assert_true(field_of(trace, task.id, WEFT_ROLE_WORK, WEFT_FIELD_REAL).real
                        == (double)expected[i].work);
    }
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    weft_trace_close(trace);
}

static void other_records_are_events(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text("-3 -901 0 0 0 0\n"
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
    assert_same_trace(one_message, "-3 -901 0 0 0 0\n"
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
        read_text("-3 -21 1 32767 0 3 2 8 5 1\n-4 -21 1 32767 0 0\n"
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
    char *dump = dump_of("-3 0 1.000000000001 0 0 0\n-4 0 1.0000000000025 0 0 0\n");
    assert_non_null(strstr(dump, "1.000000000001, 1.0000000000025"));
    free(dump);
    dump = dump_of("-3 0 1763750000.123456789 0 0 0\n-4 0 1763750000.987654321 0 0 0\n");
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
    assert_same_trace(one_message, by_node);
    assert_same_trace(one_message, shuffled);
    struct weft_trace *trace = read_text(shuffled);
    uint64_t line;
    assert_int_equal(support_problems(trace, "not-sorted", &line), 3);
    assert_int_equal(line, 3);
    weft_trace_close(trace);
}

/* The second trace is behind the first; each has its own message. */
static void concatenated_traces_follow_one_another(void **unused)
{
    (void)unused;
    char *twice = weft_asprintf("%s%s", one_message, one_message);
    struct weft_trace *trace = read_text(twice);
    uint64_t line;
    assert_int_equal(support_problems(trace, "concatenated", &line), 1);
    assert_int_equal(line, 9);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 1);
    assert_int_equal(link_at(trace, 0).begin, 1000);
    assert_int_equal(link_at(trace, 1).begin, 5000 + 1000);
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
        struct weft_trace *trace = read_text(text);
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
    struct weft_trace *trace = read_text("-3 1 5 0 0 0\n-4 1 6 0 0 0\n"
                                         "-3 1 5 1 0 0\n-4 1 6 1 0 0\n"
                                         "-3 1 3 0 0 0\n-4 1 4 0 0 0\n"
                                         "-3 1 1 1 0 0\n-4 1 2 1 0 0\n");
    struct weft_state first = state_at(trace, "1", "task", 0);
    struct weft_state second = state_at(trace, "1", "task", 1);
    assert_true(second.begin >= first.end);
    assert_int_equal(second.end - second.begin, INT64_C(1000000000));
    weft_trace_close(trace);
}

static void half_messages_say_who_was_meant(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text("-3 -21 2 0 0 3 2 5 1 9\n-4 -21 2 0 0 0\n");
    struct weft_link link = link_at(trace, 0);
    assert_int_equal(link.to, WEFT_NONE);
    assert_true(has_field(trace, link.id, "peer"));
    weft_trace_close(trace);
}

/* Node 1 lives: a message to it that it never receives is on its way to the end, at 7 s. */
static void what_nobody_receives_stays_on_its_way(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text("-3 -21 2 0 0 3 2 5 1 1\n-4 -21 2 0 0 0\n"
                                         "-2 0 3 1 0 0\n-2 0 7 0 0 0\n");
    struct weft_link link = link_at(trace, 0);
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
    struct weft_trace *trace = read_text(compact);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_links, 3);
    assert_int_equal(link_at(trace, 0).begin, 20000);
    assert_int_equal(link_at(trace, 0).end, 30000);
    /* That to all begins once and ends twice. */
    assert_int_equal(link_at(trace, 1).begin, 40000);
    assert_int_equal(link_at(trace, 2).begin, 40000);
    assert_int_equal(link_at(trace, 1).end + link_at(trace, 2).end, 50000 + 60000);
    struct weft_state wait = state_at(trace, "1", "call", 0);
    assert_int_equal(wait.end - wait.begin, 20000);
    struct weft_state task = state_at(trace, "2", "task", 0);
    assert_int_equal(task.end - task.begin, 500000000);
    weft_trace_close(trace);
    assert_same_trace(compact, verbose);
}

/* ---- Writing ---- */

static char *written(const struct weft_trace *trace, enum weft_picl_order order)
{
    char *text = NULL;
    size_t size;
    struct weft_err err = { 0 };
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    struct weft_picl_losses losses;
    char said[WEFT_PICL_LOSSES_TEXT];
    assert_true(
        weft_write_picl(weft_trace_source(trace), stream, order, &losses, NULL, &err));
    assert_string_equal(weft_picl_losses_text(&losses, said), ""); /* it was PICL */
    fclose(stream);
    return text;
}

static void assert_written_twice_is_the_same(const char *text)
{
    for (int order = WEFT_PICL_BY_TIME; order <= WEFT_PICL_BY_NODE; order++) {
        struct weft_trace *trace = read_text(text);
        char *once = written(trace, (enum weft_picl_order)order);
        weft_trace_close(trace);
        trace = read_text(once);
        char *twice = written(trace, (enum weft_picl_order)order);
        assert_string_equal(once, twice);
        weft_trace_close(trace);
        free(once);
        free(twice);
    }
}

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
                                "-4 -901 11 0 0 0\n";

static void every_record_comes_back(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text(canonical);
    char *text = written(trace, WEFT_PICL_BY_TIME);
    assert_string_equal(text, canonical);
    free(text);
    weft_trace_close(trace);
    assert_written_twice_is_the_same(canonical);
    assert_written_twice_is_the_same(one_message);
    assert_written_twice_is_the_same(collectives);
}

/* ---- Matching, against a slow second way ---- */

struct random_message {
    int source, destination, tag;
    int64_t sent, received;
};

static uint64_t next_random(uint64_t *state) /* xorshift64*, Vigna 2016 */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static int by_time(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MESSAGES = 300, PROCESSORS = 5 };

/*
 * Messages of a channel are received in the order in which they are sent; each record has a time
 * of its own, which is also how the lines sort.
 */
static char *random_trace(uint64_t seed, struct random_message *messages)
{
    char *lines[4 * MESSAGES];
    int64_t times[2 * MESSAGES];
    for (int i = 0; i < 2 * MESSAGES; i++)
        times[i] = i;
    for (int i = 0; i < MESSAGES; i++) {
        struct random_message *m = &messages[i];
        *m = (struct random_message){ .source = (int)(next_random(&seed) % PROCESSORS),
                                      .destination = (int)(next_random(&seed) % PROCESSORS),
                                      .tag = (int)(next_random(&seed) % 3),
                                      .sent = times[i] };
        /* A window of 20 sends: received then, and never before one of its channel. */
        m->received = 2 * MESSAGES + i * 10 + (int64_t)(next_random(&seed) % 200) * 10;
        for (int j = 0; j < i; j++)
            if (messages[j].source == m->source && messages[j].destination == m->destination
                && messages[j].tag == m->tag && messages[j].received >= m->received)
                m->received = messages[j].received + 10;
        for (bool again = true; again;) {
            again = false;
            for (int j = 0; j < i; j++)
                if (messages[j].received == m->received) {
                    m->received++;
                    again = true;
                }
        }
        lines[4 * i] = weft_asprintf("-3 -21 0.%09" PRId64 " %d 0 3 2 %d %d %d", m->sent,
                                     m->source, i, m->tag, m->destination);
        lines[4 * i + 1] =
            weft_asprintf("-4 -21 0.%09" PRId64 " %d 0 0", m->sent, m->source);
        lines[4 * i + 2] = weft_asprintf("-3 -51 0.%09" PRId64 " %d 0 2 2 %d %d",
                                         m->received, m->destination, m->tag, m->source);
        lines[4 * i + 3] = weft_asprintf("-4 -51 0.%09" PRId64 " %d 0 3 2 %d %d %d",
                                         m->received, m->destination, i, m->tag, m->source);
    }
    struct weft_arena arena = { 0 };
    char *order[4 * MESSAGES]; /* "TIME NUMBER": sorts as it stands */
    for (int i = 0; i < 4 * MESSAGES; i++)
        order[i] = weft_arena_printf(&arena, "%.11s %06d", strchr(lines[i], '.'), i);
    qsort(order, 4 * MESSAGES, sizeof *order, by_time);
    size_t size = 0;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; i < 4 * MESSAGES; i++)
        fprintf(stream, "%s\n", lines[atoi(strrchr(order[i], ' '))]);
    fclose(stream);
    for (int i = 0; i < 4 * MESSAGES; i++)
        free(lines[i]);
    weft_arena_free(&arena);
    return text;
}

static void random_messages_find_their_ends(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random_message messages[MESSAGES];
        char *text = random_trace(seed * 77, messages);
        struct weft_trace *trace = read_text(text);
        assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
        assert_int_equal(weft_trace_schema(trace)->n_links, MESSAGES);
        for (uint64_t i = 0; i < MESSAGES;
             i++) { /* in order of the sends, as they were made */
            struct weft_link link = link_at(trace, i);
            assert_int_equal(link.begin, messages[i].sent);
            assert_int_equal(link.end, messages[i].received);
            assert_int_equal(
                field_of(trace, link.id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer, i);
        }
        char *by_node = written(trace, WEFT_PICL_BY_NODE);
        weft_trace_close(trace);
        assert_same_trace(text, by_node);
        assert_written_twice_is_the_same(text);
        free(by_node);
        free(text);
    }
}

/* ---- Posting, against a slow second way ---- */

/*
 * One receiver, node 0, as MPI works: a message that is sent goes to the first receive that was
 * posted, is free and asks for it; a receive that is posted takes the first such message that
 * nobody has.  Receives complete in any order.
 */
enum { STEPS = 400, SENDERS = 3, TAGS = 2 };

struct posted {
    int source, tag; /* -1: any */
    int message;     /* or -1 */
    bool complete;
};

struct sent {
    int source, tag, receive; /* receive: or -1 */
    int64_t time, received;
};

struct matching {
    FILE *out;
    struct posted posted[STEPS];
    struct sent sent[STEPS];
    int n_posted, n_sent;
};

static bool asks_for(const struct posted *posted, const struct sent *sent)
{
    return (posted->source < 0 || posted->source == sent->source)
           && (posted->tag < 0 || posted->tag == sent->tag);
}

static void model_send(struct matching *m, uint64_t *seed, int64_t time)
{
    struct sent *sent = &m->sent[m->n_sent];
    *sent = (struct sent){ 1 + (int)(next_random(seed) % SENDERS),
                           (int)(next_random(seed) % TAGS), -1, time, -1 };
    fprintf(m->out, "-3 -21 %" PRId64 " %d 0 3 2 %d %d 0\n-4 -21 %" PRId64 " %d 0 0\n",
            time, sent->source, m->n_sent, sent->tag, time, sent->source);
    for (int i = 0; i < m->n_posted && sent->receive < 0; i++)
        if (m->posted[i].message < 0 && asks_for(&m->posted[i], sent)) {
            sent->receive = i;
            m->posted[i].message = m->n_sent;
        }
    m->n_sent++;
}

static int take_message(struct matching *m, struct posted *posted)
{
    for (int i = 0; i < m->n_sent; i++)
        if (m->sent[i].receive < 0 && asks_for(posted, &m->sent[i])) {
            m->sent[i].receive = m->n_posted;
            return i;
        }
    return -1;
}

static void model_got(struct matching *m, int message, int key, int64_t time)
{
    m->sent[message].received = time;
    fprintf(m->out, "-4 %d %" PRId64 " 0 0 3 2 %d %d %d\n", key, time, message,
            m->sent[message].tag, m->sent[message].source);
}

/* A blocking receive only where a message waits for it. */
static void model_post(struct matching *m, uint64_t *seed, int64_t time)
{
    struct posted *posted = &m->posted[m->n_posted];
    *posted = (struct posted){ .source = (int)(next_random(seed) % (SENDERS + 1)),
                               .tag = (int)(next_random(seed) % (TAGS + 1)) - 1 };
    posted->source = posted->source ? posted->source : -1;
    posted->message = take_message(m, posted);
    bool at_once = posted->message >= 0 && next_random(seed) % 2;
    fprintf(m->out, "-3 %d %" PRId64 " 0 0 2 2 %d %d\n", at_once ? -52 : -57, time,
            posted->tag, posted->source);
    if (at_once)
        model_got(m, posted->message, -52, time + 1);
    else
        fprintf(m->out, "-4 -57 %" PRId64 " 0 0 1 2 %d\n", time + 1, m->n_posted);
    posted->complete = at_once;
    m->n_posted++;
}

static void model_complete(struct matching *m, int posted, int64_t time)
{
    if (m->posted[posted].complete || m->posted[posted].message < 0)
        return;
    m->posted[posted].complete = true;
    fprintf(m->out, "-3 -61 %" PRId64 " 0 0 1 2 %d\n", time, posted);
    model_got(m, m->posted[posted].message, -61, time + 1);
}

static char *run_model(struct matching *m, uint64_t seed)
{
    char *text = NULL;
    size_t size;
    m->out = open_memstream(&text, &size);
    int64_t time = 0;
    for (int step = 0; step < STEPS; step++, time += 2)
        switch (next_random(&seed) % 3) {
        case 0: model_send(m, &seed, time); break;
        case 1: model_post(m, &seed, time); break;
        default:
            if (m->n_posted)
                model_complete(m, (int)(next_random(&seed) % (uint64_t)m->n_posted), time);
        }
    for (int i = m->n_posted; i-- > 0; time += 2)
        model_complete(m, i, time);
    fclose(m->out);
    return text;
}

static void assert_matched(const struct weft_trace *trace, const struct matching *m)
{
    assert_int_equal(weft_trace_schema(trace)->n_links, m->n_sent);
    for (int i = 0; i < m->n_sent; i++) {
        struct weft_link link = link_at(trace, (uint64_t)i);
        assert_int_equal(link.begin, m->sent[i].time * INT64_C(1000000000));
        assert_int_equal(!!(link.flags & WEFT_END_IMPLIED), m->sent[i].received < 0);
        if (m->sent[i].received >= 0)
            assert_int_equal(link.end, m->sent[i].received * INT64_C(1000000000));
    }
}

static void random_receives_get_what_they_were_posted_for(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct matching m = { 0 };
        char *text = run_model(&m, seed * 31);
        struct weft_trace *trace = read_text(text);
        assert_matched(trace, &m);
        char *by_node = written(trace, WEFT_PICL_BY_NODE);
        weft_trace_close(trace);
        trace = read_text(by_node);
        assert_matched(trace, &m);
        weft_trace_close(trace);
        free(by_node);
        free(text);
    }
}

/* What a receive says of its length is its own, though the message has another. */
static const char other_length[] = "-3 -21 1 0 0 3 2 10 7 1\n"
                                   "-4 -21 2 0 0 0\n"
                                   "-3 -52 3 1 0 2 2 7 0\n"
                                   "-4 -52 4 1 0 3 2 8 7 0\n";

static void receives_keep_their_lengths(void **unused)
{
    (void)unused;
    struct weft_trace *trace = read_text(other_length);
    assert_int_equal(
        field_of(trace, link_at(trace, 0).id, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER).integer,
        10);
    char *text = written(trace, WEFT_PICL_BY_TIME);
    assert_string_equal(text, other_length);
    weft_trace_close(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_a_link_between_two_calls),
        cmocka_unit_test(requests_carry_messages),
        cmocka_unit_test(messages_match_in_order),
        cmocka_unit_test(receives_match_in_the_order_of_posting),
        cmocka_unit_test(open_receives_stand_before_those_behind_them),
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
        cmocka_unit_test(every_record_comes_back),
        cmocka_unit_test(random_messages_find_their_ends),
        cmocka_unit_test(random_receives_get_what_they_were_posted_for),
        cmocka_unit_test(receives_keep_their_lengths),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    support_cleanup();
    return failed;
}
