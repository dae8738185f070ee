/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What processors did: random runs, of which the class of each processor at each tick is kept in
 * an array, and everything that is asked for is counted in that array.
 */
#include "domains/messages/model/busy_idle_mipmaps.h"
#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/utilization.h"
#include "tests/random.h"
#include "tests/small_store.h"
enum { MAX_PROCESSORS = 9, TICKS = 5000, ZERO = 700, VALUES = 21, MAX_DEPTH = 3 };

static struct weft_trace *trace;
static struct weft_processors *processors;
static struct weft_utilization *utilization;
static uint32_t n;
static uint32_t kinds; /* of values that are used: of few, summaries say all */
static uint8_t class_at[MAX_PROCESSORS]
                       [TICKS]; /* by number of the processor, and tick from ZERO on */

/* By number of the value: every third is idle, overhead, or nothing that is known. */
static enum weft_role role_of(uint32_t value)
{
    static const enum weft_role idle[] = { WEFT_ROLE_IDLE, WEFT_ROLE_BLOCKED_ON_MESSAGE };
    static const enum weft_role overhead[] = { WEFT_ROLE_OVERHEAD, WEFT_ROLE_SENDING };
    static const enum weft_role busy[] = { WEFT_ROLE_COMPUTING, WEFT_ROLE_NONE };
    return value % 3 == 0   ? idle[value / 3 % 2]
           : value % 3 == 1 ? overhead[value / 3 % 2]
                            : busy[value / 3 % 2];
}

/* The class of the innermost call that has one: values without a role have none. */
static uint8_t class_of(const uint32_t *open, uint32_t depth)
{
    while (depth && role_of(open[depth - 1]) == WEFT_ROLE_NONE)
        depth--;
    return !depth                     ? WEFT_CLASS_BUSY
           : open[depth - 1] % 3 == 0 ? WEFT_CLASS_IDLE
           : open[depth - 1] % 3 == 1 ? WEFT_CLASS_OVERHEAD
                                      : WEFT_CLASS_BUSY;
}

/*
 * The calls of processor I, which is there from BORN on, until it has ended; GAP: between two
 * changes, at most.
 */
static void run(struct weft_builder *b, uint32_t track, const uint32_t *values, uint32_t i,
                uint32_t born, uint32_t gap)
{
    uint32_t open[MAX_DEPTH], depth = 0, finish = TICKS - (roll(2) ? roll(900) : 0);
    int64_t time = born + (roll(2) ? 0 : roll(200));
    uint8_t *class = class_at[i];
    memset(class, WEFT_CLASS_BUSY, TICKS);
    memset(class, WEFT_CLASS_IDLE, born);
    for (bool last = false; !last;) {
        int64_t next = time + roll(gap + 1); /* perhaps at the same time */
        last = next >= finish;
        next = last ? finish : next;
        bool push = !last && depth < MAX_DEPTH && (!depth || roll(2));
        memset(class + time, class_of(open, depth), (size_t)(next - time));
        time = next;
        if (push) {
            open[depth] = roll(roll(4) ? 4 : kinds);
            weft_builder_push(b, track, ZERO + time, values[open[depth++]], NULL, 0, NULL);
        } else if (depth) {
            depth--;
            weft_builder_pop(b, track, ZERO + time, NULL);
        }
        for (; last && depth; depth--)
            weft_builder_pop(b, track, ZERO + time, NULL);
    }
    /* Nothing opens at the end: the last event is that of a state that was. */
    weft_builder_push(b, track, ZERO + time, values[0], NULL, 0, NULL);
    weft_builder_pop(b, track, ZERO + time, NULL);
    memset(class + time, WEFT_CLASS_IDLE, (size_t)(TICKS - time));
}

static void begin(uint32_t count, uint32_t gap, uint32_t values_used)
{
    kinds = values_used;
    char path[64];
    snprintf(path, sizeof path, "/tmp/weft-utilization-%d.weft", (int)getpid());
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    uint32_t rank = add_type(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t calls = add_type(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t mark = add_type(b, WEFT_EVENT, 0, "mark", WEFT_ROLE_MARK);
    uint32_t number =
        add_field(b, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    uint32_t values[VALUES];
    for (uint32_t v = 0; v < kinds; v++) {
        char name[8];
        snprintf(name, sizeof name, "v%u", v);
        values[v] = add_value(b, calls, name, role_of(v));
    }
    n = count;
    for (uint32_t i = n; i-- > 0;) { /* created in the other order than their numbers' */
        uint32_t born = roll(2) ? 0 : roll(300);
        uint32_t container = weft_builder_container(b, rank, 0, "p", NULL, ZERO + born);
        struct weft_field_value fact = { .field = number };
        fact.integer = i;
        weft_builder_container_field(b, container, &fact);
        run(b, weft_builder_track(b, container, calls), values, i, born, gap);
    }
    uint32_t marks = weft_builder_track(b, 0, mark);
    weft_builder_event(b, marks, ZERO, WEFT_NONE, NULL, 0, NULL);
    weft_builder_event(b, marks, ZERO + TICKS, WEFT_NONE, NULL, 0, NULL);
    trace = small_store_end(b, path);
    processors = weft_processors_make(weft_trace_source(trace), NULL, &err);
    assert_non_null(processors);
    assert_int_equal(processors->n, n);
    utilization = weft_utilization_make(processors, NULL, &err);
    assert_non_null(utilization);
}

static void end(void)
{
    weft_utilization_free(utilization);
    weft_processors_free(processors);
    weft_trace_close(trace);
}

static struct weft_span random_window(uint32_t *from, uint32_t *to)
{
    *from = roll(3) ? roll(TICKS) : 0;
    *to = roll(3) ? *from + roll(TICKS - *from) + 1 : TICKS;
    return (struct weft_span){ ZERO + *from, ZERO + *to };
}

/* Some processors in any order. */
static struct weft_processor_list random_list(uint32_t *index)
{
    for (uint32_t i = 0; i < n; i++)
        index[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = roll(n), old = index[i];
        index[i] = index[other];
        index[other] = old;
    }
    return (struct weft_processor_list){ index, 1 + roll(n) };
}

static void check_moments_and_sums(void)
{
    uint8_t class[MAX_PROCESSORS];
    int64_t ticks[MAX_PROCESSORS][WEFT_CLASSES];
    for (int round = 0; round < 60; round++) {
        uint32_t from, to, index[MAX_PROCESSORS];
        struct weft_span window = random_window(&from, &to);
        struct weft_processor_list list = random_list(index);
        weft_processors_at(processors, window.begin, class);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(class[i], class_at[i][from]);
        weft_utilization_ticks(utilization, list, window, ticks);
        for (uint32_t i = 0; i < list.n; i++) {
            int64_t wanted[WEFT_CLASSES] = { 0 };
            for (uint32_t t = from; t < to; t++)
                wanted[class_at[index[i]][t]]++;
            assert_memory_equal(ticks[i], wanted, sizeof wanted);
        }
    }
}

static void check_streaks(bool overhead_wins)
{
    struct weft_streak streaks[MAX_PROCESSORS];
    for (int round = 0; round < 60; round++) {
        uint32_t from, to, index[MAX_PROCESSORS];
        struct weft_span window = random_window(&from, &to);
        struct weft_processor_list list = random_list(index);
        weft_utilization_streaks(utilization, list, window, overhead_wins, streaks);
        for (uint32_t i = 0; i < list.n; i++) {
            int64_t longest[2] = { 0 }, length = 0;
            int kind = -1;
            for (uint32_t t = from; t < to; t++) {
                uint8_t class = class_at[index[i]][t];
                int now = class == WEFT_CLASS_BUSY
                          || (class == WEFT_CLASS_OVERHEAD && overhead_wins);
                length = now == kind ? length + 1 : 1;
                kind = now;
                longest[kind] = length > longest[kind] ? length : longest[kind];
            }
            assert_int_equal(streaks[i].kind, kind);
            assert_int_equal(streaks[i].length, length);
            assert_memory_equal(streaks[i].longest, longest, sizeof longest);
        }
    }
}

static void check_averages(bool with_overhead, uint32_t width)
{
    struct weft_err err;
    struct weft_averages *averages =
        weft_averages_make(utilization, width, with_overhead, NULL, &err);
    assert_non_null(averages);
    static int64_t average[MAX_PROCESSORS][TICKS + 1]; /* of the width before a time */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t t = 0; t <= TICKS; t++) {
            average[i][t] = 0;
            for (uint32_t k = t > width ? t - width : 0; k < t; k++)
                average[i][t] +=
                    class_at[i][k] == WEFT_CLASS_BUSY
                    || (with_overhead && class_at[i][k] == WEFT_CLASS_OVERHEAD);
        }
    struct weft_average out[MAX_PROCESSORS];
    for (int round = 0; round < 60; round++) {
        uint32_t from, to, index[MAX_PROCESSORS];
        struct weft_span window = random_window(&from, &to);
        struct weft_processor_list list = random_list(index);
        uint32_t since = (uint32_t)roll(to + 1);
        weft_averages_of(averages, list, window, ZERO + since, out);
        for (uint32_t i = 0; i < list.n; i++) {
            int64_t high = 0, spent = 0;
            for (uint32_t t = since; t < to; t++)
                spent += class_at[index[i]][t] == WEFT_CLASS_BUSY
                         || (with_overhead && class_at[index[i]][t] == WEFT_CLASS_OVERHEAD);
            assert_int_equal(out[i].spent, spent);
            for (uint32_t t = from; t <= to; t++)
                high = average[index[i]][t] > high ? average[index[i]][t] : high;
            assert_int_equal(out[i].current, average[index[i]][to]);
            assert_int_equal(out[i].high, high);
        }
    }
    weft_averages_free(averages);
}

struct checked_counts {
    struct weft_processor_list list;
    uint32_t from, to, at; /* ticks; those before AT are checked */
    uint32_t last[WEFT_CLASSES];
    size_t n;
};

static void count(struct weft_processor_list list, uint32_t t,
                  uint32_t counts[WEFT_CLASSES])
{
    memset(counts, 0, WEFT_CLASSES * sizeof *counts);
    for (uint32_t i = 0; i < list.n; i++)
        counts[class_at[list.index[i]][t]]++;
}

static void check_until(struct checked_counts *c, uint32_t t)
{
    for (; c->at < t; c->at++) {
        uint32_t wanted[WEFT_CLASSES];
        count(c->list, c->at, wanted);
        assert_memory_equal(wanted, c->last, sizeof wanted);
    }
}

static bool take_counts(void *user, int64_t time, const uint32_t counts[WEFT_CLASSES])
{
    struct checked_counts *c = user;
    if (!c->n++)
        assert_int_equal(time, ZERO + c->from);
    else /* a row for a change, and for nothing else */
        assert_true(memcmp(c->last, counts, sizeof c->last) != 0);
    check_until(c, (uint32_t)(time - ZERO));
    memcpy(c->last, counts, sizeof c->last);
    return true;
}

static void check_concurrency(void)
{
    struct weft_err err;
    uint32_t of[MAX_PROCESSORS];
    struct weft_processor_list some = random_list(of);
    const struct weft_concurrency_sizes small = { 1 + roll(3000), 1 + roll(500),
                                                  1 + roll(90), 1, 0 };
    struct weft_concurrency *concurrency =
        weft_concurrency_make(utilization, some, roll(3) ? &small : NULL, NULL, &err);
    assert_non_null(concurrency);
    int64_t ticks[WEFT_CLASSES][MAX_PROCESSORS + 1],
        wanted[WEFT_CLASSES][MAX_PROCESSORS + 1];
    for (int round = 0; round < 60; round++) {
        uint32_t from, to, counts[WEFT_CLASSES];
        struct weft_span window = random_window(&from, &to);
        weft_concurrency_profile(concurrency, window, &ticks[0][0]);
        memset(wanted, 0, sizeof wanted);
        for (uint32_t t = from; t < to; t++) {
            count(some, t, counts);
            for (size_t c = 0; c < WEFT_CLASSES; c++)
                (&wanted[0][0])[c * (some.n + 1) + counts[c]]++;
        }
        assert_memory_equal(ticks, wanted, WEFT_CLASSES * (some.n + 1) * sizeof(int64_t));
        enum { COLUMNS = 20 };
        float shares[COLUMNS][WEFT_CLASSES];
        weft_concurrency_shares(concurrency, window, COLUMNS, &shares[0][0]);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            /* Edges may lie inside a tick: what one changes there is allowed for. */
            double first = from + (to - from) * (double)c / COLUMNS;
            double after = from + (to - from) * (double)(c + 1) / COLUMNS;
            double mean[WEFT_CLASSES] = { 0 };
            for (uint32_t t = (uint32_t)first; t < after; t++) {
                double part = (t + 1 < after ? t + 1 : after) - (t > first ? t : first);
                count(some, t, counts);
                for (size_t k = 0; k < WEFT_CLASSES; k++)
                    mean[k] += counts[k] * part / (after - first);
            }
            for (size_t k = 0; k < WEFT_CLASSES; k++)
                assert_true(shares[c][k] > mean[k] - 0.001
                            && shares[c][k] < mean[k] + 0.001);
        }
        struct checked_counts counted = {
            .list = some, .from = from, .to = to, .at = from
        };
        assert_true(weft_count_changes(utilization, some, window, take_counts, &counted,
                                       NULL, &err));
        assert_true(counted.n > 0);
        check_until(&counted, to);
    }
    weft_concurrency_free(concurrency);
}

/* The parts of a time that the processors of a list were in each class. */
static void mean_of(struct weft_processor_list list, uint32_t from, uint32_t to,
                    double mean[WEFT_CLASSES])
{
    memset(mean, 0, WEFT_CLASSES * sizeof *mean);
    for (uint32_t i = 0; i < list.n; i++)
        for (uint32_t t = from; t < to; t++)
            mean[class_at[list.index[i]][t]] += 1.0 / (to - from);
}

/* Of how many of a list a class changes in a bin of WIDTH ticks, at tick T. */
static double unsure_at(struct weft_processor_list list, uint32_t t, int64_t width)
{
    uint32_t from = (uint32_t)(t / width * width), unsure = 0;
    for (uint32_t i = 0; i < list.n; i++)
        for (uint32_t k = from + 1; k < from + width && k < TICKS; k++)
            if (class_at[list.index[i]][k] != class_at[list.index[i]][from]) {
                unsure++;
                break;
            }
    return unsure;
}

/*
 * Mips are wrong by what happens in the bins at a column's edges, of any level that has four bins
 * in two columns, and by rounding; the sums of a whole run are right.
 */
static void check_mips(void)
{
    enum { MAX_COLUMNS = 60 };
    struct weft_err err;
    uint32_t index[MAX_PROCESSORS], group = 1u << roll(3);
    struct weft_class_mips *mips = weft_class_mips_make(processors, group, NULL, &err);
    assert_non_null(mips);
    assert_int_equal(mips->n_groups, (n + group - 1) / group);
    for (uint32_t i = 0; i < n; i++)
        index[i] = i;
    size_t answers = 0;
    for (int round = 0; round < 200; round++) {
        float shares[MAX_COLUMNS][WEFT_CLASSES], read[MAX_COLUMNS][WEFT_CLASSES];
        uint32_t first = group * roll(mips->n_groups), columns = 1 + roll(MAX_COLUMNS);
        uint32_t most = n - first < 2 * group ? n - first : 2 * group, to, from;
        struct weft_processor_list list = { index + first, most };
        struct weft_span window = random_window(&from, &to);
        uint32_t wide = (to - from) / columns;
        if (!wide)
            continue;
        window.end = ZERO + from + columns * wide;
        weft_class_shares_read(processors, list, window, columns, &read[0][0]);
        bool told = weft_class_mips_shares(mips, list, window, columns, &shares[0][0]);
        assert_int_equal(told, wide >= mips->width);
        answers += told;
        int64_t width = mips->width;
        while (2 * 4 * width <= wide)
            width *= 4;
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t begin = from + c * wide, end = begin + wide;
            double mean[WEFT_CLASSES];
            mean_of(list, begin, end, mean);
            double unsure =
                (unsure_at(list, begin, width) + unsure_at(list, end - 1, width))
                    * (double)width / wide
                + 0.02 * list.n;
            for (size_t k = 0; k < WEFT_CLASSES; k++) {
                assert_true(read[c][k] > mean[k] - 0.001 && read[c][k] < mean[k] + 0.001);
                assert_true(!told
                            || (shares[c][k] > mean[k] - unsure
                                && shares[c][k] < mean[k] + unsure));
            }
        }
    }
    assert_true(answers > 20);
    /* Parts of groups are not told, and groups in another order are. */
    float all[WEFT_CLASSES], swapped[WEFT_CLASSES];
    const struct weft_span span = { ZERO, ZERO + TICKS };
    assert_true(weft_class_mips_shares(mips, (struct weft_processor_list){ index, n }, span,
                                       1, all));
    double mean[WEFT_CLASSES];
    mean_of((struct weft_processor_list){ index, n }, 0, TICKS, mean);
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        assert_true(all[k] > mean[k] - 0.02 * n && all[k] < mean[k] + 0.02 * n);
    if (group > 1 && n > 1) {
        assert_false(weft_class_mips_shares(
            mips, (struct weft_processor_list){ index + 1, n - 1 }, span, 1, swapped));
        index[0] = 1;
        index[1] = 0;
        assert_true(weft_class_mips_shares(mips, (struct weft_processor_list){ index, n },
                                           span, 1, swapped));
        assert_memory_equal(all, swapped, sizeof all);
    }
    weft_class_mips_free(mips);
}

/* The sums of all columns are exact, whatever the store summarises. */
static void check_shares(void)
{
    enum { COLUMNS = 40 };
    float shares[COLUMNS][WEFT_CLASSES];
    for (int round = 0; round < 20; round++) {
        uint32_t index[MAX_PROCESSORS];
        struct weft_processor_list list = random_list(index);
        uint32_t from = roll(TICKS - 1000), to = from + COLUMNS * (1 + roll(25));
        weft_processors_shares(processors, NULL, list,
                               (struct weft_span){ ZERO + from, ZERO + to }, COLUMNS,
                               &shares[0][0], NULL);
        uint32_t wide = (to - from) / COLUMNS;
        for (uint32_t c = 0; c < COLUMNS; c++) {
            double wanted[WEFT_CLASSES] = { 0 };
            for (uint32_t i = 0; i < list.n; i++)
                for (uint32_t t = from + c * wide; t < from + (c + 1) * wide; t++)
                    wanted[class_at[index[i]][t]] += 1.0 / wide;
            for (size_t k = 0; k < WEFT_CLASSES; k++)
                assert_true(shares[c][k] > wanted[k] - 0.01 * list.n
                            && shares[c][k] < wanted[k] + 0.01 * list.n);
        }
    }
}

static void test_random_runs(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t n, gap, kinds;
    } shapes[] = {
        { 1, 3, VALUES },         { 2, 900, VALUES }, { MAX_PROCESSORS, 1, VALUES },
        { MAX_PROCESSORS, 4, 5 }, { 7, 40, VALUES },  { 5, 3, 5 }
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        begin(shapes[i].n, shapes[i].gap, shapes[i].kinds);
        check_moments_and_sums();
        check_streaks(false);
        check_streaks(true);
        check_averages(false, 1 + roll(20));
        check_averages(true, 100);
        check_averages(roll(2), TICKS);
        check_averages(roll(2), 3 * TICKS);
        check_concurrency();
        check_shares();
        check_mips();
        end();
    }
}

static bool take_one(void *user, int64_t time, enum weft_class class)
{
    (void)time;
    *(enum weft_class *)user = class;
    return false;
}

static void test_cancelled(void **unused)
{
    (void)unused;
    begin(3, 5, VALUES);
    struct weft_job job = { 0 };
    atomic_store(&job.cancelled, true);
    struct weft_err err;
    assert_null(weft_processors_make(processors->source, &job, &err));
    assert_null(weft_utilization_make(processors, &job, &err));
    assert_null(weft_averages_make(utilization, 9, false, &job, &err));
    assert_null(weft_class_mips_make(processors, 0, &job, &err));
    uint32_t index[MAX_PROCESSORS];
    assert_null(weft_concurrency_make(utilization, random_list(index), NULL, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    /* A visit that stops is over. */
    enum weft_class class = WEFT_CLASSES;
    weft_class_changes(processors, 0, (struct weft_span){ ZERO, ZERO + TICKS }, take_one,
                       &class);
    assert_int_equal(class, class_at[0][0]);
    end();
}

/* A window that ends before it begins has no ticks, also of a processor without calls. */
static void test_window_without_ticks(void **unused)
{
    (void)unused;
    begin(2, 5, VALUES);
    struct weft_processor silent = processors->processors[0];
    silent.track = WEFT_NONE;
    struct weft_processors all = *processors;
    all.processors = &silent;
    all.n = 1;
    int64_t ticks[2][WEFT_CLASSES];
    const struct weft_class_part parts[] = { { 0, { ZERO + 10, ZERO + 9 } },
                                             { 0, { ZERO + 9, ZERO + 10 } } };
    weft_class_ticks(&all, parts, 2, ticks);
    for (size_t c = 0; c < WEFT_CLASSES; c++)
        assert_int_equal(ticks[0][c], 0);
    assert_int_equal(ticks[1][WEFT_CLASS_BUSY] + ticks[1][WEFT_CLASS_IDLE], 1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_runs),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_window_without_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
