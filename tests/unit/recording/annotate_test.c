/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs say of themselves.  The recordings are described in
 * the tests (synthetic.h).  What is expected is worked out beside each from what the records
 * mean.  Clocks count nanoseconds unless a test says otherwise, so that a record's number is
 * its time.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/recording_to_store.h"

/* Whoever does not record threads does not know when they run; what it says is there. */
static void test_annotations_alone(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 alone\n"
                                               "families 4\n"
                                               "thread 0\n"
                                               "1000 name 1 work\n"
                                               "2000 begin 1\n"
                                               "3000 end\n");
    uint32_t thread = container(&recorded, "Thread", "alone");
    struct found_state found[4];

    (void)state;
    assert_int_equal(track(&recorded, thread, "Thread state"), WEFT_NONE);
    assert_int_equal(states(&recorded, track(&recorded, thread, "Region"), found, 4), 1);
    assert_string_equal(note(&recorded, "recorded"), "annotations");
    forget(&recorded);
}

/*
 * Messages of one name and key are paired in order; the third send finds nobody, and a receive
 * of another key nobody either.
 */
static void test_messages(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 talk\n"
                                               "thread 0\n"
                                               "1000 name 1 halo\n"
                                               "2000 send 1 5 100\n"
                                               "2100 send 1 5 200\n"
                                               "2200 send 1 5 300\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "1900 receive 1 5 100\n"
                                               "2500 receive 1 5 200\n"
                                               "2600 receive 1 6 100\n");
    uint32_t from = container(&recorded, "Thread", "talk");
    uint32_t to = container(&recorded, "Thread", "thread 1");
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Message", "halo", from, to, &link), 2);
    assert_int_equal(count_links(&recorded, "Message", "halo", from, WEFT_NONE, &link), 1);
    assert_int_equal(link.begin, 2200);
    assert_int_equal(link.flags & WEFT_END_IMPLIED, WEFT_END_IMPLIED);
    assert_int_equal(count_links(&recorded, "Message", "halo", WEFT_NONE, to, &link), 1);
    assert_int_equal(link.end, 2600);
    forget(&recorded);
}

/* The parameters of the N-th event of a type that a thread has. */
static const char *parameters_of(const struct recorded *recorded, uint32_t thread,
                                 const char *type, uint64_t n)
{
    struct weft_field_value fields[8];
    struct weft_run run = { 0 };
    const struct weft_field_value *found;
    size_t count;

    recorded->source->ops->run(recorded->source, track(recorded, thread, type), 0, &run);
    assert_true(n < run.n);
    count = recorded->source->ops->fields(recorded->source, run.events[n].id, fields, 8);
    found = weft_field_with_role(recorded->schema, fields, count, WEFT_ROLE_PARAMETERS,
                                 WEFT_FIELD_TEXT);
    assert_non_null(found);
    return recorded->schema->strings[found->index];
}

/*
 * Words are as format/recording_annotate.h says: what it is (1 a label, 2 a note, 3 data) | type
 * << 8 (0 characters, 1 integers, 5 doubles) | 0x10000, more follows | how many << 32; then number
 * << 32 | number of the data.  "solve" is 0x65766c6f73 in memory's order; 1.5 is 0x3ff8...
 */
static void test_values(void **state)
{
    struct recorded recorded =
        synthetic_trace("host alpha boot-a ns\n"
                        "process 7 says\n"
                        "thread 0\n"
                        "1000 values 0 0x200010103 0x500000007 1 2\n"
                        "1000 values 0 0x100000103 0x500000007 0xfffffffffffffffd\n"
                        "1100 values 0 0x200000003 0x500000007 0x0a41\n"
                        "1200 values 0 0x300000503 0x5fffffff9 0x3ff8000000000000 "
                        "0x4000000000000000 0x3fb999999999999a\n"
                        "1300 values 0 0x500000001 0x400000000 0x65766c6f73\n"
                        "1400 values 0 0x200000002 0x400000000 0x0a41\n"
                        "1500 values 0 0x200000100 0x600000000 8 9\n"
                        "1600 values 0 0xff00000103 0x800000000 8\n"
                        "1700 values 0 0x100000109 0x800000000 8\n"
                        "1800 values 0 0x100000903 0x800000000 8\n"
                        "1900 values 0 0x200000303 0x800000000 0x3fb999999999999a "
                        "0x7ff8000000000000\n");
    uint32_t thread = container(&recorded, "Thread", "says");

    (void)state;
    assert_string_equal(parameters_of(&recorded, thread, "Data", 0),
                        "4 \"integer\" 7 1 2 -3");
    assert_string_equal(parameters_of(&recorded, thread, "Data", 1),
                        "3 \"character\" 7 65 10");
    assert_string_equal(parameters_of(&recorded, thread, "Data", 2),
                        "4 \"double\" -7 1.5 2.0 0.1");
    assert_string_equal(parameters_of(&recorded, thread, "Label", 0), "5 1 solve");
    assert_string_equal(parameters_of(&recorded, thread, "Note", 0), "2 1 A ");
    assert_string_equal(parameters_of(&recorded, thread, "Mark", 0), "2 2 8 9");
    assert_int_equal(count_events(&recorded, track(&recorded, thread, "Data"), "data 5"),
                     3);
    /* More values than the record has, and kinds that there are not, are damage. */
    assert_string_equal(parameters_of(&recorded, thread, "Data", 3), "2 \"integer\" 0 8");
    /* Nor is a float one that no float is, or no number. */
    assert_string_equal(parameters_of(&recorded, thread, "Data", 4),
                        "3 \"float\" 0 0.1 nan");
    assert_int_equal(recorded.schema->tracks[track(&recorded, thread, "Data")].count, 5);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotations_alone),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
