/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's core, in this process: what is put into a log is what the join reads out of
 * its file, at every moment at which the process could be killed.  A kill leaves the file as it
 * is, so each test looks at the file between two steps.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those */
#include <cmocka.h>
#include <fcntl.h>
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

#include "read/recording/core/lives.h"
#include "read/recording/core/records.h"
#include "record/core/clocks.h"
#include "record/core/log_core.h"
#include "record/core/process.h"
#include "record/core/spending.h"

/* A family of the tests: kind 0 has its number as argument, 1 as its only word, 2 has text. */
enum { FAMILY = 15, PLAIN = FAMILY * WEFT_KINDS_OF_FAMILY, WORD, TEXT, OBJECT };

static char folder[64];

static uint64_t dice = 88172645463325252u;

static uint64_t throw(uint64_t most)
{
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return dice % most;
}

/* Record into a new folder: the log of the calling thread. */
static int start(void **state)
{
    char path[80];
    FILE *facts;

    (void)state;
    strcpy(folder, "/tmp/weft-log-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/recording", folder);
    facts = fopen(path, "w");
    fputs(WEFT_RECORDING_MAGIC "\n", facts);
    fclose(facts);
    setenv(WEFT_RECORD_DIR_VARIABLE, folder, 1);
    weft_process = (struct weft_process){ .state = WEFT_NOT_STARTED };
    weft_record_self = NULL;
    assert_true(weft_process_start());
    assert_non_null(weft_record_self);
    assert_false(weft_record_self->dead);
    return 0;
}

static int stop(void **state)
{
    char line[128];

    (void)state;
    weft_log_close();
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line);
}

/* What the join reads. */
struct reading {
    struct recording recording;
    struct record_families families;
    struct stream *stream;
    struct record record;
};

static struct reading *open_recording(void)
{
    static const uint8_t no_words[WEFT_KINDS_OF_FAMILY];
    struct reading *reading = calloc(1, sizeof *reading);
    const char *folders[] = { folder };
    struct weft_err err = { 0 };

    if (!recording_load(&reading->recording, folders, 1, &err))
        fail_msg("%s", err.message);
    reading->families.kinds[WEFT_FAMILY_CORE] = lives_kinds;
    reading->families.kinds[FAMILY] =
        (struct record_kinds){ no_words, WEFT_KINDS_OF_FAMILY };
    return reading;
}

static struct reading *open_reading(void)
{
    struct reading *reading = open_recording();

    assert_int_equal(reading->recording.n_streams, 1);
    reading->stream = &reading->recording.streams[0];
    return reading;
}

static void close_reading(struct reading *reading)
{
    recording_free(&reading->recording);
    free(reading);
}

/* The next record of the family of the tests. */
static bool next(struct reading *reading)
{
    while (recording_next(&reading->families, reading->stream, &reading->record))
        if (reading->record.family == (enum weft_family)FAMILY)
            return true;
    return false;
}

/* Put the record NUMBER, of one of three kinds. */
static void put(uint32_t number)
{
    char text[32];

    switch (number % 3) {
    case 0: weft_log_put(weft_log_get(), weft_ticks(), PLAIN, number); break;
    case 1: weft_log_put_word(weft_log_get(), weft_ticks(), WORD, 0, number); break;
    default:
        /* Of up to three words of text, and none. */
        snprintf(text, sizeof text, "%.*s", (int)(number % 24), "abcdefghijklmnopqrstuvwx");
        weft_log_text(weft_ticks(), TEXT, &(uint64_t){ number }, 1, text);
    }
}

static uint32_t number_of(const struct record *record)
{
    char text[RECORD_TEXT];

    if (record->kind == PLAIN)
        return record->argument;
    if (record->kind == TEXT)
        assert_int_equal(strlen(record_text(record, 1, text)), record->words[0] % 24);
    return (uint32_t)record->words[0];
}

/* The file holds the records FIRST to LAST - 1 in order, nothing else, nothing damaged. */
static void check(uint32_t first, uint32_t last)
{
    struct reading *reading = open_reading();

    for (uint32_t i = first; i < last; i++) {
        if (!next(reading))
            fail_msg("record %u of %u is not there", i, last);
        assert_int_equal(number_of(&reading->record), i);
    }
    assert_false(next(reading));
    assert_int_equal(reading->stream->damaged, 0);
    close_reading(reading);
}

/* The piece of a log's buffer. */
static const struct weft_piece *piece_of(const struct weft_log *log)
{
    return (const struct weft_piece *)log->buffer - 2;
}

/* Some buffers full, looked at often: at random, and after each record around a drain. */
static void test_what_is_put_is_read(void **state)
{
    uint32_t n = 0;
    uint64_t drained = 0;
    const struct weft_piece *piece = piece_of(weft_record_self);

    (void)state;
    while (drained < 4 * WEFT_LOG_BUFFER) {
        bool near_drain;
        put(n++);
        near_drain = weft_record_self->limit - weft_record_self->cursor < 8
                     || weft_record_self->cursor - weft_record_self->buffer < 16;
        if (near_drain || throw(500) == 0)
            check(0, n);
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
        uint32_t more = round == 0 ? 0 : 1 + (uint32_t) throw(1500);
        for (uint32_t i = 0; i < more; i++)
            put(n++);
        check(0, n);
        for (int step = 0; step < WEFT_DRAIN_STEPS; step++) {
            if (step == WEFT_DRAIN_CLEAR && more > 0) {
                memset(log->buffer, 0, 8 * throw((uint64_t)(log->cursor - log->buffer)));
                check(0, n);
            }
            assert_true(weft_log_drain_step(log, step));
            check(0, n);
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
    put(0);
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
    put(1);
    check(0, 2);
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
        assert_int_equal(piece_of(log)->drained, 0);
    }
    assert_in_range(kept - n, WEFT_LOG_SLACK / 8 - 3, WEFT_LOG_SLACK / 8 + 3);
    for (int i = 0; i < 7; i++)
        assert_false(weft_log_put(log, weft_ticks(), PLAIN, 99));
    assert_int_equal(log->header->lost, 7);
    weft_log_leave(log);
    assert_true(weft_log_put(log, weft_ticks(), PLAIN, kept++));
    assert_true(piece_of(log)->drained > 0);
    {
        struct reading *reading = open_reading();
        for (uint32_t i = 0; i < kept; i++) {
            assert_true(next(reading));
            assert_int_equal(reading->record.argument, i);
        }
        assert_false(next(reading));
        close_reading(reading);
    }
}

/* Stamps of any distance, also backwards by a little, are read as they were written. */
static void test_stamps(void **state)
{
    enum { N = 20000 };
    uint64_t *ticks = calloc(N, sizeof *ticks), now = weft_ticks();
    struct reading *reading;

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        now += throw(UINT64_C(1) << throw(45));
        /* A handler's record may be stamped before the one that it stands behind. */
        ticks[i] = now - (i % 7 == 0 ? throw(100000) : 0);
        weft_log_put(weft_log_get(), ticks[i], PLAIN, i);
    }
    reading = open_reading();
    for (uint32_t i = 0; i < N; i++) {
        assert_true(next(reading));
        assert_int_equal(reading->record.argument, i);
        assert_int_equal(reading->stream->ticks, ticks[i]);
    }
    close_reading(reading);
    free(ticks);
}

/*
 * The descriptor is gone, and the log cannot be opened by its name for a while: what was in the
 * buffer is counted, once.  With a name it is opened again.
 */
static void test_drain_that_fails(void **state)
{
    struct weft_log *log = weft_record_self;
    char machine[WEFT_PATH_MOST], moved[600];

    (void)state;
    strcpy(machine, weft_process.file.path);
    *strrchr(machine, '/') = 0;
    for (uint32_t i = 0; i < 500; i++)
        put(i);
    snprintf(moved, sizeof moved, "%s/moved", folder);
    assert_int_equal(rename(machine, moved), 0);
    assert_int_equal(close(weft_process.file.descriptor), 0);
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        assert_true(weft_log_drain_step(log, step));
    assert_int_equal(rename(moved, machine), 0);
    /* 500, and the one that says the time. */
    assert_int_equal(log->header->lost, 501);
    for (uint32_t i = 500; i < 600; i++)
        put(i);
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        assert_true(weft_log_drain_step(log, step));
    assert_int_equal(log->header->lost, 501);
    check(500, 600);
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
    put(0);
    snprintf(path, sizeof path, "%s/other", folder);
    other = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(dup2(other, number), number);
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        assert_true(weft_log_drain_step(weft_record_self, step));
    put(1);
    assert_int_equal(weft_record_self->header->lost, 0);
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_size, 0);
    check(0, 2);
    close(other);
    close(number);
}

static void *live_shortly(void *number)
{
    weft_record_core_v1.thread_begins(weft_process_next_thread());
    put((uint32_t)(uintptr_t)number);
    return NULL;
}

/*
 * Threads one after the other take the same place, each a header of its own, and each has its
 * own records; with more of them than a table of headers has.
 */
static void test_short_threads_share_a_place(void **state)
{
    enum { N = 2000 };
    struct reading *reading;
    bool *seen = calloc(N, sizeof *seen);
    struct stat status;

    (void)state;
    for (uintptr_t i = 0; i < N; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, live_shortly, (void *)i), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    reading = open_recording();
    assert_int_equal(reading->recording.n_streams, N + 1);
    for (uint32_t i = 0; i <= N; i++) {
        reading->stream = &reading->recording.streams[i];
        if (reading->stream->header->ordinal == 0)
            continue;
        assert_int_equal(reading->stream->header->ended, 1);
        assert_true(next(reading));
        assert_int_equal(number_of(&reading->record) + 1, reading->stream->header->ordinal);
        seen[number_of(&reading->record)] = true;
        assert_false(next(reading));
        assert_int_equal(reading->stream->damaged, 0);
    }
    for (int i = 0; i < N; i++)
        assert_true(seen[i]);
    close_reading(reading);
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
    put((uint32_t)(uintptr_t)number);
    return NULL;
}

/* Many at a time: each has a buffer for itself, and afterwards their memory goes back. */
static void test_many_threads_at_a_time(void **state)
{
    enum { N = 300 };
    pthread_t threads[N];
    uint32_t times[N] = { 0 }, number;
    struct reading *reading;

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
    reading = open_recording();
    assert_int_equal(reading->recording.n_streams, 2 * N + 1);
    for (uint32_t i = 0; i <= 2 * N; i++) {
        reading->stream = &reading->recording.streams[i];
        if (reading->stream->header->ordinal == 0)
            continue;
        assert_true(next(reading));
        number = number_of(&reading->record);
        assert_true(next(reading));
        assert_int_equal(number_of(&reading->record), number);
        assert_false(next(reading));
        times[number]++;
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(times[i], 2);
    close_reading(reading);
    close(gate[0]);
    close(gate[1]);
}

struct slot_meaning {
    uint64_t object, site;
};

/* N events of KINDS objects at two sites, some of them in handlers, which are counted. */
static uint32_t put_objects(struct slot_meaning *events, uint32_t n, uint32_t kinds)
{
    uint32_t handled = 0;

    for (uint32_t k = 0; k < n; k++) {
        bool handler = throw(50) == 0;
        events[k] = (struct slot_meaning){ 0x1000 + 40 * throw(kinds), 0x40 + throw(2) };
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
    struct reading *reading = open_reading();
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
    close_reading(reading);
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
        stop(NULL);
        start(NULL);
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
    struct reading *reading;

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
    reading = open_reading();
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
    close_reading(reading);
    free(meanings);
}

static void test_names(void **state)
{
    uint32_t numbers[2] = { 0, 0 }, found = 0;
    char longest[300], text[RECORD_TEXT];
    struct reading *reading;

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    for (int i = 0; i < 3; i++) { /* the first time only is a name written */
        (void)weft_record_core_v1.name(&numbers[0], "short", 5);
        (void)weft_record_core_v1.name(&numbers[1], longest, 6);
    }
    assert_int_not_equal(numbers[0], numbers[1]);
    reading = open_reading();
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
    close_reading(reading);
}

static void test_families_join(void **state)
{
    static const struct weft_record_family fits = { .number = (enum weft_family)14,
                                                    .core_size =
                                                        sizeof(struct weft_record_core) };
    static const struct weft_record_family newer = {
        .number = (enum weft_family)13, .core_size = sizeof(struct weft_record_core) + 8
    };

    (void)state;
    assert_int_equal(weft_record_core_v1.version, WEFT_RECORD_CORE_VERSION);
    assert_int_equal(weft_record_core_v1.size, sizeof(struct weft_record_core));
    assert_true(weft_record_core_v1.join(&fits));
    assert_false(weft_record_core_v1.join(&newer));
    assert_int_equal(weft_process.header->families >> 13, 2);
}

/* What a child writes is its own; CHILD runs in it, before anything else does. */
static void check_fork(pid_t child, void (*first)(void))
{
    struct reading *reading;
    uint32_t pid = weft_process.pid;
    int status;

    if (child == 0) {
        first();
        put(10);
        put(11);
        syscall(SYS_exit_group, 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    put(2);
    reading = open_recording();
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
        for (expected = is_child ? 10 : 0; next(reading); expected++)
            assert_int_equal(number_of(&reading->record), expected);
        assert_int_equal(expected, is_child ? 12 : 3);
    }
    close_reading(reading);
}

static void nothing(void) {}

static void number_a_thread(void)
{
    (void)weft_record_core_v1.thread_number();
}

static void test_fork(void **state)
{
    (void)state;
    put(0);
    put(1);
    check_fork(fork(), nothing);
}

/* Past the C library, which so calls no handlers of fork. */
static void test_raw_fork(void **state)
{
    (void)state;
    put(0);
    put(1);
    check_fork((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), nothing);
}

/* The same, when the child first makes a thread: the parent's header is not mapped there. */
static void test_raw_fork_then_thread(void **state)
{
    (void)state;
    put(0);
    put(1);
    check_fork((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), number_a_thread);
}

/* What a thread does after its end was noted is recorded, too: handlers do, and destructors. */
static void test_closed(void **state)
{
    enum { N = 20000 }; /* more than a buffer has room for */

    (void)state;
    put(0);
    weft_log_close();
    for (uint32_t i = 1; i < N; i++) {
        put(i);
        if (i == N / 2)
            weft_log_close(); /* again, which changes nothing */
    }
    assert_int_equal(weft_record_self->header->ended, 1);
    assert_int_equal(weft_process.header->lost, 0);
    check(0, N);
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
        put(1000000);
}

static void *live_and_end_late(void *number)
{
    weft_record_core_v1.thread_begins(weft_process_next_thread());
    pthread_setspecific(late_key, (void *)1);
    put((uint32_t)(uintptr_t)number);
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
    struct reading *reading;

    (void)state;
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
    reading = open_recording();
    assert_int_equal(reading->recording.n_streams, ROUNDS * TOGETHER + 1);
    for (uint32_t i = 0; i <= ROUNDS * TOGETHER; i++) {
        reading->stream = &reading->recording.streams[i];
        if (reading->stream->header->ordinal == 0)
            continue;
        assert_true(next(reading));
        assert_in_range(number_of(&reading->record), 0, ROUNDS * TOGETHER - 1);
        assert_true(next(reading));
        assert_int_equal(number_of(&reading->record), 1000000);
        assert_false(next(reading));
    }
    close_reading(reading);
}

static uint32_t handled; /* calls of put_in_handler; its records are numbered so */

static void put_in_handler(int number)
{
    (void)number;
    put(3 * handled++);
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
    for (uint64_t n = throw(most); n > 0; n--)
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
    struct reading *reading;
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
    reading = open_recording();
    assert_int_equal(reading->recording.n_streams, N + 1);
    for (uint32_t i = 0; i <= N; i++) {
        uint32_t own = 0;
        reading->stream = &reading->recording.streams[i];
        while (next(reading))
            own++;
        assert_true(own > 0 || reading->stream->header->ordinal == 0);
        records += own;
    }
    assert_int_equal(records, N + handled);
    close_reading(reading);
}

/* The same of children, which find out at their first event what they are. */
static void test_children_under_signals(void **state)
{
    enum { N = 300 };
    struct sigaction was = handle_signals();
    struct reading *reading;
    int status;

    (void)state;
    for (int i = 0; i < N; i++) {
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            wait_a_moment(1000);
            put(1);
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
    reading = open_recording();
    assert_int_equal(reading->recording.n_images, N + 1);
    assert_int_equal(reading->recording.n_streams, N + 1);
    assert_int_equal(reading->recording.report.lost, 0);
    close_reading(reading);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_put_is_read, start, stop),
        cmocka_unit_test_setup_teardown(test_kill_between_steps_of_draining, start, stop),
        cmocka_unit_test_setup_teardown(test_kill_inside_a_record, start, stop),
        cmocka_unit_test_setup_teardown(test_handlers_have_the_slack, start, stop),
        cmocka_unit_test_setup_teardown(test_stamps, start, stop),
        cmocka_unit_test_setup_teardown(test_drain_that_fails, start, stop),
        cmocka_unit_test_setup_teardown(test_descriptor_of_another_file, start, stop),
        cmocka_unit_test_setup_teardown(test_short_threads_share_a_place, start, stop),
        cmocka_unit_test_setup_teardown(test_many_threads_at_a_time, start, stop),
        cmocka_unit_test_setup_teardown(test_objects, start, stop),
        cmocka_unit_test_setup_teardown(test_objects_of_handlers, start, stop),
        cmocka_unit_test_setup_teardown(test_names, start, stop),
        cmocka_unit_test_setup_teardown(test_families_join, start, stop),
        cmocka_unit_test_setup_teardown(test_fork, start, stop),
        cmocka_unit_test_setup_teardown(test_raw_fork, start, stop),
        cmocka_unit_test_setup_teardown(test_raw_fork_then_thread, start, stop),
        cmocka_unit_test_setup_teardown(test_closed, start, stop),
        cmocka_unit_test_setup_teardown(test_events_behind_the_end, start, stop),
        cmocka_unit_test_setup_teardown(test_threads_under_signals, start, stop),
        cmocka_unit_test_setup_teardown(test_children_under_signals, start, stop),
        cmocka_unit_test_setup_teardown(test_spending_is_processor_time, start, stop),
        cmocka_unit_test(test_clock_samples_are_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
