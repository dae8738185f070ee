/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the timeline draws what filters reduce and dim.  The trace: a process with three
 * threads that live for 100 ticks, of which
 *
 *     a runs always, b from 25 to 75, c from 50 to 100; they are blocked otherwise,
 *
 * so 1, 2, 3 and 2 run at once in the four quarters.  Each has a variable: 1, 2 and 6.
 */
#include <math.h>

#include "filter/filtered_source.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/timeline/space_time.h"
#include "view/views.h"

static struct weft_trace *trace;
static struct weft_arena arena;
static struct weft_scene scene;
static struct weft_request request;
static struct weft_set set;
static const struct weft_source *source;

static int set_up(void **state)
{
    (void)state;
    static const int64_t runs[3][2] = { { 0, 100 }, { 25, 75 }, { 50, 100 } };
    static const double values[] = { 1, 2, 6 };
    char path[] = "/tmp/weft-pictures-XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    uint32_t type = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    uint32_t load = add_type(b, WEFT_VARIABLE, thread, "load", WEFT_ROLE_NONE);
    uint32_t running = add_value(b, type, "running", WEFT_ROLE_RUNNING);
    uint32_t blocked = add_value(b, type, "blocked", WEFT_ROLE_BLOCKED);
    uint32_t parent = weft_builder_container(b, process, 0, "program", NULL, 0);
    for (int t = 0; t < 3; t++) {
        const char name[] = { (char)('a' + t), '\0' };
        uint32_t c = weft_builder_container(b, thread, parent, name, NULL, 0);
        uint32_t track = weft_builder_track(b, c, type);
        if (runs[t][0])
            (void)weft_builder_set(b, track, 0, blocked, NULL, 0, NULL);
        (void)weft_builder_set(b, track, runs[t][0], running, NULL, 0, NULL);
        if (runs[t][1] < 100)
            (void)weft_builder_set(b, track, runs[t][1], blocked, NULL, 0, NULL);
        (void)weft_builder_reset(b, track, 100);
        (void)weft_builder_sample(b, weft_builder_track(b, c, load), 0, values[t]);
    }
    trace = small_store_end(b, path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return 0;
}

static void draw(const char *filters, enum weft_theme_name theme)
{
    struct weft_err err;
    source = weft_filtered_new(weft_trace_source(trace), filters, &err);
    if (!source)
        fail_msg("%s", err.message);
    set = (struct weft_set){ &source, 1, NULL };
    request = (struct weft_request){ .set = &set,
                                     .window = { 0, 100 },
                                     .width = 640,
                                     .height = 400,
                                     .theme = weft_theme_get(theme) };
    assert_true(weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
}

static void end(void)
{
    weft_arena_free(&arena);
    weft_filtered_free((struct weft_source *)(void *)(uintptr_t)source);
}

/* The raster of the first row; it fills the plot's width. */
static const struct weft_mark *raster(void)
{
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t m = 0; m < scene.layers[l].n_marks; m++)
            if (scene.layers[l].marks[m].kind == WEFT_MARK_RASTER)
                return &scene.layers[l].marks[m];
    fail_msg("no raster");
    return NULL;
}

/* The colour in the middle of a quarter, in the line at PART of the height from above. */
static weft_color color_at(int quarter, double part)
{
    uint32_t *made;
    struct weft_raster r = weft_raster_with_pixels(raster()->raster, &made);
    size_t column = r.columns * (2 * (size_t)quarter + 1) / 8;
    size_t line = (size_t)(part * (r.rows - 1));
    weft_color color = r.pixels[line * r.columns + column];
    free(made);
    return color;
}

static bool says(const char *text)
{
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t m = 0; m < scene.layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene.layers[l].marks[m];
            if (mark->kind == WEFT_MARK_TEXT && strcmp(mark->text, text) == 0)
                return true;
        }
    return false;
}

static void shades_say_how_many_run(void **unused)
{
    (void)unused;
    static const int wanted[] = { 1, 2, 3, 2 };
    for (int theme = WEFT_THEME_LIGHT; theme <= WEFT_THEME_CVD; theme++) {
        draw("reduce program as shades", (enum weft_theme_name)theme);
        for (int q = 0; q < 4; q++)
            assert_int_equal(color_at(q, 0.5), st_shade(request.theme, wanted[q], 3));
        assert_true(says("program (3)") && says("all at work"));
        end();
    }
    /* The person chooses which states are active. */
    draw("reduce program as shades of blocked", WEFT_THEME_LIGHT);
    for (int q = 0; q < 4; q++)
        if (wanted[q] < 3)
            assert_int_equal(color_at(q, 0.5), st_shade(request.theme, 3 - wanted[q], 3));
    end();
}

static void bars_are_as_high_as_many_run(void **unused)
{
    (void)unused;
    draw("reduce program", WEFT_THEME_LIGHT);
    weft_color running = weft_palette(&arena, source->schema, request.theme)[0].tone;
    /* Running takes most time, so it lies at the bottom: a third in the first quarter. */
    assert_int_equal(color_at(0, 0.8), running);
    assert_int_not_equal(color_at(0, 0.5), running);
    assert_int_equal(color_at(1, 0.5), running);
    assert_int_not_equal(color_at(1, 0.2), running);
    assert_int_equal(color_at(2, 0.1), running);
    end();
}

static void what_is_dimmed_is_pale_above_the_rest(void **unused)
{
    (void)unused;
    draw("reduce program\ndim running and row = a", WEFT_THEME_LIGHT);
    weft_color running = weft_palette(&arena, source->schema, request.theme)[0].tone;
    const float part = 0.22f;
    weft_color pale = weft_mix(&running, &part, 1, request.theme->panel);
    /* In the first quarter only a runs, above the two that are blocked. */
    assert_int_equal(color_at(0, 0.1), pale);
    assert_int_not_equal(color_at(0, 0.8), running);
    /* In the second b runs, at the bottom. */
    assert_int_equal(color_at(1, 0.9), running);
    assert_int_equal(color_at(1, 0.1), pale);
    end();
}

static void the_point_tells_members(void **unused)
{
    (void)unused;
    uint64_t id;
    draw("reduce program as shades", WEFT_THEME_LIGHT);
    struct weft_rect box = raster()->box;
    char *text =
        point_csv(&weft_view_space_time, &request,
                  (struct weft_point){ box.x + box.width * 0.375, box.y + 5 }, &id);
    assert_non_null(strstr(text, "at work,2 of 3"));
    assert_non_null(strstr(text, "running,2\n"));
    assert_non_null(strstr(text, "blocked,1\n"));
    free(text);
    end();
}

/* The labels of the curve, which is of all members. */
static void curves_are_of_all_members(void **unused)
{
    (void)unused;
    draw("reduce program", WEFT_THEME_LIGHT);
    assert_true(says("max 6"));
    end();
    draw("reduce program with sums", WEFT_THEME_LIGHT);
    assert_true(says("sum, on average 9"));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shades_say_how_many_run),
        cmocka_unit_test(bars_are_as_high_as_many_run),
        cmocka_unit_test(what_is_dimmed_is_pale_above_the_rest),
        cmocka_unit_test(the_point_tells_members),
        cmocka_unit_test(curves_are_of_all_members),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
