/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that were observed from outside: files of observations written record by record,
 * as format/schedule_layout.h says.  The clock counts nanoseconds, so that a record's number
 * is its time.  Expected states follow from the switches beside each test.
 */
#include "observations.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "format/schedule_layout.h"
#include "tests/random.h"

static void put_look(struct file *file, int64_t time, uint32_t pid, uint32_t tid, int call)
{
    struct weft_schedule_look look = { .type = WEFT_SCHEDULE_LOOK,
                                       .size = sizeof look,
                                       .pid = pid,
                                       .tid = tid,
                                       .time = time,
                                       .call = call };

    strcpy(look.file, "/some/file");
    put(file, &look, sizeof look);
}

/* A look with the top of a stack behind it. */
static void put_stack(struct file *file, int64_t time, uint32_t tid)
{
    struct {
        struct weft_schedule_look look;
        uint64_t words[16];
    } record = { .look = { .type = WEFT_SCHEDULE_LOOK,
                           .size = sizeof record,
                           .misc = 1,
                           .pid = 9,
                           .tid = tid,
                           .time = time,
                           .call = WEFT_LOOK_PAGE,
                           .stack_pointer = 0x7000 } };

    for (size_t i = 0; i < sizeof record.words / sizeof *record.words; i++)
        record.words[i] = 0x7000 + 8 * i;
    put(file, &record, sizeof record);
}

static void put_asked(struct file *file, int64_t time, uint32_t tid, uint32_t change)
{
    struct weft_schedule_asked record = { .type = WEFT_SCHEDULE_ASKED,
                                          .size = sizeof record,
                                          .pid = 9,
                                          .tid = tid,
                                          .time = time,
                                          .change = change };

    put(file, &record, sizeof record);
}

static void put_lost(struct file *file, int64_t time, uint32_t processor, uint64_t n)
{
    uint64_t body[2] = { 0, n };

    put_record(file, PERF_RECORD_LOST, 0, body, sizeof body,
               (struct weft_schedule_sample){ 9, 9, time, processor, 0 });
}

static struct file observed_program(void)
{
    struct file file = begin_file();

    /* One processor's records after the other's, as buffers are drained. */
    put_name(&file, 1000, 9, 9, "static");
    put_life(&file, PERF_RECORD_FORK, 2000, 0, 9, 10, 9);
    put_switch(&file, 3000, 0, 9, 9, OUT);
    put_switch(&file, 5000, 0, 9, 10, IN);
    put_life(&file, PERF_RECORD_EXIT, 6000, 0, 9, 10, 9);
    put_switch(&file, 2500, 1, 9, 10, IN);
    put_switch(&file, 4000, 1, 9, 10, PREEMPTED);
    put_switch(&file, 7000, 1, 9, 9, IN);
    put_life(&file, PERF_RECORD_EXIT, 8000, 1, 9, 9, 1);
    put_look(&file, 3500, 9, 9, SYS_futex);
    return file;
}

/* No recorder was in the program: all is from outside. */
static void test_program_that_was_only_observed(void **state)
{
    struct file file = observed_program();
    struct recorded recorded = trace_of("host alpha boot-a ns\n", &file);

    (void)state;
    assert_string_equal(story(&recorded, "Thread", "static", "Thread state"),
                        "running 1000, blocked on futex 3000, running 7000, end 8000");
    assert_string_equal(story(&recorded, "Thread", "thread 1", "Thread state"),
                        "ready 2000, running 2500, ready 4000, running 5000, end 6000");
    assert_string_equal(story(&recorded, "Processor", "processor 0", "Processor state"),
                        "running 1000, end 3000; running 5000, end 6000");
    assert_string_equal(story(&recorded, "Processor", "processor 1", "Processor state"),
                        "running 2500, end 4000; running 7000, end 8000");
    forget(&recorded);
}

/* A blocked thread that nobody looked at, and a look in a later interval. */
static void test_look_belongs_to_its_interval(void **state)
{
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_name(&file, 1000, 9, 9, "static");
    put_switch(&file, 2000, 0, 9, 9, OUT);
    put_switch(&file, 3000, 0, 9, 9, IN);
    put_switch(&file, 4000, 0, 9, 9, OUT);
    put_switch(&file, 5000, 0, 9, 9, IN);
    put_life(&file, PERF_RECORD_EXIT, 6000, 0, 9, 9, 1);
    put_look(&file, 4500, 9, 9, SYS_fsync);
    put_look(&file, 5500, 9, 9, SYS_read); /* it ran: the look came too late */
    recorded = trace_of("host alpha boot-a ns\n", &file);
    assert_string_equal(
        story(&recorded, "Thread", "static", "Thread state"),
        "running 1000, blocked 2000, running 3000, syncing 4000, running 5000, end 6000");
    forget(&recorded);
}

/*
 * A thread (tid 1000) that was recorded from inside.  It waits for a mutex from 2,000,000
 * to 5,000,000 and has no processor from 2,100,000 to 4,990,000: one wait.  Then it is
 * preempted, and blocked in a call that no hook sees.
 */
static void test_waits_of_recorder_and_kernel(void **state)
{
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_name(&file, 1000000, 7, 1000, "program");
    put_switch(&file, 2100000, 0, 7, 1000, OUT);
    put_look(&file, 3000000, 7, 1000, SYS_futex);
    put_switch(&file, 4990000, 0, 7, 1000, IN);
    put_switch(&file, 6000000, 0, 7, 1000, PREEMPTED);
    put_switch(&file, 6500000, 0, 7, 1000, IN);
    put_switch(&file, 7000000, 0, 7, 1000, OUT);
    put_look(&file, 7600000, 7, 1000, SYS_flock);
    put_switch(&file, 8000000, 0, 7, 1000, IN);
    put_life(&file, PERF_RECORD_EXIT, 9100000, 0, 7, 1000, 1);
    recorded = trace_of("host alpha boot-a ns\n"
                        "process 7 family\n"
                        "thread 0\n"
                        "starts 1000000\n"
                        "2000000 wait mutex 0x1000\n"
                        "5000000 acquire mutex 0x1000\n"
                        "5500000 release mutex 0x1000\n"
                        "9000000 exit\n",
                        &file);
    assert_string_equal(story(&recorded, "Thread", "family", "Thread state"),
                        "running 1000000, blocked on mutex 2000000, running 5000000, "
                        "ready 6000000, running 6500000, blocked on file lock 7000000, "
                        "running 8000000, end 9000000");
    forget(&recorded);
}

/* Records of processor 0 were lost between 3001 and 6000: nothing is known till a switch. */
static void test_lost_switches_are_unknown(void **state)
{
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_name(&file, 1000, 9, 9, "static");
    put_switch(&file, 2000, 0, 9, 9, OUT);
    put_switch(&file, 3000, 0, 9, 9, IN);
    put_lost(&file, 6000, 0, 12);
    put_switch(&file, 7000, 0, 9, 9, OUT);
    put_switch(&file, 8000, 0, 9, 9, IN);
    put_life(&file, PERF_RECORD_EXIT, 9000, 0, 9, 9, 1);
    recorded = trace_of("host alpha boot-a ns\n", &file);
    assert_string_equal(
        story(&recorded, "Thread", "static", "Thread state"),
        "running 1000, blocked 2000, running 3000, unknown 3001, blocked 7000, "
        "running 8000, end 9000");
    assert_true(has_problem(&recorded, "lost-switches"));
    forget(&recorded);
}

/*
 * The observer is killed at 3000; the thread goes on, executes another program at 4000 and
 * waits from 5000 to 6000 (or the observer saw the beginning of the other program, too).
 * Only what recorders say is known from 3001 on.
 */
static void test_observer_ends_before_the_program(void **state)
{
    static const char description[] = "host alpha boot-a ns\n"
                                      "process 7 first\n"
                                      "killed\n"
                                      "thread 0\n"
                                      "starts 1000\n"
                                      "2000 wait mutex 0x1000\n"
                                      "2500 acquire mutex 0x1000\n"
                                      "process 7 second\n"
                                      "image 1\n"
                                      "thread 0\n"
                                      "starts 4000\n"
                                      "5000 wait mutex 0x1000\n"
                                      "6000 acquire mutex 0x1000\n"
                                      "7000 exit\n";

    (void)state;
    for (int seen = 0; seen < 2; seen++) {
        struct file file = begin_file();
        struct recorded recorded;
        put_name(&file, 1000, 7, 1000, "first");
        put_switch(&file, 3000, 0, 7, 1000, PREEMPTED);
        if (seen)
            put_switch(&file, 4200, 0, 7, 1000, IN);
        recorded = trace_of(description, &file);
        assert_string_equal(
            story(&recorded, "Thread", "second", "Thread state"),
            seen ? "running 1000, blocked on mutex 2000, running 2500, ready 3000, "
                   "running 4200, unknown 4201, blocked on mutex 5000, unknown 6000, "
                   "end 7000"
                 : "running 1000, blocked on mutex 2000, running 2500, ready 3000, "
                   "unknown 3001, blocked on mutex 5000, unknown 6000, end 7000");
        forget(&recorded);
    }
}

static void test_refusal_is_said(void **state)
{
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    strcpy(((struct weft_schedule_head *)(void *)file.bytes)->refused, "not allowed");
    recorded = trace_of("host alpha boot-a ns\nprocess 7 family\nthread 0\nstarts 1000\n"
                        "2000 exit\n",
                        &file);
    assert_true(has_problem(&recorded, "no-switches"));
    assert_string_equal(story(&recorded, "Thread", "family", "Thread state"),
                        "running 1000, end 2000");
    forget(&recorded);
}

static struct file asked_program(void)
{
    struct file file = begin_file();

    strcpy(((struct weft_schedule_head *)(void *)file.bytes)->refused, "not allowed");
    put_life(&file, PERF_RECORD_FORK, 1000, 0, 9, 9, 1);
    put_name(&file, 1000, 9, 9, "static");
    put_asked(&file, 1000, 9, WEFT_ASKED_MIXED);
    put_asked(&file, 2000, 9, WEFT_ASKED_OFF);
    put_stack(&file, 3000, 9);
    put_asked(&file, 5000, 9, WEFT_ASKED_RUNS);
    put_asked(&file, 6000, 9, WEFT_ASKED_READY);
    put_asked(&file, 7000, 9, WEFT_ASKED_MIXED);
    put_life(&file, PERF_RECORD_EXIT, 8000, 0, 9, 9, 1);
    return file;
}

/* The kernel refused its switches; its counts were read each thousand nanoseconds. */
static void test_rounds(void **state)
{
    struct file file = asked_program();
    struct recorded recorded = trace_of("host alpha boot-a ns\n", &file);

    (void)state;
    assert_string_equal(story(&recorded, "Thread", "static", "Thread state"),
                        "running at times 1000, waiting for a page 2000, running 5000, "
                        "ready 6000, running at times 7000, end 8000");
    assert_true(has_problem(&recorded, "no-switches"));
    forget(&recorded);
}

static void put_counter(struct file *file, uint32_t number, uint64_t id, const char *name)
{
    struct weft_schedule_counter record = {
        .type = WEFT_SCHEDULE_COUNTER, .size = sizeof record, .counter = number, .id = id
    };

    strcpy(record.name, name);
    put(file, &record, sizeof record);
}

static void put_total(struct file *file, uint64_t id, uint64_t value, uint64_t running_ns)
{
    struct weft_schedule_total record = { .type = WEFT_SCHEDULE_TOTAL,
                                          .size = sizeof record,
                                          .value = value,
                                          .running_ns = running_ns,
                                          .id = id };

    put(file, &record, sizeof record);
}

static void put_read(struct file *file, int64_t time, uint32_t tid, uint64_t id,
                     uint64_t value, uint64_t running_ns)
{
    struct weft_schedule_read body = { 9, tid, value, running_ns, id };

    put_record(file, PERF_RECORD_READ, 0, &body, sizeof body,
               (struct weft_schedule_sample){ 9, tid, time, 0, 0 });
}

static void put_usage(struct file *file, int64_t time, uint32_t tid, uint64_t user_ns,
                      uint64_t system_ns)
{
    struct weft_schedule_usage record = { .type = WEFT_SCHEDULE_USAGE,
                                          .size = sizeof record,
                                          .pid = 9,
                                          .tid = tid,
                                          .time = time,
                                          .user_ns = user_ns,
                                          .system_ns = system_ns };

    put(file, &record, sizeof record);
}

/*
 * Thread 10 runs from 2,500,000 to 4,000,000 on processor 1, is preempted, and goes on from
 * 5,000,000 on processor 0 until 6,000,000.  Thread 9 runs until 3,000,000 and from 7,000,000
 * on until 4,000 ms.  Instructions (ids 50 and 51, by processor): 700 in all, 400 of them and
 * all of its 2.5 ms by thread 10; page faults: 90, of which 30.
 */
static struct file counted_program(void)
{
    struct file file = begin_file();

    put_counter(&file, 0, 50, "instructions");
    put_counter(&file, 0, 51, "instructions");
    put_counter(&file, WEFT_SCHEDULE_FAULTS, 60, "page faults");
    put_name(&file, 1000, 9, 9, "static");
    put_life(&file, PERF_RECORD_FORK, 2000000, 0, 9, 10, 9);
    put_switch(&file, 3000000, 0, 9, 9, OUT);
    put_switch(&file, 5000000, 0, 9, 10, IN);
    put_life(&file, PERF_RECORD_EXIT, 6000000, 0, 9, 10, 9);
    put_read(&file, 6000001, 10, 50, 100, 1000000);
    put_read(&file, 6000002, 10, 60, 30, 2500000);
    put_switch(&file, 2500000, 1, 9, 10, IN);
    put_switch(&file, 4000000, 1, 9, 10, PREEMPTED);
    put_read(&file, 6000003, 10, 51, 300, 1500000);
    put_switch(&file, 7000000, 1, 9, 9, IN);
    put_usage(&file, 3900000000, 9, 2900000000, 1000000000);
    put_life(&file, PERF_RECORD_EXIT, 4000000000, 1, 9, 9, 1);
    put_total(&file, 50, 100, 1000000);
    put_total(&file, 51, 600, 3997500000);
    put_total(&file, 60, 90, 3998500000);
    return file;
}

/* Returns the thread's fact of this role; -1: it has none. */
static int64_t fact_of(const struct recorded *recorded, const char *thread,
                       enum weft_role role)
{
    const struct weft_field_value *fact = weft_container_fact(
        recorded->schema, container(recorded, "Thread", thread), role, WEFT_FIELD_INTEGER);

    return fact ? fact->integer : -1;
}

/*
 * Thread 9 has no record of the kernel's, so it has the rest.  It ran 3,995,999,000 ns, of which
 * the kernel gave 10 in 39 to system time.
 */
static void test_counts(void **state)
{
    struct file file = counted_program();
    struct recorded recorded = trace_of("host alpha boot-a ns\n", &file);
    int64_t system;

    (void)state;
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_COUNTED), 400);
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_PAGE_FAULTS), 30);
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_PREEMPTIONS), 1);
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_VOLUNTARY_SWITCHES), 0);
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_PROCESSOR_CHANGES), 1);
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_SYSTEM_TIME), -1);
    assert_int_equal(fact_of(&recorded, "static", WEFT_ROLE_COUNTED), 300);
    assert_int_equal(fact_of(&recorded, "static", WEFT_ROLE_PAGE_FAULTS), 60);
    assert_int_equal(fact_of(&recorded, "static", WEFT_ROLE_VOLUNTARY_SWITCHES), 1);
    assert_int_equal(fact_of(&recorded, "static", WEFT_ROLE_PROCESSOR_CHANGES), 1);
    system = fact_of(&recorded, "static", WEFT_ROLE_SYSTEM_TIME);
    assert_in_range(system, 3995999000 / 39 * 10 - 10, 3995999000 / 39 * 10 + 10);
    forget(&recorded);
}

/* Where records were lost, nothing is counted for sure. */
static void test_counts_and_lost_records(void **state)
{
    struct file file = counted_program();
    struct recorded recorded;

    (void)state;
    put_lost(&file, 3999999000, 0, 3);
    recorded = trace_of("host alpha boot-a ns\n", &file);
    assert_int_equal(fact_of(&recorded, "thread 1", WEFT_ROLE_COUNTED), -1);
    assert_int_equal(fact_of(&recorded, "static", WEFT_ROLE_PAGE_FAULTS), -1);
    forget(&recorded);
}

/* A look took a microsecond: the thread went on meanwhile, so it says nothing. */
static void test_look_that_took_too_long(void **state)
{
    struct file file = begin_file();
    struct recorded recorded;

    (void)state;
    put_name(&file, 1000, 9, 9, "static");
    put_switch(&file, 2000, 0, 9, 9, OUT);
    put_stack(&file, 4500, 9);
    put_switch(&file, 5000, 0, 9, 9, IN);
    put_life(&file, PERF_RECORD_EXIT, 6000, 0, 9, 9, 1);
    recorded = trace_of("host alpha boot-a ns\n", &file);
    assert_string_equal(story(&recorded, "Thread", "static", "Thread state"),
                        "running 1000, blocked 2000, running 5000, end 6000");
    forget(&recorded);
}

/* A file that is cut anywhere, or damaged anywhere, makes a trace all the same. */
static void damage(const struct file *whole)
{
    for (size_t size = 0; size < whole->size; size += 5) {
        struct file cut = *whole;
        struct recorded recorded;
        cut.size = size;
        recorded = trace_of("host alpha boot-a ns\n", &cut);
        forget(&recorded);
    }
    for (int i = 0; i < 150; i++) {
        struct file damaged = *whole;
        struct recorded recorded;
        for (int k = 0; k < 3; k++)
            damaged.bytes[roll(whole->size)] = (unsigned char)roll(256);
        recorded = trace_of("host alpha boot-a ns\n", &damaged);
        forget(&recorded);
    }
}

static void test_damaged_files(void **state)
{
    struct file switches = observed_program(), rounds = asked_program(),
                counts = counted_program();

    (void)state;
    damage(&switches);
    damage(&rounds);
    damage(&counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program_that_was_only_observed),
        cmocka_unit_test(test_look_belongs_to_its_interval),
        cmocka_unit_test(test_waits_of_recorder_and_kernel),
        cmocka_unit_test(test_lost_switches_are_unknown),
        cmocka_unit_test(test_observer_ends_before_the_program),
        cmocka_unit_test(test_refusal_is_said),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_look_that_took_too_long),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_and_lost_records),
        cmocka_unit_test(test_damaged_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
