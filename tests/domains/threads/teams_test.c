/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams of threads: all wait for the last that comes, workers wait for work then.  A record's
 * number is its time; 1: the last has come, 2: a worker.
 */
#include "tests/unit/recording/observations.h"

#define BEGIN "host alpha boot-a ns\nprocess 7 team\nthread 0\nstarts 1000\n"
#define STATES(recorded, name, text)                                                       \
 assert_string_equal(story(recorded, "Thread", name, "Thread state"), text)

static struct weft_link wake_up(const struct recorded *recorded, const char *from,
                                const char *to)
{
    struct weft_link link;

    assert_int_equal(count_links(recorded, "Wake-up", "barrier",
                                 container(recorded, "Thread", from),
                                 container(recorded, "Thread", to), &link),
                     1);
    return link;
}

/* Thread 2 comes last to the end of a region, at 4,000; the next one begins at 6,000. */
static void test_region(void **state)
{
    struct recorded recorded = synthetic_trace(
        BEGIN "2000 team-wait 0 5 64\n4100 team-go\n9000 exit\n"
              "thread 1\nstarts 1100\n3000 team-wait 2 5 64\n6000 team-go\n8000 exit\n"
              "thread 2\nstarts 1200\n4000 team-wait 3 5 64\n6100 team-go\n8000 exit\n");
    struct weft_link link;

    (void)state;
    STATES(&recorded, "team",
           "running 1000, blocked on barrier 2000, running 4100, end 9000");
    STATES(
        &recorded, "thread 1",
        "running 1100, blocked on barrier 3000, waiting for work 4000, running 6000, end 8000");
    STATES(&recorded, "thread 2",
           "running 1200, waiting for work 4000, running 6100, end 8000");
    link = wake_up(&recorded, "thread 2", "team");
    assert_int_equal(link.begin, 4000);
    assert_int_equal(link.end, 4100);
    link = wake_up(&recorded, "thread 2", "thread 1");
    assert_int_equal(link.begin, 4000);
    assert_int_equal(link.end, 4000);
    forget(&recorded);
}

/* The main thread begins a region at 5,000, for which the worker gets work at 5,200. */
static void test_work(void **state)
{
    struct recorded recorded = synthetic_trace(
        BEGIN "2000 team-wait 1 5 64\n2100 team-go\n5000 team-wait 4 6 64\n5100 team-go\n"
              "9000 exit\n"
              "thread 1\nstarts 1100\n1500 team-wait 2 5 64\n5200 team-go 6\n8000 exit\n");
    struct weft_link link;

    (void)state;
    STATES(&recorded, "thread 1",
           "running 1100, blocked on barrier 1500, waiting for work 2000, running 5200, "
           "end 8000");
    assert_int_equal(count_links(&recorded, "Wake-up", "work",
                                 container(&recorded, "Thread", "team"),
                                 container(&recorded, "Thread", "thread 1"), &link),
                     1);
    assert_int_equal(link.begin, 5000);
    assert_int_equal(link.end, 5200);
    forget(&recorded);
}

/* Two teams at once, and a worker that gets no more work: neither lets the other's go. */
static void test_two_teams(void **state)
{
    struct recorded recorded = synthetic_trace(
        BEGIN "2000 team-wait 0 5 64\n5000 team-go\n9000 exit\n"
              "thread 1\nstarts 1100\n2000 team-wait 0 6 64\n3100 team-go\n9000 exit\n"
              "thread 2\nstarts 1200\n3000 team-wait 3 6 64\n9000 exit\n"
              "thread 3\nstarts 1200\n4900 team-wait 3 5 64\n9000 exit\n");

    (void)state;
    STATES(&recorded, "team",
           "running 1000, blocked on barrier 2000, running 5000, end 9000");
    STATES(&recorded, "thread 1",
           "running 1100, blocked on barrier 2000, running 3100, end 9000");
    STATES(&recorded, "thread 2", "running 1200, waiting for work 3000, end 9000");
    STATES(&recorded, "thread 3", "running 1200, waiting for work 4900, end 9000");
    (void)wake_up(&recorded, "thread 2", "thread 1");
    (void)wake_up(&recorded, "thread 3", "team");
    forget(&recorded);
}

/* A team's number serves another process, and the next team, as well. */
static void test_same_number(void **state)
{
    struct recorded recorded = synthetic_trace(
        BEGIN "2000 team-wait 0 5 64\n3500 team-go\n4000 team-wait 0 5 64\n6000 team-go\n"
              "9000 exit\n"
              "thread 1\nstarts 1100\n3400 team-wait 3 5 64\n4500 team-go\n"
              "5900 team-wait 3 5 64\n9000 exit\n"
              "process 8 other\nthread 0\nstarts 1000\n2500 team-wait 1 5 64\n"
              "2600 team-go\n9000 exit\n");

    (void)state;
    STATES(
        &recorded, "team",
        "running 1000, blocked on barrier 2000, running 3500, blocked on barrier 4000, running 6000, end 9000");
    STATES(
        &recorded, "thread 1",
        "running 1100, waiting for work 3400, running 4500, waiting for work 5900, end 9000");
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_region),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_two_teams),
        cmocka_unit_test(test_same_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
