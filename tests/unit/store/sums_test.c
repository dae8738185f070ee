/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of tracks of all kinds that are stored differently (times of 1 to 8 bytes and
 * some that do not fit, few values and many, with and without sets), against lists of the
 * levels that are open.  Asked for at the changes themselves, at the ends of blocks, and
 * in between.
 */
#include "base/memory.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { CHANGES = 2000, MAX_VALUES = 300, MAX_DEPTH = 12 };

static const struct kind {
    int64_t step; /* ticks between changes, at most */
    int64_t leap; /* and now and then */
    unsigned values;
    bool sets; /* sets and resets among pushes and pops */
} kinds[] = {
    { 100, 100, 3, false },
    { 100, 90000, 3, false },
    { 20000, 20000, 5, false },
    { 20000, 10000000, 5, true },
    { 20000, INT64_C(1) << 40, 5, false },
    { 1000000000, 1000000000, 5, false },
    { INT64_C(1) << 40, INT64_C(1) << 40, 5, false },
    { 20000, 20000, 1, false },
    { 20000, 20000, 1, true },
    { 20000, 10000000, 60, false },
    { 20000, 10000000, 60, true },
    { 20000, 10000000, MAX_VALUES, false },
    { 0, 1, 4, false },
};
enum { TRACKS = sizeof kinds / sizeof *kinds };

/* What is open after a change. */
struct moment {
    int64_t time;
    uint32_t open[MAX_DEPTH], depth;
};

static struct moment moments[TRACKS][CHANGES + 1];
static uint32_t values[MAX_VALUES], final_track[TRACKS];
static struct weft_trace *trace;
static char path[] = "/tmp/weft-sums-test.XXXXXX";

/* One random change of a moment, which is also told to the builder. */
static void change(struct weft_builder *b, uint32_t track, const struct kind *kind,
                   struct moment *m)
{
    int64_t longest = roll(100) ? kind->step : kind->leap;
    m->time += (int64_t)roll((uint64_t)longest + 1);
    uint32_t value = (uint32_t)roll(kind->values);
    uint64_t dice = roll(kind->sets ? 80 : 60);
    if (dice >= 79) {
        (void)!weft_builder_reset(b, track, m->time);
        m->depth = 0;
    } else if (dice >= 60) {
        (void)!weft_builder_set(b, track, m->time, values[value], NULL, 0, NULL);
        m->open[0] = value;
        m->depth = 1;
    } else if (m->depth && (dice < 30 || m->depth == MAX_DEPTH)) {
        (void)!weft_builder_pop(b, track, m->time, NULL);
        m->depth--;
    } else {
        (void)!weft_builder_push(b, track, m->time, values[value], NULL, 0, NULL);
        m->open[m->depth++] = value;
    }
}

static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_STATE, thread, "state", WEFT_ROLE_NONE);
    char name[16];
    for (int v = 0; v < MAX_VALUES; v++) {
        snprintf(name, sizeof name, "value %d", v);
        values[v] = weft_builder_value(b, type, name, NULL, 0);
    }
    for (int t = 0; t < TRACKS; t++) {
        snprintf(name, sizeof name, "%d", t);
        uint32_t container = weft_builder_container(b, thread, 0, name, NULL, 0);
        uint32_t track = weft_builder_track(b, container, type);
        moments[t][0].time = 1000;
        for (int i = 0; i < CHANGES; i++) {
            moments[t][i + 1] = moments[t][i];
            change(b, track, &kinds[t], &moments[t][i + 1]);
        }
    }
    trace = small_store_open(b, path);
    const struct weft_schema *schema = weft_trace_schema(trace);
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        final_track[atoi(schema->containers[schema->tracks[t].container].name)] = t;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return unlink(path);
}

static bool has(const struct moment *m, uint32_t value)
{
    for (uint32_t level = 0; level < m->depth; level++)
        if (m->open[level] == value)
            return true;
    return false;
}

/* Every pair of changes that follow one another, as far as it is in the window. */
static void expect(int t, struct weft_span window, struct weft_sum *sums)
{
    for (int i = 0; i <= CHANGES; i++) {
        const struct moment *m = &moments[t][i];
        int64_t end = i < CHANGES ? m[1].time : weft_trace_schema(trace)->span.end;
        int64_t from = m->time > window.begin ? m->time : window.begin;
        int64_t to = end < window.end ? end : window.end;
        if (to <= from || !m->depth)
            continue;
        sums[values[m->open[m->depth - 1]]].self_ticks += to - from;
        for (uint32_t v = 0; v < kinds[t].values; v++)
            if (has(m, v))
                sums[values[v]].total_ticks += to - from;
    }
}

static void check(int t, int64_t a, int64_t b)
{
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_sum sums[MAX_VALUES] = { 0 }, expected[MAX_VALUES] = { 0 };
    struct weft_span window = { a < b ? a : b, a < b ? b : a };
    source->ops->sums(source, &final_track[t], 1, window, sums);
    expect(t, window, expected);
    for (int v = 0; v < MAX_VALUES; v++) {
        assert_int_equal(sums[v].self_ticks, expected[v].self_ticks);
        assert_int_equal(sums[v].total_ticks, expected[v].total_ticks);
    }
}

/* At, just before and just after changes, over all blocks and close around their ends. */
static void test_at_changes(void **unused)
{
    (void)unused;
    for (int t = 0; t < TRACKS; t++)
        for (int i = 1; i <= CHANGES; i += i % 256 > 250 || i % 256 < 5 ? 1 : 7) {
            const struct moment *other = &moments[t][roll(CHANGES + 1)];
            check(t, moments[t][i].time + (int64_t)roll(3) - 1,
                  other->time + (int64_t)roll(3) - 1);
        }
}

static void test_anywhere(void **unused)
{
    (void)unused;
    for (int t = 0; t < TRACKS; t++) {
        int64_t begin = moments[t][0].time, length = moments[t][CHANGES].time - begin + 1;
        for (int i = 0; i < 500; i++)
            check(t, begin + (int64_t)roll((uint64_t)length),
                  begin + (int64_t)roll((uint64_t)length));
        check(t, INT64_MIN, INT64_MAX);
        check(t, begin - 5, begin);
        check(t, begin + length, INT64_MAX);
    }
}

/* The sums of many tracks are those of each, in any order, a track twice among them. */
static void test_of_many_tracks(void **unused)
{
    (void)unused;
    enum { MANY = 100 };
    const struct weft_source *source = weft_trace_source(trace);
    for (size_t n = 0; n <= MANY; n++) {
        struct weft_sum sums[MAX_VALUES] = { 0 }, expected[MAX_VALUES] = { 0 };
        uint32_t tracks[MANY];
        int64_t a = 1000 + (int64_t)roll(20000000), b = a + (int64_t)roll(20000000);
        for (size_t i = 0; i < n; i++) {
            tracks[i] = final_track[roll(TRACKS)];
            source->ops->sums(source, &tracks[i], 1, (struct weft_span){ a, b }, expected);
        }
        source->ops->sums(source, tracks, n, (struct weft_span){ a, b }, sums);
        for (int v = 0; v < MAX_VALUES; v++) {
            assert_int_equal(sums[v].self_ticks, expected[v].self_ticks);
            assert_int_equal(sums[v].total_ticks, expected[v].total_ticks);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_changes),
        cmocka_unit_test(test_anywhere),
        cmocka_unit_test(test_of_many_tracks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
