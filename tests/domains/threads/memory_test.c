/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: what lines allocated, who gave it back, what was live.  The recordings are
 * described in the tests (synthetic.h); clocks count nanoseconds.  A record is "raw KIND
 * ARGUMENT WORD...", with the kinds of domains/threads/format/memory_records.h; a site is
 * the number of a slot, which a pair (kind 2) defines.
 */
#include "tests/unit/recording/synthetic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "domains/threads/analyse/allocations.h"
#include "domains/threads/format/memory_records.h"
#include "domains/threads/join/memory_join.h"
#include "domains/threads/view/views.h"
#include "tests/random.h"
#include "tests/table_text.h"

/* The numbers in the descriptions. */
_Static_assert(WEFT_RECORD_BLOCK == 192 && WEFT_RECORD_FREE == 193
                   && WEFT_RECORD_LEAVES == 194 && WEFT_RECORD_MOVED == 195
                   && WEFT_RECORD_RESIZED == 196 && WEFT_RECORD_REFUSED == 197
                   && WEFT_RECORD_MAPPED == 198 && WEFT_RECORD_UNMAPPED == 199
                   && WEFT_RECORD_REMAPPED == 200,
               "kinds");

#define PROCESS                                                                            \
 "host alpha boot-a ns\n"                                                                  \
 "process 10 by-hand\n"                                                                    \
 "families 66\n"                                                                           \
 "thread 0\n"                                                                              \
 "starts 1000\n"                                                                           \
 "1001 raw 2 1 16 0x41\n"                                                                  \
 "1001 raw 2 2 16 0x51\n"
/* The second thread has these slots for the same sites. */
#define THREAD                                                                             \
 "thread 1\n"                                                                              \
 "starts 1000\n"                                                                           \
 "1001 raw 2 5 16 0x41\n"                                                                  \
 "1001 raw 2 6 16 0x51\n"

struct read_memory {
    struct recorded recorded;
    struct weft_arena arena;
    struct allocations *list;
    size_t n;
};

static struct read_memory join(const char *description, bool threads)
{
    struct read_memory memory = { .recorded = synthetic_trace(description) };
    struct weft_err err;

    assert_true(allocations_known(memory.recorded.schema));
    assert_true(allocations_read(memory.recorded.source, 0, threads, &memory.arena, NULL,
                                 &memory.list, &memory.n, &err));
    return memory;
}

static void end(struct read_memory *memory)
{
    weft_arena_free(&memory->arena);
    forget(&memory->recorded);
}

/* The row of the site that returns to ADDRESS (0: none) with this role; fails without. */
static const struct allocations *row(const struct read_memory *memory, uint64_t address,
                                     enum weft_role role)
{
    const struct weft_schema *schema = memory->recorded.schema;

    for (size_t i = 0; i < memory->n; i++) {
        uint32_t site = memory->list[i].site;
        uint64_t at = site == WEFT_NONE ? 0 : schema->sites[site].address + 1;
        if (at == address && schema->values[memory->list[i].value].role == role)
            return &memory->list[i];
    }
    fail_msg("no row of site %" PRIu64, address);
    return NULL;
}

static void is(const struct allocations *row, int64_t count, int64_t frees, int64_t bytes,
               int64_t at_peak, int64_t at_end)
{
    assert_int_equal(row->count, count);
    assert_int_equal(row->frees, frees);
    assert_int_equal(row->bytes, bytes);
    assert_int_equal(row->at_peak, at_peak);
    assert_int_equal(row->at_end, at_end);
}

static struct bytes_peak peak(const struct read_memory *memory, enum weft_role role)
{
    return allocations_peak(memory->recorded.source, 0, role);
}

/*
 * Site 0x41 has 100 bytes at 1,100, 300 more at 1,200; with the 50 of site 0x51 the peak is
 * 450 at 1,300.  Thread 1 gives back the 300, and 60 bytes of its own stay.
 */
#define TWO_THREADS                                                                        \
 PROCESS "1100 raw 192 1 0x5000 0x7000000000064\n"                                         \
         "1200 raw 192 1 0x6000 300\n"                                                     \
         "1300 raw 192 2 0x7000 50\n"                                                      \
         "1400 raw 193 3 0x5000\n" THREAD "1500 raw 192 5 0x5000 60\n"                     \
         "1600 raw 193 2 0x6000\n"                                                         \
         "1700 raw 197 5 0x10000000000 90000\n"

static void test_two_threads(void **state)
{
    struct read_memory memory = join(TWO_THREADS, false);
    const struct allocations *first = row(&memory, 0x41, WEFT_ROLE_HEAP);
    struct bytes_peak most = peak(&memory, WEFT_ROLE_LIVE_BYTES);

    (void)state;
    assert_int_equal(memory.n, 2);
    is(first, 3, 2, 460, 400, 60);
    is(row(&memory, 0x51, WEFT_ROLE_HEAP), 1, 0, 50, 50, 50);
    assert_int_equal(first->frees_elsewhere, 1);
    assert_int_equal(first->refusals, 1);
    assert_int_equal(first->largest, 300);
    /* 7 of the first malloc, 3 and 2 of the frees, 90,000 of the one that failed. */
    assert_int_equal(first->ticks, 90012);
    assert_int_equal(first->longest, 90000);
    assert_int_equal(most.time, 1300);
    assert_true(most.bytes == 450);
    end(&memory);
    memory = join(TWO_THREADS, true);
    assert_int_equal(memory.n, 3);
    is(&memory.list[0], 2, 2, 400, 400, 0);
    is(&memory.list[2], 1, 0, 60, 0, 60);
    end(&memory);
}

static void test_table(void **state)
{
    struct read_memory memory = join(TWO_THREADS, false);
    struct weft_set set = { &memory.recorded.source, 1 };
    const char *settings[32] = { 0 };
    struct weft_request request = { .set = &set,
                                    .settings = settings,
                                    .window = memory.recorded.schema->span,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    char *text = table_csv(&weft_view_memory, &request);

    (void)state;
    assert_string_equal(
        text,
        "process,program,thread,what,site,allocations,frees,frees_elsewhere,refusals,bytes,"
        "live_peak_bytes,live_end_bytes,mean_bytes,largest_bytes,time_ns,longest_ns\n"
        "by-hand,by-hand,,heap,+0x40,3,2,1,1,460,400,60,153,300,90012,90000\n"
        "by-hand,by-hand,,heap,+0x50,1,0,0,0,50,50,50,50,50,0,0\n");
    free(text);
    end(&memory);
}

/*
 * A block of 100 moves and becomes 200, then grows to 400 in place.  While it is moving it
 * is still live: thread 1 has 1,000 bytes then, at its old address, so 1,100 are.  The peak
 * is at 1,500: 400 + 1,000.
 */
static void test_moved_block(void **state)
{
    struct read_memory memory =
        join(PROCESS "1100 raw 192 1 0x5000 100\n"
                     "1200 raw 194 0 0x5000\n"
                     "1300 raw 195 2 0x8000 200\n"
                     "1500 raw 196 2 0x8000 400\n"
                     "1600 raw 193 0 0x8000\n" THREAD "1250 raw 192 5 0x5000 1000\n"
                     "1700 raw 193 0 0x5000\n",
             false);
    const struct weft_source *source = memory.recorded.source;
    struct bytes_peak most = peak(&memory, WEFT_ROLE_LIVE_BYTES);
    struct weft_envelope envelope[2];

    (void)state;
    is(row(&memory, 0x41, WEFT_ROLE_HEAP), 2, 2, 1100, 1000, 0);
    is(row(&memory, 0x51, WEFT_ROLE_HEAP), 2, 2, 600, 400, 0);
    assert_int_equal(most.time, 1500);
    assert_true(most.bytes == 1400);
    /* From 1,200 to 1,250 it is 100, then to 1,300 it is 1,100. */
    source->ops->envelope(source, most.track, (struct weft_span){ 1200, 1300 }, 2,
                          envelope);
    assert_true(envelope[0].min == 100 && envelope[0].max == 100);
    assert_true(envelope[1].min == 1100 && envelope[1].max == 1100);
    end(&memory);
}

/* By its stamp, thread 1 gets the block 5 ns before thread 0 gives it back. */
static void test_cause_before_stamps(void **state)
{
    struct read_memory memory =
        join(PROCESS "1100 raw 192 1 0x5000 100\n"
                     "1200 raw 193 0 0x5000\n" THREAD "1195 raw 192 6 0x5000 30\n"
                     "1300 raw 193 0 0x5000\n",
             false);

    (void)state;
    is(row(&memory, 0x41, WEFT_ROLE_HEAP), 1, 1, 100, 100, 0);
    is(row(&memory, 0x51, WEFT_ROLE_HEAP), 1, 1, 30, 0, 0);
    assert_int_equal(row(&memory, 0x41, WEFT_ROLE_HEAP)->frees_elsewhere, 0);
    assert_false(has_problem(&memory.recorded, "blocks-replaced"));
    end(&memory);
}

/* The free of the first block is lost: it ends when the second one begins. */
static void test_lost_free(void **state)
{
    struct read_memory memory = join(PROCESS "1100 raw 192 1 0x5000 100\n"
                                             "1200 raw 192 2 0x5000 30\n"
                                             "1300 raw 193 0 0x9000\n",
                                     false);

    (void)state;
    is(row(&memory, 0x41, WEFT_ROLE_HEAP), 1, 1, 100, 100, 0);
    is(row(&memory, 0x51, WEFT_ROLE_HEAP), 1, 0, 30, 0, 30);
    is(row(&memory, 0, WEFT_ROLE_HEAP), 0, 1, 0, 0, 0);
    assert_true(has_problem(&memory.recorded, "blocks-replaced"));
    assert_true(has_problem(&memory.recorded, "frees-of-unknown-blocks"));
    end(&memory);
}

/*
 * Four pages; the second one is unmapped, then another mapping takes the place of the third
 * and the page behind it; mremap makes of that one three elsewhere.  A file is another kind.
 */
static void test_mappings(void **state)
{
    struct read_memory memory =
        join(PROCESS "1100 raw 198 1 0x10000 0x4000 0 5\n"
                     "1200 raw 199 0 0x11000 100 2\n"
                     "1300 raw 198 2 0x12000 0x1001 0 0\n"
                     "1400 raw 200 2 0x12000 0x2000 0x80000 0x3000 1\n"
                     "1500 raw 198 1 0x20000 1 1 0\n",
             false);
    const struct allocations *first = row(&memory, 0x41, WEFT_ROLE_MAPPED_MEMORY);
    struct bytes_peak most = peak(&memory, WEFT_ROLE_MAPPED_BYTES);

    (void)state;
    /* At 1,400: pages 0 of the first one (3 is replaced), and three of the other. */
    is(first, 1, 0, 0x4000, 0x4000, 0x1000);
    assert_int_equal(first->ticks, 7);
    is(row(&memory, 0x51, WEFT_ROLE_MAPPED_MEMORY), 2, 1, 0x5000, 0, 0x3000);
    is(row(&memory, 0x41, WEFT_ROLE_MAPPED_FILE), 1, 0, 0x1000, 0x1000, 0x1000);
    /* 4, 3, then 1 + 2, then 1 + 3: not more than at first. */
    assert_int_equal(most.time, 1100);
    assert_true(most.bytes == 0x4000);
    end(&memory);
}

/* A child begins with nothing of its own, and gives back a block of its parent. */
static void test_fork(void **state)
{
    struct read_memory memory = join(PROCESS "1100 raw 192 1 0x5000 100\n"
                                             "process 11 child\n"
                                             "families 66\n"
                                             "image 2\n"
                                             "forked 10 0 0\n"
                                             "thread 0\n"
                                             "starts 2000\n"
                                             "2001 raw 2 1 16 0x51\n"
                                             "2100 raw 193 0 0x5000\n"
                                             "2200 raw 192 1 0x5000 30\n",
                                     false);

    (void)state;
    is(row(&memory, 0x41, WEFT_ROLE_HEAP), 1, 0, 100, 100, 100);
    is(row(&memory, 0x51, WEFT_ROLE_HEAP), 1, 0, 30, 30, 30);
    is(row(&memory, 0, WEFT_ROLE_HEAP), 0, 1, 0, 0, 0);
    assert_int_not_equal(row(&memory, 0x41, WEFT_ROLE_HEAP)->process,
                         row(&memory, 0x51, WEFT_ROLE_HEAP)->process);
    assert_false(has_problem(&memory.recorded, "frees-of-unknown-blocks"));
    end(&memory);
}

/* ---- Random programs, and a slow second implementation ---- */

enum { SITES = 5, SLOTS = 40, STEPS = 3000 };

struct simulated {
    uint64_t live[SITES], at_peak[SITES], bytes[SITES], count[SITES], frees[SITES];
    uint64_t all, peak;
    int64_t time;
};

/* Looks at all sites whenever there was never so much. */
static void look(struct simulated *simulated, int64_t time)
{
    uint64_t all = 0;

    for (int i = 0; i < SITES; i++)
        all += simulated->live[i];
    if (all <= simulated->peak)
        return;
    simulated->peak = all;
    simulated->time = time;
    memcpy(simulated->at_peak, simulated->live, sizeof simulated->live);
}

/* Writes a random program, and what it does. */
static char *simulate(struct simulated *simulated)
{
    struct {
        uint64_t bytes;
        int site;
    } blocks[SLOTS] = { 0 };
    char *text;
    size_t size;
    FILE *stream = weft_text_begin(&text, &size);

    fputs(PROCESS, stream);
    for (int i = 0; i < SITES; i++)
        fprintf(stream, "1002 raw 2 %d 16 0x%x\n", 10 + i, 0x1000 + 16 * i);
    for (int step = 0; step < STEPS; step++) {
        int64_t time = 2000 + 700 * step;
        size_t at = roll(SLOTS);
        int site = (int)roll(SITES);
        uint64_t address = 0x5000 + 64 * at, bytes = roll(1000);
        if (blocks[at].bytes > 0) {
            fprintf(stream, "%" PRId64 " raw 193 0 %" PRIu64 "\n", time, address);
            simulated->live[blocks[at].site] -= blocks[at].bytes;
            simulated->frees[blocks[at].site]++;
            blocks[at].bytes = 0;
        } else {
            bytes++;
            fprintf(stream, "%" PRId64 " raw 192 %d %" PRIu64 " %" PRIu64 "\n", time,
                    10 + site, address, bytes);
            blocks[at].bytes = bytes;
            blocks[at].site = site;
            simulated->live[site] += bytes;
            simulated->bytes[site] += bytes;
            simulated->count[site]++;
        }
        look(simulated, time);
    }
    weft_text_end(stream);
    return text;
}

static void test_random(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        struct simulated simulated = { 0 };
        char *text = simulate(&simulated);
        struct read_memory memory = join(text, false);
        struct bytes_peak most = peak(&memory, WEFT_ROLE_LIVE_BYTES);
        for (int i = 0; i < SITES; i++)
            is(row(&memory, (uint64_t)(0x1000 + 16 * i), WEFT_ROLE_HEAP),
               (int64_t)simulated.count[i], (int64_t)simulated.frees[i],
               (int64_t)simulated.bytes[i], (int64_t)simulated.at_peak[i],
               (int64_t)simulated.live[i]);
        assert_true(most.bytes == (double)simulated.peak);
        assert_int_equal(most.time, simulated.time);
        end(&memory);
        free(text);
    }
}

enum { PAGES = 60, USES = 20000 };

/* The bytes that mappings_remove tells, by use. */
struct told {
    uint64_t left[USES];
    uint32_t ended;
};

static void tell(void *user, const struct mapping *mapping, uint64_t bytes)
{
    struct told *told = user;

    told->left[mapping->use] -= bytes;
    assert_int_equal(told->left[mapping->use], mapping->left);
    told->ended += mapping->left == 0;
}

/* Random mappings of some pages, beside a list of who has which page. */
static void test_random_mappings(void **state)
{
    struct told *told = calloc(1, sizeof *told);
    struct mappings mappings = { 0 };
    uint32_t owner[PAGES] = { 0 }; /* use, from 1 */
    uint32_t ended = 0, in_use[USES] = { 0 };

    (void)state;
    for (uint32_t use = 1; use < USES; use++) {
        uint64_t begin = roll(PAGES), end = begin + 1 + roll(PAGES - begin);
        bool maps = roll(2) == 0;
        assert_true(mappings_remove(&mappings, begin, end, tell, told));
        for (uint64_t page = begin; page < end; page++) {
            if (owner[page] && --in_use[owner[page]] == 0)
                ended++;
            owner[page] = maps ? use : 0;
            in_use[use] += maps;
        }
        if (maps) {
            assert_true(mappings_add(&mappings, begin, end, use, 0));
            told->left[use] = end - begin;
        }
        assert_int_equal(told->ended, ended);
        for (uint32_t page = 0; page < PAGES; page++)
            assert_int_equal(told->left[owner[page]], in_use[owner[page]]);
    }
    mappings_free(&mappings);
    free(told);
}

/*
 * A curve of many values has few parts; their least and greatest values are those of all
 * values in their times, and the greatest of all is there with its time.
 */
static void test_curve(void **state)
{
    enum { VALUES = 300000 };
    uint64_t *values = calloc(VALUES, sizeof *values), most = 0;
    int64_t most_time = 0, time = -5000000;
    int64_t *times = calloc(VALUES, sizeof *times);
    struct curve curve = { 0 };
    size_t at = 0;

    (void)state;
    for (int i = 0; i < VALUES; i++) {
        time += (int64_t)roll(1000);
        values[i] = roll(1000000);
        times[i] = time;
        curve_add(&curve, time, values[i]);
        if (values[i] > most) {
            most = values[i];
            most_time = time;
        }
    }
    assert_true(curve.n <= 4096 && curve.n >= 2048);
    for (size_t i = 0; i < curve.n; i++) {
        const struct curve_part *part = &curve.parts[i];
        uint64_t low = UINT64_MAX, high = 0;
        while (at < VALUES && times[at] <= part->last_time) {
            low = values[at] < low ? values[at] : low;
            high = values[at] > high ? values[at] : high;
            at++;
        }
        assert_int_equal(part->least, low);
        assert_int_equal(part->most, high);
        assert_int_equal(part->last, values[at - 1]);
        if (part->most == most)
            assert_int_equal(part->most_time, most_time);
    }
    assert_int_equal(at, VALUES);
    curve_free(&curve);
    free(values);
    free(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_moved_block),
        cmocka_unit_test(test_cause_before_stamps),
        cmocka_unit_test(test_lost_free),
        cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_mappings),
        cmocka_unit_test(test_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
