/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the first picture of a program with short threads: many of them share a row.
 * Where rows of processors say when threads ran, no curve says it again, and variables that
 * never change share a row without a curve.
 */
#include "tests/small_store.h"
#include "view/timeline/space_time.h"
#include "view/views.h"

enum { SPAN = 10000 };

struct made {
    struct weft_builder *builder;
    uint32_t thread, states, running, used; /* types, a value, a type */
};

static void add_thread(struct made *made, uint32_t process, const char *name, int64_t end)
{
    struct weft_builder *b = made->builder;
    uint32_t c = weft_builder_container(b, made->thread, process, name, NULL, 0);
    uint32_t used = weft_builder_track(b, c, made->used);

    assert_int_equal(weft_builder_set(b, weft_builder_track(b, c, made->states), 0,
                                      made->running, NULL, 0, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_sample(b, used, 0, 0), WEFT_BUILD_OK);
    assert_int_equal(weft_builder_sample(b, used, end, 1e-6), WEFT_BUILD_OK);
    weft_builder_destroy(b, c, end);
}

static void add_processor(struct weft_builder *b)
{
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "Processor", WEFT_ROLE_PROCESSOR);
    uint32_t states = add_type(b, WEFT_STATE, type, "Occupation", WEFT_ROLE_OCCUPATION);
    uint32_t c = weft_builder_container(b, type, 0, "processor 0", NULL, 0);

    assert_int_equal(weft_builder_set(b, weft_builder_track(b, c, states), 0,
                                      add_value(b, states, "running", WEFT_ROLE_RUNNING),
                                      NULL, 0, NULL),
                     WEFT_BUILD_OK);
    weft_builder_destroy(b, c, SPAN);
}

/* Two threads as long as the program, and N_SHORT that live for a thousandth of it. */
static struct weft_trace *make_trace(int n_short, bool processor)
{
    char path[] = "/tmp/weft-short-threads.XXXXXX";
    struct made made = { .builder = small_store_begin(path) };
    struct weft_builder *b = made.builder;
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);

    made.thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    made.states = add_type(b, WEFT_STATE, made.thread, "State", WEFT_ROLE_ACTIVITY);
    made.running = add_value(b, made.states, "running", WEFT_ROLE_RUNNING);
    made.used = add_type(b, WEFT_VARIABLE, made.thread, "Time", WEFT_ROLE_PROCESSOR_TIME);
    weft_builder_container(b, process, 0, "program", NULL, 0);
    add_thread(&made, 1, "first", SPAN);
    for (int i = 0; i < n_short; i++)
        add_thread(&made, 1, "short", SPAN / 1000);
    add_thread(&made, 1, "last", SPAN);
    if (processor)
        add_processor(b);
    return small_store_end(b, path);
}

/* Writes the rows to TEXT: the name of each, and "~" behind that of a curve. */
static void rows_of(const struct weft_trace *trace, const char *rows, char text[1024])
{
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    const char *settings[24] = { 0 };
    struct weft_request request = { .set = &set,
                                    .view = &weft_view_space_time,
                                    .window = source->schema->span,
                                    .width = 800,
                                    .height = 600,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    struct weft_arena arena = { 0 };
    struct weft_relevance relevance;
    struct st_rows list = { 0 }, pinned = { 0 };
    struct weft_err err;

    if (rows)
        assert_true(weft_setting_parse(&weft_view_space_time, rows, settings, &err));
    assert_true(weft_relevance(source, &arena, NULL, &relevance, &err));
    assert_true(
        st_rows_make(&list, &pinned, &request, &relevance, NULL, &arena, 600, &err));
    text[0] = 0;
    for (size_t i = 0; i < list.n; i++) {
        const struct st_row *row = &list.list[i];
        strcat(text, row->kind == ST_FOLD
                         ? row->label
                         : source->schema->containers[row->container].name);
        strcat(text, row->kind == ST_CURVE ? "~ " : " ");
    }
    weft_arena_free(&arena);
}

static void expect(int n_short, bool processor, const char *rows, const char *expected)
{
    struct weft_trace *trace = make_trace(n_short, processor);
    char text[1024];

    rows_of(trace, rows, text);
    assert_string_equal(text, expected);
    weft_trace_close(trace);
}

/* Eight are few, nine are many. */
static void test_many_share_a_row(void **state)
{
    (void)state;
    expect(
        8, true, NULL,
        "program first short short short short short short short short last processor 0 ");
    expect(9, true, NULL, "program first last 9 more: Thread processor 0 ");
    expect(9, true, "rows=all",
           "program first short short short short short short short short short last "
           "processor 0 ");
}

static void test_shares_of_processors(void **state)
{
    (void)state;
    expect(0, false, NULL, "program first first~ last last~ ");
    expect(0, true, NULL, "program first last processor 0 ");
}

static void add_variable(struct weft_builder *b, uint32_t container, uint32_t type,
                         const double *values, int n)
{
    uint32_t track = weft_builder_track(b, container, type);

    for (int i = 0; i < n; i++)
        assert_int_equal(weft_builder_sample(b, track, i * SPAN / 10, values[i]),
                         WEFT_BUILD_OK);
}

/* Hosts with a speed and a number of cores, of which so many also change what they use. */
static struct weft_trace *make_hosts(int n, int n_used)
{
    static const double speed[] = { 48492000, 48492000 }, cores[] = { 1 },
                        used[] = { 0, 7, 0 };
    char path[] = "/tmp/weft-constants.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t host = add_type(b, WEFT_CONTAINER, 0, "HOST", WEFT_ROLE_NONE);
    uint32_t types[] = { add_type(b, WEFT_VARIABLE, host, "speed", WEFT_ROLE_NONE),
                         add_type(b, WEFT_VARIABLE, host, "cores", WEFT_ROLE_NONE),
                         add_type(b, WEFT_VARIABLE, host, "used", WEFT_ROLE_NONE) };

    for (int i = 0; i < n; i++) {
        uint32_t c = weft_builder_container(b, host, 0, "host", NULL, 0);
        add_variable(b, c, types[0], speed, 2);
        add_variable(b, c, types[1], cores, 1);
        if (i < n_used)
            add_variable(b, c, types[2], used, 3);
        weft_builder_destroy(b, c, SPAN);
    }
    return small_store_end(b, path);
}

static void expect_hosts(int n, int n_used, const char *setting, const char *expected)
{
    struct weft_trace *trace = make_hosts(n, n_used);
    char text[1024];

    rows_of(trace, setting, text);
    assert_string_equal(text, expected);
    weft_trace_close(trace);
}

/* If nothing changes, all is shown. */
static void test_constants_share_a_row(void **state)
{
    (void)state;
    expect_hosts(3, 1, NULL, "host~ speed 48,492,000, cores 1 2 more: HOST ");
    expect_hosts(2, 1, "rows=all", "host~ host~ host~ host~ host~ ");
    expect_hosts(2, 1, "unfolded=#1", "host~ host~ host~ 1 more: HOST ");
    expect_hosts(2, 0, NULL, "host~ host~ host~ host~ ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants_share_a_row),
        cmocka_unit_test(test_many_share_a_row),
        cmocka_unit_test(test_shares_of_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
