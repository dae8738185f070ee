/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State tracks against a slow, obvious second implementation: random pushes, pops, sets and
 * resets are applied to a list of intervals, and every question is answered from the list.
 */
#include <math.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/raw_time/raw_source.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { TRACKS = 21, VALUES = 11, CHANGES = 6000 };

struct interval {
    int64_t begin, end;
    uint32_t value, depth;
    bool implied;
};

struct model {             /* of one track */
    struct interval *list; /* in order of opening */
    size_t n, capacity;
    size_t open[64]; /* indices of the open ones */
    size_t depth;
    int64_t time;
};

static struct model models[TRACKS];
static struct weft_trace *trace;
static uint32_t final_track[TRACKS];
static uint32_t values[VALUES];
static char path[] = "/tmp/weft-states-test.XXXXXX";

static void model_open(struct model *m, uint32_t value)
{
    m->list = weft_grow(m->list, &m->capacity, m->n + 1, sizeof *m->list);
    m->list[m->n] =
        (struct interval){ m->time, INT64_MAX, value, (uint32_t)m->depth, false };
    m->open[m->depth++] = m->n++;
}

static void model_close(struct model *m, size_t to_depth, bool implied)
{
    while (m->depth > to_depth) {
        m->list[m->open[--m->depth]].end = m->time;
        m->list[m->open[m->depth]].implied = implied;
    }
}

/* One random change, in the builder and in the model. */
static void change(struct weft_builder *b, uint32_t track, struct model *m)
{
    m->time += roll(10) == 0 ? 0 : (int64_t)roll(roll(50) == 0 ? 1000000 : 2000);
    uint32_t value = (uint32_t)roll(VALUES);
    switch (roll(8)) {
    case 0:
    case 1:
    case 2:
        if (m->depth < 20) {
            assert_int_equal(
                weft_builder_push(b, track, m->time, values[value], NULL, 0, NULL),
                WEFT_BUILD_OK);
            model_open(m, value);
        }
        break;
    case 3:
    case 4:
    case 5:
        assert_int_equal(weft_builder_pop(b, track, m->time, NULL),
                         m->depth ? WEFT_BUILD_OK : WEFT_BUILD_EMPTY);
        if (m->depth)
            model_close(m, m->depth - 1, false);
        break;
    case 6:
        assert_int_equal(weft_builder_set(b, track, m->time, values[value], NULL, 0, NULL),
                         WEFT_BUILD_OK);
        model_close(m, 0, false);
        model_open(m, value);
        break;
    case 7:
        if (roll(4) == 0) {
            assert_int_equal(weft_builder_reset(b, track, m->time),
                             m->depth ? WEFT_BUILD_OK : WEFT_BUILD_EMPTY);
            model_close(m, 0, false);
        }
        break;
    }
}

static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    struct weft_type thread = { .kind = WEFT_CONTAINER, .parent = 0, .name = "thread" };
    uint32_t container_type = weft_builder_type(b, &thread);
    struct weft_type run = { .kind = WEFT_STATE,
                             .parent = container_type,
                             .name = "state" };
    uint32_t state_type = weft_builder_type(b, &run);
    for (uint32_t v = 0; v < VALUES; v++)
        values[v] =
            weft_builder_value(b, state_type, (char[]){ (char)('a' + v), 0 }, NULL, 0);
    uint32_t tracks[TRACKS];
    for (int t = 0; t < TRACKS; t++) {
        char name[32];
        snprintf(name, sizeof name, "thread %d", t);
        uint32_t c = weft_builder_container(b, container_type, 0, name, NULL, 0);
        tracks[t] = weft_builder_track(b, c, state_type);
    }
    for (int i = 0; i < CHANGES; i++)
        for (int t = 0; t < TRACKS; t++)
            if (t > 0 || i < 3) /* track 0 stays tiny */
                change(b, tracks[t], &models[t]);
    int64_t end = 0;
    for (int t = 0; t < TRACKS; t++)
        end = models[t].time > end && models[t].n ? models[t].time : end;
    for (int t = 0; t < TRACKS; t++) {
        models[t].time = end;
        model_close(&models[t], 0, true);
    }
    trace = small_store_open(b, path);
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_int_equal(schema->n_tracks, TRACKS);
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        int index = atoi(schema->containers[schema->tracks[t].container].name + 7);
        final_track[index] = t;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int t = 0; t < TRACKS; t++)
        free(models[t].list);
    weft_trace_close(trace);
    return unlink(path);
}

struct state_list {
    struct weft_state *list;
    size_t n, capacity;
};

static bool gather(void *user, const struct weft_state *state)
{
    struct state_list *found = user;
    found->list =
        weft_grow(found->list, &found->capacity, found->n + 1, sizeof *found->list);
    found->list[found->n++] = *state;
    return true;
}

static void check_same(const struct weft_state *state, const struct interval *expected)
{
    assert_int_equal(state->begin, expected->begin);
    assert_int_equal(state->end, expected->end);
    assert_int_equal(state->value, values[expected->value]);
    assert_int_equal(state->depth, expected->depth);
    /* The end is implied where the trace gives none. */
    assert_int_equal(!!(state->flags & WEFT_END_IMPLIED), expected->implied);
}

static void test_all_states_come_back(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    for (int t = 0; t < TRACKS; t++) {
        struct state_list found = { 0 };
        struct weft_span all = { source->schema->span.begin, source->schema->span.end + 1 };
        source->ops->states(source, final_track[t], all, gather, &found);
        assert_int_equal(found.n, models[t].n);
        for (size_t i = 0; i < found.n; i++) {
            check_same(&found.list[i], &models[t].list[i]);
            assert_int_equal(weft_entity_ordinal(found.list[i].id), i);
        }
        free(found.list);
    }
}

static struct weft_span random_window(void)
{
    struct weft_span span = weft_trace_schema(trace)->span;
    int64_t length = span.end - span.begin;
    int64_t a = span.begin + (int64_t)roll((uint64_t)length);
    int64_t size = 1 + (int64_t)roll((uint64_t)length >> roll(20));
    return (struct weft_span){ a, a + size };
}

static void test_windows_hold_what_overlaps(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    for (int round = 0; round < 600; round++) {
        int t = (int)roll(TRACKS);
        struct weft_span window = random_window();
        struct state_list found = { 0 };
        source->ops->states(source, final_track[t], window, gather, &found);
        size_t at = 0;
        for (size_t i = 0; i < models[t].n; i++) {
            const struct interval *x = &models[t].list[i];
            bool overlaps = x->begin < window.end
                            && (x->end > window.begin
                                || (x->begin == x->end && x->begin >= window.begin));
            if (!overlaps)
                continue;
            assert_true(at < found.n);
            check_same(&found.list[at++], x);
        }
        assert_int_equal(at, found.n);
        free(found.list);
    }
}

static void test_one_state_by_id(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    for (int round = 0; round < 500; round++) {
        int t = 1 + (int)roll(TRACKS - 1);
        size_t i = roll(models[t].n);
        struct weft_state state;
        assert_true(source->ops->state(source, weft_entity_id(final_track[t], i), &state));
        check_same(&state, &models[t].list[i]);
    }
    struct weft_state state;
    assert_false(
        source->ops->state(source, weft_entity_id(final_track[1], models[1].n), &state));
    assert_false(source->ops->state(source, weft_entity_id(TRACKS, 0), &state));
}

static int64_t overlap(int64_t a, int64_t b, struct weft_span window)
{
    a = a > window.begin ? a : window.begin;
    b = b < window.end ? b : window.end;
    return b > a ? b - a : 0;
}

/* Whether an open level above interval I of the model has the same value. */
static bool inside_itself(const struct model *m, size_t i)
{
    uint32_t depth = m->list[i].depth;
    for (size_t j = i; j-- > 0 && depth > 0;) {
        if (m->list[j].depth != depth - 1 || m->list[j].end < m->list[i].end)
            continue;
        depth--;
        if (m->list[j].value == m->list[i].value)
            return true;
    }
    return false;
}

static void add_sums(const struct model *m, struct weft_span window, struct weft_sum *sums)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct interval *x = &m->list[i];
        int64_t all = overlap(x->begin, x->end, window), self = all;
        for (size_t j = i + 1; j < m->n && m->list[j].depth > x->depth; j++)
            if (m->list[j].depth == x->depth + 1)
                self -= overlap(m->list[j].begin, m->list[j].end, window);
        sums[values[x->value]].self_ticks += self;
        if (!inside_itself(m, i))
            sums[values[x->value]].total_ticks += all;
    }
}

static void test_sums_are_exact_to_the_tick(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    for (int round = 0; round < 200; round++) {
        struct weft_span window = random_window();
        uint32_t tracks[TRACKS];
        size_t n = 1 + roll(TRACKS);
        struct weft_sum expected[VALUES] = { 0 }, sums[VALUES] = { 0 };
        for (size_t i = 0; i < n; i++) {
            tracks[i] = final_track[i];
            add_sums(&models[i], window, expected);
        }
        source->ops->sums(source, tracks, n, window, sums);
        for (int v = 0; v < VALUES; v++) {
            assert_int_equal(sums[v].self_ticks, expected[v].self_ticks);
            assert_int_equal(sums[v].total_ticks, expected[v].total_ticks);
        }
    }
}

/* The shares of a column must lie between what is sure and what one bin at each edge allows. */
static void check_shares(const struct weft_source *source, const uint32_t *tracks, size_t n,
                         struct weft_span window, size_t columns)
{
    unsigned slots = source->schema->types[source->schema->tracks[0].type].slots;
    float *shares = weft_alloc(columns * slots * sizeof *shares);
    struct weft_share_query query = { tracks, n, window, columns, shares };
    source->ops->shares(source, &query);
    double length = (double)(window.end - window.begin);
    for (size_t c = 0; c < columns; c++) {
        struct weft_span column = { window.begin
                                        + (int64_t)((__int128)(window.end - window.begin)
                                                    * (int64_t)c / (int64_t)columns),
                                    window.begin
                                        + (int64_t)((__int128)(window.end - window.begin)
                                                    * (int64_t)(c + 1)
                                                    / (int64_t)columns) };
        struct weft_sum sums[VALUES] = { 0 };
        source->ops->sums(source, tracks, n, column, sums);
        double exact[16] = { 0 };
        for (int v = 0; v < VALUES; v++) {
            uint32_t rank = source->schema->values[v].rank;
            exact[rank < slots ? rank : slots - 1] += (double)sums[v].self_ticks;
        }
        for (unsigned s = 0; s < slots; s++) {
            double expected = exact[s] * (double)columns / length;
            double error = expected - (double)shares[c * slots + s];
            /* Rounding of bins to 255ths, and of the edges of a column to whole ticks. */
            double allowed = (double)n * (0.02 + 2.0 * (double)columns / length);
            /* At each edge half a bin's time may be on the wrong side, a bin being no wider
               than a column; in practice far less, so that a wrong level shows. */
            if (n > 1 || columns > 0)
                allowed += (double)n * 0.5;
            assert_true(error < allowed && error > -allowed);
        }
    }
    free(shares);
}

static void test_shares_are_true(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    uint32_t tracks[TRACKS];
    for (uint32_t t = 0; t < TRACKS; t++)
        tracks[t] = t; /* in tree order, as a view asks */
    for (int round = 0; round < 60; round++) {
        size_t first = roll(TRACKS), n = 1 + roll(TRACKS - first);
        check_shares(source, tracks + first, n, random_window(), 1 + roll(40));
    }
}

/* The mean over all columns has no edges to be wrong at. */
static void test_shares_of_the_whole_span_add_up(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_span span = source->schema->span;
    uint32_t tracks[TRACKS];
    for (uint32_t t = 0; t < TRACKS; t++)
        tracks[t] = t;
    static const size_t all_columns[] = { 1, 7, 64, 640, 5000 };
    for (size_t k = 0; k < 5; k++) {
        size_t columns = all_columns[k];
        unsigned slots = 16;
        float *shares = weft_alloc(columns * slots * sizeof *shares);
        struct weft_share_query query = { tracks, 16, span, columns, shares };
        source->ops->shares(source, &query);
        struct weft_sum sums[VALUES] = { 0 };
        source->ops->sums(source, tracks, 16, span, sums);
        for (int v = 0; v < VALUES; v++) {
            double sum = 0;
            for (size_t c = 0; c < columns; c++)
                sum += (double)shares[c * slots + source->schema->values[v].rank];
            double expected = (double)sums[v].self_ticks / (double)(span.end - span.begin);
            assert_true(sum / (double)columns - expected < 0.03);
            assert_true(expected - sum / (double)columns < 0.03);
        }
        free(shares);
    }
}

/* ---- Exact shares: those of tables ---- */

enum { DENSE_TRACKS = 16, COLUMNS = 60 }; /* a group that has mips; much in each column */

struct dense_shares {
    float of[COLUMNS][WEFT_MAX_SLOTS];
};

/* A part of the span, of columns that are whole numbers of ticks. */
static struct weft_span whole_columns(const struct weft_source *source)
{
    struct weft_span span = source->schema->span;
    int64_t column = (span.end - span.begin) / (COLUMNS + 3);
    span.begin += column;
    span.end = span.begin + COLUMNS * column;
    return span;
}

static struct dense_shares ask_dense(const struct weft_source *source, bool exact)
{
    struct dense_shares shares;
    uint32_t tracks[DENSE_TRACKS];
    for (uint32_t t = 0; t < DENSE_TRACKS; t++)
        tracks[t] = t;
    struct weft_share_query query = { .tracks = tracks,
                                      .n_tracks = DENSE_TRACKS,
                                      .window = whole_columns(source),
                                      .columns = COLUMNS,
                                      .shares = shares.of[0],
                                      .exact = exact };
    const struct weft_schema *schema = source->schema;
    assert_int_equal(schema->types[schema->tracks[0].type].slots, WEFT_MAX_SLOTS);
    memset(&shares, 0, sizeof shares);
    source->ops->shares(source, &query);
    return shares;
}

/* From the lists of intervals. */
static struct dense_shares obvious_shares(const struct weft_source *source)
{
    struct dense_shares shares = { 0 };
    struct weft_span span = whole_columns(source);
    int64_t column = (span.end - span.begin) / COLUMNS;
    for (int c = 0; c < COLUMNS; c++) {
        struct weft_sum sums[VALUES] = { 0 };
        int64_t begin = span.begin + c * column;
        for (int t = 0; t < TRACKS; t++)
            if (final_track[t] < DENSE_TRACKS)
                add_sums(&models[t], (struct weft_span){ begin, begin + column }, sums);
        for (int v = 0; v < VALUES; v++)
            shares.of[c][source->schema->values[v].rank] =
                (float)((double)sums[v].self_ticks / (double)column);
    }
    return shares;
}

static double farthest(const struct dense_shares *a, const struct dense_shares *b)
{
    double most = 0;
    for (int c = 0; c < COLUMNS; c++)
        for (int s = 0; s < WEFT_MAX_SLOTS; s++)
            most = fmax(most, fabs((double)a->of[c][s] - (double)b->of[c][s]));
    return most;
}

static void test_exact_shares_are_exact(void **unused)
{
    (void)unused;
    const struct weft_source *source = weft_trace_source(trace);
    struct dense_shares obvious = obvious_shares(source);
    struct dense_shares exact = ask_dense(source, true), about = ask_dense(source, false);
    struct weft_source *raw = weft_raw_time_new(source);
    struct dense_shares exact_raw = ask_dense(raw, true);
    weft_raw_time_free(raw);
    assert_true(farthest(&exact, &obvious) < 1e-4 * DENSE_TRACKS);
    assert_memory_equal(&exact_raw, &exact, sizeof exact);
    /* Else this test says nothing: these come from summaries. */
    assert_true(farthest(&about, &obvious) > 1e-2);
}

/* A copy of the store with one bit turned over in each piece of the shares. */
static void write_damaged(const char *copy)
{
    struct weft_err err;
    struct weft_mapping map;
    struct weft_file_header header;
    assert_true(weft_map_file(&map, path, &err));
    memcpy(&header, map.data, sizeof header);
    unsigned char *bytes = weft_alloc(map.size);
    memcpy(bytes, map.data, map.size);
    struct weft_file_section shares = header.sections[WEFT_SECTION_SHARES];
    assert_true(shares.size > 0);
    for (uint64_t at = 0; at < shares.size; at += WEFT_SHARE_PIECE)
        bytes[shares.offset + at] ^= 1;
    FILE *file = fopen(copy, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, map.size, file), map.size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    weft_unmap(&map);
}

static void test_exact_shares_are_the_same_without_summaries(void **unused)
{
    (void)unused;
    char copy[] = "/tmp/weft-states-copy.XXXXXX";
    struct weft_err err;
    close(mkstemp(copy));
    write_damaged(copy);
    struct weft_trace *damaged = weft_trace_open(copy, &err);
    assert_non_null(damaged);
    const struct weft_source *source = weft_trace_source(trace),
                             *other = weft_trace_source(damaged);
    struct dense_shares exact = ask_dense(source, true), about = ask_dense(source, false);
    struct dense_shares now = ask_dense(other, true);
    assert_memory_equal(&now, &exact, sizeof now);
    assert_int_equal(other->ops->damage(other, 0, NULL, 0), 0); /* not even touched */
    now = ask_dense(other, false);
    assert_true(farthest(&now, &about) > 1e-2); /* these were used, and no more are */
    assert_true(other->ops->damage(other, 0, NULL, 0) > 0);
    weft_trace_close(damaged);
    unlink(copy);
}

static void test_ranks_go_by_self_time(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = weft_trace_schema(trace);
    for (uint32_t a = 0; a < VALUES; a++)
        for (uint32_t b = 0; b < VALUES; b++)
            if (schema->values[a].self_ticks > schema->values[b].self_ticks)
                assert_true(schema->values[a].rank < schema->values[b].rank);
}

static void test_backward_and_empty_are_refused(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    struct weft_type type = { .kind = WEFT_STATE, .parent = 0, .name = "state" };
    uint32_t state = weft_builder_type(b, &type);
    uint32_t value = weft_builder_value(b, state, "x", NULL, 0);
    uint32_t track = weft_builder_track(b, 0, state);
    assert_int_equal(weft_builder_pop(b, track, 5, NULL), WEFT_BUILD_EMPTY);
    assert_int_equal(weft_builder_push(b, track, 10, value, NULL, 0, NULL), WEFT_BUILD_OK);
    assert_int_equal(weft_builder_push(b, track, 9, value, NULL, 0, NULL),
                     WEFT_BUILD_BACKWARD);
    assert_int_equal(weft_builder_pop(b, track, 9, NULL), WEFT_BUILD_BACKWARD);
    assert_int_equal(weft_builder_open_states(b, track), 1);
    assert_int_equal(weft_builder_top_value(b, track), value);
    weft_builder_abandon(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_states_come_back),
        cmocka_unit_test(test_windows_hold_what_overlaps),
        cmocka_unit_test(test_one_state_by_id),
        cmocka_unit_test(test_sums_are_exact_to_the_tick),
        cmocka_unit_test(test_shares_are_true),
        cmocka_unit_test(test_shares_of_the_whole_span_add_up),
        cmocka_unit_test(test_exact_shares_are_exact),
        cmocka_unit_test(test_exact_shares_are_the_same_without_summaries),
        cmocka_unit_test(test_ranks_go_by_self_time),
        cmocka_unit_test(test_backward_and_empty_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
