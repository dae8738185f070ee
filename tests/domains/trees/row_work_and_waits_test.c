/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When several rows of one container worked and waited, tick by tick, against what the random
 * states say that were put there; and many rows beside many idle times, of which nobody can keep
 * or go through the product.
 */
#include "domains/trees/analyse/row_work_and_waits.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { TICKS = 40, TRACKS = 6, MAX_TRACKS = 5000 };
enum what { NOTHING, WORK, WAIT };

/* What each track says; those that nest have a state around everything as well. */
static enum what said[TRACKS][TICKS];
static bool nests[TRACKS];
static char path[] = "/tmp/weft-row-times-test.XXXXXX";

/* A thread with N types of states, each with a value that works and one that waits. */
static struct weft_builder *begin_trace(uint32_t n, uint32_t *tracks, uint32_t (*values)[2])
{
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_NONE);
    uint32_t container = weft_builder_container(b, thread, 0, "thread", NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        uint32_t type = add_type(b, WEFT_STATE, thread, name, WEFT_ROLE_NONE);
        values[i][0] = weft_builder_value(b, type, "work", NULL, 0);
        values[i][1] = weft_builder_value(b, type, "wait", NULL, 0);
        weft_builder_value_role(b, values[i][1], WEFT_ROLE_BLOCKED_ON_LOCK);
        tracks[i] = weft_builder_track(b, container, type);
    }
    return b;
}

/* Tracks of which nothing is said have no states at all. */
static struct weft_trace *random_trace(void)
{
    uint32_t tracks[TRACKS], values[TRACKS][2];
    struct weft_builder *b = begin_trace(TRACKS, tracks, values);
    for (int i = 0; i < TRACKS; i++) {
        bool some = roll(6), waits = roll(3);
        nests[i] = some && roll(2);
        for (int t = 0; t < TICKS; t++)
            said[i][t] = !some          ? NOTHING
                         : t && roll(3) ? said[i][t - 1]
                         : waits        ? roll(3)
                                        : roll(2);
        if (nests[i])
            weft_builder_push(b, tracks[i], 0, values[i][0], NULL, 0, NULL);
        for (int t = 0; t < TICKS; t++) {
            if (said[i][t] && (!t || said[i][t] != said[i][t - 1]))
                weft_builder_push(b, tracks[i], t, values[i][said[i][t] == WAIT], NULL, 0,
                                  NULL);
            if (said[i][t] && (t + 1 == TICKS || said[i][t + 1] != said[i][t]))
                weft_builder_pop(b, tracks[i], t + 1, NULL);
        }
        if (nests[i])
            weft_builder_pop(b, tracks[i], TICKS, NULL);
    }
    return small_store_end(b, path);
}

/* Which track says when the thread of a row did not work: the first other one that ever does. */
static int speaker(int row)
{
    for (int i = 0; i < TRACKS; i++)
        for (int t = 0; t < TICKS && i != row; t++)
            if (!nests[i] && said[i][t] == WAIT)
                return i;
    return -1;
}

static uint32_t counted[2][TICKS];

static void count(void *user, enum weft_row_doing doing, struct weft_span time, uint32_t n)
{
    (void)user;
    assert_true(time.begin < time.end);
    for (int64_t t = time.begin; t < time.end; t++)
        counted[doing][t] += n;
}

static void check_rows(const struct weft_waiting *waiting, const uint32_t *rows, size_t n,
                       const struct weft_idle_times *idle, struct weft_span window)
{
    memset(counted, 0, sizeof counted);
    weft_row_times(waiting, rows, n, idle, window, count, NULL);
    for (int t = 0; t < TICKS; t++) {
        uint32_t works = 0, waits = 0;
        for (size_t i = 0; i < n && t >= window.begin && t < window.end; i++) {
            uint32_t row = rows[i];
            int by = speaker((int)row);
            enum what is = said[row][t] ? said[row][t] : nests[row] ? WORK : NOTHING;
            works += is == WORK && (by < 0 || said[by][t] != WAIT);
            waits += is == WAIT || (is == WORK && by >= 0 && said[by][t] == WAIT);
        }
        assert_int_equal(counted[WEFT_ROW_WORKS][t], works);
        assert_int_equal(counted[WEFT_ROW_WAITS][t], waits);
    }
}

static void rows_do_what_was_said(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct weft_trace *trace = random_trace();
        const struct weft_source *source = weft_trace_source(trace);
        struct weft_waiting waiting;
        weft_waiting_begin(&waiting, source);
        struct weft_idle idle = { .waiting = &waiting };
        struct weft_span window = { roll(TICKS / 2), TICKS / 2 + 1 + roll(TICKS / 2) };
        uint32_t rows[TRACKS];
        size_t n = 0;
        assert_int_equal(source->schema->n_tracks, TRACKS);
        for (uint32_t i = 0; i < TRACKS; i++) {
            const struct weft_idle_times *times = weft_idle_of(&idle, i);
            assert_int_equal((int)times->track, speaker((int)i));
            check_rows(&waiting, &i, 1, times, window);
            if (times == &idle.first)
                rows[n++] = i;
        }
        check_rows(&waiting, rows, n, &idle.first, window);
        weft_idle_end(&idle);
        weft_waiting_end(&waiting);
        weft_trace_close(trace);
    }
}

static void add_up(void *user, enum weft_row_doing doing, struct weft_span time, uint32_t n)
{
    int64_t *ticks = user;
    ticks[doing] += (time.end - time.begin) * n;
    ticks[2]++;
}

/* What is visited are the idle times, not these for each row. */
static void many_rows_beside_many_idle_times(void **state)
{
    (void)state;
    enum { IDLE_TIMES = 20000 };
    uint32_t *tracks = calloc(MAX_TRACKS, sizeof *tracks);
    uint32_t(*values)[2] = calloc(MAX_TRACKS, sizeof *values);
    struct weft_builder *b = begin_trace(MAX_TRACKS, tracks, values);
    for (int64_t i = 0; i < 2 * IDLE_TIMES; i++)
        weft_builder_set(b, tracks[0], i, values[0][i % 2], NULL, 0, NULL);
    weft_builder_reset(b, tracks[0], 2 * IDLE_TIMES);
    for (int i = 1; i < MAX_TRACKS; i++) {
        weft_builder_push(b, tracks[i], 0, values[i][0], NULL, 0, NULL);
        weft_builder_pop(b, tracks[i], 2 * IDLE_TIMES, NULL);
    }
    struct weft_trace *trace = small_store_end(b, path);
    struct weft_waiting waiting;
    weft_waiting_begin(&waiting, weft_trace_source(trace));
    struct weft_idle idle = { .waiting = &waiting };
    for (uint32_t i = 1; i < MAX_TRACKS; i++) {
        tracks[i] = i;
        assert_ptr_equal(weft_idle_of(&idle, i), &idle.first);
    }
    int64_t ticks[3] = { 0 };
    weft_row_times(&waiting, tracks + 1, MAX_TRACKS - 1, &idle.first,
                   (struct weft_span){ 0, 2 * IDLE_TIMES }, add_up, ticks);
    assert_int_equal(idle.first.n, IDLE_TIMES);
    assert_int_equal(ticks[WEFT_ROW_WORKS], (MAX_TRACKS - 1) * (int64_t)IDLE_TIMES);
    assert_int_equal(ticks[WEFT_ROW_WAITS], (MAX_TRACKS - 1) * (int64_t)IDLE_TIMES);
    assert_int_equal(ticks[2], 2 * IDLE_TIMES);
    weft_idle_end(&idle);
    weft_waiting_end(&waiting);
    weft_trace_close(trace);
    free(tracks);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_what_was_said),
        cmocka_unit_test(many_rows_beside_many_idle_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
