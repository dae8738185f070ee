/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first picture of a recording: four threads and two hundred locks, of which three were
 * waited for.  Which rows there are, in which order, how high, and whose names are drawn.
 */
#include <math.h>

#include "tests/small_store.h"
#include "view/timeline/space_time.h"
#include "view/views.h"

enum {
    THREADS = 4,
    MUTEXES = 180,
    CONDITIONS = 20,
    SPAN = 10000,
    READABLE = 11,
    LOWEST_CURVE = 6
};

static char path[] = "/tmp/weft-first-picture.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_set set;

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .role = role,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

struct types {
    uint32_t process, thread, mutex, condition, state, used, lock_state;
    uint32_t running, waiting, is_free, held, contended, number;
};

static struct types define_types(struct weft_builder *b)
{
    struct types t;
    t.process = define(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    /* Locks are defined before threads, as in a program that takes one first. */
    t.mutex = define(b, WEFT_CONTAINER, t.process, "Mutex", WEFT_ROLE_MUTEX);
    t.condition = define(b, WEFT_CONTAINER, t.process, "Condition", WEFT_ROLE_CONDITION);
    t.thread = define(b, WEFT_CONTAINER, t.process, "Thread", WEFT_ROLE_THREAD);
    t.lock_state = define(b, WEFT_STATE, t.mutex, "Lock state", WEFT_ROLE_LOCK_STATE);
    t.state = define(b, WEFT_STATE, t.thread, "Thread state", WEFT_ROLE_ACTIVITY);
    t.used = define(b, WEFT_VARIABLE, t.thread, "Processor time", WEFT_ROLE_PROCESSOR_TIME);
    t.number = add_field(b, t.thread, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    t.running = add_value(b, t.state, "running", WEFT_ROLE_RUNNING);
    t.waiting = add_value(b, t.state, "blocked", WEFT_ROLE_BLOCKED_ON_LOCK);
    t.is_free = add_value(b, t.lock_state, "free", WEFT_ROLE_FREE);
    t.held = add_value(b, t.lock_state, "held", WEFT_ROLE_HELD);
    t.contended = add_value(b, t.lock_state, "held, others blocked", WEFT_ROLE_CONTENDED);
    return t;
}

static void add_thread(struct weft_builder *b, const struct types *t, uint32_t process,
                       int number)
{
    char name[16];
    snprintf(name, sizeof name, "worker %d", number);
    uint32_t c = weft_builder_container(b, t->thread, process, name, NULL, number);
    weft_builder_container_field(
        b, c, &(struct weft_field_value){ t->number, { .integer = number } });
    uint32_t states = weft_builder_track(b, c, t->state);
    uint32_t used = weft_builder_track(b, c, t->used);
    for (int i = 0; i < 4; i++) {
        int64_t at = number + SPAN * i / 4;
        (void)!weft_builder_set(b, states, at, i % 2 ? t->waiting : t->running, NULL, 0,
                                NULL);
        (void)!weft_builder_sample(b, used, at, i * 1e-6);
    }
}

/* Mutex 20 is contended for 300 ticks, 150 for 30, 77 for 3, the others never. */
static void add_mutex(struct weft_builder *b, const struct types *t, uint32_t process,
                      int number)
{
    char name[16];
    int64_t contended = number == 20 ? 300 : number == 150 ? 30 : number == 77 ? 3 : 0;
    snprintf(name, sizeof name, "mutex %d", number);
    uint32_t c = weft_builder_container(b, t->mutex, process, name, NULL, 0);
    uint32_t track = weft_builder_track(b, c, t->lock_state);
    (void)!weft_builder_set(b, track, 10, t->is_free, NULL, 0, NULL);
    (void)!weft_builder_set(b, track, 1000, t->held, NULL, 0, NULL);
    if (contended)
        (void)!weft_builder_set(b, track, 2000, t->contended, NULL, 0, NULL);
    (void)!weft_builder_set(b, track, 2000 + contended, t->is_free, NULL, 0, NULL);
}

static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    struct types t = define_types(b);
    uint32_t process = weft_builder_container(b, t.process, 0, "program", NULL, 0);
    add_thread(b, &t, process, 0);
    for (int i = 0; i < MUTEXES; i++) {
        add_mutex(b, &t, process, i);
        if (i % 50 == 40) /* threads begin between locks, not in the order of creation */
            add_thread(b, &t, process, THREADS - 1 - i / 50);
    }
    for (int i = 0; i < CONDITIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "condition %d", i);
        weft_builder_container(b, t.condition, process, name, NULL, 0);
    }
    trace = small_store_open(b, path);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return unlink(path);
}

/* ---- Rows ---- */

struct first_rows {
    struct weft_arena arena;
    const char *settings[24];
    struct st_rows rows, pinned;
};

static struct weft_request request_of(double width, double height)
{
    return (struct weft_request){ .set = &set,
                                  .window = source->schema->span,
                                  .width = width,
                                  .height = height,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT) };
}

/* The rows of a plot of HEIGHT pixels with a setting or none; SEEN > 0: in a page. */
static void ask(struct first_rows *asked, const char *setting, double height, double seen)
{
    struct weft_err err;
    struct weft_request request = request_of(800, height);
    *asked = (struct first_rows){ 0 };
    request.view = &weft_view_space_time;
    request.settings = asked->settings;
    request.bare = seen > 0;
    request.seen_height = seen;
    if (setting)
        assert_true(
            weft_setting_parse(&weft_view_space_time, setting, asked->settings, &err));
    struct weft_relevance relevance;
    assert_true(weft_relevance(source, &asked->arena, NULL, &relevance, &err));
    if (!st_rows_make(&asked->rows, &asked->pinned, &request, &relevance, NULL,
                      &asked->arena, height, &err))
        fail_msg("%s", err.message);
}

static const char *name_of(const struct st_row *row)
{
    return row->kind == ST_FOLD ? row->label
                                : source->schema->containers[row->container].name;
}

static void expect_row(const struct first_rows *asked, size_t i, enum st_row_kind kind,
                       const char *name)
{
    assert_true(i < asked->rows.n);
    assert_string_equal(name_of(&asked->rows.list[i]), name);
    assert_int_equal(asked->rows.list[i].kind, kind);
}

/* The header, then each thread with its curve, in the order of creation. */
static size_t expect_threads(const struct first_rows *asked)
{
    size_t row = 0;
    expect_row(asked, row++, ST_HEADER, "program");
    for (int i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof name, "worker %d", i);
        expect_row(asked, row++, ST_STATES, name);
        expect_row(asked, row++, ST_CURVE, name);
    }
    return row;
}

/* Two locks to four threads are a third of all; the worst are chosen, and come so. */
static void test_what_matters_comes_first(void **state)
{
    (void)state;
    struct first_rows asked;
    ask(&asked, NULL, 1000, 0);
    size_t row = expect_threads(&asked);
    expect_row(&asked, row++, ST_STATES, "mutex 20");
    expect_row(&asked, row++, ST_STATES, "mutex 150");
    expect_row(&asked, row++, ST_FOLD, "198 more: 178 Mutex, 20 Condition");
    assert_int_equal(asked.rows.n, row);
    assert_int_equal(asked.rows.total, row);
    weft_arena_free(&asked.arena);
}

/*
 * Every container has a row, threads first all the same; then the locks in WORST, and the others
 * as they were created.
 */
static void expect_all(const char *setting, const int *worst, size_t n_worst)
{
    struct first_rows asked;
    bool seen[MUTEXES] = { false };
    char name[16];
    ask(&asked, setting, 100000, 0);
    size_t row = expect_threads(&asked);
    for (int i = 0; i < MUTEXES + (int)n_worst; i++) {
        int number = i < (int)n_worst ? worst[i] : i - (int)n_worst;
        if (seen[number])
            continue;
        seen[number] = true;
        snprintf(name, sizeof name, "mutex %d", number);
        expect_row(&asked, row++, ST_STATES, name);
    }
    for (int i = 0; i < CONDITIONS; i++) {
        snprintf(name, sizeof name, "condition %d", i);
        expect_row(&asked, row++, ST_HEADER, name);
    }
    assert_int_equal(asked.rows.n, row);
    weft_arena_free(&asked.arena);
}

static void test_all_rows(void **state)
{
    (void)state;
    expect_all("rows=all", NULL, 0);
}

/* What was shown before stays where it was; who unfolds two hundred rows scrolls through them. */
static void test_unfolded(void **state)
{
    (void)state;
    struct first_rows asked;
    static const int worst[] = { 20, 150, 77 };
    expect_all("unfolded=program", worst, 3);
    ask(&asked, "unfolded=program", 100, 100);
    assert_true(asked.rows.scrolls);
    assert_int_equal(asked.rows.n, asked.rows.total);
    weft_arena_free(&asked.arena);
}

/* A pattern without a wildcard may stand anywhere in a name, in any case; what it names is
   shown, whether anybody waited for it or not. */
static void test_patterns(void **state)
{
    (void)state;
    struct first_rows asked;
    ask(&asked, "rows=UTEX 17", 1000, 0);
    expect_row(&asked, 0, ST_STATES, "mutex 17");
    expect_row(&asked, 1, ST_STATES, "mutex 170");
    expect_row(&asked, 10, ST_STATES, "mutex 179");
    assert_int_equal(asked.rows.n, 11);
    weft_arena_free(&asked.arena);
    ask(&asked, "rows=mutex 17*9,worker 2", 1000, 0);
    expect_row(&asked, 0, ST_STATES, "worker 2");
    expect_row(&asked, 1, ST_CURVE, "worker 2");
    expect_row(&asked, 2, ST_STATES, "mutex 179");
    assert_int_equal(asked.rows.n, 3);
    weft_arena_free(&asked.arena);
    ask(&asked, "rows=mutex ?", 1000, 0);
    assert_int_equal(asked.rows.n, 10);
    weft_arena_free(&asked.arena);
}

/* ---- Heights ---- */

struct tally {
    size_t threads, curves, locks, names;
    double thinnest_thread, tallest_lock, tallest_curve, sum;
};

/* Pixels that a row has at least, as long as none has to give way. */
static double least(const struct st_row *row)
{
    return row->kind == ST_CURVE ? LOWEST_CURVE : READABLE;
}

static struct tally count(const struct st_rows *rows)
{
    struct tally t = { .thinnest_thread = INFINITY };
    for (size_t i = 0; i < rows->n; i++) {
        const struct st_row *row = &rows->list[i];
        t.sum += row->height;
        t.curves += row->kind == ST_CURVE;
        if (row->kind == ST_CURVE)
            t.tallest_curve = fmax(t.tallest_curve, row->height);
        t.names += row->kind == ST_HEADER || row->kind == ST_FOLD;
        if (row->kind != ST_STATES)
            continue;
        if (row->secondary) {
            t.locks++;
            t.tallest_lock = fmax(t.tallest_lock, row->height);
        } else {
            t.threads++;
            t.thinnest_thread = fmin(t.thinnest_thread, row->height);
        }
    }
    return t;
}

/* What gives way: curves, then locks, then headers and the fold; threads share rows last. */
static void test_what_gives_way(void **state)
{
    (void)state;
    for (double height = 2; height <= 1200; height += height < 300 ? 1 : 50) {
        struct first_rows asked;
        ask(&asked, NULL, height, 0);
        struct tally t = count(&asked.rows);
        assert_true(t.sum <= height + 1e-6);
        assert_true(t.locks == 0 || t.thinnest_thread >= t.tallest_lock);
        assert_true(asked.rows.group > 1 || t.threads == THREADS);
        assert_int_equal(asked.rows.group > 1, height < THREADS);
        assert_int_equal(t.curves,
                         height >= 8 * READABLE + THREADS * LOWEST_CURVE ? THREADS : 0);
        assert_int_equal(t.locks, height >= 8 * READABLE ? 2 : 0);
        assert_int_equal(t.names, height >= 6 * READABLE ? 2 : 0);
        /* No name is lost that there is room for; curves take little of it. */
        for (size_t i = 0; i < asked.rows.n && height >= THREADS * READABLE; i++)
            assert_true(asked.rows.list[i].height >= least(&asked.rows.list[i]) - 1e-9);
        assert_true(t.curves == 0 || t.tallest_curve <= 0.6 * t.thinnest_thread);
        assert_false(asked.rows.scrolls);
        weft_arena_free(&asked.arena);
    }
}

/* Who asks for all of it gets all of it, with as many tracks to a row as it takes. */
static void test_all_rows_in_little_room(void **state)
{
    (void)state;
    static const double heights[] = { 20, 200, 500, 2000 };
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        struct first_rows asked;
        size_t tracks = 0;
        ask(&asked, "rows=all", heights[i], 0);
        for (size_t r = 0; r < asked.rows.n; r++)
            if (asked.rows.list[r].kind == ST_STATES)
                tracks += asked.rows.list[r].n_tracks;
        assert_int_equal(tracks, THREADS + MUTEXES);
        assert_true(asked.rows.content <= heights[i] + 1e-6);
        weft_arena_free(&asked.arena);
    }
}

/* In a page rows scroll rather than give way, up to four screens of them. */
static void test_scrolling(void **state)
{
    (void)state;
    struct first_rows asked;
    ask(&asked, NULL, 100, 100);
    assert_true(asked.rows.scrolls);
    assert_int_equal(asked.rows.n, 12);
    struct tally t = count(&asked.rows);
    assert_int_equal(t.curves, THREADS);
    assert_true(asked.rows.content > 100 && fabs(asked.rows.content - t.sum) < 1e-6);
    for (size_t i = 0; i < asked.rows.n; i++)
        assert_true(asked.rows.list[i].height >= least(&asked.rows.list[i]));
    double content = asked.rows.content;
    weft_arena_free(&asked.arena);
    /* What the page asks for beyond what is seen changes nothing. */
    ask(&asked, NULL, 700, 100);
    assert_true(asked.rows.scrolls && fabs(asked.rows.content - content) < 1e-6);
    weft_arena_free(&asked.arena);
    /* They all fit: nothing scrolls. */
    ask(&asked, NULL, 12 * READABLE, 12 * READABLE);
    assert_false(asked.rows.scrolls);
    weft_arena_free(&asked.arena);
    /* Two hundred rows are more than four screens: all of them are seen, without scrolling. */
    ask(&asked, "rows=all", 200, 200);
    assert_false(asked.rows.scrolls);
    assert_true(asked.rows.content <= 200 + 1e-6);
    weft_arena_free(&asked.arena);
    ask(&asked, "rows=all", 700, 700);
    assert_true(asked.rows.scrolls);
    assert_int_equal(asked.rows.n, asked.rows.total);
    weft_arena_free(&asked.arena);
}

/* ---- Frames ---- */

static const struct weft_source_ops *plain_ops;
static unsigned locks_asked; /* times that the sums of one lock were asked for */

static void counting_sums(const struct weft_source *of, const uint32_t *tracks,
                          size_t n_tracks, struct weft_span window, struct weft_sum *sums)
{
    uint32_t type = n_tracks == 1 ? of->schema->tracks[tracks[0]].type : WEFT_NONE;
    locks_asked +=
        type != WEFT_NONE
        && weft_role_is(of->schema->types[type].role, WEFT_ROLE_SYNCHRONIZATION_STATE);
    plain_ops->sums(of, tracks, n_tracks, window, sums);
}

/* Where the locks' waits are looked up: once for a picture, and once for all of a shelf. */
static void test_locks_are_looked_at_once(void **state)
{
    (void)state;
    struct weft_source *open = (struct weft_source *)(uintptr_t)source;
    struct weft_source_ops ops = *source->ops;
    plain_ops = source->ops;
    ops.sums = counting_sums;
    open->ops = &ops;
    struct weft_shelf *shelf = weft_shelf_new();
    struct weft_request request = request_of(800, 400);
    for (int frame = 0; frame < 6; frame++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        if (frame == 3) {
            assert_int_equal(locks_asked, 3 * MUTEXES); /* nothing was kept */
            request.shelf = shelf;
        }
        request.window.begin = source->schema->span.begin + frame;
        assert_true(weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
        weft_arena_free(&arena);
    }
    assert_int_equal(locks_asked, 4 * MUTEXES);
    weft_shelf_free(shelf);
    open->ops = plain_ops;
}

/* ---- Names ---- */

enum { MAX_NAMES = 64 };
struct names {
    const char *texts[MAX_NAMES];
    double y[MAX_NAMES]; /* of the baseline */
    size_t n;
};

static struct names names_in(const struct weft_scene *scene)
{
    struct names names = { .n = 0 };
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        for (size_t m = 0; strcmp(layer->name, "rows") == 0 && m < layer->n_marks; m++)
            if (layer->marks[m].kind == WEFT_MARK_TEXT && names.n < MAX_NAMES) {
                names.texts[names.n] = layer->marks[m].text;
                names.y[names.n++] = layer->marks[m].box.y;
            }
    }
    return names;
}

static size_t with_prefix(const struct names *names, const char *prefix)
{
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++)
        n += strncmp(names->texts[i], prefix, strlen(prefix)) == 0;
    return n;
}

/* Threads are named before locks, those before counters; no name covers or cuts another. */
static void test_names_by_priority(void **state)
{
    enum { LETTERS = 8, LINE = 10 }; /* pixels: above the baseline; of a line, at least */
    (void)state;
    for (double height = 60; height <= 700; height += 1) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        struct weft_request request = request_of(900, height);
        assert_true(weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
        struct names names = names_in(&scene);
        size_t threads = with_prefix(&names, "worker"),
               locks = with_prefix(&names, "mutex");
        size_t counters = with_prefix(&names, "share");
        assert_true(threads == THREADS || (locks == 0 && counters == 0));
        assert_true(locks == 2 || counters == 0);
        if (scene.frame.plot.height >= THREADS * READABLE)
            assert_int_equal(threads, THREADS);
        for (size_t i = 0; i < names.n; i++) {
            assert_true(names.y[i] - LETTERS >= scene.frame.plot.y - 0.5);
            for (size_t j = 0; j < i; j++)
                assert_true(fabs(names.y[i] - names.y[j]) > LINE - 1);
        }
        weft_arena_free(&arena);
    }
}

/* "held" of mutexes is there once, "free" not at all, and threads' shares add to all. */
static void test_legend(void **state)
{
    (void)state;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    struct weft_request request = request_of(900, 500);
    double sum = 0;
    assert_true(weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
    for (size_t i = 0; i < scene.frame.n_legend; i++) {
        const struct weft_legend_item *item = &scene.frame.legend[i];
        assert_string_not_equal(item->label, "free");
        sum += item->share > 0 ? item->share : 0;
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(item->label, scene.frame.legend[j].label);
    }
    assert_int_equal(scene.frame.n_legend, 4); /* running, blocked, held, contended */
    /* Nor is it written into the rows of locks. */
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++)
            if (scene.layers[l].marks[i].kind == WEFT_MARK_TEXT)
                assert_string_not_equal(scene.layers[l].marks[i].text, "free");
    assert_true(sum > 0.99 && sum < 1.001);
    weft_arena_free(&arena);
}

/*
 * Beside the curve of a thread's processor time stands its mean, whatever the width and the
 * part that is seen: each thread used 1,000 ns of each 2,500 between two samples, also where
 * one or both of the samples lie outside, the last of them at the very end of the trace.
 */
static void test_share_of_a_processor(void **state)
{
    static const struct weft_span windows[] = {
        { 0, 3 * SPAN / 4 }, { SPAN / 8, SPAN / 2 }, { 3000, 4000 },
        { 2600, 7000 },      { 5100, 3 * SPAN / 4 },
    };
    (void)state;
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
        for (double width = 500; width < 2000; width += 370) {
            struct weft_arena arena = { 0 };
            struct weft_scene scene;
            struct weft_err err;
            struct weft_request request = request_of(width, 900);
            size_t means = 0;
            request.window = windows[w];
            assert_true(
                weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
            for (size_t l = 0; l < scene.n_layers; l++)
                for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
                    const struct weft_mark *mark = &scene.layers[l].marks[i];
                    means += mark->kind == WEFT_MARK_TEXT
                             && strcmp(mark->text, "mean 40 %") == 0;
                }
            assert_int_equal(means, THREADS);
            weft_arena_free(&arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share_of_a_processor),
        cmocka_unit_test(test_what_matters_comes_first),
        cmocka_unit_test(test_all_rows),
        cmocka_unit_test(test_unfolded),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_what_gives_way),
        cmocka_unit_test(test_all_rows_in_little_room),
        cmocka_unit_test(test_scrolling),
        cmocka_unit_test(test_locks_are_looked_at_once),
        cmocka_unit_test(test_names_by_priority),
        cmocka_unit_test(test_legend),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
