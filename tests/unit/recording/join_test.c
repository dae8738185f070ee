/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of recordings that are described in the tests (synthetic.h).  What is expected is
 * worked out beside each from what the records mean.  Clocks count nanoseconds unless a test
 * says otherwise, so that a record's number is its time.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/recording.h"

static uint32_t parent_of(const struct recorded *recorded, uint32_t container)
{
    return recorded->schema->containers[container].parent;
}

static const char *note(const struct recorded *recorded, const char *key)
{
    for (uint32_t i = 0; i < recorded->schema->n_notes; i++)
        if (strcmp(recorded->schema->notes[i].key, key) == 0)
            return recorded->schema->notes[i].text;
    return "";
}

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
    struct found found[4];

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
 * By the stamps thread 1 has the mutex at 2,990, before the main thread gives it back at 3,000
 * (clocks of two processors).  Cause decides: nobody else had it in between, and the mutex was
 * held from 2,000 without a gap or an overlap.  The release ended the wait.
 */
static void test_cause_before_stamps(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 by-hand\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "3000 release mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "2990 acquire mutex 0x1000\n"
                                               "4000 release mutex 0x1000\n");
    uint32_t lock = container(&recorded, "Mutex", "mutex 1");
    uint32_t first = container(&recorded, "Thread", "by-hand");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct found found[8];
    struct weft_link link;

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 8), 4);
    assert_string_equal(found[0].value, "held");
    assert_int_equal(found[0].state.begin, 2000);
    assert_string_equal(found[1].value, "held, others blocked");
    assert_int_equal(found[1].state.begin, 2500);
    assert_int_equal(found[1].integer, 0);
    assert_string_equal(found[1].text, "by-hand");
    assert_string_equal(found[2].value, "held");
    assert_int_equal(found[2].state.begin, 3000);
    assert_int_equal(found[2].integer, 1);
    assert_string_equal(found[2].text, "thread 1");
    assert_string_equal(found[3].value, "free");
    assert_int_equal(found[3].state.begin, 4000);
    found[0] = first_state(&recorded, track(&recorded, second, "Thread state"),
                           "blocked on mutex");
    assert_int_equal(found[0].state.begin, 2500);
    assert_int_equal(found[0].state.end, 3000);
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", first, second, &link), 1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3000);
    assert_int_equal(link.to_entity, found[0].state.id);
    forget(&recorded);
}

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
    struct found found[4];

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
    struct found found[4];

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

/*
 * The main thread makes two at 1,500 and 1,600, waits for the first (handle 101) from 2,000
 * on; that ends at 5,000, which wakes it at 5,100.  The other one ended before it is waited
 * for: that wakes nobody.
 */
static void test_threads_that_are_made_and_joined(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 family\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1500 create 1 0 0\n"
                                               "1600 create 2 0 0\n"
                                               "2000 join 101 0\n"
                                               "5100 joined 1\n"
                                               "5200 join 102 0\n"
                                               "5300 joined 1\n"
                                               "thread 1\n"
                                               "starts 1700\n"
                                               "5000 exit\n"
                                               "thread 2\n"
                                               "starts 1800\n"
                                               "1900 called the second\n"
                                               "1950 exit\n");
    uint32_t boss = container(&recorded, "Thread", "family");
    uint32_t first = container(&recorded, "Thread", "thread 1");
    uint32_t second = container(&recorded, "Thread", "the second");
    struct found blocked =
        first_state(&recorded, track(&recorded, boss, "Thread state"), "blocked on join");
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Spawn", "create", boss, first, &link), 1);
    assert_int_equal(link.begin, 1500);
    assert_int_equal(link.end, 1700);
    assert_int_equal(count_links(&recorded, "Spawn", "create", boss, second, &link), 1);
    assert_int_equal(link.begin, 1600);
    assert_int_equal(blocked.state.begin, 2000);
    assert_int_equal(blocked.state.end, 5100);
    assert_int_equal(count_links(&recorded, "Wake-up", "join", first, boss, &link), 1);
    assert_int_equal(link.begin, 5000);
    assert_int_equal(link.end, 5100);
    assert_int_equal(link.to_entity, blocked.state.id);
    assert_int_equal(count_links(&recorded, "Wake-up", NULL, second, boss, &link), 0);
    assert_int_equal(recorded.schema->containers[first].end, 5000);
    assert_int_equal(recorded.schema->containers[second].end, 1950);
    forget(&recorded);
}

/*
 * Process 10 forks 20 from its main thread, and then becomes another program.  20 says a name
 * that 10 had defined before.  The main thread of 10 is one container all the while, and what
 * it had open ends with the first program, at 3,000.
 */
static void test_fork_and_exec(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 shell\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1100 name 1 here\n"
                                               "1200 begin 1\n"
                                               "process 10 /usr/bin/tool\n"
                                               "image 1\n"
                                               "thread 0\n"
                                               "starts 3000\n"
                                               "3500 name 1 there\n"
                                               "3600 instant 1\n"
                                               "process 20 shell\n"
                                               "forked 10 0 0\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2100 instant 1\n");
    uint32_t tool = container(&recorded, "Process", "tool");
    uint32_t shell = container(&recorded, "Process", "shell");
    uint32_t of_tool = container(&recorded, "Thread", "tool");
    uint32_t of_shell = container(&recorded, "Thread", "shell");
    struct found found[4];
    struct weft_link link;

    (void)state;
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    assert_int_equal(count_containers(&recorded, "Thread"), 2);
    assert_int_equal(parent_of(&recorded, of_tool), tool);
    assert_int_equal(parent_of(&recorded, of_shell), shell);
    assert_int_equal(count_links(&recorded, "Spawn", "fork", of_tool, of_shell, &link), 1);
    assert_int_equal(link.end, 2000);
    assert_int_equal(count_events(&recorded, track(&recorded, of_shell, "Instant"), "here"),
                     1);
    assert_int_equal(count_events(&recorded, track(&recorded, of_tool, "Instant"), "there"),
                     1);
    assert_int_equal(states(&recorded, track(&recorded, of_tool, "Region"), found, 4), 1);
    assert_int_equal(found[0].state.begin, 1200);
    assert_int_equal(found[0].state.end, 3000);
    forget(&recorded);
}

/* The number of a process that exited is given to another one. */
static void test_pid_that_is_used_again(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 one\n"
                                               "sample 1000 1000 1000\n"
                                               "sample 2000 2000 2000\n"
                                               "thread 0\n"
                                               "1500 cpu 1\n"
                                               "process 10 two\n"
                                               "image 1\n"
                                               "thread 0\n"
                                               "3000 cpu 1\n");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    assert_int_equal(
        recorded.schema->containers[container(&recorded, "Process", "one")].end, 2000);
    forget(&recorded);
}

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

/* A semaphore of 0: one waits, a post wakes it, another post leaves 1. */
static void test_semaphore(void **state)
{
    static const char *const expected[] = { "would block", "blocked", "would block",
                                            "open" };
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 sem\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1100 count semaphore 0x2000 0\n"
                                               "3000 release semaphore 0x2000\n"
                                               "4000 release semaphore 0x2000\n"
                                               "thread 1\n"
                                               "starts 1200\n"
                                               "2000 wait semaphore 0x2000\n"
                                               "3050 acquire semaphore 0x2000\n");
    uint32_t semaphore = container(&recorded, "Semaphore", "semaphore 1");
    uint32_t boss = container(&recorded, "Thread", "sem");
    uint32_t waiter = container(&recorded, "Thread", "thread 1");
    struct found found[8];
    struct weft_link link;

    (void)state;
    /* The post at 3,000 is there to be taken, but somebody waits: blocked until 3,050. */
    assert_int_equal(
        states(&recorded, track(&recorded, semaphore, "Semaphore state"), found, 8), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(found[i].value, expected[i]);
    assert_int_equal(found[2].state.begin, 3050);
    assert_int_equal(count_links(&recorded, "Wake-up", "semaphore", boss, waiter, &link),
                     1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3050);
    forget(&recorded);
}

static int64_t fact(const struct recorded *recorded, uint32_t container,
                    enum weft_role role)
{
    const struct weft_field_value *value =
        weft_container_fact(recorded->schema, container, role, WEFT_FIELD_INTEGER);

    return value ? value->integer : -1;
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

/*
 * Who woke whom by what: the main thread is running from 1,000, waits for the mutex from 2,000
 * to 3,000, runs again and gives it back at 4,000.  So thread 1, which waits from 2,500 on, was
 * woken by the second of the main thread's running states.
 */
static void test_ends_of_a_wake_up(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 ends\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 wait mutex 0x1000\n"
                                               "3000 acquire mutex 0x1000\n"
                                               "4000 release mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "4010 acquire mutex 0x1000\n");
    uint32_t boss = container(&recorded, "Thread", "ends");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct found found[4];
    struct weft_link link;

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, boss, "Thread state"), found, 4),
                     3);
    assert_int_equal(found[2].state.begin, 3000);
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", boss, second, &link), 1);
    assert_int_equal(link.from_entity, found[2].state.id);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(states(&recorded, track(&recorded, second, "Thread state"), found, 4),
                     3);
    assert_int_equal(link.to_entity, found[1].state.id);
    forget(&recorded);
}

/* A barrier of two: who comes last, at 3,000, lets both go, by what it did until then. */
static void test_barrier(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 barrier\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1100 count barrier 0x1000 2\n"
                                               "2000 wait barrier 0x1000\n"
                                               "3050 wake barrier 0x1000\n"
                                               "thread 1\n"
                                               "starts 1200\n"
                                               "3000 wait barrier 0x1000\n"
                                               "3040 wake barrier 0x1000\n");
    uint32_t first = container(&recorded, "Thread", "barrier");
    uint32_t last = container(&recorded, "Thread", "thread 1");
    struct found found[4];
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", "barrier", last, first, &link), 1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3050);
    assert_int_equal(link.flags & WEFT_INFERRED, 0);
    assert_int_equal(states(&recorded, track(&recorded, last, "Thread state"), found, 4),
                     3);
    assert_int_equal(link.from_entity, found[0].state.id);
    assert_int_equal(count_links(&recorded, "Wake-up", NULL, first, last, &link), 0);
    forget(&recorded);
}

/* What this very program has: functions to start, and variables to lock. */
static volatile int io_runs, log_runs;
static char gate_lock[40], lock_table[128];

static __attribute__((noinline)) void *io_thread_main(void *unused)
{
    io_runs++;
    return unused;
}

static __attribute__((noinline)) void *log_thread_main(void *unused)
{
    log_runs++;
    return unused;
}

/*
 * Three threads run io_thread_main, one runs log_thread_main, one nobody knows, and one of the
 * first three says how it is called.  Locks: a variable, one within a variable, and one that
 * is on the heap.
 */
static void test_names_by_symbols(void **state)
{
    static const char *const threads[] = { "io_thread_main 1", "speaks", "io_thread_main 3",
                                           "log_thread_main", "thread 5" };
    static const char *const locks[] = { "gate_lock", "lock_table+64", "mutex 1" };
    char *description = calloc(1, 100000), line[512], *end = description;
    unsigned long long io = (uintptr_t)io_thread_main, log = (uintptr_t)log_thread_main;
    FILE *maps = fopen("/proc/self/maps", "r");
    struct recorded recorded;

    (void)state;
    gate_lock[0] = lock_table[0] = (char)(io_thread_main(NULL) || log_thread_main(NULL));
    assert_non_null(maps);
    end += sprintf(end, "host alpha boot-a ns\nprocess 7 names\n");
    while (fgets(line, sizeof line, maps))
        end += sprintf(end, "map %s", line);
    fclose(maps);
    end += sprintf(end,
                   "thread 0\n"
                   "starts 1000\n"
                   "1100 create 1 0 %llu\n"
                   "1200 create 2 0 %llu\n"
                   "1300 create 3 0 %llu\n"
                   "1400 create 4 0 %llu\n"
                   "1500 create 5 0 16\n"
                   "2000 acquire mutex %llu\n"
                   "2100 acquire mutex %llu\n"
                   "2200 acquire mutex 64\n",
                   io, io, io, log, (unsigned long long)(uintptr_t)gate_lock,
                   (unsigned long long)(uintptr_t)(lock_table + 64));
    for (int i = 1; i <= 5; i++)
        end += sprintf(end, "thread %d\nstarts %d\n3000 %s\n", i, 1600 - i,
                       i == 2 ? "called speaks" : "cpu 1");
    recorded = synthetic_trace(description);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        (void)container(&recorded, "Thread", threads[i]);
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        (void)container(&recorded, "Mutex", locks[i]);
    assert_int_equal(count_containers(&recorded, "Thread"), 6);
    forget(&recorded);
    free(description);
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
        cmocka_unit_test(test_two_folders),
        cmocka_unit_test(test_pid_namespaces),
        cmocka_unit_test(test_clock_that_drifts),
        cmocka_unit_test(test_cause_before_stamps),
        cmocka_unit_test(test_lost_release),
        cmocka_unit_test(test_lost_release_among_others),
        cmocka_unit_test(test_lost_definitions),
        cmocka_unit_test(test_unknown_families),
        cmocka_unit_test(test_record_too_short),
        cmocka_unit_test(test_threads_that_are_made_and_joined),
        cmocka_unit_test(test_fork_and_exec),
        cmocka_unit_test(test_pid_that_is_used_again),
        cmocka_unit_test(test_annotations_alone),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_semaphore),
        cmocka_unit_test(test_facts_hosts_and_clocks),
        cmocka_unit_test(test_ends_of_a_wake_up),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_names_by_symbols),
        cmocka_unit_test(test_no_recording),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
