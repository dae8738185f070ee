/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The moment of a request: the tables of what is there then, the line that timelines draw and
 * its time among the axis' labels, and stepping along a row, against a walk through it.
 */
#include <math.h>

#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/detail.h"
#include "view/text.h"
#include "view/view.h"

enum { THREADS = 3, SPAN = 1000 };

static char path[] = "/tmp/weft-moment-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_set set;
static uint32_t threads[THREADS];

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

/*
 * The first thread: work [0, 600) with wait [200, 300) in it, then wait [600, 1000).  The
 * second: work [0, 1000).  The third: nested states and events at times from dice, several of
 * them at the same time.
 */
static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = define(b, WEFT_CONTAINER, 0, "thread");
    uint32_t type = define(b, WEFT_STATE, thread, "state");
    uint32_t event = define(b, WEFT_EVENT, thread, "event");
    uint32_t work = weft_builder_value(b, type, "work", NULL, 0);
    uint32_t wait = weft_builder_value(b, type, "wait", NULL, 0);
    uint32_t tracks[THREADS];
    static const char *const names[] = { "one", "two", "three" };
    for (int i = 0; i < THREADS; i++) {
        threads[i] = weft_builder_container(b, thread, 0, names[i], NULL, 0);
        tracks[i] = weft_builder_track(b, threads[i], type);
    }
    uint32_t events = weft_builder_track(b, threads[2], event);
    (void)!weft_builder_push(b, tracks[0], 0, work, NULL, 0, NULL);
    (void)!weft_builder_push(b, tracks[0], 200, wait, NULL, 0, NULL);
    (void)!weft_builder_pop(b, tracks[0], 300, NULL);
    (void)!weft_builder_pop(b, tracks[0], 600, NULL);
    (void)!weft_builder_push(b, tracks[0], 600, wait, NULL, 0, NULL);
    (void)!weft_builder_pop(b, tracks[0], SPAN, NULL);
    (void)!weft_builder_push(b, tracks[1], 0, work, NULL, 0, NULL);
    (void)!weft_builder_pop(b, tracks[1], SPAN, NULL);
    unsigned dice = 7;
    for (int64_t time = 20; time < 900; time += dice >> 16 & 7) {
        dice = dice * 1103515245u + 12345u;
        if (dice >> 24 & 1 && weft_builder_open_states(b, tracks[2]))
            (void)!weft_builder_pop(b, tracks[2], time, NULL);
        else if (dice >> 25 & 1)
            (void)!weft_builder_event(b, events, time, WEFT_NONE, NULL, 0, NULL);
        else
            (void)!weft_builder_push(b, tracks[2], time, dice >> 26 & 1 ? work : wait, NULL,
                                     0, NULL);
    }
    while (weft_builder_open_states(b, tracks[2]))
        (void)!weft_builder_pop(b, tracks[2], 900, NULL);
    trace = small_store_open(b, path);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    unlink(path);
    return 0;
}

static struct weft_request ask(struct weft_span window, double width)
{
    return (struct weft_request){ .set = &set,
                                  .window = window,
                                  .width = width,
                                  .height = 300,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT) };
}

/* ---- Tables ---- */

static char *table_at(const char *name, int64_t at, uint32_t under)
{
    struct weft_request request = ask(source->schema->span, 400);
    request.has_at = true;
    request.at = at;
    request.under = under;
    return table_csv(weft_view_find(name), &request);
}

static void tables_have_what_is_there_then(void **unused)
{
    static const struct {
        int64_t at;
        const char *rows;
    } cases[] = {
        { 0, "one,state,work,0,600,600,0,*\n" },
        { 199, "one,state,work,0,600,600,0,*\n" },
        { 200, "one,state,work,0,600,600,0,*\none,state,wait,200,300,100,1,*\n" },
        { 299, "one,state,work,0,600,600,0,*\none,state,wait,200,300,100,1,*\n" },
        { 300, "one,state,work,0,600,600,0,*\n" },
        { 600, "one,state,wait,600,1000,400,0,*\n" },
        { 1000, "" },
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = table_at("space-time", cases[i].at, threads[0]);
        char *out = strchr(text, '\n') + 1;
        /* Ids are the store's own: they are left out. */
        char kept[300] = "";
        for (char *line = out; *line; line = strchr(line, '\n') + 1) {
            size_t n = (size_t)(strchr(line, '\n') - line);
            while (line[n] != ',')
                n--;
            strncat(kept, line, n);
            strcat(kept, ",*\n");
        }
        assert_string_equal(kept, cases[i].rows);
        free(text);
    }
    char *text = table_at("overview", 250, threads[0]);
    assert_string_equal(text, "time_ns,value,tracks\n250,wait,1.000\n");
    free(text);
}

/* ---- The line ---- */

static const struct weft_layer *layer_of(const struct weft_scene *scene, const char *name)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        if (strcmp(scene->layers[l].name, name) == 0)
            return &scene->layers[l];
    return NULL;
}

/* Where a text that is anchored in its middle begins and ends. */
static struct weft_span extent(const struct weft_mark *mark)
{
    double half = weft_text_width((enum weft_font)mark->font, mark->size, mark->text) / 2;
    return (struct weft_span){ (int64_t)floor(mark->box.x - half),
                               (int64_t)ceil(mark->box.x + half) };
}

static void check_line(const struct weft_scene *scene, struct weft_span window, int64_t at)
{
    const struct weft_layer *moment = layer_of(scene, "moment");
    const struct weft_layer *axis = layer_of(scene, "time axis");
    if (at < window.begin || at > window.end) {
        assert_null(moment);
        return;
    }
    assert_non_null(moment);
    struct weft_rect plot = scene->frame.plot;
    double x =
        plot.x
        + plot.width * (double)(at - window.begin) / (double)(window.end - window.begin);
    const struct weft_mark *line = NULL, *label = NULL;
    for (size_t m = 0; m < moment->n_marks; m++) {
        const struct weft_mark *mark = &moment->marks[m];
        if (mark->kind == WEFT_MARK_LINE || mark->kind == WEFT_MARK_POLYLINE)
            line = mark;
        else if (mark->kind == WEFT_MARK_TEXT)
            label = mark;
    }
    assert_non_null(line);
    assert_non_null(label);
    assert_true(fabs(line->points[0].x - x) <= 0.75 + 1e-6);
    assert_true(line->points[0].x == line->points[1].x);
    struct weft_span own = extent(label);
    assert_true(own.begin >= 0 && (double)own.end <= scene->width);
    for (size_t m = 0; m < axis->n_marks; m++)
        if (axis->marks[m].kind == WEFT_MARK_TEXT) {
            struct weft_span other = extent(&axis->marks[m]);
            assert_true(other.end <= own.begin || other.begin >= own.end);
        }
}

static void timelines_have_a_line_at_the_moment(void **unused)
{
    static const char *const views[] = { "space-time", "overview" };
    static const double widths[] = { 120, 333, 900 };
    (void)unused;
    for (size_t v = 0; v < 2; v++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int64_t begin = 0; begin < SPAN; begin += 331)
                for (int64_t at = 0; at <= SPAN; at += 37) {
                    struct weft_span window = { begin, begin + 400 };
                    struct weft_request request = ask(window, widths[w]);
                    struct weft_arena arena = { 0 };
                    struct weft_scene scene;
                    struct weft_err err = { 0 };
                    request.has_at = true;
                    request.at = at;
                    assert_true(weft_view_scene(weft_view_find(views[v]), &request, &arena,
                                                &scene, &err));
                    /* The overview's axis is the whole run. */
                    check_line(&scene, v ? source->schema->span : window, at);
                    weft_arena_free(&arena);
                }
}

static void the_time_is_told_in_a_unit_that_fits(void **unused)
{
    static const struct {
        struct weft_span window;
        int64_t at;
        const char *text;
    } cases[] = {
        { { 0, 1000 }, 250, "250 ns" },
        { { 0, 1000 }, 0, "0 ns" },
        { { 0, 1999 }, 250, "250 ns" },
        { { 0, 2500 }, 250, "0.25 µs" },
        { { 0, 2500 }, 1000, "1 µs" },
        { { 0, 400 }, 37, "37 ns" },
        { { 200000, 200100 }, 200050, "200.05 µs" }, /* too far away for nanoseconds */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_request request = ask(cases[i].window, 600);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err = { 0 };
        const char *text = NULL;
        request.has_at = true;
        request.at = cases[i].at;
        assert_true(
            weft_view_scene(weft_view_find("space-time"), &request, &arena, &scene, &err));
        const struct weft_layer *moment = layer_of(&scene, "moment");
        for (size_t m = 0; m < moment->n_marks; m++)
            if (moment->marks[m].kind == WEFT_MARK_TEXT)
                text = moment->marks[m].text;
        assert_string_equal(text, cases[i].text);
        weft_arena_free(&arena);
    }
}

/* Summaries, and whatever is asked without a moment, draw none. */
static void without_a_moment_there_is_no_line(void **unused)
{
    (void)unused;
    for (size_t v = 0; v < weft_view_count(); v++) {
        struct weft_request request = ask(source->schema->span, 600);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err = { 0 };
        if (!weft_view_at(v)->fills(&set))
            continue;
        request.at = 500;
        assert_true(weft_view_scene(weft_view_at(v), &request, &arena, &scene, &err));
        assert_null(layer_of(&scene, "moment"));
        weft_arena_free(&arena);
    }
}

/* ---- Steps ---- */

static bool may_be(uint64_t id, uint64_t from)
{
    if (!weft_is_container_id(from))
        return weft_entity_track(id) == weft_entity_track(from);
    return source->schema->tracks[weft_entity_track(id)].container
           == (uint32_t)weft_entity_ordinal(from);
}

enum { MAX_STATES = 2000 };

/* All states and events, by looking at each track from its first to its last. */
struct all {
    uint64_t ids[MAX_STATES];
    int64_t begins[MAX_STATES];
    size_t n;
};

static void look_at_all(struct all *all)
{
    all->n = 0;
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        for (uint64_t i = 0; i < source->schema->tracks[t].count; i++) {
            uint64_t id = weft_entity_id(t, i);
            struct weft_state state;
            struct weft_event event;
            bool is_state = source->ops->state(source, id, &state);
            assert_true(is_state || source->ops->event(source, id, &event));
            assert_true(all->n < MAX_STATES);
            all->ids[all->n] = id;
            all->begins[all->n++] = is_state ? state.begin : event.time;
        }
}

/* When the nearest one begins; INT64_MIN: there is none. */
static int64_t slow_step(const struct all *all, uint64_t from, int64_t time, bool forward)
{
    int64_t best = INT64_MIN;
    for (size_t i = 0; i < all->n; i++) {
        int64_t begin = all->begins[i];
        if (!may_be(all->ids[i], from) || (forward ? begin <= time : begin >= time))
            continue;
        if (best == INT64_MIN || (forward ? begin < best : begin > best))
            best = begin;
    }
    return best;
}

static void steps_go_to_what_begins_next(void **unused)
{
    uint64_t from[2 * THREADS + 1];
    static struct all all;
    size_t n = 0;
    (void)unused;
    look_at_all(&all);
    assert_true(all.n > 100);
    for (uint32_t i = 0; i < THREADS; i++)
        from[n++] = weft_container_id(threads[i], false);
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        from[n++] = weft_entity_id(t, 0);
    assert_true(n == 2 * THREADS + 1);
    for (size_t f = 0; f < n; f++)
        for (int64_t time = -1; time <= SPAN + 1; time++)
            for (int forward = 0; forward < 2; forward++) {
                uint64_t id = weft_detail_step(source, from[f], time, forward);
                int64_t wanted = slow_step(&all, from[f], time, forward);
                struct weft_arena arena = { 0 };
                struct weft_detail detail;
                if (wanted == INT64_MIN) {
                    assert_true(id == WEFT_NO_ID);
                    continue;
                }
                assert_true(may_be(id, from[f]));
                assert_true(weft_detail(source, id, &arena, &detail));
                assert_true(detail.begin == wanted);
                weft_arena_free(&arena);
            }
    assert_true(weft_detail_step(source, WEFT_NO_ID, 5, true) == WEFT_NO_ID);
    assert_true(weft_detail_step(source, weft_container_id(99, false), 5, true)
                == WEFT_NO_ID);
    assert_true(weft_detail_step(source, weft_entity_id(99, 0), 5, false) == WEFT_NO_ID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_what_is_there_then),
        cmocka_unit_test(timelines_have_a_line_at_the_moment),
        cmocka_unit_test(the_time_is_told_in_a_unit_that_fits),
        cmocka_unit_test(without_a_moment_there_is_no_line),
        cmocka_unit_test(steps_go_to_what_begins_next),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
