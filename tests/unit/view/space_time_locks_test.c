/* SPDX-License-Identifier: Apache-2.0 */
/* Bars of locks on the rows of threads, in a trace whose holds and waits are known. */
#include <math.h>

#include "tests/small_store.h"
#include "view/view.h"

enum { THREADS = 3, LOCKS = 2, END = 1000 };

static char path[] = "/tmp/weft-lock-bars-test.XXXXXX";
static uint32_t threads[THREADS], locks[LOCKS];

/* A hold or a wait; a hold in which others wait goes on from the one before. */
static const struct expected {
    int thread, lock;
    bool waits;
    int64_t begin, contended, end;
    int lane; /* from the lower edge of the row */
} expected[] = {
    { 0, 0, false, 100, 200, 500, 0 }, { 0, 1, false, 150, 300, 700, 1 },
    { 1, 0, true, 200, 0, 500, 0 },    { 2, 1, true, 300, 0, 700, 0 },
    { 1, 0, false, 500, 0, 800, 0 },   { 2, 1, false, 700, 0, 900, 0 },
};

static struct weft_trace *make(void)
{
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_THREAD);
    uint32_t mutex = add_type(b, WEFT_CONTAINER, 0, "mutex", WEFT_ROLE_MUTEX);
    uint32_t states = add_type(b, WEFT_STATE, thread, "state", WEFT_ROLE_ACTIVITY);
    uint32_t uses = add_type(b, WEFT_STATE, mutex, "use", WEFT_ROLE_LOCK_STATE);
    uint32_t running = add_value(b, states, "running", WEFT_ROLE_RUNNING);
    uint32_t blocked = add_value(b, states, "blocked", WEFT_ROLE_BLOCKED_ON_LOCK);
    uint32_t held = add_value(b, uses, "held", WEFT_ROLE_HELD);
    uint32_t contended = add_value(b, uses, "contended", WEFT_ROLE_CONTENDED);
    uint32_t is_free = add_value(b, uses, "free", WEFT_ROLE_FREE);
    uint32_t object =
        add_field(b, states, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    uint32_t holder = add_field(b, uses, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    for (int i = 0; i < THREADS; i++) {
        char name[] = { 't', (char)('0' + i), 0 };
        threads[i] = weft_builder_container(b, thread, 0, name, NULL, 0);
    }
    for (int i = 0; i < LOCKS; i++) {
        char name[] = { 'l', (char)('0' + i), 0 };
        locks[i] = weft_builder_container(b, mutex, 0, name, NULL, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        uint32_t track = weft_builder_track(b, threads[i], states);
        (void)!weft_builder_set(b, track, 0, running, NULL, 0, NULL);
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
            const struct expected *e = &expected[k];
            if (e->thread != i || !e->waits)
                continue;
            struct weft_field_value of = { object, { .index = locks[e->lock] } };
            (void)!weft_builder_set(b, track, e->begin, blocked, &of, 1, NULL);
            (void)!weft_builder_set(b, track, e->end, running, NULL, 0, NULL);
        }
        (void)!weft_builder_reset(b, track, END);
    }
    for (int i = 0; i < LOCKS; i++) {
        uint32_t track = weft_builder_track(b, locks[i], uses);
        int64_t end = 0;
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
            const struct expected *e = &expected[k];
            if (e->lock != i || e->waits)
                continue;
            struct weft_field_value by = { holder, { .index = threads[e->thread] } };
            (void)!weft_builder_set(b, track, e->begin, held, &by, 1, NULL);
            if (e->contended)
                (void)!weft_builder_set(b, track, e->contended, contended, &by, 1, NULL);
            end = e->end;
        }
        (void)!weft_builder_set(b, track, end, is_free, NULL, 0, NULL);
        (void)!weft_builder_reset(b, track, END);
    }
    return small_store_end(b, path);
}

static struct weft_scene draw(struct weft_trace *trace, struct weft_arena *arena,
                              const char *setting)
{
    const struct weft_view *view = weft_view_find("space-time");
    const struct weft_source *source = weft_trace_source(trace);
    static struct weft_set set;
    static const struct weft_source *sources[1];
    static const char *settings[64];
    struct weft_err err;
    sources[0] = source;
    set = (struct weft_set){ sources, 1 };
    if (setting)
        assert_true(weft_setting_parse(view, setting, settings, &err));
    struct weft_request request = { .set = &set,
                                    .window = source->schema->span,
                                    .width = 1000,
                                    .height = 400,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    struct weft_scene scene;
    assert_true(weft_view_scene(view, &request, arena, &scene, &err));
    return scene;
}

static const struct weft_layer *layer_of(const struct weft_scene *scene, const char *name)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        if (strcmp(scene->layers[l].name, name) == 0)
            return &scene->layers[l];
    fail_msg("no layer %s", name);
    return NULL;
}

/* The state of a thread or lock whose bar begins at TIME, to find its row. */
static const struct weft_mark *state_mark(const struct weft_scene *scene, const char *title)
{
    const struct weft_layer *layer = layer_of(scene, "states");
    for (size_t m = 0; m < layer->n_marks; m++)
        if (layer->marks[m].title && strstr(layer->marks[m].title, title))
            return &layer->marks[m];
    fail_msg("no state %s", title);
    return NULL;
}

static void bars_are_where_locks_are_held(void **unused)
{
    (void)unused;
    struct weft_trace *trace = make();
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(trace, &arena, "locks=on");
    const struct weft_layer *layer = layer_of(&scene, "locks");
    size_t n = sizeof expected / sizeof *expected;
    assert_int_equal(layer->n_marks, n);
    weft_color fills[LOCKS] = { 0 };
    for (size_t i = 0; i < n; i++) {
        const struct expected *e = &expected[i];
        const struct weft_mark *found = NULL;
        char start[64], row[32];
        snprintf(start, sizeof start, "t%d %s l%d ", e->thread,
                 e->waits ? "waits for" : "holds", e->lock);
        for (size_t m = 0; m < n; m++) {
            const struct weft_mark *mark = &layer->marks[m];
            double x = layer->clip.x + layer->clip.width * (double)e->begin / (END + 1);
            if (strncmp(mark->title, start, strlen(start)) == 0
                && fabs(mark->box.x - x) < 1)
                found = mark;
        }
        assert_non_null(found);
        assert_true(fabs(found->box.width
                         - layer->clip.width * (double)(e->end - e->begin) / (END + 1))
                    < 1);
        assert_int_equal(found->paint.hatch != WEFT_HATCH_NONE, e->waits);
        snprintf(row, sizeof row, "· t%d ·", e->thread);
        const struct weft_mark *state = state_mark(&scene, row);
        double lower = state->box.y + state->box.height;
        assert_int_equal((int)round((lower - found->box.y) / found->box.height),
                         e->lane + 1);
        if (!fills[e->lock])
            fills[e->lock] = found->paint.fill;
        assert_int_equal(found->paint.fill, fills[e->lock]);
    }
    assert_int_not_equal(fills[0], fills[1]);
    weft_arena_free(&arena);
    weft_trace_close(trace);
}

static void there_are_none_unless_asked_for(void **unused)
{
    (void)unused;
    struct weft_trace *trace = make();
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(trace, &arena, "locks=off");
    for (size_t l = 0; l < scene.n_layers; l++)
        assert_true(strcmp(scene.layers[l].name, "locks") != 0 || !scene.layers[l].n_marks);
    weft_arena_free(&arena);
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_where_locks_are_held),
        cmocka_unit_test(there_are_none_unless_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
