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

#include "read/recording/recording.h"

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
    struct found found[4];

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotations_alone),
        cmocka_unit_test(test_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
