/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kill leaves in each moment of draining a buffer, and what cuts and damage do: the join
 * finds what is there, finds problems, but it always ends with a trace that opens.
 */
#include "synthetic.h"

#include <stdlib.h>
#include <string.h>

#include "format/recording_annotate.h"
#include "format/recording_layout.h"
#include "read/recording/recording.h"

static const char ten_instants[] = "host alpha boot-a ns\n"
                                   "process 7 by-hand\n"
                                   "thread 0\n"
                                   "starts 1000\n"
                                   "2000 instant 1\n2001 instant 1\n2002 instant 1\n"
                                   "2003 instant 1\n2004 instant 1\n2005 instant 1\n"
                                   "2006 instant 1\n2007 instant 1\n2008 instant 1\n"
                                   "2009 instant 1\n";

struct file { /* of the only thread */
    struct weft_thread_header *header;
    uint64_t *buffer, *stream;
    unsigned char bytes[WEFT_LOG_HEADER + WEFT_LOG_BUFFER + 512];
    size_t size;
};

static void load(const struct synthetic *synthetic, struct file *file)
{
    unsigned char *bytes = synthetic_read(synthetic, synthetic->last_thread, &file->size);

    assert_true(file->size <= sizeof file->bytes);
    memset(file->bytes, 0, sizeof file->bytes);
    memcpy(file->bytes, bytes, file->size);
    free(bytes);
    file->header = (struct weft_thread_header *)file->bytes;
    file->buffer = (uint64_t *)(file->bytes + WEFT_LOG_HEADER);
    file->stream = (uint64_t *)(file->bytes + WEFT_LOG_HEADER + WEFT_LOG_BUFFER);
}

/* Write the file, and count the instants that the join finds; their name is lost. */
static uint64_t instants(const struct synthetic *synthetic, const struct file *file)
{
    struct recorded recorded;
    uint64_t n;

    synthetic_rewrite(synthetic, synthetic->last_thread, file->bytes, file->size);
    recorded = synthetic_join(synthetic);
    n = count_events(&recorded,
                     track(&recorded, container(&recorded, "Thread", "by-hand"), "Instant"),
                     "name that was lost");
    forget(&recorded);
    return n;
}

static void test_kill_while_draining(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file *file = malloc(sizeof *file);

    (void)state;
    load(&synthetic, file);
    /* Before: all ten are in the buffer. */
    assert_int_equal(instants(&synthetic, file), 10);
    /* Written to the stream, but drained does not say so yet. */
    memcpy(file->stream, file->buffer, 80);
    file->size = sizeof file->bytes;
    assert_int_equal(instants(&synthetic, file), 10);
    /* Drained says so: the buffer counts as empty, though it is not clear yet. */
    file->header->drained = 80;
    assert_int_equal(instants(&synthetic, file), 10);
    /* Clear, and half of it ... */
    memset(file->buffer, 0, 40);
    assert_int_equal(instants(&synthetic, file), 10);
    /* ... and counting again, with one record more. */
    memset(file->buffer, 0, WEFT_LOG_BUFFER);
    file->buffer[0] = weft_record_word(3000, WEFT_RECORD_INSTANT, 0, 1);
    file->header->buffer_base = 80;
    assert_int_equal(instants(&synthetic, file), 11);
    free(file);
    synthetic_remove(&synthetic);
}

/*
 * A thread that is killed between taking room and filling it leaves a hole: of zeros, or of a
 * known length with some of its words there, which are no records.  A handler wrote after it.
 */
static void test_holes_are_skipped(void **state)
{
    struct synthetic synthetic = synthetic_write(ten_instants);
    struct file *file = malloc(sizeof *file);
    uint64_t instant = weft_record_word(2000, WEFT_RECORD_INSTANT, 0, 1);

    (void)state;
    load(&synthetic, file);
    memset(file->buffer, 0, WEFT_LOG_BUFFER);
    file->buffer[0] = instant;
    file->buffer[3] = instant;
    assert_int_equal(instants(&synthetic, file), 2);
    file->buffer[1] = weft_record_word(0, WEFT_RECORD_HOLE, 1, 0);
    file->buffer[2] = instant; /* a word of the record that was to be */
    assert_int_equal(instants(&synthetic, file), 2);
    file->buffer[1] = weft_record_word(0, WEFT_RECORD_HOLE, WEFT_WORDS_LONG, 10);
    for (int i = 2; i < 12; i++)
        file->buffer[i] = instant;
    file->buffer[12] = instant;
    assert_int_equal(instants(&synthetic, file), 2);
    free(file);
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

/* Positions that matter: every byte up to FINE, then the ends of what is mostly padding. */
static size_t next_cut(size_t at, size_t size)
{
    static const size_t fine[][2] = {
        { 0, sizeof(struct weft_thread_header) + 1 },
        { WEFT_LOG_HEADER - 1, WEFT_LOG_HEADER + 400 },
        { WEFT_LOG_HEADER + WEFT_LOG_BUFFER - 1, SIZE_MAX },
    };

    at++;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        if (at < fine[i][0])
            return fine[i][0] < size ? fine[i][0] : size;
        if (at < fine[i][1])
            return at;
    }
    return size;
}

static void test_thread_cut_anywhere(void **state)
{
    struct synthetic synthetic = synthetic_write(everything);
    size_t size;
    unsigned char *bytes = synthetic_read(&synthetic, synthetic.last_thread, &size);

    (void)state;
    for (size_t cut = 0; cut < size; cut = next_cut(cut, size)) {
        synthetic_rewrite(&synthetic, synthetic.last_thread, bytes, cut);
        must_join(&synthetic);
    }
    /* And a kill at any byte: from there on nothing had been written into the buffer. */
    for (size_t cut = 0; cut < 400; cut++) {
        unsigned char *killed = malloc(size);
        memcpy(killed, bytes, size);
        memset(killed + WEFT_LOG_HEADER + cut, 0, WEFT_LOG_BUFFER - cut);
        synthetic_rewrite(&synthetic, synthetic.last_thread, killed, size);
        must_join(&synthetic);
        free(killed);
    }
    free(bytes);
    synthetic_remove(&synthetic);
}

/* Process headers, maps and facts, cut at every byte of their beginning. */
static void test_other_files_cut_anywhere(void **state)
{
    struct synthetic synthetic = synthetic_write(everything);
    char names[3][180];

    (void)state;
    strcpy(names[0], synthetic.last_process);
    strcpy(names[1], synthetic.last_process);
    strcat(names[1], ".maps");
    strcpy(names[2], "0/recording");
    for (int i = 0; i < 3; i++) {
        size_t size;
        unsigned char *bytes = synthetic_read(&synthetic, names[i], &size);
        /* The magic of the facts must be there, else it is no recording. */
        size_t least = i == 2 ? strlen(WEFT_RECORDING_MAGIC) : 0;
        for (size_t cut = least; cut < size; cut += cut < 400 ? 1 : 97) {
            synthetic_rewrite(&synthetic, names[i], bytes, cut);
            must_join(&synthetic);
        }
        synthetic_rewrite(&synthetic, names[i], bytes, size);
        free(bytes);
    }
    synthetic_remove(&synthetic);
}

/* Any bit may be wrong. */
static void test_damage(void **state)
{
    struct synthetic synthetic = synthetic_write(everything);
    const char *names[2] = { synthetic.last_thread, synthetic.last_process };
    /* What is worth damaging: headers, and the records of buffer and stream. */
    static const size_t parts[][3] = {
        { 0, 0, sizeof(struct weft_thread_header) },      { 0, WEFT_LOG_HEADER, 600 },
        { 0, WEFT_LOG_HEADER + WEFT_LOG_BUFFER, 160 },    { 1, 0, 320 },
        { 1, 320, sizeof(struct weft_clock_sample) * 4 },
    };
    uint64_t dice = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 1000; round++) {
        size_t sizes[2];
        unsigned char *files[2];
        for (int i = 0; i < 2; i++)
            files[i] = synthetic_read(&synthetic, names[i], &sizes[i]);
        unsigned char *whole[2] = { malloc(sizes[0]), malloc(sizes[1]) };
        for (int i = 0; i < 2; i++)
            memcpy(whole[i], files[i], sizes[i]);
        for (int k = 0; k < 6; k++) {
            dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
            const size_t *part = parts[dice % 5];
            size_t at = part[1] + (dice >> 8) % part[2];
            if (at < sizes[part[0]])
                files[part[0]][at] ^= (unsigned char)(1u << (dice >> 40) % 8);
        }
        for (int i = 0; i < 2; i++)
            synthetic_rewrite(&synthetic, names[i], files[i], sizes[i]);
        must_join(&synthetic);
        for (int i = 0; i < 2; i++) {
            synthetic_rewrite(&synthetic, names[i], whole[i], sizes[i]);
            free(whole[i]);
            free(files[i]);
        }
    }
    synthetic_remove(&synthetic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill_while_draining),
        cmocka_unit_test(test_holes_are_skipped),
        cmocka_unit_test(test_thread_cut_anywhere),
        cmocka_unit_test(test_other_files_cut_anywhere),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
