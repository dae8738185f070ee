/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and processes: who made whom, and how they are called.  The recordings are described in
 * the tests (synthetic.h).  What is expected is worked out beside each from what the records
 * mean.  Clocks count nanoseconds unless a test says otherwise, so that a record's number is
 * its time.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/recording_to_store.h"

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
    struct found_state blocked =
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

/* A thread has the name that its creator gave it before its first event. */
static void test_name_before_the_first_event(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 family\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1500 create 1 0 0\n"
                                               "1600 calls 101 early\n"
                                               "1800 calls 101 later\n"
                                               "1900 calls 102 nobody\n"
                                               "thread 1\n"
                                               "starts 1700\n"
                                               "5000 exit\n");
    uint32_t thread = container(&recorded, "Thread", "later");
    uint32_t names = track(&recorded, thread, "Name");

    (void)state;
    assert_int_equal(count_events(&recorded, names, "early"), 1);
    assert_int_equal(count_events(&recorded, names, "later"), 1);
    assert_int_equal(count_events(&recorded, names, "nobody"), 0);
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
                                               "image 2\n"
                                               "forked 10 0 0\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2100 instant 1\n");
    uint32_t tool = container(&recorded, "Process", "tool");
    uint32_t shell = container(&recorded, "Process", "shell");
    uint32_t of_tool = container(&recorded, "Thread", "tool");
    uint32_t of_shell = container(&recorded, "Thread", "shell");
    struct found_state found[4];
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

/* A name that the child lost is not the one to which its parent gave the same number later. */
static void test_names_after_a_fork(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 parent\n"
                                               "thread 0\n"
                                               "1000 name 1 before\n"
                                               "2500 name 2 parents\n"
                                               "process 20 child\n"
                                               "image 2\n"
                                               "forked 10 0 0\n"
                                               "inherits 1\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "3000 instant 1\n"
                                               "3100 instant 2\n");
    uint32_t child = track(&recorded, container(&recorded, "Thread", "child"), "Instant");

    (void)state;
    assert_int_equal(count_events(&recorded, child, "before"), 1);
    assert_int_equal(count_events(&recorded, child, "parents"), 0);
    assert_int_equal(count_events(&recorded, child, "name that was lost"), 1);
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

static int64_t end_of(const struct recorded *recorded, const char *process)
{
    return recorded->schema->containers[container(recorded, "Process", process)].end;
}

/*
 * Signals end the children one and, with its number again, two; their parent sees it at 3,000 and
 * 6,000.  The number is another's in another namespace, or of another parent, and that of a child
 * which exits: its own word counts.  What it waits for twice, or never had, ends nobody.
 */
static void test_children_that_were_waited_for(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 parent\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "3000 child-ended 9 20\n"
                                               "3100 child-ended 9 20\n"
                                               "6000 child-ended 11 20\n"
                                               "6100 child-ended 0 30\n"
                                               "6200 child-ended 9 77\n"
                                               "6300 child-ended 9 40\n"
                                               "6400 child-ended 9 50\n"
                                               "6500 child-ended 0 60\n"
                                               "9000 cpu 1\n"
                                               "process 20 one\n"
                                               "parent 10\n"
                                               "image 2\n"
                                               "forked 10 0 0\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2500 wait mutex 0x1000\n"
                                               "process 20 two\n"
                                               "parent 10\n"
                                               "image 5\n"
                                               "forked 10 0 0\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 5000\n"
                                               "5500 cpu 1\n"
                                               "process 30 exits\n"
                                               "parent 10\n"
                                               "image 3\n"
                                               "sample 1000 1000 1000\n"
                                               "sample 2200 2200 2200\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2100 cpu 1\n"
                                               "process 40 elsewhere\n"
                                               "parent 10\n"
                                               "namespace 5\n"
                                               "image 4\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2100 cpu 1\n"
                                               "process 50 another's\n"
                                               "parent 40\n"
                                               "image 6\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2100 cpu 1\n"
                                               "process 60 past\n"
                                               "parent 10\n"
                                               "image 7\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 2000\n"
                                               "2100 cpu 1\n");
    uint32_t one = container(&recorded, "Thread", "one");
    struct found_state blocked =
        first_state(&recorded, track(&recorded, one, "Thread state"), "blocked on mutex");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Process"), 7);
    assert_int_equal(end_of(&recorded, "another's"), 9000);
    assert_int_equal(end_of(&recorded, "past"), 6500);
    assert_int_equal(end_of(&recorded, "one"), 3000);
    assert_int_equal(blocked.state.end, 3000);
    assert_int_equal(end_of(&recorded, "two"), 6000);
    assert_int_equal(end_of(&recorded, "exits"), 2200);
    assert_int_equal(end_of(&recorded, "elsewhere"), 9000);
    assert_true(has_problem(&recorded, "killed"));
    assert_true(has_problem(&recorded, "unseen-end"));
    assert_true(has_problem(&recorded, "unknown-end"));
    forget(&recorded);
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

/* As a runtime has it: the function to run is the first word of its argument. */
static __attribute__((noinline)) void *uv__thread_start(void *argument)
{
    io_runs++;
    return argument;
}

/*
 * Threads that a runtime starts are called after what they run, if that is a function: not a
 * place within one, nor somewhere else.
 */
static void test_threads_of_a_runtime(void **state)
{
    char *description = calloc(1, 100000), line[512], *end = description;
    unsigned long long start = (uintptr_t)uv__thread_start;
    unsigned long long function = (uintptr_t)log_thread_main;
    FILE *maps = fopen("/proc/self/maps", "r");
    struct recorded recorded;

    (void)state;
    gate_lock[0] = (char)(uv__thread_start(NULL) || log_thread_main(NULL));
    assert_non_null(maps);
    end += sprintf(end, "host alpha boot-a ns\nprocess 7 runtime\n");
    while (fgets(line, sizeof line, maps))
        end += sprintf(end, "map %s", line);
    fclose(maps);
    end += sprintf(end,
                   "thread 0\n"
                   "starts 1000\n"
                   "1100 create 1 0 %llu %llu 5\n"
                   "1200 create 2 0 %llu %llu\n"
                   "1300 create 3 0 %llu 17\n"
                   "1400 create 4 0 %llu\n",
                   start, function, start, function + 1, start, start);
    for (int i = 1; i <= 4; i++)
        end += sprintf(end, "thread %d\nstarts %d\n3000 cpu 1\n", i, 1600 - i);
    recorded = synthetic_trace(description);
    (void)container(&recorded, "Thread", "log_thread_main");
    for (int i = 1; i <= 3; i++) {
        snprintf(line, sizeof line, "uv__thread_start %d", i);
        (void)container(&recorded, "Thread", line);
    }
    forget(&recorded);
    free(description);
}

/* What failed is taken back. */
static void test_children_that_share_storage(void **state)
{
    struct recorded shared = synthetic_trace("host alpha boot-a ns\n"
                                             "process 7 family\n"
                                             "thread 0\n"
                                             "1500 sharer 1\n"
                                             "1600 sharer 1\n"
                                             "1700 sharer 0\n");
    struct recorded not_shared = synthetic_trace("host alpha boot-a ns\n"
                                                 "process 7 family\n"
                                                 "thread 0\n"
                                                 "1600 sharer 1\n"
                                                 "1700 sharer 0\n");

    (void)state;
    assert_true(has_problem(&shared, "shared-storage"));
    assert_false(has_problem(&not_shared, "shared-storage"));
    forget(&shared);
    forget(&not_shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children_that_share_storage),
        cmocka_unit_test(test_threads_that_are_made_and_joined),
        cmocka_unit_test(test_name_before_the_first_event),
        cmocka_unit_test(test_fork_and_exec),
        cmocka_unit_test(test_names_after_a_fork),
        cmocka_unit_test(test_pid_that_is_used_again),
        cmocka_unit_test(test_children_that_were_waited_for),
        cmocka_unit_test(test_names_by_symbols),
        cmocka_unit_test(test_threads_of_a_runtime),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
