/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hot spots and the flame of a trace of seven samples that stand for 100 ticks.  Thread A
 * has five of 10 ticks, thread B one of 20 and one of 30, which says nothing.
 */
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/views.h"

enum { A = 2, B = 3 }; /* containers; 1 is their process */
enum { FLAME_OF = 1 }; /* index of the flame's parameters */

struct made {
    struct weft_builder *builder;
    uint32_t samples, stack, site, time;                 /* a type and its fields */
    uint32_t states, state_stack, state_site, values[3]; /* likewise */
};

static uint32_t add_site(struct made *made, uint64_t address, const char *function,
                         const char *file, uint32_t line)
{
    return weft_builder_site(made->builder, &(struct weft_site){ .address = address,
                                                                 .object = "/bin/it",
                                                                 .function = function,
                                                                 .file = file,
                                                                 .line = line });
}

static void add_sample(struct made *made, uint32_t thread, int64_t time, int64_t ticks,
                       const char *stack, uint32_t site)
{
    struct weft_field_value fields[3] = { { made->time, { .integer = ticks } } };
    size_t n = 1;

    if (stack)
        fields[n++] = (struct weft_field_value){
            made->stack,
            { .index = weft_builder_string(made->builder, stack, strlen(stack)) }
        };
    if (site != WEFT_NONE)
        fields[n++] = (struct weft_field_value){ made->site, { .index = site } };
    assert_int_equal(
        weft_builder_event(made->builder,
                           weft_builder_track(made->builder, thread, made->samples), time,
                           WEFT_NONE, fields, n, NULL),
        WEFT_BUILD_OK);
}

static void add_samples(struct made *made)
{
    uint32_t g3 = add_site(made, 1, "g", "/src/g.c", 3),
             g4 = add_site(made, 2, "g", "/src/g.c", 4),
             g4_too = add_site(made, 3, "g", "/src/g.c", 4),
             f9 = add_site(made, 4, "f", "/src/f.c", 9);

    add_sample(made, A, 10, 10, "main;f;g", g3);
    add_sample(made, A, 20, 10, "main;f;g", g4);
    add_sample(made, A, 30, 10, "main;f;g", g4_too);
    add_sample(made, A, 40, 10, "main;f;f", f9);
    add_sample(made, A, 50, 10, "main", WEFT_NONE);
    add_sample(made, B, 15, 20, "start;g", g3);
    add_sample(made, B, 60, 30, NULL, WEFT_NONE);
}

static void add_states(struct made *made)
{
    enum { RUNS, WAITS, SLEEPS };
    struct weft_builder *b = made->builder;
    uint32_t track = weft_builder_track(b, A, made->states);
    struct weft_field_value stack = {
        made->state_stack, { .index = weft_builder_string(b, "main;f;wait", 11) }
    };
    struct weft_field_value place = { made->state_site,
                                      { .index = add_site(made, 5, "h", "/src/h.c", 1) } };

    assert_int_equal(weft_builder_set(b, track, 2, made->values[WAITS], &stack, 1, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_set(b, track, 12, made->values[RUNS], NULL, 0, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_set(b, track, 20, made->values[SLEEPS], &place, 1, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_set(b, track, 50, made->values[WAITS], NULL, 0, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_set(b, track, 55, made->values[RUNS], NULL, 0, NULL),
                     WEFT_BUILD_OK);
}

static void define_states(struct made *made, uint32_t thread)
{
    static const enum weft_role roles[] = { WEFT_ROLE_RUNNING, WEFT_ROLE_BLOCKED,
                                            WEFT_ROLE_SLEEPING };
    struct weft_builder *b = made->builder;

    made->states = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    made->state_stack =
        add_field(b, made->states, "stack", WEFT_FIELD_TEXT, WEFT_ROLE_CALL_STACK);
    made->state_site = add_field(b, made->states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    for (int i = 0; i < 3; i++) {
        made->values[i] =
            weft_builder_value(b, made->states, weft_role_name(roles[i]), NULL, 0);
        weft_builder_value_role(b, made->values[i], roles[i]);
    }
}

static void define_samples(struct made *made, uint32_t thread)
{
    struct weft_builder *b = made->builder;

    made->samples = add_type(b, WEFT_EVENT, thread, "Sample", WEFT_ROLE_SAMPLE);
    made->stack =
        add_field(b, made->samples, "stack", WEFT_FIELD_TEXT, WEFT_ROLE_CALL_STACK);
    made->site = add_field(b, made->samples, "place", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    made->time =
        add_field(b, made->samples, "time", WEFT_FIELD_INTEGER, WEFT_ROLE_SAMPLED_TIME);
}

static struct weft_trace *make_trace(void)
{
    char path[] = "/tmp/weft-profile-test.XXXXXX";
    struct made made = { .builder = small_store_begin(path) };
    struct weft_builder *b = made.builder;
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);

    define_samples(&made, thread);
    define_states(&made, thread);
    weft_builder_container(b, process, 0, "P", NULL, 0);
    weft_builder_container(b, thread, 1, "A", NULL, 0);
    weft_builder_container(b, thread, 1, "B", NULL, 0);
    add_samples(&made);
    add_states(&made);
    weft_builder_destroy(b, 1, 100);
    return small_store_end(b, path);
}

struct asked {
    const struct weft_view *view;
    struct weft_span window; /* begin < end, or all */
    uint32_t under;
    const char *settings[3]; /* by parameter of the view */
};

static void says(const struct weft_trace *trace, struct asked asked, const char *expected)
{
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = asked.window.begin < asked.window.end
                                                  ? asked.window
                                                  : source->schema->span,
                                    .under = asked.under,
                                    .width = 800,
                                    .height = 600,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = asked.settings };
    char *text = table_csv(asked.view, &request);

    assert_string_equal(text, expected);
    free(text);
}

#define SPOTS "function,place,self_ns,total_ns,share_pct,threads\n"
#define FLAME "depth,function,total_ns,self_ns,share_pct\n"

/* f is in four samples, twice in one; most of g's time is in line 3, of both threads. */
static void test_hot_functions(void **state)
{
    struct weft_trace *trace = make_trace();

    (void)state;
    says(trace, (struct asked){ .view = &weft_view_hot_spots },
         SPOTS "g,g.c:3,50,50,50.00,2\n"
               "[unknown],,30,30,30.00,1\n"
               "main,,10,50,10.00,1\n"
               "f,f.c:9,10,40,10.00,1\n"
               "start,,0,20,0.00,1\n");
    weft_trace_close(trace);
}

static void test_hot_lines(void **state)
{
    struct weft_trace *trace = make_trace();

    (void)state;
    says(trace, (struct asked){ .view = &weft_view_hot_spots, .settings = { "line" } },
         SPOTS "[unknown],,30,,30.00,1\n"
               "g,g.c:3,30,,30.00,2\n"
               "g,g.c:4,20,,20.00,1\n"
               "f,f.c:9,10,,10.00,1\n"
               "main,,10,,10.00,1\n");
    weft_trace_close(trace);
}

/* Of a range, of what a container holds, and of containers that were chosen. */
static void test_selections(void **state)
{
    struct weft_trace *trace = make_trace();
    static const char in_range[] = SPOTS "g,g.c:4,20,20,66.67,1\n"
                                         "f,f.c:9,10,30,33.33,1\n"
                                         "main,,0,30,0.00,1\n";
    static const char of_b[] = SPOTS "[unknown],,30,30,60.00,1\n"
                                     "g,g.c:3,20,20,40.00,1\n"
                                     "start,,0,20,0.00,1\n";

    (void)state;
    says(trace, (struct asked){ .view = &weft_view_hot_spots, .window = { 20, 45 } },
         in_range);
    says(trace, (struct asked){ .view = &weft_view_hot_spots, .under = B }, of_b);
    says(trace, (struct asked){ .view = &weft_view_hot_spots, .settings = { NULL, "#3" } },
         of_b);
    says(trace, (struct asked){ .view = &weft_view_hot_spots, .window = { 90, 95 } },
         SPOTS);
    weft_trace_close(trace);
}

static void test_flame(void **state)
{
    struct weft_trace *trace = make_trace();

    (void)state;
    says(trace, (struct asked){ .view = &weft_view_flame },
         FLAME "1,main,50,10,50.00\n"
               "2,f,40,0,40.00\n"
               "3,g,30,30,30.00\n"
               "3,f,10,10,10.00\n"
               "1,[unknown],30,30,30.00\n"
               "1,start,20,0,20.00\n"
               "2,g,20,20,20.00\n");
    /* A recursion counts from its outermost call on. */
    says(trace, (struct asked){ .view = &weft_view_flame, .settings = { "f" } },
         FLAME "1,f,40,0,40.00\n"
               "2,g,30,30,30.00\n"
               "2,f,10,10,10.00\n");
    says(trace, (struct asked){ .view = &weft_view_flame, .settings = { "no" } }, FLAME);
    weft_trace_close(trace);
}

/* The box that has a title with this begin; fails when there is none, or another. */
static struct weft_rect box(const struct weft_scene *scene, const char *title)
{
    const struct weft_mark *found = NULL;

    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            if (mark->kind != WEFT_MARK_RECT || !mark->title
                || strncmp(mark->title, title, strlen(title)) != 0)
                continue;
            assert_null(found);
            found = mark;
        }
    if (!found)
        fail_msg("no box \"%s\"", title);
    return found->box;
}

/* Widths are parts of the whole, boxes are below their callers, the widest at the left. */
/*
 * Thread A waited from 2 to 12 in a known stack, slept from 20 to 50 in h, and was blocked
 * from 50 to 55, nothing is known where; it ran between.  The range cuts the first.
 */
static void test_waits(void **state)
{
    struct weft_trace *trace = make_trace();

    (void)state;
    says(trace,
         (struct asked){ .view = &weft_view_flame,
                         .window = { 4, 60 },
                         .settings = { [FLAME_OF] = "waiting" } },
         FLAME "1,[unknown],35,5,81.40\n"
               "2,h,30,30,69.77\n"
               "1,main,8,0,18.60\n"
               "2,f,8,0,18.60\n"
               "3,wait,8,8,18.60\n");
    says(trace,
         (struct asked){ .view = &weft_view_flame,
                         .window = { 4, 60 },
                         .settings = { "h", "waiting" } },
         FLAME "1,h,30,30,69.77\n");
    weft_trace_close(trace);
}

static void test_boxes(void **state)
{
    struct weft_trace *trace = make_trace();
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 800,
                                    .height = 600,
                                    .theme = weft_theme_get(WEFT_THEME_DARK) };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    struct weft_rect all, caller, f, unknown;

    (void)state;
    assert_true(weft_view_scene(&weft_view_flame, &request, &arena, &scene, &err));
    all = box(&scene, "all · 100.0 %");
    caller = box(&scene, "main · 50.0 % · 50 ns · of its own 10 ns");
    f = box(&scene, "f · 40.0 % · 40 ns");
    unknown = box(&scene, "[unknown] · 30.0 %");
    assert_float_equal(caller.width, all.width * 0.5, 0.01);
    assert_float_equal(f.width, all.width * 0.4, 0.01);
    assert_float_equal(caller.x, all.x, 0.01);
    assert_float_equal(f.x, caller.x, 0.01);
    assert_float_equal(unknown.x, caller.x + caller.width, 0.01);
    assert_float_equal(caller.y, all.y + all.height, 0.01);
    assert_float_equal(f.y, caller.y + caller.height, 0.01);
    weft_arena_free(&arena);
    weft_trace_close(trace);
}

/* Returns how many texts of a picture are TEXT, and titles that end with it. */
static int count_texts(const struct weft_scene *scene, const char *text)
{
    size_t size = strlen(text);
    int n = 0;

    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            n += mark->kind == WEFT_MARK_TEXT && mark->text && !strcmp(mark->text, text);
            n += mark->title && strlen(mark->title) >= size
                 && !strcmp(mark->title + strlen(mark->title) - size, text);
        }
    return n;
}

/*
 * A thread runs from 0 to 500, but for one tick, and from 600 to 1,000.  In the first stretch
 * "deep" has two samples, of 30 of 60 ticks, "flat" has one more, but of 20; in the second
 * one there are too few.
 */
static void test_functions_in_bars(void **state)
{
    char path[] = "/tmp/weft-functions-test.XXXXXX";
    struct made made = { .builder = small_store_begin(path) };
    struct weft_builder *b = made.builder;
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    uint32_t container = weft_builder_container(b, thread, 0, "A", NULL, 0), track;
    static const int64_t times[] = { 0, 200, 201, 500, 600, 1000 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_trace *trace;
    struct weft_err err;

    (void)state;
    define_samples(&made, thread);
    define_states(&made, thread);
    track = weft_builder_track(b, container, made.states);
    for (int i = 0; i < 5; i++)
        assert_int_equal(
            weft_builder_set(b, track, times[i], made.values[i % 2 ? 1 : 0], NULL, 0, NULL),
            WEFT_BUILD_OK);
    add_sample(&made, container, 50, 5, "main;deep;flat", WEFT_NONE);
    add_sample(&made, container, 100, 15, "main;deep", WEFT_NONE);
    add_sample(&made, container, 150, 5, "flat", WEFT_NONE);
    add_sample(&made, container, 300, 15, "other;deep", WEFT_NONE);
    add_sample(&made, container, 400, 10, "main;flat", WEFT_NONE);
    add_sample(&made, container, 450, 10, NULL, WEFT_NONE);
    add_sample(&made, container, 700, 10, "main;lonely", WEFT_NONE);
    add_sample(&made, container, 800, 10, "main;lonely", WEFT_NONE);
    weft_builder_destroy(b, container, times[5]);
    trace = small_store_end(b, path);

    const struct weft_source *source = weft_trace_source(trace);
    struct weft_set set = { &source, 1 };
    const char *settings[32] = { 0 };
    struct weft_request request = { .set = &set,
                                    .window = { 0, 1000 },
                                    .width = 400,
                                    .height = 200,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = settings };
    assert_true(weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
    assert_int_equal(count_texts(&scene, "deep"), 1);
    assert_int_equal(count_texts(&scene, "deep in 50 % of 6 samples in this stretch"), 2);
    assert_int_equal(count_texts(&scene, "flat"), 0);
    assert_int_equal(count_texts(&scene, "lonely"), 0);
    weft_arena_free(&arena);
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hot_functions),
        cmocka_unit_test(test_hot_lines),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_flame),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_functions_in_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
