/* SPDX-License-Identifier: Apache-2.0 */
/* Space-time's picture, against the exact sums of small stores. */
#include <math.h>

#include "base/memory.h"
#include "tests/random.h"
#include "tests/test.h"
#include "views_store.h"

static struct weft_scene draw(struct weft_arena *arena, struct weft_span window,
                              double width, double height, const char *setting)
{
    const struct weft_view *view = weft_view_find("space-time");
    const char *settings[32] = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    struct weft_request request = { .set = &set,
                                    .window = window,
                                    .width = width,
                                    .height = height,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    if (setting)
        assert_true(weft_setting_parse(view, setting, settings, &err));
    if (!weft_view_scene(view, &request, arena, &scene, &err))
        fail_msg("%s", err.message);
    return scene;
}

static void check_inside(const struct weft_scene *scene)
{
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_rect clip = scene->layers[l].clip;
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            if (mark->kind == WEFT_MARK_RECT) {
                assert_true(mark->box.x >= clip.x - 1e-9 && mark->box.y >= clip.y - 1e-9);
                assert_true(mark->box.x + mark->box.width <= clip.x + clip.width + 1e-6);
                assert_true(mark->box.y + mark->box.height <= clip.y + clip.height + 1e-6);
            }
            for (uint32_t i = 0; i < mark->n_points; i++) {
                assert_true(mark->points[i].x >= clip.x - 1e-6);
                assert_true(mark->points[i].x <= clip.x + clip.width + 1e-6);
            }
        }
    }
}

/* The rectangle of a layer that covers a point, drawn last. */
static const struct weft_mark *at(const struct weft_scene *scene, const char *layer,
                                  double x, double y)
{
    const struct weft_mark *found = NULL;
    for (size_t l = 0; l < scene->n_layers; l++) {
        if (strcmp(scene->layers[l].name, layer) != 0)
            continue;
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            if (mark->kind == WEFT_MARK_RECT && x >= mark->box.x && y >= mark->box.y
                && x < mark->box.x + mark->box.width && y < mark->box.y + mark->box.height)
                found = mark;
        }
    }
    return found;
}

static struct weft_rect states_clip(const struct weft_scene *scene)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        if (strcmp(scene->layers[l].name, "states") == 0)
            return scene->layers[l].clip;
    fail_msg("no layer of states");
    return (struct weft_rect){ 0 };
}

static void test_one_nanosecond_inside_an_hour(void **unused)
{
    (void)unused;
    /* A clock that counts from 1970; doubles would step by 256 ns there. */
    int64_t zero = 1800000000000000000, hour = INT64_C(3600) * SECOND;
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t first = weft_builder_value(b, state, "first", NULL, 0);
    uint32_t then = weft_builder_value(b, state, "then", NULL, 0);
    uint32_t c = weft_builder_container(b, thread, 0, "t", NULL, zero);
    uint32_t track = weft_builder_track(b, c, state);
    int64_t change = zero + 1234567890123;
    (void)!weft_builder_set(b, track, zero, first, NULL, 0, NULL);
    (void)!weft_builder_set(b, track, change, then, NULL, 0, NULL);
    (void)!weft_builder_reset(b, track, zero + hour);
    open_store(b);
    struct weft_arena arena = { 0 };
    /* The last nanosecond before the change, and the first after it. */
    for (int k = 0; k < 2; k++) {
        struct weft_scene scene =
            draw(&arena, (struct weft_span){ change - 1 + k, change + k }, 800, 300, NULL);
        check_inside(&scene);
        struct weft_rect clip = states_clip(&scene);
        const struct weft_mark *mark =
            at(&scene, "states", clip.x + clip.width / 2, clip.y + 10);
        assert_non_null(mark);
        assert_int_equal(weft_entity_ordinal(mark->id), k);
        /* It covers all of the plot, and no more. */
        assert_true(fabs(mark->box.x - clip.x) < 1e-6);
        assert_true(fabs(mark->box.width - clip.width) < 1e-6);
    }
    weft_arena_free(&arena);
}

/* Many short states: what each column shows must be their true shares of time. */
static void dense_store(int threads, bool in_a_node)
{
    struct weft_builder *b = start_store();
    uint32_t node = in_a_node ? define_type(b, WEFT_CONTAINER, 0, "node") : 0;
    uint32_t thread = define_type(b, WEFT_CONTAINER, node, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t parent = in_a_node ? weft_builder_container(b, node, 0, "n", NULL, 0) : 0;
    uint32_t values[3] = { weft_builder_value(b, state, "a", NULL, 0),
                           weft_builder_value(b, state, "b", NULL, 0),
                           weft_builder_value(b, state, "c", NULL, 0) };
    for (int t = 0; t < threads; t++) {
        char name[24];
        snprintf(name, sizeof name, "t%d", t);
        uint32_t track = weft_builder_track(
            b, weft_builder_container(b, thread, parent, name, NULL, 0), state);
        int64_t time = 0;
        while (time < 1000000) {
            uint64_t bits = roll(0);
            (void)!weft_builder_set(b, track, time, values[(bits >> 40) % 3], NULL, 0,
                                    NULL);
            time += (int64_t)((bits >> 50) % 200) + (time > 500000 ? 0 : 1);
            if ((bits >> 45) % 5 == 0) {
                (void)!weft_builder_reset(b, track, time);
                time += 60;
            }
        }
        (void)!weft_builder_reset(b, track, 1000400);
    }
    open_store(b);
}

/* The part of the rows' area, from the top of the plot to the last line, in a colour. */
static double shown_share(const struct weft_scene *scene, weft_color color)
{
    double count = 0, bottom = 0, area = 0;
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        if (strcmp(layer->name, "states") != 0)
            continue;
        for (size_t m = 0; m < layer->n_marks; m++) {
            const struct weft_mark *mark = &layer->marks[m];
            if (mark->kind != WEFT_MARK_RASTER)
                continue;
            uint32_t *made;
            struct weft_raster raster = weft_raster_with_pixels(mark->raster, &made);
            for (size_t i = 0; i < (size_t)raster.columns * raster.rows; i++)
                count += raster.pixels[i] == color;
            free(made);
            bottom = fmax(bottom, mark->box.y + mark->box.height);
        }
        area = (bottom - layer->clip.y) * floor(layer->clip.width);
    }
    assert_true(area > 0);
    return count / area;
}

static void test_dense_rows_show_true_shares(void **unused)
{
    (void)unused;
    dense_store(3, false);
    struct weft_arena arena = { 0 };
    struct weft_span window = { 100000, 900000 };
    struct weft_scene scene = draw(&arena, window, 600, 400, NULL);
    check_inside(&scene);
    struct weft_swatch *swatches =
        weft_palette(&arena, source->schema, weft_theme_get(WEFT_THEME_LIGHT));
    /* Count the pixels of each colour over the whole raster: shares of all three rows. */
    struct weft_sum sums[3] = { 0 };
    uint32_t tracks[] = { 0, 1, 2 };
    source->ops->sums(source, tracks, 3, window, sums);
    double painted = 0;
    for (uint32_t v = 0; v < 3; v++) {
        double shown = shown_share(&scene, swatches[v].fill);
        painted += shown;
        double share =
            (double)sums[v].self_ticks / (3.0 * (double)(window.end - window.begin));
        assert_true(fabs(share - shown) < 0.03); /* gaps between rows; whole pixels */
    }
    assert_true(painted > 0.5);
    weft_arena_free(&arena);
}

static void test_more_rows_than_pixels_are_grouped(void **unused)
{
    (void)unused;
    dense_store(150, false);
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(&arena, source->schema->span, 640, 140, NULL);
    check_inside(&scene);
    bool said = false;
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t m = 0; m < scene.layers[l].n_marks; m++)
            said |= scene.layers[l].marks[m].text
                    && strstr(scene.layers[l].marks[m].text, "each row");
    assert_true(said);
    weft_arena_free(&arena);
}

/* COUNT processes p0, p1 ... with two threads, called main and helper. */
static void processes_store(int count)
{
    struct weft_builder *b = start_store();
    uint32_t process = define_type(b, WEFT_CONTAINER, 0, "process");
    uint32_t thread = define_type(b, WEFT_CONTAINER, process, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t value = weft_builder_value(b, state, "a", NULL, 0);
    for (int i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%d", i);
        uint32_t in = weft_builder_container(b, process, 0, name, NULL, 0);
        static const char *const threads[] = { "main", "helper" };
        for (size_t t = 0; t < 2; t++) {
            uint32_t of = weft_builder_container(b, thread, in, threads[t], NULL, 0);
            uint32_t track = weft_builder_track(b, of, state);
            (void)!weft_builder_set(b, track, 0, value, NULL, 0, NULL);
            (void)!weft_builder_reset(b, track, 1000);
        }
    }
    open_store(b);
}

static bool has_text(const struct weft_scene *scene, const char *text)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const char *found = scene->layers[l].marks[m].text;
            if (found && strcmp(found, text) == 0)
                return true;
        }
    return false;
}

static void test_rows_without_heads_say_whose_they_are(void **unused)
{
    (void)unused;
    processes_store(4);
    struct weft_arena arena = { 0 };
    struct weft_scene roomy = draw(&arena, source->schema->span, 640, 500, NULL);
    assert_true(has_text(&roomy, "p0") && has_text(&roomy, "main"));
    assert_false(has_text(&roomy, "p0/main"));
    weft_arena_free(&arena);
    close_store(NULL);
    processes_store(100);
    struct weft_scene dense = draw(&arena, source->schema->span, 640, 500, NULL);
    check_inside(&dense);
    assert_true(has_text(&dense, "p0/main"));
    assert_false(has_text(&dense, "main") || has_text(&dense, "helper"));
    weft_arena_free(&arena);
}

static size_t labels(const struct weft_scene *scene)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        if (strcmp(scene->layers[l].name, "rows") == 0)
            return scene->layers[l].n_marks;
    return 0;
}

static void test_a_closed_parent_is_the_sum_of_its_children(void **unused)
{
    (void)unused;
    dense_store(4, true);
    struct weft_arena arena = { 0 };
    struct weft_scene open = draw(&arena, source->schema->span, 400, 300, NULL);
    assert_int_equal(labels(&open), 5); /* the node and its four threads */
    struct weft_scene closed = draw(&arena, source->schema->span, 400, 300, "close=1");
    check_inside(&closed);
    assert_int_equal(labels(&closed), 1);
    /* One row whose colours have the shares of all four. */
    struct weft_swatch *swatches =
        weft_palette(&arena, source->schema, weft_theme_get(WEFT_THEME_LIGHT));
    struct weft_sum sums[3] = { 0 };
    uint32_t tracks[] = { 0, 1, 2, 3 };
    source->ops->sums(source, tracks, 4, source->schema->span, sums);
    double length = (double)(source->schema->span.end - source->schema->span.begin);
    for (uint32_t v = 0; v < 3; v++) {
        double shown = shown_share(&closed, swatches[v].fill);
        assert_true(fabs(shown - (double)sums[v].self_ticks / (4 * length)) < 0.03);
    }
    weft_arena_free(&arena);
}

/*
 * Closed processes in fewer pixels than there are: several share a row, and links between
 * their threads, which have no row of their own, still end at rows.
 */
static void test_links_of_closed_containers_end_at_their_rows(void **unused)
{
    enum { PROCESSES = 800 };
    struct weft_builder *b = start_store();
    uint32_t process = define_type(b, WEFT_CONTAINER, 0, "process");
    uint32_t thread = define_type(b, WEFT_CONTAINER, process, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t link = define_type(b, WEFT_LINK, 0, "link");
    uint32_t work = weft_builder_value(b, state, "work", NULL, 0), threads[PROCESSES];
    (void)unused;
    for (uint32_t i = 0; i < PROCESSES; i++) {
        char name[24];
        snprintf(name, sizeof name, "%u", i);
        uint32_t parent = weft_builder_container(b, process, 0, name, NULL, 0), track;
        threads[i] = weft_builder_container(b, thread, parent, name, NULL, 0);
        track = weft_builder_track(b, threads[i], state);
        (void)!weft_builder_set(b, track, 0, work, NULL, 0, NULL);
        (void)!weft_builder_reset(b, track, 1000);
    }
    for (uint32_t i = 0; i < PROCESSES; i++)
        weft_builder_link(b,
                          &(struct weft_link){ .type = link,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = threads[i],
                                               .to = threads[PROCESSES - 1 - i],
                                               .begin = i,
                                               .end = i + 10,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = WEFT_NO_ID },
                          NULL, 0);
    open_store(b);
    for (double height = 100; height < 2000; height += 379) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene =
            draw(&arena, source->schema->span, 600, height, "close=1");
        check_inside(&scene);
        weft_arena_free(&arena);
    }
}

/*
 * Two types of states on rows of their own, A all of the time, B half of it: shares are of one
 * type, the one that has most of the picture, so that they never add to more than all.
 */
static void test_shares_are_of_one_type(void **unused)
{
    (void)unused;
    struct weft_builder *b = start_store();
    uint32_t node = define_type(b, WEFT_CONTAINER, 0, "node");
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t first = define_type(b, WEFT_STATE, node, "of nodes");
    uint32_t second = define_type(b, WEFT_STATE, thread, "of threads");
    uint32_t on = weft_builder_value(b, first, "on", NULL, 0);
    uint32_t work = weft_builder_value(b, second, "work", NULL, 0);
    uint32_t wait = weft_builder_value(b, second, "wait", NULL, 0);
    uint32_t nodes =
        weft_builder_track(b, weft_builder_container(b, node, 0, "n", NULL, 0), first);
    (void)!weft_builder_set(b, nodes, 0, on, NULL, 0, NULL);
    for (int i = 0; i < 2; i++) {
        uint32_t track = weft_builder_track(
            b, weft_builder_container(b, thread, 0, i ? "t1" : "t0", NULL, 0), second);
        (void)!weft_builder_set(b, track, 0, work, NULL, 0, NULL);
        (void)!weft_builder_set(b, track, 25, wait, NULL, 0, NULL);
        (void)!weft_builder_reset(b, track, 100);
    }
    (void)!weft_builder_reset(b, nodes, 100);
    open_store(b);
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(&arena, source->schema->span, 600, 400, NULL);
    assert_int_equal(scene.frame.n_legend, 3);
    /* In the order of all their shares, also those that are not given. */
    assert_string_equal(scene.frame.legend[0].label, "on");
    assert_string_equal(scene.frame.legend[1].label, "wait");
    for (size_t i = 0; i < 3; i++) {
        const struct weft_legend_item *item = &scene.frame.legend[i];
        double wanted = strcmp(item->label, "work") == 0   ? 0.25
                        : strcmp(item->label, "wait") == 0 ? 0.75
                                                           : -1;
        assert_true(fabs(item->share - wanted) < 1e-9);
    }
    weft_arena_free(&arena);
}

static size_t count_texts(const struct weft_scene *scene, const char *begin)
{
    size_t n = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t i = 0; i < scene->layers[l].n_marks; i++) {
            const struct weft_mark *mark = &scene->layers[l].marks[i];
            n += mark->kind == WEFT_MARK_TEXT
                 && strncmp(mark->text, begin, strlen(begin)) == 0;
        }
    return n;
}

/* In a small black and white picture every hatch has its name, if need be without the shares. */
static void test_a_small_legend_keeps_its_names(void **unused)
{
    (void)unused;
    enum { VALUES = 14 };
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), state);
    for (int i = 0; i < VALUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "name %d", i);
        (void)!weft_builder_set(b, track, 10 * i,
                                weft_builder_value(b, state, name, NULL, 0), NULL, 0, NULL);
    }
    (void)!weft_builder_reset(b, track, 10 * VALUES);
    open_store(b);
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 500,
                                    .height = 260,
                                    .theme = weft_theme_get(WEFT_THEME_MONO) };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    assert_true(
        weft_view_scene(weft_view_find("space-time"), &request, &arena, &scene, &err));
    check_inside(&scene);
    assert_int_equal(count_texts(&scene, "name "), VALUES);
    assert_int_equal(count_texts(&scene, "and "), 0);
    /* There is no room for all in a narrower one: it says how many there are more. */
    request.width = 160;
    assert_true(
        weft_view_scene(weft_view_find("space-time"), &request, &arena, &scene, &err));
    assert_int_equal(count_texts(&scene, "and "), 1);
    weft_arena_free(&arena);
}

/* One tick in a thousand million is a dot, in a row of any height; gaps beside it stay gaps. */
static void test_what_is_short_and_alone_is_seen(void **unused)
{
    (void)unused;
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t work = weft_builder_value(b, state, "work", NULL, 0);
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), state);
    (void)!weft_builder_push(b, track, 0, work, NULL, 0, NULL);
    (void)!weft_builder_pop(b, track, 1, NULL);
    for (int64_t i = 0; i < 3; i++) {
        (void)!weft_builder_push(b, track, SECOND - 10 + i, work, NULL, 0, NULL);
        (void)!weft_builder_pop(b, track, SECOND - 9 + i, NULL);
    }
    open_store(b);
    for (double height = 120; height < 400; height += 40) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene = draw(&arena, source->schema->span, 600, height, NULL);
        size_t dots = 0;
        for (size_t l = 0; l < scene.n_layers; l++)
            for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
                if (!scene.layers[l].marks[i].raster)
                    continue;
                uint32_t *made;
                struct weft_raster raster =
                    weft_raster_with_pixels(scene.layers[l].marks[i].raster, &made);
                for (size_t k = 0; k < raster.columns * raster.rows; k++)
                    dots += raster.pixels[k] != 0;
                free(made);
            }
        assert_int_equal(dots, 2);
        weft_arena_free(&arena);
    }
}

/*
 * Rows thinner than a pixel: each line of pixels is of the first row that reaches it, also when
 * rows are painted side by side.  Rows of two types alternate, so that none are put together.
 */
static void test_each_line_of_pixels_is_of_the_first_row(void **unused)
{
    (void)unused;
    enum { PAIRS = 149, ROWS = 2 * PAIRS }; /* no row begins at half a pixel */
    struct weft_builder *b = start_store();
    uint32_t types[2], states[2], values[2];
    for (int k = 0; k < 2; k++) {
        types[k] = define_type(b, WEFT_CONTAINER, k ? types[0] : 0, k ? "inner" : "outer");
        states[k] = define_type(b, WEFT_STATE, types[k], k ? "second" : "first");
        values[k] = weft_builder_value(b, states[k], k ? "y" : "x", NULL, 0);
    }
    for (int i = 0; i < PAIRS; i++) {
        uint32_t parent = 0;
        for (int k = 0; k < 2; k++) {
            char name[24];
            snprintf(name, sizeof name, "%d %d", i, k);
            parent = weft_builder_container(b, types[k], parent, name, NULL, 0);
            uint32_t track = weft_builder_track(b, parent, states[k]);
            (void)!weft_builder_push(b, track, 0, values[k], NULL, 0, NULL);
            (void)!weft_builder_pop(b, track, 1000, NULL);
        }
    }
    open_store(b);
    struct weft_arena arena = { 0 };
    struct weft_swatch *swatches =
        weft_palette(&arena, source->schema, weft_theme_get(WEFT_THEME_LIGHT));
    for (double height = 90; height < 320; height += 14) {
        struct weft_scene scene = draw(&arena, source->schema->span, 300, height, NULL);
        size_t lines = (size_t)ceil(states_clip(&scene).height), painted = 0;
        double y = 0, size = states_clip(&scene).height / ROWS;
        uint32_t *expected = weft_arena_zalloc(&arena, lines, sizeof *expected);
        for (size_t row = 0; row < ROWS; row++, y += size) {
            size_t top = (size_t)fmin(round(y), (double)(lines - 1)),
                   bottom = (size_t)fmin(round(y + size), (double)lines);
            for (size_t line = top; line < bottom || line == top; line++)
                if (!expected[line])
                    expected[line] = swatches[values[row % 2]].tone;
        }
        for (size_t l = 0; l < scene.n_layers; l++)
            for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
                const struct weft_mark *mark = &scene.layers[l].marks[i];
                if (!mark->raster)
                    continue;
                uint32_t *made;
                struct weft_raster raster = weft_raster_with_pixels(mark->raster, &made);
                for (size_t k = 0; k < raster.rows; k++, painted++)
                    assert_int_equal(
                        raster.pixels[k * raster.columns],
                        expected[(size_t)(mark->box.y - states_clip(&scene).y) + k]);
                free(made);
            }
        for (size_t line = 0; line < lines; line++)
            painted -= expected[line] != 0;
        assert_int_equal(painted, 0);
    }
    weft_arena_free(&arena);
}

/* In black and white no state looks like a gap, also where it is too narrow for an outline. */
static void test_black_and_white_has_no_white_states(void **unused)
{
    (void)unused;
    enum { VALUES = 8, ROUNDS = 30 };
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), state);
    uint32_t values[VALUES];
    for (int i = 0; i < VALUES; i++) {
        char name[] = { (char)('a' + i), 0 };
        values[i] = weft_builder_value(b, state, name, NULL, 0);
    }
    for (int i = 0; i < VALUES * ROUNDS; i++)
        (void)!weft_builder_set(b, track, 10 * i, values[i % VALUES], NULL, 0, NULL);
    (void)!weft_builder_reset(b, track, 10 * VALUES * ROUNDS);
    open_store(b);
    const struct weft_theme *theme = weft_theme_get(WEFT_THEME_MONO);
    for (double width = 120; width < 1400; width *= 1.3) {
        struct weft_request request = { .set = &set,
                                        .window = source->schema->span,
                                        .width = width,
                                        .height = 200,
                                        .theme = theme };
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        size_t bars = 0, dots = 0;
        assert_true(
            weft_view_scene(weft_view_find("space-time"), &request, &arena, &scene, &err));
        for (size_t l = 0; l < scene.n_layers; l++)
            for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
                const struct weft_mark *mark = &scene.layers[l].marks[i];
                bool bar = mark->kind == WEFT_MARK_RECT && mark->id != WEFT_NO_ID;
                bars += bar;
                if (bar && mark->paint.stroke_width <= 0)
                    assert_int_not_equal(mark->paint.fill, theme->panel);
                if (!mark->raster)
                    continue;
                uint32_t *made;
                struct weft_raster raster = weft_raster_with_pixels(mark->raster, &made);
                for (size_t k = 0; k < raster.columns * raster.rows; k++) {
                    dots += raster.pixels[k] != 0;
                    assert_int_not_equal(raster.pixels[k], theme->panel);
                }
                free(made);
            }
        assert_true(bars + dots > 0);
        weft_arena_free(&arena);
    }
}

/* States that never end are hatched, and the picture says what that means; others say nothing. */
static void test_states_without_end_are_explained(void **unused)
{
    (void)unused;
    for (int ends = 0; ends < 2; ends++) {
        struct weft_builder *b = start_store();
        uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
        uint32_t state = define_type(b, WEFT_STATE, thread, "state");
        uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
        uint32_t track = weft_builder_track(b, one, state);
        uint32_t work = weft_builder_value(b, state, "work", NULL, 0);
        (void)!weft_builder_push(b, track, 0, work, NULL, 0, NULL);
        (void)!weft_builder_push(b, track, 50, work, NULL, 0, NULL);
        (void)!weft_builder_pop(b, track, 100, NULL);
        if (ends)
            (void)!weft_builder_pop(b, track, 100, NULL);
        open_store(b);
        struct weft_arena arena = { 0 };
        struct weft_scene scene = draw(&arena, source->schema->span, 900, 400, NULL);
        assert_int_equal(count_texts(&scene, "cross-hatched"), !ends);
        weft_arena_free(&arena);
        close_store(NULL);
    }
    small_store();
}

static void test_an_empty_trace_says_so(void **unused)
{
    (void)unused;
    open_store(start_store());
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(&arena, (struct weft_span){ 0, 1 }, 400, 300, NULL);
    bool said = false;
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t m = 0; m < scene.layers[l].n_marks; m++)
            said |= scene.layers[l].marks[m].text
                    && strncmp(scene.layers[l].marks[m].text, "Nothing happens", 15) == 0;
    assert_true(said);
    weft_arena_free(&arena);
    assert_false(weft_view_find("space-time")->fills(&set));
}

static void test_bad_settings_are_refused(void **unused)
{
    (void)unused;
    const struct weft_view *view = weft_view_find("space-time");
    const char *settings[32] = { 0 };
    struct weft_err err;
    assert_false(weft_setting_parse(view, "color=red", settings, &err));
    assert_non_null(strstr(err.message, "value|container|duration"));
    assert_false(weft_setting_parse(view, "nothing=1", settings, &err));
    assert_non_null(strstr(err.message, "row_height"));
    assert_false(weft_setting_parse(view, "row_height=x", settings, &err));
    assert_false(weft_setting_parse(view, "events", settings, &err));
    assert_true(weft_setting_parse(view, "events=off", settings, &err));
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, close_store)
    const struct CMUnitTest tests[] = {
        T(test_one_nanosecond_inside_an_hour),
        T(test_dense_rows_show_true_shares),
        T(test_more_rows_than_pixels_are_grouped),
        T(test_rows_without_heads_say_whose_they_are),
        T(test_a_closed_parent_is_the_sum_of_its_children),
        T(test_links_of_closed_containers_end_at_their_rows),
        T(test_shares_are_of_one_type),
        T(test_a_small_legend_keeps_its_names),
        T(test_what_is_short_and_alone_is_seen),
        T(test_each_line_of_pixels_is_of_the_first_row),
        T(test_black_and_white_has_no_white_states),
        T(test_states_without_end_are_explained),
        T(test_an_empty_trace_says_so),
        cmocka_unit_test(test_bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
