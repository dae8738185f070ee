/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts, clocks, and the numbers that they give to processes.  The recordings are described in
 * the tests (synthetic.h).  What is expected is worked out beside each from what the records
 * mean.  Clocks count nanoseconds unless a test says otherwise, so that a record's number is
 * its time.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/recording_to_store.h"

static bool keep_time(void *user, const struct weft_event *event)
{
    *(int64_t *)user = event->time;
    return true;
}

/* The time of the last event of a type on a container. */
static int64_t event_time(const struct recorded *recorded, uint32_t of, const char *type)
{
    struct weft_span all = { INT64_MIN, INT64_MAX };
    int64_t time = INT64_MIN;

    recorded->source->ops->events(recorded->source, track(recorded, of, type), all,
                                  keep_time, &time);
    return time;
}

static int64_t fact(const struct recorded *recorded, uint32_t container,
                    enum weft_role role)
{
    const struct weft_field_value *value =
        weft_container_fact(recorded->schema, container, role, WEFT_FIELD_INTEGER);

    return value ? value->integer : -1;
}

/*
 * Both machines have a process 7 with a thread 0 and a mutex at 0x1000.  beta came up 1,000 ns
 * later than alpha: when its CLOCK_MONOTONIC says 500, the time of day is 1,500, and alpha's
 * CLOCK_MONOTONIC agrees with the time of day.  So beta's 600 is 1,600.
 */
static void test_two_hosts_with_equal_pids(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 /bin/left\n"
                                               "killed\n"
                                               "sample 1000 1000 1000\n"
                                               "sample 9000 9000 9000\n"
                                               "thread 0\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "3000 release mutex 0x1000\n"
                                               "host beta boot-b ns\n"
                                               "process 7 /bin/right\n"
                                               "sample 500 500 1500\n"
                                               "sample 8000 8000 9000\n"
                                               "thread 0\n"
                                               "500 name 1 here\n"
                                               "600 instant 1\n"
                                               "700 acquire mutex 0x1000\n"
                                               "3100 release mutex 0x1000\n");
    uint32_t alpha = container(&recorded, "Host", "alpha");
    uint32_t beta = container(&recorded, "Host", "beta");
    uint32_t left = container(&recorded, "Process", "left");
    uint32_t right = container(&recorded, "Process", "right");
    struct found_state found[4];

    (void)state;
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    assert_int_equal(count_containers(&recorded, "Thread"), 2);
    assert_int_equal(count_containers(&recorded, "Mutex"), 2);
    assert_int_equal(parent_of(&recorded, alpha), 0);
    assert_int_equal(parent_of(&recorded, left), alpha);
    assert_int_equal(parent_of(&recorded, right), beta);
    assert_int_equal(
        event_time(&recorded, container(&recorded, "Thread", "right"), "Instant"), 1600);
    /* Both hold "theirs" at once, 2,000 to 3,000 and 1,700 to 4,100: nobody is held back. */
    for (uint32_t i = 0; i < recorded.schema->n_containers; i++) {
        bool on_left = parent_of(&recorded, i) == left;
        if (strcmp(recorded.schema->containers[i].name, "mutex 1") != 0)
            continue;
        assert_int_equal(states(&recorded, track(&recorded, i, "Lock state"), found, 4), 2);
        assert_int_equal(found[0].state.begin, on_left ? 2000 : 1700);
        assert_int_equal(found[0].state.end, on_left ? 3000 : 4100);
    }
    assert_string_equal(recorded.schema->containers[0].name, "2 hosts");
    forget(&recorded);
}

/* The same, when each machine wrote into a folder of its own. */
static void test_two_folders(void **state)
{
    struct recorded recorded = synthetic_trace("fact host=alpha\n"
                                               "fact boot=boot-a\n"
                                               "host alpha boot-a ns\n"
                                               "process 7 left\n"
                                               "thread 0\n"
                                               "2000 cpu 5\n"
                                               "folder\n"
                                               "fact host=beta\n"
                                               "fact boot=boot-b\n"
                                               "host beta boot-b ns\n"
                                               "process 7 right\n"
                                               "thread 0\n"
                                               "2000 cpu 5\n");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Host"), 2);
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    forget(&recorded);
}

/*
 * weft record on alpha saw its program end at 9,000 by alpha's clock.  By beta's, which is
 * 1,000 behind, that would be 10,000; but it says nothing of the process there.
 */
static void test_an_end_is_of_one_machine(void **state)
{
    struct recorded recorded = synthetic_trace("fact host=alpha\n"
                                               "fact boot=boot-a\n"
                                               "fact clocks-begin=1000 1000 1000 0\n"
                                               "fact clocks-end=9000 9000 9000 0\n"
                                               "host alpha boot-a ns\n"
                                               "process 7 left\n"
                                               "killed\n"
                                               "sample 1000 1000 1000\n"
                                               "sample 5000 5000 5000\n"
                                               "thread 0\n"
                                               "2000 cpu 5\n"
                                               "host beta boot-b ns\n"
                                               "process 8 right\n"
                                               "killed\n"
                                               "sample 1 1 1001\n"
                                               "sample 4000 4000 5000\n"
                                               "thread 0\n"
                                               "2000 cpu 5\n");
    uint32_t left = container(&recorded, "Process", "left");

    (void)state;
    assert_int_equal(recorded.schema->containers[left].end, 9000);
    assert_int_equal(recorded.schema->span.end, 9000);
    forget(&recorded);
}

/* Containers on one machine: the same number in two namespaces is two processes, one host. */
static void test_pid_namespaces(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 outer\n"
                                               "namespace 1\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "2000 cpu 5\n"
                                               "process 7 inner\n"
                                               "namespace 2\n"
                                               "image 1\n"
                                               "thread 0\n"
                                               "2100 cpu 5\n");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Host"), 0);
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    assert_string_equal(recorded.schema->containers[0].name, "alpha");
    forget(&recorded);
}

/*
 * A counter that runs at 2 GHz for a second, then at 1 GHz for one: samples at 1, 2 and 3 s.
 * Before the first sample and after the last the nearest line goes on.  Another sample, 10 ms
 * after the second, lies 300 ns off the line: too near for a line of its own, so the line may
 * be wrong by that much.
 */
static void test_clock_that_drifts(void **state)
{
    static const struct {
        const char *name;
        int64_t time;
    } expected[] = {
        { "before", 1000000000 - 250 }, { "first", 1000000000 },  { "half", 1500000000 },
        { "second", 2000000000 },       { "slower", 2500000000 }, { "after", 4000000000 },
    };
    struct recorded recorded = synthetic_trace("host alpha boot-a tsc\n"
                                               "process 7 drift\n"
                                               "sample 1000 1000000000 0\n"
                                               "sample 2000001000 2000000000 0\n"
                                               "sample 2010001000 2010000300 0\n"
                                               "sample 3000001000 3000000000 0\n"
                                               "thread 0\n"
                                               "starts 500\n"
                                               "500 called before\n"
                                               "1000 called first\n"
                                               "1000001000 called half\n"
                                               "2000001000 called second\n"
                                               "2500001000 called slower\n"
                                               "4000001000 called after\n");
    uint32_t thread = container(&recorded, "Thread", "after");
    uint32_t names = track(&recorded, thread, "Name");

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct weft_span there = { expected[i].time, expected[i].time + 1 };
        int64_t time = INT64_MIN;
        recorded.source->ops->events(recorded.source, names, there, keep_time, &time);
        if (time != expected[i].time)
            fail_msg("%s is not at %lld", expected[i].name, (long long)expected[i].time);
    }
    assert_string_equal(note(&recorded, "clock error [ns]"), "300");
    forget(&recorded);
}

/*
 * Numbers and places are facts of containers.  beta's clock is 2,000 ns behind alpha's, which
 * is known from the time of day only: by how much that is wrong, nobody knows.  alpha's clock
 * runs at 2 GHz.
 */
static void test_facts_hosts_and_clocks(void **state)
{
    struct recorded recorded = synthetic_trace("fact host=alpha\n"
                                               "fact boot=boot-a\n"
                                               "fact processors=12\n"
                                               "host alpha boot-a tsc\n"
                                               "process 7 left\n"
                                               "sample 1000 1000000000 3000002000\n"
                                               "sample 2000001000 2000000000 4000002000\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 create 1 0 0\n"
                                               "3000 acquire mutex 0x1234\n"
                                               "thread 1\n"
                                               "starts 2500\n"
                                               "host beta boot-b ns\n"
                                               "process 8 right\n"
                                               "sample 500 500 2000004500\n"
                                               "thread 0\n"
                                               "starts 600\n"
                                               "700 cpu 1\n");
    const struct weft_schema *schema = recorded.schema;
    uint32_t left = container(&recorded, "Process", "left");
    uint32_t right = container(&recorded, "Process", "right");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    const struct weft_clock *clock;

    (void)state;
    assert_int_equal(fact(&recorded, left, WEFT_ROLE_PROCESS_ID), 7);
    assert_int_equal(fact(&recorded, right, WEFT_ROLE_PROCESS_ID), 8);
    assert_int_equal(fact(&recorded, second, WEFT_ROLE_THREAD_ID), 1001);
    assert_int_equal(fact(&recorded, second, WEFT_ROLE_NUMBER), 1);
    assert_int_equal(
        fact(&recorded, container(&recorded, "Mutex", "mutex 1"), WEFT_ROLE_ADDRESS),
        0x1234);
    assert_int_equal(schema->n_hosts, 2);
    assert_string_equal(schema->hosts[0].name, "alpha");
    assert_string_equal(schema->hosts[0].identity, "boot-a");
    assert_int_equal(schema->hosts[0].processors, 12);
    assert_int_equal(schema->hosts[1].processors, 0);

    clock = &schema->clocks[schema->containers[left].clock];
    assert_int_equal(clock->host, 0);
    assert_int_equal(weft_clock_correct(clock, 1000), 1000000000);
    assert_int_equal(weft_clock_correct(clock, 1000001000), 1500000000);
    assert_int_equal(clock->error, 0);
    /* The day is 2.000002 s ahead of alpha's clock, and 2.000004 s ahead of beta's. */
    clock = &schema->clocks[schema->containers[right].clock];
    assert_int_equal(clock->host, 1);
    assert_int_equal(weft_clock_correct(clock, 600), 2600);
    assert_true(clock->error < 0);
    forget(&recorded);
}

static void test_no_recording(void **state)
{
    struct synthetic synthetic = synthetic_write("");
    const char *folders[] = { synthetic.path };
    struct weft_err err = { 0 };

    (void)state;
    /* The folder around it has no file "recording". */
    assert_false(weft_recording_join(folders, 1, "/nowhere/t.weft", NULL, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    synthetic_remove(&synthetic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_hosts_with_equal_pids),
        cmocka_unit_test(test_an_end_is_of_one_machine),
        cmocka_unit_test(test_two_folders),
        cmocka_unit_test(test_pid_namespaces),
        cmocka_unit_test(test_clock_that_drifts),
        cmocka_unit_test(test_facts_hosts_and_clocks),
        cmocka_unit_test(test_no_recording),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
