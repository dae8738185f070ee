/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings made by hand, byte by byte after format/recording_layout.h: what a kill leaves in
 * each moment of draining a buffer, and what damage does.
 */
#include "recorded.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/recording/recording.h"

enum { PID = 4711 };

struct folder {
    char path[64];
    struct weft_process_header process;
    struct weft_thread_header thread;
    uint64_t buffer[WEFT_LOG_BUFFER / 8];
    uint64_t stream[64];
    size_t n_stream; /* words */
};

static struct folder *make_folder(void)
{
    struct folder *folder = calloc(1, sizeof *folder);

    strcpy(folder->path, "/tmp/weft-recording-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    folder->process.magic = WEFT_PROCESS_MAGIC;
    folder->process.pid = PID;
    folder->process.clock = WEFT_CLOCK_MONOTONIC_NS;
    folder->process.exited = 1;
    folder->process.first = (struct weft_clock_sample){ 1000, 1000, 0 };
    folder->process.last = (struct weft_clock_sample){ 9000, 9000, 0 };
    strcpy(folder->process.command, "by hand");
    folder->process.command_bytes = 8;
    folder->thread.magic = WEFT_THREAD_MAGIC;
    folder->thread.pid = PID;
    folder->thread.first_ticks = 1000;
    return folder;
}

static void write_file(const struct folder *folder, const char *name, const void *head,
                       size_t head_size, const void *rest, size_t rest_size, off_t at)
{
    char path[128];
    int file;

    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, head, head_size, 0), head_size);
    assert_int_equal(pwrite(file, rest, rest_size, at), rest_size);
    close(file);
}

static void write_folder(const struct folder *folder)
{
    static const char facts[] = WEFT_RECORDING_MAGIC "\nhost=here\n";

    write_file(folder, "recording", facts, strlen(facts), "", 0, 0);
    write_file(folder, "p4711-0", &folder->process, sizeof folder->process, "", 0, 0);
    write_file(folder, "t4711-0-0", &folder->thread, sizeof folder->thread, folder->buffer,
               sizeof folder->buffer, WEFT_LOG_HEADER);
    write_file(folder, "t4711-0-0", &folder->thread, sizeof folder->thread, folder->stream,
               folder->n_stream * 8, WEFT_LOG_HEADER + WEFT_LOG_BUFFER);
}

static struct recorded join(const struct folder *folder)
{
    struct recorded recorded = { 0 };
    struct weft_err err = { 0 };
    char store[128];

    snprintf(store, sizeof store, "%s/t.weft", folder->path);
    if (!weft_recording_join(folder->path, store, NULL, NULL, &err))
        fail_msg("%s", err.message);
    recorded.trace = weft_trace_open(store, &err);
    assert_non_null(recorded.trace);
    recorded.source = weft_trace_source(recorded.trace);
    recorded.schema = weft_trace_schema(recorded.trace);
    return recorded;
}

static void remove_folder(struct folder *folder)
{
    char line[128];

    snprintf(line, sizeof line, "rm -r %s", folder->path);
    assert_int_equal(system(line), 0);
    free(folder);
}

static uint64_t instant(uint64_t time)
{
    return weft_record_word(time, WEFT_RECORD_INSTANT, 1);
}

/* Write what there is, and count the instants that the join finds; their name is lost. */
static uint64_t instants(struct folder *folder)
{
    struct recorded recorded;
    uint64_t n;

    write_folder(folder);
    recorded = join(folder);
    n = count_events(&recorded,
                     track(&recorded, container(&recorded, "Thread", "by hand"), "Instant"),
                     "name that was lost");
    forget(&recorded);
    return n;
}

static void test_kill_while_draining(void **state)
{
    struct folder *folder = make_folder();

    (void)state;
    for (int i = 0; i < 10; i++)
        folder->buffer[i] = instant(2000 + (unsigned)i);
    /* Before: all ten are in the buffer. */
    assert_int_equal(instants(folder), 10);
    /* Written to the stream, but drained does not say so yet. */
    memcpy(folder->stream, folder->buffer, 80);
    folder->n_stream = 10;
    assert_int_equal(instants(folder), 10);
    /* Drained says so: the buffer counts as empty, though it is not clear yet. */
    folder->thread.drained = 80;
    assert_int_equal(instants(folder), 10);
    /* Clear, and half of it ... */
    memset(folder->buffer, 0, 40);
    assert_int_equal(instants(folder), 10);
    /* ... and counting again, with one record more. */
    memset(folder->buffer, 0, sizeof folder->buffer);
    folder->buffer[0] = instant(3000);
    folder->thread.buffer_base = 80;
    assert_int_equal(instants(folder), 11);
    remove_folder(folder);
}

/* A thread killed between taking room and filling it leaves a hole; a handler wrote after. */
static void test_holes_are_skipped(void **state)
{
    struct folder *folder = make_folder();

    (void)state;
    folder->buffer[0] = instant(2000);
    folder->buffer[3] = instant(2001);
    assert_int_equal(instants(folder), 2);
    remove_folder(folder);
}

/*
 * By the stamps thread 2 has the mutex at 2990, before thread 1 gives it back at 3000 (clocks
 * of two processors).  Cause decides: nobody else had it in between, and the mutex was held
 * from 2000 without a gap or an overlap.
 */
static void test_cause_before_stamps(void **state)
{
    struct folder *folder = make_folder();
    struct recorded recorded;
    struct found found[8];
    struct weft_thread_header second;
    uint64_t buffer[WEFT_LOG_BUFFER / 8] = { 0 };
    uint32_t lock;

    (void)state;
    folder->buffer[0] = weft_record_word(1500, WEFT_RECORD_PAIR, 5);
    folder->buffer[1] = 0x1000;
    folder->buffer[3] = weft_record_word(2000, WEFT_RECORD_ACQUIRE, 5);
    folder->buffer[4] = weft_record_word(3000, WEFT_RECORD_RELEASE, 5);
    write_folder(folder);
    second = folder->thread;
    second.ordinal = 1;
    buffer[0] = weft_record_word(1600, WEFT_RECORD_PAIR, 5);
    buffer[1] = 0x1000;
    buffer[3] = weft_record_word(2500, WEFT_RECORD_WAIT, 5);
    buffer[4] = weft_record_word(2990, WEFT_RECORD_ACQUIRE, 5);
    buffer[5] = weft_record_word(4000, WEFT_RECORD_RELEASE, 5);
    write_file(folder, "t4711-0-1", &second, sizeof second, buffer, sizeof buffer,
               WEFT_LOG_HEADER);
    recorded = join(folder);
    lock = container(&recorded, "Mutex", "mutex 1");
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 8), 4);
    assert_string_equal(found[0].value, "held");
    assert_int_equal(found[0].state.begin, 2000);
    assert_string_equal(found[1].value, "held, others blocked");
    assert_int_equal(found[1].state.begin, 2500);
    assert_int_equal(found[1].integer, 0);
    assert_string_equal(found[1].text, "by hand");
    assert_string_equal(found[2].value, "held");
    assert_int_equal(found[2].state.begin, 3000);
    assert_int_equal(found[2].integer, 1);
    assert_string_equal(found[2].text, "thread 1");
    assert_string_equal(found[3].value, "free");
    assert_int_equal(found[3].state.begin, 4000);
    forget(&recorded);
    remove_folder(folder);
}

/* Any byte may be wrong: the join may find problems, or nothing, but it ends. */
static void test_damage(void **state)
{
    struct folder *folder = make_folder();
    uint64_t dice = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct folder *broken = malloc(sizeof *broken);
        struct weft_trace *trace;
        char store[128];
        for (unsigned i = 0; i < 60; i++)
            folder->buffer[i] = weft_record_word(
                1000 + 10 * i, (enum weft_record)(1 + (i + (unsigned)round) % 34), i % 7);
        *broken = *folder;
        for (int k = 0; k < 8; k++) {
            dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
            unsigned char *part = k < 2   ? (unsigned char *)&broken->process
                                  : k < 4 ? (unsigned char *)&broken->thread
                                          : (unsigned char *)broken->buffer;
            size_t size = k < 2 ? 120 : k < 4 ? sizeof broken->thread : 480;
            part[dice % size] ^= (unsigned char)(1u << (dice >> 32) % 8);
        }
        write_folder(broken);
        snprintf(store, sizeof store, "%s/t.weft", folder->path);
        struct weft_err err = { 0 };
        assert_true(weft_recording_join(folder->path, store, NULL, NULL, &err));
        trace = weft_trace_open(store, &err);
        if (!trace)
            fail_msg("round %d: %s", round, err.message);
        weft_trace_close(trace);
        free(broken);
    }
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill_while_draining),
        cmocka_unit_test(test_holes_are_skipped),
        cmocka_unit_test(test_cause_before_stamps),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
