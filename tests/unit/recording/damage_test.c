/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kill leaves in each moment of draining a buffer, and what cuts and damage do: the join
 * finds what is there, finds problems, but it always ends with a trace that opens.
 */
#include "synthetic.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/recording_annotate.h"
#include "format/recording_layout.h"
#include "read/recording/recording_to_store.h"
#include "tests/random.h"

static const char ten_instants[] = "host alpha boot-a ns\n"
                                   "process 7 by-hand\n"
                                   "thread 0\n"
                                   "starts 1000\n"
                                   "2000 instant 1\n2001 instant 1\n2002 instant 1\n"
                                   "2003 instant 1\n2004 instant 1\n2005 instant 1\n"
                                   "2006 instant 1\n2007 instant 1\n2008 instant 1\n"
                                   "2009 instant 1\n";

enum { PIECE = sizeof(struct weft_piece) };

struct file { /* the log of the last process, with some room behind it */
    unsigned char *bytes;
    size_t size;
    struct weft_piece *piece; /* of the last thread's buffer */
    uint64_t *buffer;
    uint64_t stream; /* where its stream piece is, or would be */
};

static struct file load(const struct synthetic *synthetic)
{
    struct file file = { .stream = synthetic->last_stream };
    unsigned char *bytes = synthetic_read(synthetic, synthetic->last_log, &file.size);

    file.bytes = calloc(1, file.size + 2 * WEFT_PIECE_ALIGN);
    memcpy(file.bytes, bytes, file.size);
    free(bytes);
    file.piece = (struct weft_piece *)(file.bytes + synthetic->last_buffer);
    file.buffer = (uint64_t *)(file.piece + 2);
    return file;
}

/* Write the file, and count the instants that the join finds; their name is lost. */
static uint64_t instants(const struct synthetic *synthetic, const struct file *file)
{
    struct recorded recorded;
    uint64_t n;

    synthetic_rewrite(synthetic, synthetic->last_log, file->bytes, file->size);
    recorded = synthetic_join(synthetic);
    n = count_events(&recorded,
                     track(&recorded, container(&recorded, "Thread", "by-hand"), "Instant"),
                     "name that was lost");
    assert_false(has_problem(&recorded, "damaged-record"));
    forget(&recorded);
    return n;
}

static void test_kill_while_draining(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file file = load(&synthetic);
    struct weft_piece stream = { .magic = WEFT_PIECE_MAGIC,
                                 .kind = WEFT_PIECE_STREAM,
                                 .size = WEFT_PIECE_ALIGN,
                                 .bytes = 80,
                                 .of = synthetic.last_buffer };

    (void)state;
    /* Before: all ten are in the buffer. */
    assert_int_equal(instants(&synthetic, &file), 10);
    /* Room for the stream's piece was taken, but nothing is there yet, ... */
    file.size = file.stream + WEFT_PIECE_ALIGN;
    assert_int_equal(instants(&synthetic, &file), 10);
    /* ... half of it is there, ... */
    memcpy(file.bytes + file.stream, &stream, PIECE);
    memcpy(file.bytes + file.stream + PIECE, file.buffer, 40);
    assert_int_equal(instants(&synthetic, &file), 10);
    /* ... it is written, but drained does not say so. */
    memcpy(file.bytes + file.stream + PIECE, file.buffer, 80);
    assert_int_equal(instants(&synthetic, &file), 10);
    /* Drained says so: the buffer counts as empty, though it is not clear yet. */
    file.piece->drained = 80;
    assert_int_equal(instants(&synthetic, &file), 10);
    /* Clear, and half of it ... */
    memset(file.buffer, 0, 40);
    assert_int_equal(instants(&synthetic, &file), 10);
    /* ... and counting again, with one record more. */
    memset(file.buffer, 0, WEFT_LOG_BUFFER);
    file.buffer[0] = weft_record_word(3000, WEFT_RECORD_INSTANT, 0, 1);
    file.piece->base = 80;
    assert_int_equal(instants(&synthetic, &file), 11);
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/* A drain that failed: its bytes are counted in drained, and no piece has them. */
static void test_bytes_that_no_piece_has(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file file = load(&synthetic);
    struct weft_thread_header *thread =
        (struct weft_thread_header *)(file.bytes + synthetic.last_threads + PIECE);
    struct recorded recorded;

    (void)state;
    file.piece->drained = file.piece->base = 8000;
    for (uint64_t lost = 0; lost < 2; lost++) {
        /* As few as it can have been: records have a length at most. */
        thread->lost = lost * (1 + 8000 / (8 * (1 + WEFT_RECORD_WORDS_MAX)));
        synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes, file.size);
        recorded = synthetic_join(&synthetic);
        /* Either the recorder counted what is not there, or the file is damaged. */
        assert_int_equal(has_problem(&recorded, "lost-events"), lost == 1);
        assert_int_equal(has_problem(&recorded, "damaged-record"), lost == 0);
        forget(&recorded);
    }
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/* The pieces of two buffers, drained at different times and not equally often. */
static void test_several_drains(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 by-hand\n"
                                               "thread 0\n"
                                               "2000 instant 1\n2001 instant 1\ndrained\n"
                                               "2002 instant 1\n2003 instant 1\ndrained\n"
                                               "2004 instant 1\n2005 instant 1\ndrained\n"
                                               "2006 instant 1\n"
                                               "thread 1\n"
                                               "2000 instant 1\ndrained\n"
                                               "2001 instant 1\n"
                                               "thread 2\n"
                                               "2000 instant 1\n"
                                               "thread 3\n"
                                               "2000 instant 1\ndrained\n"
                                               "2001 instant 1\ndrained\n"
                                               "2003 instant 1\n");
    static const char *const names[] = { "by-hand", "thread 1", "thread 2", "thread 3" };
    static const uint64_t counts[] = { 7, 2, 1, 3 };

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            count_events(
                &recorded,
                track(&recorded, container(&recorded, "Thread", names[i]), "Instant"),
                "name that was lost"),
            counts[i]);
    assert_false(has_problem(&recorded, "damaged-record"));
    forget(&recorded);
}

/* Three threads, one after the other, had the same buffer; it was drained within the second. */
static void test_threads_share_a_buffer(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file file = load(&synthetic);
    struct weft_piece *threads = (struct weft_piece *)(file.bytes + synthetic.last_threads);
    struct weft_thread_header *first = (struct weft_thread_header *)(threads + 1);
    struct weft_piece stream = { .magic = WEFT_PIECE_MAGIC,
                                 .kind = WEFT_PIECE_STREAM,
                                 .size = WEFT_PIECE_ALIGN,
                                 .bytes = 40,
                                 .of = synthetic.last_buffer };
    static const uint64_t begins[] = { 0, 24, 64 }, counts[] = { 3, 5, 2 };
    static const char *const names[] = { "by-hand", "thread 1", "thread 2" };
    struct recorded recorded;

    (void)state;
    threads->taken = 3;
    threads->bytes = 3 * sizeof *first;
    for (uint32_t i = 0; i < 3; i++) {
        first[i] = first[0];
        first[i].ordinal = i;
        first[i].begin = begins[i];
    }
    memcpy(file.bytes + file.stream, &stream, PIECE);
    memcpy(file.bytes + file.stream + PIECE, file.buffer, 40);
    file.size = file.stream + WEFT_PIECE_ALIGN;
    memmove(file.buffer, file.buffer + 5, 40);
    memset(file.buffer + 5, 0, 40);
    file.piece->drained = file.piece->base = 40;
    synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes, file.size);
    recorded = synthetic_join(&synthetic);
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            count_events(
                &recorded,
                track(&recorded, container(&recorded, "Thread", names[i]), "Instant"),
                "name that was lost"),
            counts[i]);
    assert_false(has_problem(&recorded, "damaged-record"));
    forget(&recorded);
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/*
 * A thread that is killed between taking room and filling it leaves a hole: of zeros, or of a
 * known length with some of its words there, which are no records.  A handler wrote after it.
 */
static void test_holes_are_skipped(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file file = load(&synthetic);
    uint64_t instant = weft_record_word(2000, WEFT_RECORD_INSTANT, 0, 1);

    (void)state;
    memset(file.buffer, 0, WEFT_LOG_BUFFER);
    file.buffer[0] = instant;
    file.buffer[3] = instant;
    assert_int_equal(instants(&synthetic, &file), 2);
    file.buffer[1] = weft_record_word(0, WEFT_RECORD_HOLE, 1, 0);
    file.buffer[2] = instant; /* a word of the record that was to be */
    assert_int_equal(instants(&synthetic, &file), 2);
    file.buffer[1] = weft_record_word(0, WEFT_RECORD_HOLE, WEFT_WORDS_LONG, 10);
    for (int i = 2; i < 12; i++)
        file.buffer[i] = instant;
    file.buffer[12] = instant;
    assert_int_equal(instants(&synthetic, &file), 2);
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/* What the maps name may be a pipe by now, which nobody writes: it is not waited for. */
static void test_maps_of_a_pipe(void **state)
{
    char folder[] = "/tmp/weft-pipe-XXXXXX", path[64], *description;
    struct recorded recorded;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    description = weft_asprintf("host alpha boot-a ns\n"
                                "process 7 program\n"
                                "map 40000-60000 r-xp 00000000 08:01 77 %s\n"
                                "thread 0\n"
                                "1000 acquire mutex 0x50000\n"
                                "1100 release mutex 0x50000\n",
                                path);
    recorded = synthetic_trace(description);
    assert_int_equal(recorded.schema->n_sites, 1);
    assert_string_equal(recorded.schema->sites[0].object, path);
    forget(&recorded);
    free(description);
    unlink(path);
    rmdir(folder);
}

/* Buffers have one size: what says that it is smaller is none, and has no bytes to look at. */
static void test_buffer_of_a_page(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file file = load(&synthetic);
    struct recorded recorded;

    (void)state;
    memset(file.buffer, 0, WEFT_LOG_BUFFER);
    file.piece->size = WEFT_PIECE_ALIGN;
    synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes,
                      synthetic.last_buffer + WEFT_PIECE_ALIGN);
    recorded = synthetic_join(&synthetic);
    assert_true(has_problem(&recorded, "damaged-log"));
    forget(&recorded);
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/*
 * A process that says it began a few ticks before its counter reached 2^64.  What its recording
 * took is worked out from how fast the counter goes: a tick is a nanosecond, as nothing says more.
 */
static void test_counter_around_2_64(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file file = load(&synthetic);
    struct weft_process_header *header =
        (struct weft_process_header *)(file.bytes + synthetic.last_process + PIECE);
    struct recorded recorded;

    (void)state;
    header->clock = WEFT_CLOCK_TSC;
    header->first = (struct weft_clock_sample){ UINT64_MAX - 5, INT64_C(1) << 60, 0, 0 };
    header->last = (struct weft_clock_sample){ 0 };
    header->spent = 1000;
    synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes, file.size);
    recorded = synthetic_join(&synthetic);
    assert_string_equal(note(&recorded, "estimated overhead [ns]"), "1000");
    forget(&recorded);
    free(file.bytes);
    synthetic_remove(&synthetic);
}

static const char cut_worker[] = "host alpha boot-a ns\n"
                                 "process 7 by-hand\n"
                                 "sample 9000 9000 9000\n"
                                 "thread 0\n"
                                 "starts 1000\n"
                                 "8000 instant 1\n"
                                 "thread 1\n"
                                 "starts 1500\n"
                                 "2000 instant 1\n"
                                 "2500 instant 1\n"
                                 "7000 instant 1\n";

/*
 * What a thread did after its records were cut off is not known: it is not shown as running on.
 * Its process, and those whose records are there, last to the end.
 */
static void test_what_is_cut_off_is_not_running(void **state)
{
    struct synthetic synthetic = synthetic_write(cut_worker);
    struct file file = load(&synthetic);
    (void)state;
    for (int whole = 1; whole >= 0; whole--) {
        size_t kept = (unsigned char *)(file.buffer + 2) - file.bytes;
        synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes,
                          whole ? file.size : kept);
        struct recorded recorded = synthetic_join(&synthetic);
        const struct weft_schema *schema = recorded.schema;
        unsigned n_threads = 0;
        for (uint32_t c = 0; c < schema->n_containers; c++) {
            const struct weft_container *one = &schema->containers[c];
            if (strcmp(schema->types[one->type].name, "Thread") != 0)
                continue;
            bool is_main = n_threads++ == 0;
            if (whole || is_main)
                assert_int_equal(one->end, 9000);
            else
                assert_in_range(one->end, 1500, 2500);
        }
        assert_int_equal(n_threads, 2);
        assert_int_equal(has_problem(&recorded, "damaged-record"), !whole);
        forget(&recorded);
    }
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/* One of everything, in the stream and in the buffer. */
static const char everything[] = "fact host=alpha\n"
                                 "fact clocks-end=9500 9500 9500 0\n"
                                 "host alpha boot-a tsc\n"
                                 "process 6 parent\n"
                                 "killed\n"
                                 "thread 0\n"
                                 "1000 name 2 inherited\n"
                                 "1100 acquire mutex 0x1000\n"
                                 "1200 create 1 0 0\n"
                                 "process 7 child\n"
                                 "image 1\n"
                                 "forked 6 0 0\n"
                                 "sample 1000 1000 1000\n"
                                 "sample 4000 4000 4000\n"
                                 "sample 9000 9000 9000\n"
                                 "map 1000-3000 r-xp 00000000 08:01 77 /nowhere/at/all\n"
                                 "thread 1\n"
                                 "starts 1500\n"
                                 "2400 wait mutex 0x1000\n"
                                 "2700 give-up mutex 0x1000\n"
                                 "thread 0\n"
                                 "starts 1400\n"
                                 "2000 name 1 here\n"
                                 "2010 instant 1\n"
                                 "2020 begin 1\n"
                                 "2030 acquire mutex 0x1000\n"
                                 "2040 count semaphore 0x1100 2\n"
                                 "drained\n"
                                 "3000 wait condition 0x1200\n"
                                 "3010 wake condition 0x1200\n"
                                 "3020 release mutex 0x1000\n"
                                 "3030 counter 2 1.5\n"
                                 "3040 send 1 1 1\n"
                                 "3050 raw 0x1f3 0 1 2 3 4 5 6 7 8 9\n"
                                 "3060 called somebody\n"
                                 "3070 calls 101 somebody else\n"
                                 "3080 join 101 0\n"
                                 "3090 joined 1\n"
                                 "3100 call 1 0\n"
                                 "3110 return\n"
                                 "3120 task 1 2.5\n"
                                 "3130 exit\n";

static void must_join(const struct synthetic *synthetic)
{
    struct recorded recorded = synthetic_join(synthetic); /* fails the test if it cannot */

    forget(&recorded);
}

/* Parts of the log that matter: all heads, and the beginnings of what follows them. */
enum { PARTS = 6 };
struct range {
    uint64_t begin, size;
};

static void find_parts(const struct synthetic *synthetic, struct range parts[PARTS])
{
    parts[0] = (struct range){ 0, sizeof(struct weft_log_head) + 1 };
    parts[1] = (struct range){ synthetic->last_process, PIECE + 320 };
    parts[2] = (struct range){ synthetic->last_process + PIECE + 320,
                               4 * sizeof(struct weft_clock_sample) };
    parts[3] = (struct range){ synthetic->last_threads,
                               PIECE + 2 * sizeof(struct weft_thread_header) };
    parts[4] = (struct range){ synthetic->last_buffer, 2 * PIECE + 400 };
    parts[5] = (struct range){ synthetic->last_stream, PIECE + 160 };
}

static void test_log_cut_anywhere(void **state)
{
    struct synthetic synthetic = synthetic_write(everything);
    struct range parts[PARTS];
    struct file file = load(&synthetic);

    (void)state;
    find_parts(&synthetic, parts);
    for (int part = 0; part < PARTS; part++)
        for (uint64_t cut = 0; cut < parts[part].size; cut++) {
            synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes,
                              parts[part].begin + cut);
            must_join(&synthetic);
        }
    /* And a kill at any byte: from there on nothing had been written into the buffer. */
    for (size_t cut = 400; cut-- > 0;) {
        memset((char *)file.buffer + cut, 0, WEFT_LOG_BUFFER - cut);
        synthetic_rewrite(&synthetic, synthetic.last_log, file.bytes, file.size);
        must_join(&synthetic);
    }
    free(file.bytes);
    synthetic_remove(&synthetic);
}

static bool facts_are_damaged(const struct synthetic *synthetic, const void *facts,
                              size_t size)
{
    struct recorded recorded;

    synthetic_rewrite(synthetic, "0/recording", facts, size);
    recorded = synthetic_join(synthetic);
    bool damaged = has_problem(&recorded, "damaged-log");
    forget(&recorded);
    return damaged;
}

/* The facts, cut at every byte behind their magic, without which it is no recording. */
static void test_facts_cut_anywhere(void **state)
{
    static const char begun[] = WEFT_RECORDING_MAGIC "\ncommand=./a.out\n",
                      whole[] =
                          WEFT_RECORDING_MAGIC "\ncommand=./a.out\nclocks-begin=1 1 1 0\n";
    struct synthetic synthetic = synthetic_write(everything);
    size_t size;
    unsigned char *bytes = synthetic_read(&synthetic, "0/recording", &size);

    (void)state;
    for (size_t cut = strlen(WEFT_RECORDING_MAGIC); cut < size; cut++)
        assert_int_equal(facts_are_damaged(&synthetic, bytes, cut), bytes[cut - 1] != '\n');
    assert_true(facts_are_damaged(&synthetic, begun, strlen(begun)));
    assert_false(facts_are_damaged(&synthetic, whole, strlen(whole)));
    free(bytes);
    synthetic_remove(&synthetic);
}

/* Any bit may be wrong. */
static void test_damage(void **state)
{
    struct synthetic synthetic = synthetic_write(everything);
    struct range parts[PARTS];
    struct file file = load(&synthetic);
    unsigned char *bytes = malloc(file.size);

    (void)state;
    find_parts(&synthetic, parts);
    for (int round = 0; round < 2000; round++) {
        memcpy(bytes, file.bytes, file.size);
        for (int k = 0; k < 6; k++) {
            const struct range *part = &parts[roll(PARTS)];
            size_t at = part->begin + roll(part->size);
            if (at < file.size)
                bytes[at] ^= (unsigned char)(1u << roll(8));
        }
        synthetic_rewrite(&synthetic, synthetic.last_log, bytes, file.size);
        must_join(&synthetic);
    }
    free(bytes);
    free(file.bytes);
    synthetic_remove(&synthetic);
}

/* Its clocks say when the program ended; what they cannot say is damage, and is not believed. */
static void test_clocks_of_the_facts(void **state)
{
    static const struct {
        const char *end;
        bool damaged;
    } clocks[] = {
        { "9500 9500 9500 0", false },
        { "10 10 10 0", false }, /* as at the begin */
        { "", true },
        { "9500 9500 9500", true },
        { "9500 9500 9500 0 1", true },
        { "9500 9500x 9500 0", true },
        { "9500 \xff\xff 9500 0", true },
        { "9500  9500 9500 0", true },
        { "-5 9500 9500 0", true },
        { "99999999999999999999999 9500 9500 0", true },
        { "0 9500 9500 0", true },
        { "9 9500 9500 0", true }, /* before the begin */
        { "9500 9 9500 0", true },
    };
    struct synthetic synthetic = synthetic_write(everything);

    (void)state;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        char facts[512];
        int n = snprintf(facts, sizeof facts,
                         WEFT_RECORDING_MAGIC
                         "\ncommand=./a.out\nclocks-begin=10 10 10 0\nclocks-end=%s\n",
                         clocks[i].end);
        assert_int_equal(facts_are_damaged(&synthetic, facts, (size_t)n),
                         clocks[i].damaged);
    }
    synthetic_remove(&synthetic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill_while_draining),
        cmocka_unit_test(test_holes_are_skipped),
        cmocka_unit_test(test_bytes_that_no_piece_has),
        cmocka_unit_test(test_several_drains),
        cmocka_unit_test(test_buffer_of_a_page),
        cmocka_unit_test(test_threads_share_a_buffer),
        cmocka_unit_test(test_counter_around_2_64),
        cmocka_unit_test(test_what_is_cut_off_is_not_running),
        cmocka_unit_test(test_log_cut_anywhere),
        cmocka_unit_test(test_facts_cut_anywhere),
        cmocka_unit_test(test_clocks_of_the_facts),
        cmocka_unit_test(test_maps_of_a_pipe),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
