/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's core, in this process: what is put into a log is what the join reads out of
 * its file, at every moment at which the process could be killed.  A kill leaves the file as it
 * is, so each test looks at the file between two steps.
 */
#define _GNU_SOURCE
#include "log_fixture.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "record/core/clocks.h"
#include "record/log/recording_overhead.h"
#include "tests/random.h"

/* Some buffers full, looked at often: at random, and after each record around a drain. */
static void test_what_is_put_is_read(void **state)
{
    uint32_t n = 0;
    uint64_t drained = 0;
    const struct weft_piece *piece = log_piece_of(weft_record_self);

    (void)state;
    while (drained < 4 * WEFT_LOG_BUFFER) {
        bool near_drain;
        log_put(n++);
        near_drain = weft_record_self->limit - weft_record_self->cursor < 8
                     || weft_record_self->cursor - weft_record_self->buffer < 16;
        if (near_drain || roll(500) == 0)
            log_check(0, n);
        drained = piece->drained;
    }
    assert_int_equal(piece->base, drained);
    assert_int_equal(weft_record_self->header->lost, 0);
}

/* Nothing is lost or repeated between the steps of draining, nor in the middle of clearing. */
static void test_kill_between_steps_of_draining(void **state)
{
    uint32_t n = 0;

    (void)state;
    for (int round = 0; round < 30; round++) {
        struct weft_log *log = weft_record_self;
        uint32_t more = round == 0 ? 0 : 1 + (uint32_t)roll(1500);
        for (uint32_t i = 0; i < more; i++)
            log_put(n++);
        log_check(0, n);
        for (int step = 0; step < WEFT_DRAIN_STEPS; step++) {
            if (step == WEFT_DRAIN_CLEAR && more > 0) {
                memset(log->buffer, 0, 8 * roll((uint64_t)(log->cursor - log->buffer)));
                log_check(0, n);
            }
            assert_true(weft_log_drain_step(log, step));
            log_check(0, n);
        }
        assert_ptr_equal(log->cursor, log->buffer);
    }
}

/* From here on all is done by a handler that has interrupted a hook, further up the stack. */
static void interrupt(struct weft_log *log)
{
    weft_log_enter(log);
    log->frame = UINTPTR_MAX;
}

/*
 * A kill between taking room and sealing: whatever words were filled by then, they are no
 * records, and what a handler wrote behind them is there.
 */
static void test_kill_inside_a_record(void **state)
{
    struct weft_log *log = weft_record_self;

    (void)state;
    log_put(0);
    for (uint32_t words = 0; words < 20; words++)
        for (uint32_t filled = 0; filled <= words; filled++) {
            uint64_t *at;
            interrupt(log);
            at = weft_log_reserve(log, words, weft_ticks());
            assert_non_null(at);
            for (uint32_t i = 0; i < filled; i++) /* what would be a record of its own */
                at[1 + i] = weft_record_word(0, PLAIN, 0, 12345);
            weft_log_leave(log);
        }
    log_put(1);
    log_check(0, 2);
}

/*
 * A handler comes while a record is half written and the buffer is full: what it writes goes
 * into the slack, without a drain, as long as there is room; the rest is lost and counted.
 */
static void test_handlers_have_the_slack(void **state)
{
    struct weft_log *log = weft_record_self;
    const uint64_t *buffer_end = log->buffer + WEFT_LOG_BUFFER / 8;
    uint32_t n = 0, kept;

    (void)state;
    while (log->cursor + 3 <= log->limit)
        weft_log_put(log, weft_ticks(), PLAIN, n++);
    interrupt(log);
    kept = n;
    /* A record that wants to make room must leave two words for the time. */
    while (log->cursor + 3 <= buffer_end) {
        assert_true(weft_log_put(log, weft_ticks(), PLAIN, kept++));
        assert_int_equal(log_piece_of(log)->drained, 0);
    }
    assert_in_range(kept - n, WEFT_LOG_SLACK / 8 - 3, WEFT_LOG_SLACK / 8 + 3);
    for (int i = 0; i < 7; i++)
        assert_false(weft_log_put(log, weft_ticks(), PLAIN, 99));
    assert_int_equal(log->header->lost, 7);
    weft_log_leave(log);
    assert_true(weft_log_put(log, weft_ticks(), PLAIN, kept++));
    assert_true(log_piece_of(log)->drained > 0);
    {
        struct log_reading *reading = log_open_reading();
        for (uint32_t i = 0; i < kept; i++) {
            assert_true(log_next(reading));
            assert_int_equal(reading->record.argument, i);
        }
        assert_false(log_next(reading));
        log_close_reading(reading);
    }
}

/* Stamps of any distance, also backwards by a little, are read as they were written. */
static void test_stamps(void **state)
{
    enum { N = 20000 };
    uint64_t *ticks = calloc(N, sizeof *ticks), now = weft_ticks();
    struct log_reading *reading;

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        now += roll(UINT64_C(1) << roll(45));
        /* A handler's record may be stamped before the one that it stands behind. */
        ticks[i] = now - (i % 7 == 0 ? roll(100000) : 0);
        weft_log_put(weft_log_get(), ticks[i], PLAIN, i);
    }
    reading = log_open_reading();
    for (uint32_t i = 0; i < N; i++) {
        assert_true(log_next(reading));
        assert_int_equal(reading->record.argument, i);
        assert_int_equal(reading->stream->ticks, ticks[i]);
    }
    log_close_reading(reading);
    free(ticks);
}

/*
 * The descriptor is gone, and the log cannot be opened by its name for a while: what was in the
 * buffer is counted, once.  With a name it is opened again.
 */
static void test_drain_that_fails(void **state)
{
    struct weft_log *log = weft_record_self;
    char machine[WEFT_PATH_MAX], moved[600];

    (void)state;
    strcpy(machine, weft_process.file.path);
    *strrchr(machine, '/') = 0;
    for (uint32_t i = 0; i < 500; i++)
        log_put(i);
    snprintf(moved, sizeof moved, "%s/moved", log_folder);
    assert_int_equal(rename(machine, moved), 0);
    assert_int_equal(close(weft_process.file.descriptor), 0);
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        assert_true(weft_log_drain_step(log, step));
    assert_int_equal(rename(moved, machine), 0);
    /* 500, and the one that says the time. */
    assert_int_equal(log->header->lost, 501);
    for (uint32_t i = 500; i < 600; i++)
        log_put(i);
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        assert_true(weft_log_drain_step(log, step));
    assert_int_equal(log->header->lost, 501);
    log_check(500, 600);
}

/*
 * Somebody closes the descriptor and opens another file, which gets its number: nothing is
 * written there, and nothing is lost.
 */
static void test_descriptor_of_another_file(void **state)
{
    char path[100];
    struct stat status;
    int other, number = weft_process.file.descriptor;

    (void)state;
    log_put(0);
    snprintf(path, sizeof path, "%s/other", log_folder);
    other = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(dup2(other, number), number);
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        assert_true(weft_log_drain_step(weft_record_self, step));
    log_put(1);
    assert_int_equal(weft_record_self->header->lost, 0);
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_size, 0);
    log_check(0, 2);
    close(other);
    close(number);
}

struct slot_meaning {
    uint64_t object, site;
};

/* N events of KINDS objects at two sites, some of them in handlers, which are counted. */
static uint32_t put_objects(struct slot_meaning *events, uint32_t n, uint32_t kinds)
{
    uint32_t handled = 0;

    for (uint32_t k = 0; k < n; k++) {
        bool handler = roll(50) == 0;
        events[k] = (struct slot_meaning){ 0x1000 + 40 * roll(kinds), 0x40 + roll(2) };
        handled += handler;
        if (handler)
            interrupt(weft_record_self);
        weft_log_object(weft_ticks(), OBJECT, 3, (void *)(uintptr_t)events[k].object,
                        events[k].site, 1, k);
        if (handler)
            weft_log_leave(weft_record_self);
    }
    return handled;
}

/* The log has these events, each of its own object; returns how many pairs it defines. */
static uint32_t check_objects(const struct slot_meaning *events, uint32_t n)
{
    struct slot_meaning *meanings = calloc(WEFT_LOG_HANDLER_SLOT + 1, sizeof *meanings);
    struct log_reading *reading = log_open_reading();
    uint32_t i = 0, defined = 0;

    while (recording_next(&reading->families, reading->stream, &reading->record)) {
        const struct record *record = &reading->record;
        uint32_t slot = record->argument % WEFT_PAIR_SLOTS;
        if (record->kind == WEFT_RECORD_PAIR) {
            assert_in_range(slot, 0, WEFT_LOG_HANDLER_SLOT);
            assert_int_equal(record->argument >> WEFT_PAIR_CLASS, 3);
            meanings[slot] = (struct slot_meaning){ record->words[0], record->words[1] };
            defined++;
        } else if (record->kind == OBJECT) {
            assert_int_equal(record->words[0], i);
            assert_int_equal(meanings[slot].object, events[i].object);
            assert_int_equal(meanings[slot].site, events[i].site);
            i++;
        }
    }
    assert_int_equal(i, n);
    log_close_reading(reading);
    free(meanings);
    return defined;
}

/* Fewer pairs of object and site than there are slots, and more: each event names its own. */
static void test_objects(void **state)
{
    enum { N = 60000 };
    static const uint32_t kinds[] = { 10, 400, 5000, 40000 };
    struct slot_meaning *events = calloc(N, sizeof *events);

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t handled = put_objects(events, N, kinds[i]);
        uint32_t defined = check_objects(events, N);
        /*
         * Each pair is said once, and those of the small table perhaps anew in the large one;
         * of as many as 10,000 in 16,384 slots few take each other's place.
         */
        if (kinds[i] <= 5000)
            assert_in_range(defined, 0,
                            handled + 2 * kinds[i] + WEFT_LOG_SLOTS_FIRST + N / 20);
        log_stop(NULL);
        log_start(NULL);
    }
    free(events);
}

/*
 * A handler comes after an event has found its slot and before it is written, and uses up all
 * slots: the event is of its own object nevertheless.
 */
static void test_objects_of_handlers(void **state)
{
    enum { INTERRUPTED = 200, HANDLED = 1000 };
    struct weft_log *log = weft_record_self;
    uint64_t *meanings = calloc(WEFT_LOG_HANDLER_SLOT + 1, sizeof *meanings);
    uint32_t slots[INTERRUPTED] = { 0 }, found = 0;
    struct log_reading *reading;

    (void)state;
    for (uint64_t i = 0; i < INTERRUPTED; i++)
        weft_log_object(weft_ticks(), OBJECT, 0, (void *)(uintptr_t)(0x1000 + 8 * i), 1, 0,
                        0);
    interrupt(log);
    for (uint32_t slot = 0; slot <= log->slots_mask; slot++)
        if (weft_log_slot(log, slot)->object)
            slots[(weft_log_slot(log, slot)->object - 0x1000) / 8] = slot;
    for (uint64_t i = 0; i < HANDLED; i++)
        weft_log_object(weft_ticks(), OBJECT, 0, (void *)(uintptr_t)(0x9000 + 8 * i), 1, 0,
                        0);
    for (int i = INTERRUPTED - 100; i < INTERRUPTED; i++) {
        uint64_t *at = weft_log_reserve(log, 1, weft_ticks());
        at[1] = 0x1000 + 8 * (uint64_t)i;
        weft_log_seal(at, weft_ticks(), WORD, 1, slots[i]);
    }
    weft_log_leave(log);
    reading = log_open_reading();
    while (recording_next(&reading->families, reading->stream, &reading->record)) {
        const struct record *record = &reading->record;
        if (record->kind == WEFT_RECORD_PAIR)
            meanings[record->argument % WEFT_PAIR_SLOTS] = record->words[0];
        if (record->kind == WORD) {
            assert_int_equal(meanings[record->argument], record->words[0]);
            found++;
        }
    }
    assert_int_equal(found, 100);
    log_close_reading(reading);
    free(meanings);
}

static void test_names(void **state)
{
    uint32_t numbers[2] = { 0, 0 }, found = 0;
    char longest[300], text[RECORD_TEXT];
    struct log_reading *reading;

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    for (int i = 0; i < 3; i++) { /* the first time only is a name written */
        (void)weft_record_core_v1.name(&numbers[0], "short", 5);
        (void)weft_record_core_v1.name(&numbers[1], longest, 6);
    }
    assert_int_not_equal(numbers[0], numbers[1]);
    reading = log_open_reading();
    while (recording_next(&reading->families, reading->stream, &reading->record)) {
        const struct record *record = &reading->record;
        if (record->kind != WEFT_RECORD_NAME)
            continue;
        assert_int_equal(record->words[0], numbers[found]);
        assert_int_equal(record->words[1], 5 + found);
        record_text(record, 2, text);
        assert_int_equal(strlen(text), found == 0 ? 5 : 240);
        found++;
    }
    assert_int_equal(found, 2);
    log_close_reading(reading);
}

static void test_families_join(void **state)
{
    static const struct weft_record_family fits = { .number = 14,
                                                    .core_size =
                                                        sizeof(struct weft_record_core) };
    static const struct weft_record_family newer = {
        .number = 13, .core_size = sizeof(struct weft_record_core) + 8
    };

    (void)state;
    assert_int_equal(weft_record_core_v1.version, WEFT_RECORD_CORE_VERSION);
    assert_int_equal(weft_record_core_v1.size, sizeof(struct weft_record_core));
    assert_true(weft_record_core_v1.join(&fits));
    assert_false(weft_record_core_v1.join(&newer));
    assert_int_equal(weft_process.header->families >> 13, 2);
}

static int64_t system_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Recording spends what it computes, not the time for which others keep it from running. */
static void test_spending_is_processor_time(void **state)
{
    const struct timespec pause = { 0, 30000000 };
    const int64_t work = 5000000; /* ns */
    uint64_t before = weft_process.header->spent, ticks = weft_ticks();
    int64_t begin = system_ns(), used = weft_thread_ns();
    struct weft_spending spending = weft_spending_begins(used);
    double ticks_a_ns, spent;

    (void)state;
    nanosleep(&pause, NULL);
    while (weft_thread_ns() - used < work)
        ;
    weft_spending_ends(&spending);
    used = weft_thread_ns() - used;
    ticks_a_ns = (double)(weft_ticks() - ticks) / (double)(system_ns() - begin);
    spent = (double)(weft_process.header->spent - before) / ticks_a_ns;
    assert_true(spent > 0.95 * (double)work);
    assert_true(spent < 1.05 * (double)used + 100000);
}

/*
 * Samples every 10 ms, for an hour: few are kept, in order, at equal distances over the whole
 * run (a distance is exceeded by one step at most, and the last kept is not older than one).
 */
static void test_clock_samples_are_spread(void **state)
{
    struct weft_process_header header = { .first = { 1, 1, 1, 0 } };
    const int64_t step = 10000000, hour = INT64_C(3600000000000);

    (void)state;
    weft_clocks_forked(); /* as in a new process */
    for (int64_t ns = 1 + step; ns < hour; ns += step) {
        struct weft_clock_sample sample = { (uint64_t)ns * 3, ns, ns, 0 };
        int64_t shortest = INT64_MAX, longest = 0, before = 1;
        weft_clocks_keep(&header, &sample);
        assert_in_range(header.n_samples, ns < 300000000 ? 0 : 1, WEFT_CLOCK_SAMPLES);
        for (uint32_t i = 0; i < header.n_samples; i++) {
            int64_t distance = header.samples[i].monotonic_ns - before;
            shortest = distance < shortest ? distance : shortest;
            longest = distance > longest ? distance : longest;
            before = header.samples[i].monotonic_ns;
        }
        if (header.n_samples > 1)
            assert_true(longest <= 2 * shortest + 2 * step);
        if (header.n_samples > 0)
            assert_true(ns - before <= 2 * longest + step);
    }
    assert_true(header.n_samples >= WEFT_CLOCK_SAMPLES / 2);
    weft_clocks_forked();
}

static sigjmp_buf out;

static void jump(int number)
{
    (void)number;
    siglongjmp(out, 1);
}

/* A handler that jumps out of noting the clocks does not keep all others from it. */
static void test_jumps_out_of_noting_clocks(void **state)
{
    const struct weft_process_header *header = weft_process.header;
    struct sigaction action = { .sa_handler = jump, .sa_flags = SA_NODEFER };
    struct itimerval soon = { { 0, 0 }, { 0, 300 } }; /* microseconds */
    volatile int jumps = 0;
    uint64_t before;

    (void)state;
    sigaction(SIGALRM, &action, NULL);
    sigsetjmp(out, 1);
    if (jumps++ < 50) {
        setitimer(ITIMER_REAL, &soon, NULL);
        for (;;)
            weft_clocks_note();
    }
    before = header->last.ticks;
    weft_clocks_note();
    assert_true(header->last.ticks > before);
    signal(SIGALRM, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_put_is_read, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_kill_between_steps_of_draining, log_start,
                                        log_stop),
        cmocka_unit_test_setup_teardown(test_kill_inside_a_record, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_handlers_have_the_slack, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_stamps, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_drain_that_fails, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_descriptor_of_another_file, log_start,
                                        log_stop),
        cmocka_unit_test_setup_teardown(test_objects, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_objects_of_handlers, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_names, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_families_join, log_start, log_stop),
        cmocka_unit_test_setup_teardown(test_spending_is_processor_time, log_start,
                                        log_stop),
        cmocka_unit_test(test_clock_samples_are_spread),
        cmocka_unit_test_setup_teardown(test_jumps_out_of_noting_clocks, log_start,
                                        log_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
