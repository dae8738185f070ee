/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel constructs of threads as ParaGraph's tasks.  The store has two threads, times in
 * nanoseconds:
 *
 *     thread 0   region a.c:5  0..100    task a.c:9  10..40   barrier 40..60   task a.c:9  50..60
 *     thread 1   region a.c:5 20..80     loop b.c:7  20..50   barrier 50..70
 *
 * The span is 0..200.  Tasks are named by construct and place; the field `region` of the
 * constructs has the role of a number and is none of a task.
 */
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/palette.h"

static struct weft_trace *trace;
static struct weft_set set;
static const struct weft_source *source;

struct kinds {
    uint32_t region, task, loop, barrier, field, number, sites[3];
};

static void add(struct weft_builder *b, uint32_t track, int64_t time, uint32_t value,
                uint32_t field, uint32_t site)
{
    struct weft_field_value place = { .field = field, .index = site };
    assert_int_equal(weft_builder_push(b, track, time, value, &place, 1, NULL),
                     WEFT_BUILD_OK);
}

static void leave(struct weft_builder *b, uint32_t track, int64_t time)
{
    assert_int_equal(weft_builder_pop(b, track, time, NULL), WEFT_BUILD_OK);
}

static void fill(struct weft_builder *b, const uint32_t track[2], const struct kinds *k)
{
    add(b, track[0], 0, k->region, k->field, k->sites[0]);
    add(b, track[0], 10, k->task, k->field, k->sites[1]);
    leave(b, track[0], 40);
    add(b, track[0], 40, k->barrier, k->field, k->sites[0]);
    add(b, track[0], 50, k->task, k->field, k->sites[1]);
    leave(b, track[0], 60);
    leave(b, track[0], 60);
    leave(b, track[0], 100);
    add(b, track[1], 20, k->region, k->field, k->sites[0]);
    add(b, track[1], 20, k->loop, k->field, k->sites[2]);
    leave(b, track[1], 50);
    add(b, track[1], 50, k->barrier, k->field, k->sites[0]);
    leave(b, track[1], 70);
    leave(b, track[1], 80);
}

static int set_up(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-constructs-XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    uint32_t activity = add_type(b, WEFT_STATE, thread, "Thread state", WEFT_ROLE_ACTIVITY);
    uint32_t constructs = add_type(b, WEFT_STATE, thread, "OpenMP", WEFT_ROLE_CALL);
    uint32_t running = add_value(b, activity, "running", WEFT_ROLE_RUNNING);
    struct kinds k = {
        .region = add_value(b, constructs, "parallel region", WEFT_ROLE_PARALLEL_REGION),
        .task = add_value(b, constructs, "task", WEFT_ROLE_COMPUTING),
        .loop = add_value(b, constructs, "loop", WEFT_ROLE_SHARED_WORK),
        .barrier = add_value(b, constructs, "barrier", WEFT_ROLE_BLOCKED_ON_BARRIER),
        .field = add_field(b, constructs, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE),
        .number = add_field(b, constructs, "region", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER),
    };
    static const struct weft_site sites[] = { { 1, "a", "main", "/src/a.c", 5 },
                                              { 2, "a", "main", "/src/a.c", 9 },
                                              { 3, "a", "work", "b.c", 7 } };
    uint32_t track[2];
    for (int i = 0; i < 3; i++)
        k.sites[i] = weft_builder_site(b, &sites[i]);
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "thread %d", i);
        uint32_t c = weft_builder_container(b, thread, 0, name, NULL, 0);
        uint32_t runs = weft_builder_track(b, c, activity);
        weft_builder_push(b, runs, 0, running, NULL, 0, NULL);
        weft_builder_pop(b, runs, 200, NULL);
        track[i] = weft_builder_track(b, c, constructs);
    }
    fill(b, track, &k);
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1, NULL };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return 0;
}

static void expect(const char *view, int64_t at, const char *wanted)
{
    struct weft_request request = { .set = &set,
                                    .window = { 0, 200 },
                                    .width = 640,
                                    .height = 400,
                                    .has_at = at >= 0,
                                    .at = at,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    assert_true(weft_view_find(view)->fills(&set));
    char *text = table_csv(weft_view_find(view), &request);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_summary(void **state)
{
    (void)state;
    /* From the first begin to the last end by any thread, in percent of 200 ns. */
    expect("task-summary", -1,
           "task,start_ns,end_ns,share_pct\n"
           "loop b.c:7,20,50,15\n"
           "parallel region a.c:5,0,100,50\n"
           "task a.c:9,10,60,25\n");
}

static void test_count(void **state)
{
    (void)state;
    /*
     * The innermost construct counts, and a barrier is none.  Region: thread 0 for 100 - 40,
     * thread 1 for 60 - 30 of 100 ns; task: 40 of 50 ns; loop: all of its 30 ns.
     */
    expect("task-count", -1,
           "task,processors\nloop b.c:7,1\nparallel region a.c:5,0.9\ntask a.c:9,0.8\n");
    expect("task-count", 30,
           "task,processors\nloop b.c:7,1\nparallel region a.c:5,0\ntask a.c:9,1\n");
    expect("task-count", 65,
           "task,processors\nloop b.c:7,0\nparallel region a.c:5,2\ntask a.c:9,0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
