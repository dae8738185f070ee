/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's core, in this process: the logs of many threads and of children, of threads that
 * end, and of both when signals interrupt them.
 */
#define _GNU_SOURCE
#include "log_fixture.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/random.h"

static void *live_shortly(void *number)
{
    weft_record_core_v1.thread_begins(weft_process_next_thread());
    log_put((uint32_t)(uintptr_t)number);
    return NULL;
}

/*
 * Threads one after the other take the same place, each a header of its own, and each has its
 * own records; with more of them than a table of headers has.
 */
static void test_short_threads_share_a_place(void **state)
{
    enum { N = 2000 };
    struct log_reading *reading;
    bool *seen = calloc(N, sizeof *seen);
    struct stat status;

    (void)state;
    for (uintptr_t i = 0; i < N; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, live_shortly, (void *)i), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    reading = log_open_recording();
    assert_int_equal(reading->recording.n_streams, N + 1);
    for (uint32_t i = 0; i <= N; i++) {
        reading->stream = &reading->recording.streams[i];
        if (reading->stream->header->ordinal == 0)
            continue;
        assert_int_equal(reading->stream->header->ended, 1);
        assert_true(log_next(reading));
        assert_int_equal(log_number_of(&reading->record) + 1,
                         reading->stream->header->ordinal);
        seen[log_number_of(&reading->record)] = true;
        assert_false(log_next(reading));
        assert_int_equal(reading->stream->damaged, 0);
    }
    for (int i = 0; i < N; i++)
        assert_true(seen[i]);
    log_close_reading(reading);
    /* A few hundred bytes each, and what few of them had at a time. */
    assert_int_equal(stat(weft_process.file.path, &status), 0);
    assert_true(status.st_size < 3 * 1000000);
    free(seen);
}

static int gate[2];

static void *live_together(void *number)
{
    char byte;

    live_shortly(number);
    assert_int_equal(syscall(SYS_read, gate[0], &byte, 1), 1);
    log_put((uint32_t)(uintptr_t)number);
    return NULL;
}

/* Many at a time: each has a buffer for itself, and afterwards their memory goes back. */
static void test_many_threads_at_a_time(void **state)
{
    enum { N = 300 };
    pthread_t threads[N];
    uint32_t times[N] = { 0 }, number;
    struct log_reading *reading;

    (void)state;
    assert_int_equal(pipe(gate), 0);
    for (int round = 0; round < 2; round++) {
        for (uintptr_t i = 0; i < N; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, live_together, (void *)i),
                             0);
        for (int i = 0; i < N; i++)
            assert_int_equal(write(gate[1], "x", 1), 1);
        for (int i = 0; i < N; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    reading = log_open_recording();
    assert_int_equal(reading->recording.n_streams, 2 * N + 1);
    for (uint32_t i = 0; i <= 2 * N; i++) {
        reading->stream = &reading->recording.streams[i];
        if (reading->stream->header->ordinal == 0)
            continue;
        assert_true(log_next(reading));
        number = log_number_of(&reading->record);
        assert_true(log_next(reading));
        assert_int_equal(log_number_of(&reading->record), number);
        assert_false(log_next(reading));
        times[number]++;
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(times[i], 2);
    log_close_reading(reading);
    close(gate[0]);
    close(gate[1]);
}

/* What a child writes is its own; CHILD runs in it, before anything else does. */
static void check_fork(pid_t child, void (*first)(void))
{
    struct log_reading *reading;
    uint32_t pid = weft_process.pid;
    int status;

    if (child == 0) {
        first();
        log_put(10);
        log_put(11);
        syscall(SYS_exit_group, 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    log_put(2);
    reading = log_open_recording();
    assert_int_equal(reading->recording.n_streams, 2);
    assert_int_equal(reading->recording.n_images, 2);
    for (int i = 0; i < 2; i++) {
        const struct weft_process_header *header;
        bool is_child;
        uint32_t expected;
        reading->stream = &reading->recording.streams[i];
        header = &reading->recording.images[reading->stream->image].header;
        is_child = header->pid != pid;
        assert_int_equal(header->forked_pid, is_child ? pid : 0);
        assert_int_equal(header->pid, is_child ? (uint32_t)child : pid);
        for (expected = is_child ? 10 : 0; log_next(reading); expected++)
            assert_int_equal(log_number_of(&reading->record), expected);
        assert_int_equal(expected, is_child ? 12 : 3);
    }
    log_close_reading(reading);
}

static void nothing(void) {}

static void number_a_thread(void)
{
    (void)weft_record_core_v1.thread_number();
}

static void test_fork(void **state)
{
    (void)state;
    log_put(0);
    log_put(1);
    check_fork(fork(), nothing);
}

/* Past the C library, which so calls no handlers of fork. */
static void test_raw_fork(void **state)
{
    (void)state;
    log_put(0);
    log_put(1);
    check_fork((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), nothing);
}

/* The same, when the child first makes a thread: the parent's header is not mapped there. */
static void test_raw_fork_then_thread(void **state)
{
    (void)state;
    log_put(0);
    log_put(1);
    check_fork((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), number_a_thread);
}

/* What a thread does after its end was noted is recorded, too: handlers do, and destructors. */
static void test_closed(void **state)
{
    enum { N = 20000 }; /* more than a buffer has room for */

    (void)state;
    log_put(0);
    weft_log_close();
    for (uint32_t i = 1; i < N; i++) {
        log_put(i);
        if (i == N / 2)
            weft_log_close(); /* again, which changes nothing */
    }
    assert_int_equal(weft_record_self->header->ended, 1);
    assert_int_equal(weft_process.header->lost, 0);
    log_check(0, N);
}

static pthread_key_t late_key;

/* In the last round of destructors, behind the recorder's own. */
static void end_late(void *round)
{
    if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(late_key, (void *)((uintptr_t)round + 1));
        return;
    }
    if (weft_record_self->header->ended)
        log_put(1000000);
}

static void *live_and_end_late(void *number)
{
    weft_record_core_v1.thread_begins(weft_process_next_thread());
    pthread_setspecific(late_key, (void *)1);
    log_put((uint32_t)(uintptr_t)number);
    return NULL;
}

/*
 * Threads that have events when their logs are closed already, many at a time: none is lost,
 * and none is in the log of a thread that took the place.
 */
static void test_events_behind_the_end(void **state)
{
    enum { ROUNDS = 100, TOGETHER = 20 };
    pthread_t threads[TOGETHER];
    struct log_reading *reading;

    (void)state;
#ifdef __SANITIZE_THREAD__ /* which has ended its own part of the thread by then */
    skip();
#endif
    assert_int_equal(pthread_key_create(&late_key, end_late), 0);
    for (uintptr_t round = 0; round < ROUNDS; round++) {
        for (uintptr_t i = 0; i < TOGETHER; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, live_and_end_late,
                                            (void *)(round * TOGETHER + i)),
                             0);
        for (int i = 0; i < TOGETHER; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(pthread_key_delete(late_key), 0);
    assert_int_equal(weft_process.header->lost, 0);
    reading = log_open_recording();
    assert_int_equal(reading->recording.n_streams, ROUNDS * TOGETHER + 1);
    for (uint32_t i = 0; i <= ROUNDS * TOGETHER; i++) {
        reading->stream = &reading->recording.streams[i];
        if (reading->stream->header->ordinal == 0)
            continue;
        assert_true(log_next(reading));
        assert_in_range(log_number_of(&reading->record), 0, ROUNDS * TOGETHER - 1);
        assert_true(log_next(reading));
        assert_int_equal(log_number_of(&reading->record), 1000000);
        assert_false(log_next(reading));
    }
    log_close_reading(reading);
}

static uint32_t handled; /* calls of put_in_handler; its records are numbered so */

static void put_in_handler(int number)
{
    (void)number;
    log_put(3 * handled++);
}

static struct sigaction handle_signals(void)
{
    struct sigaction action = { .sa_handler = put_in_handler, .sa_flags = SA_RESTART }, was;

    handled = 0;
    assert_int_equal(sigaction(SIGUSR1, &action, &was), 0);
    return was;
}

static void wait_a_moment(uint64_t most)
{
    for (uint64_t n = roll(most); n > 0; n--)
        (void)weft_ticks();
}

/*
 * Signals at any moment of a thread's life: between its first instruction and its log, and from
 * the log's end to its own.  There is one thread for each that was made, and no event is lost.
 */
static void test_threads_under_signals(void **state)
{
    enum { N = 1000, SIGNALS = 10 };
    struct sigaction was = handle_signals();
    struct log_reading *reading;
    uint32_t records = 0;

    (void)state;
    for (int i = 0; i < N; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, live_shortly, (void *)1), 0);
        for (int k = 0; k < SIGNALS; k++) {
            wait_a_moment(1000);
            (void)pthread_kill(thread, SIGUSR1);
        }
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(sigaction(SIGUSR1, &was, NULL), 0);
    assert_int_equal(weft_process.header->lost, 0);
    reading = log_open_recording();
    assert_int_equal(reading->recording.n_streams, N + 1);
    for (uint32_t i = 0; i <= N; i++) {
        uint32_t own = 0;
        reading->stream = &reading->recording.streams[i];
        while (log_next(reading))
            own++;
        assert_true(own > 0 || reading->stream->header->ordinal == 0);
        records += own;
    }
    assert_int_equal(records, N + handled);
    log_close_reading(reading);
}

/* The same of children, which find out at their first event what they are. */
static void test_children_under_signals(void **state)
{
    enum { N = 300 };
    struct sigaction was = handle_signals();
    struct log_reading *reading;
    int status;

    (void)state;
    for (int i = 0; i < N; i++) {
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            wait_a_moment(1000);
            log_put(1);
            syscall(SYS_exit_group, 0);
        }
        for (int k = 0; k < 5; k++) {
            wait_a_moment(10000);
            (void)kill(child, SIGUSR1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(sigaction(SIGUSR1, &was, NULL), 0);
    reading = log_open_recording();
    assert_int_equal(reading->recording.n_images, N + 1);
    assert_int_equal(reading->recording.n_streams, N + 1);
    assert_int_equal(reading->recording.report.lost, 0);
    log_close_reading(reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_short_threads_share_a_place, log_start,
                                        log_stop),
        cmocka_unit_test_setup_teardown(test_many_threads_at_a_time, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_fork, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_raw_fork, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_raw_fork_then_thread, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_closed, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_events_behind_the_end, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_threads_under_signals, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_children_under_signals, log_start, log_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
