/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that were woken and had no processor yet.  The program is that of process 7; its
 * threads have the ids 1000, 1001, ...; thread 0 wakes.  A mutex is at 0x1000, a condition
 * at 0x2000; a record's number is its time.  Expected states: from the proof on that a
 * thread was woken it is ready until its switch IN.
 */
#include "tests/unit/recording/observations.h"

#define BEGIN "host alpha boot-a ns\nprocess 7 woken\nthread 0\nstarts 1000\n"

/* A thread that is OUT and IN at these pairs of times, and ends at 9,000,000. */
struct absence {
    int64_t out, in;
};

static void put_thread(struct file *file, uint32_t number, size_t n,
                       const struct absence *absences)
{
    uint32_t tid = 1000 + number;

    if (number == 0)
        put_name(file, 1000, 7, tid, "woken");
    else
        put_life(file, PERF_RECORD_FORK, 2000, 0, 7, tid, 7);
    for (size_t i = 0; i < n; i++) {
        put_switch(file, absences[i].out, 1, 7, tid, OUT);
        put_switch(file, absences[i].in, 1, 7, tid, IN);
    }
}

/* Ends all threads; EXITS is the time of thread 1's record of that. */
static void put_ends(struct file *file, uint32_t n_threads, int64_t exits)
{
    for (uint32_t i = 1; i < n_threads; i++)
        put_life(file, PERF_RECORD_EXIT, i == 1 ? exits : 9000000, 1, 7, 1000 + i, 7);
    put_life(file, PERF_RECORD_EXIT, 9100000, 0, 7, 1000, 1);
}

/* Joins DESCRIPTION with thread 0, which always runs, and thread 1 with its absences. */
static struct recorded trace_of_two(const char *description, size_t n,
                                    const struct absence *absences)
{
    struct file file = begin_file();

    put_thread(&file, 0, 0, NULL);
    put_thread(&file, 1, n, absences);
    put_ends(&file, 2, 9000000);
    return trace_of(description, &file);
}

#define SAYS(recorded, name, states)                                                       \
 assert_string_equal(story(recorded, "Thread", name, "Thread state"), states)

/* Returns the only wake-up between two threads of the program. */
static struct weft_link wake_up(const struct recorded *recorded, const char *reason,
                                const char *from, const char *to)
{
    struct weft_link link;

    assert_int_equal(count_links(recorded, "Wake-up", reason,
                                 container(recorded, "Thread", from),
                                 container(recorded, "Thread", to), &link),
                     1);
    return link;
}

#define WAITS_FOR_MUTEX(acquires)                                                          \
 "thread 1\nstarts 2000\n2000000 wait mutex 0x1000\n" acquires " acquire mutex 0x1000\n"   \
 "8000000 release mutex 0x1000\n8900000 exit\n"

/* Given back at 3 ms; the waiter runs from 4 ms on. */
static void test_mutex(void **state)
{
    static const struct absence absence = { 2010000, 4000000 };
    struct recorded recorded =
        trace_of_two(BEGIN "1000000 acquire mutex 0x1000\n3000000 release mutex 0x1000\n"
                           "8950000 exit\n" WAITS_FOR_MUTEX("4005000"),
                     1, &absence);
    struct weft_link link = wake_up(&recorded, "mutex", "woken", "thread 1");

    (void)state;
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on mutex 2000000, ready 3000000, running 4000000, "
         "end 8900000");
    assert_int_equal(link.begin, 3000000);
    assert_int_equal(link.end, 3000000);
    forget(&recorded);
}

/*
 * Given back at 3 ms and taken again: the waiter runs at 4 ms, finds it taken, and sleeps
 * until it is given back at 5 ms.
 */
static void test_mutex_taken_again(void **state)
{
    static const struct absence absences[] = { { 2010000, 4000000 }, { 4010000, 6000000 } };
    struct recorded recorded =
        trace_of_two(BEGIN "1000000 acquire mutex 0x1000\n3000000 release mutex 0x1000\n"
                           "3100000 acquire mutex 0x1000\n5000000 release mutex 0x1000\n"
                           "8950000 exit\n" WAITS_FOR_MUTEX("6005000"),
                     2, absences);
    struct weft_link link = wake_up(&recorded, "mutex", "woken", "thread 1");

    (void)state;
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on mutex 2000000, ready 3000000, blocked on mutex 4000000, "
         "ready 5000000, running 6000000, end 8900000");
    assert_int_equal(link.begin, 5000000);
    assert_int_equal(link.end, 5000000);
    forget(&recorded);
}

/* Given back at 3 ms, taken and given back again before the only waiter has a processor. */
static void test_mutex_taken_while_ready(void **state)
{
    static const struct absence absence = { 2010000, 4000000 };
    struct recorded recorded =
        trace_of_two(BEGIN "1000000 acquire mutex 0x1000\n3000000 release mutex 0x1000\n"
                           "3100000 acquire mutex 0x1000\n3500000 release mutex 0x1000\n"
                           "8950000 exit\n" WAITS_FOR_MUTEX("4005000"),
                     1, &absence);

    (void)state;
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on mutex 2000000, ready 3000000, running 4000000, "
         "end 8900000");
    assert_int_equal(wake_up(&recorded, "mutex", "woken", "thread 1").begin, 3000000);
    forget(&recorded);
}

/*
 * Two wait from 2 ms on.  The release at 3 ms wakes thread 1, which gives the mutex back at
 * 3.6 ms: only that is known to wake thread 2.
 */
static void test_two_waiters(void **state)
{
    static const struct absence first = { 2010000, 3500000 }, second = { 2020000, 4000000 };
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_thread(&file, 0, 0, NULL);
    put_thread(&file, 1, 1, &first);
    put_thread(&file, 2, 1, &second);
    put_ends(&file, 3, 9000000);
    recorded = trace_of(
        BEGIN "1000000 acquire mutex 0x1000\n3000000 release mutex 0x1000\n8950000 exit\n"
              "thread 1\nstarts 2000\n2000000 wait mutex 0x1000\n"
              "3510000 acquire mutex 0x1000\n3600000 release mutex 0x1000\n8900000 exit\n"
              "thread 2\nstarts 2000\n2000000 wait mutex 0x1000\n"
              "4010000 acquire mutex 0x1000\n4100000 release mutex 0x1000\n8900000 exit\n",
        &file);
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on mutex 2000000, ready 3000000, running 3500000, "
         "end 8900000");
    SAYS(&recorded, "thread 2",
         "running 2000, blocked on mutex 2000000, ready 3600000, running 4000000, "
         "end 8900000");
    forget(&recorded);
}

/* Two wait; thread 1's time is up at 3.5 ms: the release at 3 ms may have woken thread 2. */
static void test_time_is_up(void **state)
{
    static const struct absence first = { 2010000, 3500000 }, second = { 2020000, 4000000 };
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_thread(&file, 0, 0, NULL);
    put_thread(&file, 1, 1, &first);
    put_thread(&file, 2, 1, &second);
    put_ends(&file, 3, 9000000);
    recorded = trace_of(
        BEGIN "1000000 acquire mutex 0x1000\n3000000 release mutex 0x1000\n8950000 exit\n"
              "thread 1\nstarts 2000\n2000000 wait mutex 0x1000\n"
              "3510000 give-up mutex 0x1000\n8900000 exit\n"
              "thread 2\nstarts 2000\n2000000 wait mutex 0x1000\n"
              "4010000 acquire mutex 0x1000\n4100000 release mutex 0x1000\n8900000 exit\n",
        &file);
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on mutex 2000000, running 3510000, end 8900000");
    SAYS(&recorded, "thread 2",
         "running 2000, blocked on mutex 2000000, ready 3000000, running 4000000, "
         "end 8900000");
    forget(&recorded);
}

#define WAITS_FOR_CONDITION                                                                \
 "thread 1\nstarts 2000\n1900000 acquire mutex 0x1000\n2000000 release mutex 0x1000\n"     \
 "2000000 wait condition 0x2000\n"

/*
 * The signal at 3 ms wakes the waiter, which runs at 3.5 ms, finds the mutex taken, and gets
 * it when it is given back, at 5 ms.
 */
static void test_signal_by_the_holder(void **state)
{
    static const struct absence absences[] = { { 2010000, 3500000 }, { 3510000, 6000000 } };
    struct recorded recorded = trace_of_two(
        BEGIN "2900000 acquire mutex 0x1000\n3000000 signal condition 0x2000\n"
              "5000000 release mutex 0x1000\n8950000 exit\n" WAITS_FOR_CONDITION
              "6005000 wake condition 0x2000\n6006000 acquire mutex 0x1000\n"
              "6100000 release mutex 0x1000\n8900000 exit\n",
        2, absences);
    struct weft_link link = wake_up(&recorded, "condition", "woken", "thread 1");

    (void)state;
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on condition 2000000, ready 3000000, "
         "blocked on mutex 3500000, ready 5000000, running 6000000, end 8900000");
    assert_int_equal(link.begin, 3000000);
    assert_int_equal(link.end, 3000000);
    link = wake_up(&recorded, "mutex", "woken", "thread 1");
    assert_int_equal(link.begin, 5000000);
    assert_int_equal(link.end, 5000000);
    forget(&recorded);
}

/* The mutex is free before the waiter runs: it never waits for that. */
static void test_signal_and_free_mutex(void **state)
{
    static const struct absence absence = { 2010000, 3500000 };
    struct recorded recorded = trace_of_two(
        BEGIN "2900000 acquire mutex 0x1000\n3000000 signal condition 0x2000\n"
              "3200000 release mutex 0x1000\n8950000 exit\n" WAITS_FOR_CONDITION
              "3505000 wake condition 0x2000\n3506000 acquire mutex 0x1000\n"
              "6100000 release mutex 0x1000\n8900000 exit\n",
        1, &absence);

    (void)state;
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on condition 2000000, ready 3000000, running 3500000, "
         "end 8900000");
    assert_int_equal(wake_up(&recorded, "condition", "woken", "thread 1").end, 3000000);
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex",
                                 container(&recorded, "Thread", "woken"),
                                 container(&recorded, "Thread", "thread 1"), NULL),
                     0);
    forget(&recorded);
}

/* A post at 3 ms; two threads at a barrier, the last one comes at 6 ms. */
static void test_semaphore_and_barrier(void **state)
{
    static const struct absence absences[] = { { 2010000, 4000000 }, { 5010000, 7000000 } };
    struct recorded recorded = trace_of_two(
        BEGIN "1500000 count barrier 0x3000 2\n"
              "3000000 release semaphore 0x2000\n"
              "6000000 wait barrier 0x3000\n6001000 wake barrier 0x3000\n8950000 exit\n"
              "thread 1\nstarts 2000\n2000000 wait semaphore 0x2000\n"
              "4005000 acquire semaphore 0x2000\n5000000 wait barrier 0x3000\n"
              "7005000 wake barrier 0x3000\n8900000 exit\n",
        2, absences);

    (void)state;
    SAYS(&recorded, "thread 1",
         "running 2000, blocked on semaphore 2000000, ready 3000000, running 4000000, "
         "blocked on barrier 5000000, ready 6000000, running 7000000, end 8900000");
    assert_int_equal(wake_up(&recorded, "semaphore", "woken", "thread 1").end, 3000000);
    assert_int_equal(wake_up(&recorded, "barrier", "woken", "thread 1").end, 6000000);
    forget(&recorded);
}

/*
 * Thread 1 records its end at 3 ms and has ended at 3.1 ms, by the kernel, which has woken
 * the main thread before that.
 */
static void test_join(void **state)
{
    static const struct absence absence = { 2010000, 4000000 };
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_thread(&file, 0, 1, &absence);
    put_thread(&file, 1, 0, NULL);
    put_ends(&file, 2, 3100000);
    recorded = trace_of(BEGIN "2000000 join 101 0x40\n4005000 joined 1\n8950000 exit\n"
                              "thread 1\nstarts 2000\n3000000 exit\n",
                        &file);
    SAYS(&recorded, "woken",
         "running 1000, blocked on join 2000000, ready 3100000, running 4000000, "
         "end 8950000");
    assert_int_equal(wake_up(&recorded, "join", "thread 1", "woken").end, 3100000);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutex),
        cmocka_unit_test(test_mutex_taken_again),
        cmocka_unit_test(test_mutex_taken_while_ready),
        cmocka_unit_test(test_two_waiters),
        cmocka_unit_test(test_time_is_up),
        cmocka_unit_test(test_signal_by_the_holder),
        cmocka_unit_test(test_signal_and_free_mutex),
        cmocka_unit_test(test_semaphore_and_barrier),
        cmocka_unit_test(test_join),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
