/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References become nests of loops, which stand for exactly these references.  Random programs,
 * with loops in loops, ifs and what is irregular, make references one at a time; a slow second
 * implementation keeps each with its owner, by the three sentences of detect_loops.h; then
 * the records are taken apart into single references, and both lists must be the same.
 */
#include "domains/arrays/record/arrays.h"
#include "domains/arrays/record/load_store_hooks.h"
#include "record/log/log.h"
#include "tests/random.h"
#include "tests/test.h"
#include "weft/weft_array.h"

extern const struct weft_array_runtime weft_rt_array_v1;
extern const struct weft_hook_runtime weft_rt_hooks_v1;

/* ---- A core that keeps all records in memory ---- */

enum { LOG_WORDS = 1 << 24, MAX_REFERENCES = 1 << 21 };

static struct weft_log the_log;
static uint64_t *log_words;
WEFT_EXPORT __thread uint64_t weft_record_stopped_at;
__thread struct weft_log *weft_record_self;

static int64_t clock_ns(clockid_t clock)
{
    static int64_t now;

    (void)clock;
    return ++now;
}

static struct weft_log *log_first(void)
{
    weft_record_self = &the_log;
    return &the_log;
}

static bool no_room(struct weft_log *log, uint32_t words, uint64_t ticks)
{
    /* The clock has moved far; the buffer has room, or the test is to have a larger one. */
    log->last_ticks = ticks;
    return log->cursor + words < log->limit;
}

static void lose(struct weft_log *log)
{
    (void)log;
    fail_msg("the log of the test is too small");
}

static void log_text(uint64_t ticks, uint32_t kind, const uint64_t *words, uint32_t n_words,
                     const char *text)
{
    (void)text;
    (void)weft_log_put_words(weft_log_get(), ticks, kind, 0, words, n_words);
}

static bool join(const struct weft_record_family *family)
{
    (void)family;
    return true;
}

static void see(uint64_t address)
{
    (void)address;
}

/* Whether the calling thread has its signals blocked now: nobody does so twice. */
static __thread bool are_blocked;

static uint64_t block_signals(void)
{
    assert_false(are_blocked);
    are_blocked = true;
    return 0;
}

static void restore_signals(uint64_t before)
{
    (void)before;
    assert_true(are_blocked);
    are_blocked = false;
}

struct weft_record_core weft_record_core_v1 = {
    .version = WEFT_RECORD_CORE_VERSION,
    .size = sizeof(struct weft_record_core),
    .join = join,
    .log_first = log_first,
    .log_make_room = no_room,
    .log_lose = lose,
    .log_text = log_text,
    .see = see,
    .block_signals = block_signals,
    .restore_signals = restore_signals,
    .clock_ns = clock_ns,
};

static void clear_log(void)
{
    the_log.cursor = log_words;
    the_log.limit = the_log.end = log_words + LOG_WORDS;
}

/* ---- Single references, both ways ---- */

struct single {
    uint64_t element, owner, site;
    uint32_t step, array, owner_array, operation;
};

struct singles {
    struct single *all;
    size_t n;
};

static struct singles expected, recorded;

static void add_single(struct singles *singles, const struct single *single)
{
    assert_true(singles->n < MAX_REFERENCES);
    singles->all[singles->n++] = *single;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct single));
}

/* Take a pattern apart. */
static void add_pattern(const uint64_t *words)
{
    uint32_t loops = (uint32_t)(words[0] >> 32) & 0xff;
    uint64_t n = 1;

    for (uint32_t k = 0; k < loops; k++)
        n *= words[6 + 3 * k];
    for (uint64_t i = 0; i < n; i++) {
        struct single single = { words[4],
                                 words[5],
                                 words[2],
                                 (uint32_t)words[0],
                                 (uint32_t)(words[0] >> 48),
                                 (uint32_t)words[1] & 0xffff,
                                 (uint32_t)(words[0] >> 40) & 0xff };
        uint64_t rest = i;
        for (uint32_t k = 0; k < loops; k++) {
            uint64_t index = rest % words[6 + 3 * k];
            rest /= words[6 + 3 * k];
            single.element += index * words[6 + 3 * k + 1];
            single.owner += index * words[6 + 3 * k + 2];
        }
        if (single.owner_array == WEFT_RECORD_ARRAY_UNKNOWN)
            single.owner = 0;
        for (uint64_t t = 0; t < words[3]; t++)
            add_single(&recorded, &single);
    }
}

static size_t read_log(void)
{
    size_t patterns = 0;

    recorded.n = 0;
    for (const uint64_t *at = log_words; at < the_log.cursor;
         at += 1 + weft_record_words(*at))
        if (weft_record_kind(*at) == WEFT_RECORD_ARRAY_PATTERN) {
            add_pattern(at + 1);
            patterns++;
        }
    return patterns;
}

static void check_equal(void)
{
    assert_int_equal(recorded.n, expected.n);
    qsort(recorded.all, recorded.n, sizeof *recorded.all, compare);
    qsort(expected.all, expected.n, sizeof *expected.all, compare);
    assert_memory_equal(recorded.all, expected.all, expected.n * sizeof *expected.all);
}

/* ---- The slow second implementation ---- */

enum { ARRAYS = 3, SIDE = 40 };
static double memory[ARRAYS][SIDE][SIDE + 3]; /* one behind the other */
static uint32_t now;                          /* step */
static size_t awaiting;                       /* reads from here on have no owner yet */

/* One more single for each element; reads get their owner by the next write. */
static void expect(uint64_t site, uintptr_t address, uint64_t bytes, uint32_t operation)
{
    uint64_t from = address - (uintptr_t)memory;
    uint32_t array = (uint32_t)(from / sizeof memory[0]);
    uint64_t first = from % sizeof memory[0] / 8, n = (from + bytes - 1) / 8 - from / 8 + 1;

    for (size_t i = awaiting; operation == 1 && i < expected.n; i++) {
        expected.all[i].owner_array = array;
        expected.all[i].owner = first;
    }
    for (uint64_t i = 0; i < n; i++)
        add_single(
            &expected,
            &(struct single){ .element = first + i,
                              .owner = operation ? first + i : 0,
                              .site = site,
                              .step = now,
                              .array = array,
                              .owner_array = operation ? array : WEFT_RECORD_ARRAY_UNKNOWN,
                              .operation = operation });
    if (operation == 1)
        awaiting = expected.n;
}

static struct weft_hook_thread nothing, *self = &nothing;
static struct weft_hook_gate gate = { .key = 1, .nothing = &nothing };

/* As a hook does it. */
static void refer(uint64_t site, const void *p, uint64_t bytes, uint32_t operation)
{
    uintptr_t address = (uintptr_t)p;

    if (!weft_hook_foresaw(self, gate.key, address, site)
        && address - gate.begin < gate.size)
        gate.surprise(&self, address, site, bytes, operation);
    if (address - (uintptr_t)memory < sizeof memory)
        expect(site, address, bytes, operation);
}

static void step(void)
{
    weft_rt_array_v1.step();
    now++;
    awaiting = expected.n;
}

/* All that is open is written when a step is done. */
static size_t finish(void)
{
    size_t patterns;

    step();
    patterns = read_log();
    check_equal();
    expected.n = awaiting = 0;
    clear_log();
    return patterns;
}

static int set_up(void **state)
{
    static const char *const names[ARRAYS] = { "A", "B", "C" };
    const size_t shape[2] = { SIDE, SIDE + 3 };

    (void)state;
    log_words = calloc(LOG_WORDS, sizeof *log_words);
    expected.all = calloc(MAX_REFERENCES, sizeof *expected.all);
    recorded.all = calloc(MAX_REFERENCES, sizeof *recorded.all);
    clear_log();
    setenv(WEFT_RECORD_ARRAYS_VARIABLE, "0:0;", 1);
    weft_rt_hooks_v1.attach(WEFT_HOOKS_VERSION, &gate);
    for (int i = 0; i < ARRAYS; i++) {
        assert_int_equal(weft_rt_array_v1.declare(names[i], 2, shape), i);
        weft_rt_array_v1.at(memory[i], sizeof(double), 0);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(log_words);
    free(expected.all);
    free(recorded.all);
    return 0;
}

/* ---- Programs ---- */

static double (*const A)[SIDE + 3] = memory[0];
static double (*const B)[SIDE + 3] = memory[1];
static double (*const C)[SIDE + 3] = memory[2];

#define READ(site, x)  refer(site, &(x), sizeof(x), 0)
#define WRITE(site, x) refer(site, &(x), sizeof(x), 1)

static void stencil(void **state)
{
    (void)state;
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++) {
            READ(101, A[i - 1][j]);
            READ(105, A[i + 1][j]);
            READ(110, A[i][j - 1]);
            READ(115, A[i][j + 1]);
            WRITE(120, B[i][j]);
        }
    assert_int_equal(finish(), 5);
}

/* The sum is in a register: nothing is written until the inner loop is done. */
static void product(void **state)
{
    (void)state;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            for (int k = 0; k < SIDE; k++) {
                READ(101, A[i][k]);
                READ(105, B[k][j]);
            }
            WRITE(110, C[i][j]);
        }
    /* Elements of rows of SIDE + 3 are not one run: a nest for each loop. */
    assert_in_range(finish(), 3, 6);
}

/* A triangle has no nest of its own: a nest of one loop for each row. */
static void triangle(void **state)
{
    (void)state;
    for (int k = 0; k < SIDE; k++)
        for (int i = k + 1; i < SIDE; i++) {
            READ(101, A[i][k]);
            READ(105, A[k][k]);
            WRITE(110, A[i][k]);
            for (int j = k + 1; j < SIDE; j++) {
                READ(120, A[i][j]);
                READ(125, A[i][k]);
                READ(130, A[k][j]);
                WRITE(135, A[i][j]);
            }
        }
    assert_in_range(finish(), 7, 7 * 4 * SIDE);
}

/* A loop that goes from one array into the next, and behind the last. */
static void one_walk(void **state)
{
    const double *p = &memory[0][0][0];

    (void)state;
    for (size_t i = 0; i < sizeof memory / 8 + 50; i++) {
        refer(101, p + i, 8, 0);
        refer(105, p + i, 8, 1);
    }
    assert_in_range(finish(), 6, 12);
}

/* The loop goes on while the step changes. */
static void steps_within(void **state)
{
    (void)state;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            READ(101, A[i][j]);
            if (i % 7 == 3 && j == 9)
                step();
            WRITE(105, B[i][j]);
        }
    assert_in_range(finish(), 2, 80);
}

/* More than a thread can collect of: nothing is written any more. */
static void reads_only(void **state)
{
    (void)state;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            READ(101, A[i][j]);
    assert_in_range(finish(), 1, 2);
}

/* One reference of a random program: a base and what each of three loops adds, in elements. */
struct random_reference {
    uint64_t site;
    int64_t base, by[3];
    uint32_t array, operation, bytes;
    uint32_t condition; /* only in rounds with (i + j + k) % condition == 0; 1: in all */
    uint32_t depth;     /* in which loop it stands */
    bool before, scattered;
};

static void make_reference(struct random_reference *reference, uint32_t number,
                           bool irregular)
{
    *reference = (struct random_reference){
        .site = 4096 + 5 * number + 4096 * roll(2),
        .array = roll(ARRAYS),
        .operation = roll(3) == 0,
        .bytes = roll(12) == 0 ? 16 : 8,
        .condition = roll(8) == 0 ? 2 + roll(3) : 1,
        .depth = roll(5) < 3 ? 2 : roll(2),
        .before = roll(2),
        .scattered = irregular && roll(6) == 0,
        .base = roll(200),
    };
    for (int i = 0; i < 3; i++)
        reference->by[i] = roll(3) == 0 ? 0 : (int64_t)roll(60);
}

static void make(const struct random_reference *reference, const uint32_t index[3])
{
    int64_t element = reference->base;

    if ((index[0] + index[1] + index[2]) % reference->condition != 0)
        return;
    for (int i = 0; i < 3; i++)
        element += index[i] * reference->by[i];
    if (reference->scattered)
        element = roll(1000);
    element %= SIDE * (SIDE + 3) - 2;
    refer(reference->site, &memory[reference->array][0][0] + element, reference->bytes,
          reference->operation);
}

static void run_body(const struct random_reference *references, uint32_t n, uint32_t depth,
                     bool before, const uint32_t index[3])
{
    for (uint32_t i = 0; i < n; i++)
        if (references[i].depth == depth && references[i].before == before)
            make(&references[i], index);
}

/* Vector writes take reads of their width one by one; here all are for its first: widths differ. */
static void make_widths_differ(struct random_reference *references, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (references[i].operation == 1)
            references[i].bytes = 8;
}

static void random_program(bool irregular)
{
    struct random_reference references[12];
    uint32_t n = 1 + roll(12), index[3], extent[3];

    for (uint32_t i = 0; i < n; i++)
        make_reference(&references[i], i, irregular);
    make_widths_differ(references, n);
    for (int i = 0; i < 3; i++)
        extent[i] = 1 + roll(12);
    for (index[0] = 0; index[0] < extent[0]; index[0]++) {
        index[1] = index[2] = 0;
        run_body(references, n, 0, true, index);
        for (index[1] = 0; index[1] < extent[1]; index[1]++) {
            index[2] = 0;
            run_body(references, n, 1, true, index);
            for (index[2] = 0; index[2] < extent[2]; index[2]++) {
                run_body(references, n, 2, true, index);
                run_body(references, n, 2, false, index);
            }
            run_body(references, n, 1, false, index);
        }
        run_body(references, n, 0, false, index);
        if (roll(20) == 0)
            step();
    }
}

/* How many references have no owner in a list. */
static size_t count_unknown(const struct singles *singles)
{
    size_t n = 0;

    for (size_t i = 0; i < singles->n; i++)
        n += singles->all[i].owner_array == WEFT_RECORD_ARRAY_UNKNOWN;
    return n;
}

/*
 * Reads that fit into no nests may be too many to wait for their write: then nobody is known, and
 * the elements alone are compared.
 */
static void forget_owners(struct singles *singles)
{
    for (size_t i = 0; i < singles->n; i++)
        if (singles->all[i].operation == 0) {
            singles->all[i].owner = 0;
            singles->all[i].owner_array = 0;
        }
}

static void check_programs(bool irregular, uint64_t first, uint64_t after, uint32_t most)
{
    uint32_t forgotten = 0;

    for (uint64_t own = first; own < after; own++) {
        roll_from(own);
        random_program(irregular);
        step();
        (void)read_log();
        if (count_unknown(&recorded) != count_unknown(&expected)) {
            forget_owners(&expected);
            forget_owners(&recorded);
            forgotten++;
        }
        check_equal();
        expected.n = awaiting = 0;
        clear_log();
    }
    assert_in_range(forgotten, 0, most);
}

static void random_programs(void **state)
{
    (void)state;
    check_programs(false, 1, 3000, 300);
}

static void irregular_programs(void **state)
{
    (void)state;
    check_programs(true, 3000, 5000, 500);
}

/* Sixteen bytes are two elements; a write of as many takes the reads one by one. */
static void vectors(void **state)
{
    (void)state;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j += 2) {
            refer(101, &A[i][j], 16, 0);
            refer(105, &B[i][j], 16, 1);
        }
    step();
    assert_in_range(read_log(), 2, 4);
    for (size_t i = 0; i < recorded.n; i++)
        assert_int_equal(recorded.all[i].element, recorded.all[i].owner);
    forget_owners(&expected);
    forget_owners(&recorded);
    check_equal();
    expected.n = awaiting = 0;
    clear_log();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stencil),
        cmocka_unit_test(product),
        cmocka_unit_test(triangle),
        cmocka_unit_test(one_walk),
        cmocka_unit_test(steps_within),
        cmocka_unit_test(reads_only),
        cmocka_unit_test(vectors),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(irregular_programs),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
