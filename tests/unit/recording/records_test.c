/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that are lost, unknown or damaged, and what remains.  The recordings are described in
 * the tests (synthetic.h).  What is expected is worked out beside each from what the records
 * mean.  Clocks count nanoseconds unless a test says otherwise, so that a record's number is
 * its time.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/recording_to_store.h"

/* The release was lost, and nobody has more to say: thread 1 has the mutex when it says so. */
static void test_lost_release(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 lost\n"
                                               "thread 0\n"
                                               "lost 1\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "3000 acquire mutex 0x1000\n");
    uint32_t lock = container(&recorded, "Mutex", "mutex 1");
    struct found_state found[4];

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 4), 2);
    assert_int_equal(found[1].state.begin, 3000);
    assert_string_equal(found[1].text, "thread 1");
    assert_true(has_problem(&recorded, "lost-events"));
    forget(&recorded);
}

/*
 * The same, while a third thread goes on.  Thread 1 is held back for a millisecond, and takes
 * the mutex with the first record of others after that, which is at 1,500,000.
 */
static void test_lost_release_among_others(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 lost\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "3000 acquire mutex 0x1000\n"
                                               "thread 2\n"
                                               "starts 1200\n"
                                               "1000000 cpu 1\n"
                                               "1500000 cpu 2\n"
                                               "2500000 cpu 3\n");
    uint32_t lock = container(&recorded, "Mutex", "mutex 1");
    struct found_state found[4];

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 4), 2);
    assert_int_equal(found[1].state.begin, 1500000);
    assert_string_equal(found[1].text, "thread 1");
    forget(&recorded);
}

/* A pair, or a name, was lost: records that need it say nothing, others what they say. */
static void test_lost_definitions(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 lost\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 raw 0x25 17\n" /* acquires slot 17 */
                                               "2100 instant 4\n"
                                               "2200 acquire mutex 0x1000\n");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Mutex"), 1);
    assert_int_equal(
        count_events(&recorded,
                     track(&recorded, container(&recorded, "Thread", "lost"), "Instant"),
                     "name that was lost"),
        1);
    forget(&recorded);
}

/*
 * Families that this program does not know: a short record (family 9), a long one, and a kind
 * that the family of threads will have one day.  What comes between and after is all there.
 */
static void test_unknown_families(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 later\n"
                                               "thread 0\n"
                                               "2000 name 1 here\n"
                                               "2100 raw 0x123 5 1 2 3\n"
                                               "2200 instant 1\n"
                                               "2300 raw 0x12f 0 9 9 9 9 9 9 9 9 9 9 9\n"
                                               "2400 instant 1\n"
                                               "2500 raw 0x3f 0 1\n"
                                               "2600 instant 1\n");
    uint64_t unknown = 0;

    (void)state;
    assert_int_equal(
        count_events(&recorded,
                     track(&recorded, container(&recorded, "Thread", "later"), "Instant"),
                     "here"),
        3);
    for (uint32_t i = 0; i < recorded.schema->n_problems; i++)
        if (strcmp(recorded.schema->problems[i].kind, "unknown-records") == 0) {
            const char *text = recorded.schema->problems[i].message;
            unknown += strstr(text, "2 records of recorder family 9 ") != NULL;
            unknown += strstr(text, "1 records of recorder family 1 ") != NULL;
        }
    assert_int_equal(unknown, 2);
    assert_false(has_problem(&recorded, "damaged-record"));
    forget(&recorded);
}

/* A record of a known kind with fewer words than it needs goes alone. */
static void test_record_too_short(void **state)
{
    struct recorded recorded =
        synthetic_trace("host alpha boot-a ns\n"
                        "process 7 short\n"
                        "thread 0\n"
                        "2000 name 1 here\n"
                        "2100 raw 0x21 0 1\n" /* join without a site */
                        "2200 instant 1\n");
    uint32_t thread = container(&recorded, "Thread", "short");

    (void)state;
    assert_true(has_problem(&recorded, "damaged-record"));
    assert_int_equal(count_events(&recorded, track(&recorded, thread, "Instant"), "here"),
                     1);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_release),
        cmocka_unit_test(test_lost_release_among_others),
        cmocka_unit_test(test_lost_definitions),
        cmocka_unit_test(test_unknown_families),
        cmocka_unit_test(test_record_too_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
