/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of threads against a second model, which notes for each tick what was innermost, on random
 * traces and windows.
 */
#include "domains/threads/analyse/thread_times.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { THREADS = 3, TICKS = 400, DONE = 8, SAID = 5, NOTHING = -1 };

static const struct {
    enum weft_role role;
    enum thread_time time;
} done[DONE] = { { WEFT_ROLE_RUNNING, THREAD_RUNNING },
                 { WEFT_ROLE_OVERHEAD, THREAD_RUNNING },
                 { WEFT_ROLE_SPINNING, THREAD_RUNNING },
                 { WEFT_ROLE_READY, THREAD_READY },
                 { WEFT_ROLE_BLOCKED_ON_BARRIER, THREAD_BARRIER },
                 { WEFT_ROLE_BLOCKED_ON_DATA, THREAD_OTHER },
                 { WEFT_ROLE_SLEEPING, THREAD_SLEEPING },
                 { WEFT_ROLE_NONE, THREAD_UNKNOWN } };
/* The states in which a runtime says that a thread is: it waits in the first three. */
static const enum weft_role said[SAID] = { WEFT_ROLE_BLOCKED_ON_BARRIER,
                                           WEFT_ROLE_BLOCKED_ON_LOCK,
                                           WEFT_ROLE_BLOCKING_SEND, WEFT_ROLE_COMPUTING,
                                           WEFT_ROLE_SHARED_WORK };

/* By thread and tick: the innermost value of what it did, and of what a runtime said. */
struct model {
    int does[THREADS][TICKS], says[THREADS][TICKS];
    struct weft_trace *trace;
};

/* Writes random nested states of a track, and what was innermost at each tick, to TICKS_OF. */
static void random_track(struct weft_builder *b, uint32_t track, const uint32_t *values,
                         int n_values, int ticks_of[TICKS])
{
    int open[8], n = 0;

    for (int64_t time = 0; time < TICKS; time++) {
        while (roll(6) == 0) {
            if (n > 0 && (n == 8 || roll(2))) {
                assert_int_equal(weft_builder_pop(b, track, time, NULL), WEFT_BUILD_OK);
                n--;
                continue;
            }
            open[n] = (int)roll((uint64_t)n_values);
            assert_int_equal(
                weft_builder_push(b, track, time, values[open[n]], NULL, 0, NULL),
                WEFT_BUILD_OK);
            n++;
        }
        ticks_of[time] = n > 0 ? open[n - 1] : NOTHING;
    }
    while (n-- > 0)
        assert_int_equal(weft_builder_pop(b, track, TICKS, NULL), WEFT_BUILD_OK);
}

static void make_model(struct model *model)
{
    char path[] = "/tmp/weft-thread-times.XXXXXX", name[2] = "a";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    uint32_t activity = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    uint32_t calls = add_type(b, WEFT_STATE, thread, "Runtime", WEFT_ROLE_CALL);
    uint32_t of_activity[DONE], of_calls[SAID];
    uint32_t faults = weft_builder_field(b, thread, "faults", WEFT_FIELD_INTEGER);

    weft_builder_field_role(b, faults, WEFT_ROLE_PAGE_FAULTS);
    for (int i = 0; i < DONE; i++, name[0]++)
        of_activity[i] = add_value(b, activity, name, done[i].role);
    for (int i = 0; i < SAID; i++, name[0]++)
        of_calls[i] = add_value(b, calls, name, said[i]);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t container = weft_builder_container(b, thread, 0, "t", NULL, 0);
        random_track(b, weft_builder_track(b, container, activity), of_activity, DONE,
                     model->does[t]);
        random_track(b, weft_builder_track(b, container, calls), of_calls, SAID,
                     model->says[t]);
        if (t > 0) /* of the first one nothing is known */
            weft_builder_container_field(
                b, container, &(struct weft_field_value){ faults, { .integer = t * 7 } });
        weft_builder_destroy(b, container, TICKS);
    }
    model->trace = small_store_end(b, path);
}

static void check(const struct model *model, struct weft_span window)
{
    struct weft_arena arena = { 0 };
    struct thread_times *list;
    struct weft_err err;
    size_t n;

    assert_true(thread_times_read(weft_trace_source(model->trace), 0, window, &arena, NULL,
                                  &list, &n, &err));
    assert_int_equal(n, THREADS);
    for (int t = 0; t < THREADS; t++) {
        int64_t of[THREAD_TIMES] = { 0 }, spinning = 0, busy = 0, longest = 0;
        for (int64_t time = window.begin; time < window.end; time++) {
            int does = model->does[t][time], says = model->says[t][time];
            enum thread_time kind = does == NOTHING ? THREAD_UNKNOWN : done[does].time;
            of[kind]++;
            spinning +=
                kind == THREAD_RUNNING
                && (done[does].role == WEFT_ROLE_SPINNING || (says >= 0 && says <= 2));
            busy = kind == THREAD_RUNNING || kind == THREAD_READY ? busy + 1 : 0;
            longest = busy > longest ? busy : longest;
        }
        assert_int_equal(list[t].without_wait.end - list[t].without_wait.begin, longest);
        assert_memory_equal(list[t].of, of, sizeof of);
        assert_int_equal(list[t].spinning, spinning);
        assert_int_equal(list[t].page_faults,
                         t > 0 && window.begin == 0 && window.end == TICKS ? t * 7 : -1);
        assert_int_equal(list[t].system_ns, -1);
        assert_int_equal(list[t].lifetime, window.end - window.begin);
    }
    weft_arena_free(&arena);
}

static void times_are_exact(void **state)
{
    struct model model;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        roll_from(seed);
        make_model(&model);
        check(&model, (struct weft_span){ 0, TICKS });
        for (int i = 0; i < 20; i++) {
            int64_t begin = (int64_t)roll(TICKS - 1);
            int64_t end = begin + 1 + (int64_t)roll((uint64_t)(TICKS - begin));
            check(&model, (struct weft_span){ begin, end < TICKS ? end : TICKS });
        }
        weft_trace_close(model.trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(times_are_exact) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
