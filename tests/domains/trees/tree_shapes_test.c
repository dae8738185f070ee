/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole trees in one window, whatever their shape: what is drawn, merged, folded and shaded
 * stands for all nodes; rows have room for names; chains and groups open.
 */
#include "base/memory.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "tree_shapes.h"
#include "view/prepare.h"
#include "view/view.h"

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

/* Reductions with these parents on one PE, each of ten ticks. */
static struct weft_trace *store(const uint32_t *parents, uint32_t n)
{
    enum { INDEX, PARENT_PE, PARENT_INDEX, FIELDS };
    static const enum weft_role roles[] = { WEFT_ROLE_NUMBER, WEFT_ROLE_PARENT_ROW,
                                            WEFT_ROLE_PARENT_NUMBER };
    char path[] = "/tmp/weft-tree-shapes-test.XXXXXX";
    uint32_t fields[FIELDS], values[3];
    struct weft_builder *b = small_store_begin(path);
    uint32_t pe = define(b, WEFT_CONTAINER, 0, "PE");
    uint32_t type = define(b, WEFT_STATE, pe, "reduction");
    weft_builder_type_role(b, type, WEFT_ROLE_REDUCTION);
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = add_field(b, type, "f", WEFT_FIELD_INTEGER, roles[i]);
    }
    for (int i = 0; i < 3; i++)
        values[i] = weft_builder_value(b, type, i == 0 ? "p" : i == 1 ? "q" : "r", NULL, 0);
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, pe, 0, "PE 0", NULL, 0), type);
    for (uint32_t i = 0; i < n; i++) {
        const struct weft_field_value of[] = { { fields[INDEX], { i + 1 } },
                                               { fields[PARENT_PE], { 0 } },
                                               { fields[PARENT_INDEX],
                                                 { parents[i] + 1 } } };
        assert_int_equal(
            weft_builder_set(b, track, 10 * (int64_t)i, values[i % 3], of, i ? 3 : 1, NULL),
            WEFT_BUILD_OK);
    }
    (void)!weft_builder_reset(b, track, 10 * (int64_t)n);
    return small_store_end(b, path);
}

static struct weft_trace *store_shape(enum tree_shape shape, uint32_t n)
{
    uint32_t *parents = weft_alloc(n * sizeof *parents);
    tree_shape_parents(shape, parents, n);
    struct weft_trace *trace = store(parents, n);
    free(parents);
    return trace;
}

/* ---- Asking ---- */

struct picture {
    const struct weft_source *source;
    struct weft_set set;
    const char *settings[64];
    char texts[8][64];
    size_t n_texts;
    struct weft_request request;
};

static const struct weft_view *view(void)
{
    return weft_view_find("reduction-tree");
}

static void begin(struct picture *p, const struct weft_trace *trace, const char *settings,
                  double width, double height)
{
    struct weft_err err = { 0 };
    *p = (struct picture){ .source = weft_trace_source(trace) };
    p->set = (struct weft_set){ &p->source, 1 };
    for (const char *at = settings; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        snprintf(p->texts[p->n_texts], sizeof *p->texts, "%.*s", (int)strcspn(at, " "), at);
        if (!weft_setting_parse(view(), p->texts[p->n_texts++], p->settings, &err))
            fail_msg("%s", err.message);
    }
    p->request = (struct weft_request){ .set = &p->set,
                                        .window = p->source->schema->span,
                                        .width = width,
                                        .height = height,
                                        .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                        .settings = p->settings };
}

struct totals {
    uint64_t rows, shaded, folded, merged;
    uint64_t chain; /* rows of the first CHAIN nodes */
};

enum { CHAIN = 600 };

static struct totals totals_of(struct picture *p)
{
    struct totals totals = { 0 };
    char *out = table_csv(view(), &p->request), *rest = out, *line;
    assert_non_null(strstr(strtok_r(rest, "\n", &rest), "condensed,folded,times"));
    while ((line = strtok_r(rest, "\n", &rest))) {
        unsigned long long shaded, folded, times, index;
        assert_int_equal(sscanf(line,
                                "%*d,%*d,%llu,%*[^,],%*d,%*d,%*d,%*f,%*f,%llu,%llu,%llu",
                                &index, &shaded, &folded, &times),
                         4);
        totals.chain += index <= CHAIN;
        totals.rows++;
        totals.shaded += shaded;
        totals.folded += folded;
        totals.merged += times - 1;
    }
    free(out);
    return totals;
}

/* ---- Tests ---- */

static void check_totals(const struct weft_trace *trace, uint32_t n, const char *shape)
{
    static const char *const settings[] = {
        "",
        "layout=icicle",
        "size=time",
        "layout=top-down size=weight",
        "merge=on",
        "layout=icicle merge=on color=procedure",
        "depth=vista",
        "depth=vista layout=icicle",
        "color=time distance=20",
    };
    static const double sizes[][2] = { { 320, 200 }, { 850, 850 } };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (size_t s = 0; s < 2; s++) {
            struct picture p;
            begin(&p, trace, settings[i], sizes[s][0], sizes[s][1]);
            struct totals t = totals_of(&p);
            if (t.rows + t.shaded + t.folded + t.merged != n)
                fail_msg("%s, %s: %llu + %llu + %llu + %llu of %u", shape, settings[i],
                         (unsigned long long)t.rows, (unsigned long long)t.shaded,
                         (unsigned long long)t.folded, (unsigned long long)t.merged, n);
        }
}

static void all_nodes_are_accounted_for(void **state)
{
    (void)state;
    for (int shape = 0; shape < TREE_SHAPES; shape++)
        for (uint32_t n = 10; n <= 30000; n *= shape == TREE_SIEVE ? 50 : 30) {
            struct weft_trace *trace = store_shape((enum tree_shape)shape, n);
            check_totals(trace, n, tree_shape_names[shape]);
            weft_trace_close(trace);
        }
}

/* Of the tree of a sieve there used to be a handful. */
static void a_window_is_filled(void **state)
{
    static const struct {
        enum tree_shape shape;
        uint64_t least;
    } shapes[] = { { TREE_SIEVE, 800 },
                   { TREE_SPIRAL, 1500 },
                   { TREE_DEEP, 150 },
                   { TREE_RANDOM, 800 },
                   { TREE_BINARY, 1000 } };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct weft_trace *trace = store_shape(shapes[i].shape, 100000);
        struct picture p;
        begin(&p, trace, "", 850, 850);
        uint64_t rows = totals_of(&p).rows;
        if (rows < shapes[i].least)
            fail_msg("%s: %llu nodes drawn", tree_shape_names[shapes[i].shape],
                     (unsigned long long)rows);
        weft_trace_close(trace);
    }
}

/* Marks of a layer; the least height of its rectangles. */
static size_t marks_of(const struct weft_scene *scene, const char *name, double *height)
{
    size_t n = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            if (strcmp(scene->layers[l].name, name) != 0)
                continue;
            n++;
            if (mark->kind == WEFT_MARK_RECT && mark->box.height < *height)
                *height = mark->box.height;
        }
    return n;
}

static bool has_text(const struct weft_scene *scene, const char *part)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++)
            if (scene->layers[l].marks[m].kind == WEFT_MARK_TEXT
                && strstr(scene->layers[l].marks[m].text, part))
                return true;
    return false;
}

static void rows_of_icicles_have_room_for_names(void **state)
{
    (void)state;
    for (int shape = 0; shape < TREE_SHAPES; shape++) {
        struct weft_trace *trace = store_shape((enum tree_shape)shape, 5000);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        struct picture p;
        double height = 1000;
        begin(&p, trace, "layout=icicle", 850, 850);
        assert_true(weft_view_scene(view(), &p.request, &arena, &scene, &err));
        assert_true(marks_of(&scene, "nodes", &height) > 0);
        assert_true(height >= 14 - 1 - 1e-6); /* a pixel is between two rows */
        assert_true(marks_of(&scene, "names", &height) > 0);
        weft_arena_free(&arena);
        weft_trace_close(trace);
    }
}

/* A chain of 600 beside a broad tree says so, and has more of the rings when it is opened. */
static void chains_open(void **state)
{
    (void)state;
    enum { N = 20000 };
    uint32_t *parents = weft_alloc(N * sizeof *parents);
    parents[0] = WEFT_NONE;
    for (uint32_t i = 1; i < N; i++)
        parents[i] = i <= CHAIN      ? i - 1
                     : i < CHAIN + 9 ? 0
                                     : CHAIN + 1 + (i - CHAIN - 9) / 8;
    struct weft_trace *trace = store(parents, N);
    free(parents);
    struct picture p;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    begin(&p, trace, "", 850, 850);
    assert_true(weft_view_scene(view(), &p.request, &arena, &scene, &err));
    assert_true(has_text(&scene, "in a row"));
    weft_arena_free(&arena);
    uint64_t closed = totals_of(&p).chain;
    begin(&p, trace, "opened=t0:1", 850, 850);
    assert_true(totals_of(&p).chain > closed + closed / 2);
    weft_trace_close(trace);
}

/* 3,000 leaves of three procedures are three groups; one of them opens. */
static void groups_open(void **state)
{
    (void)state;
    struct weft_trace *trace = store_shape(TREE_STAR, 9001);
    struct picture p;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    begin(&p, trace, "merge=on", 850, 850);
    assert_true(weft_view_scene(view(), &p.request, &arena, &scene, &err));
    assert_true(has_text(&scene, "q ×3,000"));
    weft_arena_free(&arena);
    struct totals t = totals_of(&p);
    assert_int_equal(t.rows, 1 + 3);
    assert_int_equal(t.merged, 9000 - 3);
    begin(&p, trace, "merge=on opened=t0:1", 850, 850); /* the first q */
    t = totals_of(&p);
    assert_int_equal(t.merged, 6000 - 2);
    assert_int_equal(t.rows + t.shaded, 1 + 2 + 3000);
    weft_trace_close(trace);
}

static void cancel(struct weft_job *job, void *user)
{
    (void)user;
    job->cancelled = true;
}

/* Edges within a large tree look at the job, also where all that they need is prepared. */
static void edges_are_cancelled(void **state)
{
    (void)state;
    struct weft_trace *trace = store_shape(TREE_STAR, 200000);
    struct weft_shelf *shelf = weft_shelf_new();
    for (int with_job = 0; with_job < 2; with_job++) {
        struct weft_job job = { .progress = cancel };
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        struct picture p;
        begin(&p, trace, "edges=subtree", 400, 400);
        p.request.shelf = shelf;
        p.request.job = with_job ? &job : NULL;
        bool ok = weft_view_scene(view(), &p.request, &arena, &scene, &err);
        assert_int_equal(ok, !with_job);
        assert_true(ok || err.code == WEFT_ERR_CANCELLED);
        weft_arena_free(&arena);
    }
    weft_shelf_free(shelf);
    weft_trace_close(trace);
}

/* What somebody writes into an address may be anything. */
static void strange_sets_are_opened(void **state)
{
    static const char *const settings[] = { "opened=t0:99999", "opened=#0", "opened=#1+",
                                            "opened=t0:0-999",
                                            "opened=t0:5 root=record:9" };
    (void)state;
    struct weft_trace *trace = store_shape(TREE_SPIRAL, 1000);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        struct picture p;
        begin(&p, trace, settings[i], 400, 400);
        bool ok = weft_view_scene(view(), &p.request, &arena, &scene, &err);
        assert_true(ok || err.code == WEFT_ERR_USAGE);
        weft_arena_free(&arena);
    }
    weft_trace_close(trace);
}

/* What is too small to draw is seen in every theme: a shade differs from what it lies on. */
static void shades_are_seen_in_every_theme(void **state)
{
    (void)state;
    static const enum weft_theme_name themes[] = { WEFT_THEME_LIGHT, WEFT_THEME_DARK,
                                                   WEFT_THEME_GREY, WEFT_THEME_MONO,
                                                   WEFT_THEME_CVD };
    struct weft_trace *trace = store_shape(TREE_STAR, 20000);
    for (size_t t = 0; t < sizeof themes / sizeof *themes; t++) {
        struct picture p;
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err = { 0 };
        size_t n = 0;
        begin(&p, trace, "color=pe", 500, 500);
        p.request.theme = weft_theme_get(themes[t]);
        assert_true(weft_view_scene(view(), &p.request, &arena, &scene, &err));
        for (size_t l = 0; l < scene.n_layers; l++)
            for (size_t m = 0; m < scene.layers[l].n_marks; m++) {
                weft_color fill = scene.layers[l].marks[m].paint.fill;
                if (strcmp(scene.layers[l].name, "condensed") != 0)
                    continue;
                n++;
                assert_true((fill & 0xffffffu) != (p.request.theme->panel & 0xffffffu));
            }
        assert_true(n > 0);
        weft_arena_free(&arena);
    }
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_nodes_are_accounted_for),
        cmocka_unit_test(a_window_is_filled),
        cmocka_unit_test(rows_of_icicles_have_room_for_names),
        cmocka_unit_test(chains_open),
        cmocka_unit_test(groups_open),
        cmocka_unit_test(shades_are_seen_in_every_theme),
        cmocka_unit_test(edges_are_cancelled),
        cmocka_unit_test(strange_sets_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
