/* SPDX-License-Identifier: Apache-2.0 */
/* The views of task DAGs, on runs of small programs whose structure is known. */
#include <math.h>

#include "base/memory.h"
#include "dag_store.h"
#include "domains/tasks/dag/dag.h"
#include "domains/tasks/view/dag_facts.h"
#include "simulated_dag.h"
#include "store/trace/trace.h"
#include "tests/table_text.h"
#include "tests/test.h"
#include "view/detail.h"
#include "view/text.h"
#include "view/view.h"

static char path[] = "/tmp/weft-dag-views-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_dag *dag;
static struct weft_arena arena;

static void run(enum simulated_program program, uint32_t size, uint32_t workers,
                uint32_t contracted)
{
    struct weft_err err = { 0 };
    struct simulated_dag what = { program, size, workers, contracted };
    simulated_dag_write(path, &what);
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    source = weft_trace_source(trace);
    dag = weft_dag_open(source, &err);
    assert_non_null(dag);
}

static void end_run(void)
{
    weft_dag_close(dag);
    weft_trace_close(trace);
    weft_arena_free(&arena);
}

/* ---- Asking views ---- */

static struct weft_request ask(const struct weft_view *view, const char **settings,
                               const char *const *texts)
{
    static struct weft_set set;
    struct weft_err err = { 0 };
    set = (struct weft_set){ &source, 1 };
    for (; *texts; texts++)
        assert_true(weft_setting_parse(view, *texts, settings, &err));
    return (struct weft_request){ .set = &set,
                                  .window = source->schema->span,
                                  .width = 1200,
                                  .height = 800,
                                  .bare = true,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

static const char *row_text(struct weft_arena *to, const struct weft_view *view,
                            const char *const *texts)
{
    const char *settings[32] = { 0 };
    struct weft_request request = ask(view, settings, texts);
    char *text = table_csv(view, &request);
    const char *kept = weft_arena_strdup(to, text);
    free(text);
    return kept;
}

static size_t count_rows(const char *csv, const char *part)
{
    size_t n = 0;
    for (const char *at = csv; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void draw(struct weft_scene *scene, const struct weft_view *view,
                 const char *const *texts)
{
    const char *settings[32] = { 0 };
    struct weft_request request = ask(view, settings, texts);
    struct weft_err err = { 0 };
    assert_true(weft_view_scene(view, &request, &arena, scene, &err));
}

static const struct weft_layer *layer(const struct weft_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_layers; i++)
        if (strcmp(scene->layers[i].name, name) == 0)
            return &scene->layers[i];
    return NULL;
}

static const struct weft_view *view_of(const char *name)
{
    const struct weft_view *view = weft_view_find(name);
    assert_non_null(view);
    return view;
}

/* ---- DAGs ---- */

/* fib(3), as figure 1.3 of the thesis on DAGViz has it. */
static void fib_of_three_has_its_nodes(void **state)
{
    (void)state;
    static const char *const none[] = { NULL };
    run(SIMULATED_FIB, 3, 2, 0);
    const char *csv = row_text(&arena, view_of("dag"), none);
    assert_int_equal(count_rows(csv, "\n"), 1 + 18);
    static const struct {
        const char *kind;
        size_t n;
    } kinds[] = {
        { "create", 4 }, { "wait", 2 }, { "end", 5 }, { "section", 2 }, { "task", 5 }
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t n = 0;
        for (const char *line = csv; *line; line = strchr(line, '\n') + 1) {
            const char *kind = strchr(line, ',') + 1; /* the second column */
            size_t length = strlen(kinds[k].kind);
            n += strncmp(kind, kinds[k].kind, length) == 0 && kind[length] == ',';
        }
        assert_int_equal(n, kinds[k].n);
    }
    end_run();
}

static void depth_and_sets_say_what_is_open(void **state)
{
    (void)state;
    /*
     * Root 0 with section 1 and end 2; the section's creates 3 and 4 and wait 5; the creates'
     * tasks 6 and 7, the first with section 8 and end 9, the second with end 10.
     */
    static const struct {
        const char *texts[4];
        size_t rows;
    } cases[] = {
        { { "depth=1", NULL }, 3 },
        { { "depth=2", NULL }, 3 + 5 },
        { { "depth=2", "opened=t16777214:6", NULL }, 3 + 5 + 2 },
        { { "depth=2", "opened=t16777214:6-7", NULL }, 3 + 5 + 3 },
        { { "depth=3", "closed=t16777214:6", NULL }, 3 + 5 + 1 },
        { { "closed=t16777214:1", NULL }, 3 },
        { { "closed=t16777214:0", NULL }, 1 },
    };
    run(SIMULATED_FIB, 3, 2, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *csv = row_text(&arena, view_of("dag"), cases[i].texts);
        assert_int_equal(count_rows(csv, "\n"), 1 + cases[i].rows);
    }
    end_run();
}

/* The id of the node whose own mark stands at a point. */
static uint32_t node_at(const struct weft_scene *scene, double x, double y)
{
    const struct weft_layer *nodes = layer(scene, "nodes");
    for (size_t i = 0; i < nodes->n_marks; i++) {
        const struct weft_mark *mark = &nodes->marks[i];
        if (mark->kind == WEFT_MARK_GLYPH && fabs(mark->box.x - x) < 0.01
            && fabs(mark->box.y - y) < 0.01)
            return weft_dag_of_mark(dag, mark->id);
    }
    return WEFT_NONE;
}

/* The nodes that are marked as critical take together as long as the critical path. */
static void the_critical_path_is_as_long_as_it_says(void **state)
{
    (void)state;
    static const char *const critical[] = { "critical=on", NULL };
    for (uint32_t size = 0; size < 9; size++) {
        struct weft_scene scene;
        struct weft_dag_node root, all;
        int64_t sum = 0;
        run(size < 7 ? SIMULATED_FIB : SIMULATED_SORT, size < 7 ? size : 16 * (size - 6), 3,
            0);
        draw(&scene, view_of("dag"), critical);
        weft_dag_node(dag, 0, &root);
        const struct weft_layer *path_layer = layer(&scene, "critical path");
        for (size_t i = 0; i < path_layer->n_marks; i++) {
            const struct weft_mark *mark = &path_layer->marks[i];
            if (mark->kind != WEFT_MARK_GLYPH)
                continue;
            uint32_t node = node_at(&scene, mark->box.x, mark->box.y);
            assert_int_not_equal(node, WEFT_NONE);
            weft_dag_node(dag, node, &all);
            sum += all.work;
        }
        assert_int_equal(sum, root.critical_path);
        end_run();
    }
}

static void pictures_say_where_the_marked_node_is(void **state)
{
    (void)state;
    struct weft_scene scene;
    run(SIMULATED_FIB, 8, 3, 0);
    for (uint32_t node = 0; node < weft_dag_size(dag); node += 7) {
        const char *text = weft_arena_printf(&arena, "node=node:%u", node);
        const char *const texts[] = { text, "zoom=3", "tall=2", "x=-40", "y=-3", NULL };
        draw(&scene, view_of("dag"), texts);
        const char *csv = row_text(&arena, view_of("dag"), (const char *[]){ NULL });
        assert_true(scene.frame.has_marked);
        assert_true(scene.frame.zoom == 3 && scene.frame.tall == 2);
        /* Where it would be drawn, could one see as far: found in the picture of all. */
        struct weft_scene fit;
        draw(&fit, view_of("dag"), (const char *[]){ text, NULL });
        double across = 60 / (fit.frame.zoom * 20),
               down = 120 / (fit.frame.zoom * fit.frame.tall * 20);
        assert_float_equal(scene.frame.marked.x - scene.frame.anchor.x,
                           (fit.frame.marked.x - fit.frame.anchor.x) * across, 0.01);
        assert_float_equal(scene.frame.marked.y - scene.frame.anchor.y,
                           (fit.frame.marked.y - fit.frame.anchor.y) * down, 0.01);
        assert_non_null(csv);
    }
    end_run();
}

/* In the lanes below the profile, a contracted node is as dark as its worker worked in it. */
static void lanes_have_shares_of_contracted_nodes(void **state)
{
    (void)state;
    for (int64_t work = 250; work <= 1000; work += 750) {
        struct weft_dag_node root = { .kind = WEFT_DAG_TASK,
                                      .in_edge = WEFT_DAG_EDGE_CREATE,
                                      .parent = WEFT_NONE,
                                      .first = WEFT_NONE,
                                      .created = WEFT_NONE,
                                      .begin_site = WEFT_NONE,
                                      .end_site = WEFT_NONE,
                                      .end = 1000,
                                      .work = work,
                                      .critical_path = work,
                                      .leaves = { [WEFT_DAG_END] = 1 },
                                      .materialized = 1,
                                      .least = 1 };
        const struct random_dag one = { .nodes = &root, .n = 1, .n_workers = 1 };
        struct dag_store store = dag_store_make(&one);
        struct weft_scene scene;
        source = store.source;
        draw(&scene, view_of("parallelism"), (const char *[]){ NULL });
        const struct weft_layer *lanes = layer(&scene, "lanes");
        assert_non_null(lanes);
        const struct weft_raster *raster = lanes->marks[0].raster;
        weft_color empty = weft_theme_get(WEFT_THEME_LIGHT)->empty;
        weft_color expected =
            weft_mix(&scene.frame.legend[0].fill, &(float){ (float)work / 1000 }, 1, empty);
        assert_int_equal(raster->pixels[raster->columns / 2], expected);
        dag_store_free(&store);
        weft_arena_free(&arena);
    }
}

/* Where a text stands, as wide as it is and as high as its letters. */
static struct weft_rect text_box(const struct weft_mark *text)
{
    double width = weft_text_width((enum weft_font)text->font, text->size, text->text);
    assert_int_equal(text->detail, WEFT_ANCHOR_END);
    return (struct weft_rect){ text->box.x - width, text->box.y - text->size, width,
                               text->size };
}

static bool boxes_meet(struct weft_rect a, struct weft_rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height
           && b.y < a.y + a.height;
}

static bool says(const struct weft_scene *scene, const char *part)
{
    const struct weft_layer *status = layer(scene, "status");
    for (size_t i = 0; status && i < status->n_marks; i++)
        if (status->marks[i].kind == WEFT_MARK_TEXT && strstr(status->marks[i].text, part))
            return true;
    return false;
}

/* A section of more tasks than a picture looks at is not open at any zoom: nothing else is said. */
static void what_is_never_drawn_is_told(void **state)
{
    static const char *const zooms[] = { "zoom=0", "zoom=1", "zoom=50" };
    (void)state;
    run(SIMULATED_LOOP, 100001, 2, 0);
    for (size_t i = 0; i < sizeof zooms / sizeof *zooms; i++) {
        const struct weft_view *view = view_of("dag");
        const char *settings[32] = { 0 };
        struct weft_err err = { 0 };
        struct weft_scene scene;
        struct weft_request request =
            ask(view, settings, (const char *[]){ zooms[i], NULL });
        request.bare = false;
        assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
        assert_true(says(&scene, "not drawn: more than 100,000 side by side"));
        assert_false(says(&scene, "too small"));
        assert_false(says(&scene, "when enlarged"));
    }
    end_run();
}

/* What the line at the number of workers is stands beside the plot, and on no other text. */
static void the_limit_hides_nothing(void **state)
{
    static const double sizes[][2] = {
        { 1200, 800 }, { 640, 360 }, { 400, 200 }, { 250, 120 }, { 160, 90 }
    };
    static const uint32_t workers[] = { 1, 2, 7, 40 };
    (void)state;
    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
        for (size_t s = 0; s < 2 * sizeof sizes / sizeof *sizes; s++) {
            const struct weft_view *view = view_of("parallelism");
            const char *settings[32] = { 0 };
            struct weft_err err = { 0 };
            struct weft_scene scene;
            run(SIMULATED_FIB, 12, workers[w], 0);
            struct weft_request request = ask(view, settings, (const char *[]){ NULL });
            request.width = sizes[s / 2][0];
            request.height = sizes[s / 2][1];
            request.bare = s % 2;
            assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
            const struct weft_layer *limit = layer(&scene, "limit");
            const struct weft_layer *numbers = layer(&scene, "numbers");
            assert_non_null(limit);
            for (size_t i = 0; i < limit->n_marks; i++) {
                const struct weft_mark *mark = &limit->marks[i];
                assert_int_equal(mark->kind, i == 0 ? WEFT_MARK_LINE : WEFT_MARK_TEXT);
                if (i == 0)
                    continue;
                struct weft_rect box = text_box(mark);
                assert_int_equal(strtoul(mark->text, NULL, 10), workers[w]);
                assert_true(box.x >= 0);
                assert_false(boxes_meet(box, scene.frame.plot));
                for (size_t k = 0; k < numbers->n_marks; k++)
                    if (numbers->marks[k].kind == WEFT_MARK_TEXT)
                        assert_false(boxes_meet(box, text_box(&numbers->marks[k])));
            }
            /* Digits are lower than their line; names of thin lanes are not cut. */
            const struct weft_layer *names = layer(&scene, "lanes' names");
            for (size_t k = 0; names && k < names->n_marks; k++)
                if (names->marks[k].kind == WEFT_MARK_TEXT)
                    assert_true(names->marks[k].box.y - 0.75 * names->marks[k].size
                                >= names->clip.y);
            if (request.height >= 120)
                assert_int_equal(limit->n_marks, 2);
            if (request.width >= 400)
                assert_non_null(strstr(limit->marks[1].text, "worker"));
            end_run();
        }
}

/* What is called alike looks alike, and the few things that there are look different. */
static void colors_tell_places_apart(void **state)
{
    static const char *const colors[] = { "color=begin", "color=end", "color=both" };
    (void)state;
    run(SIMULATED_FIB, 6, 2, 0);
    for (size_t c = 0; c < 3; c++) {
        struct weft_scene scene;
        draw(&scene, view_of("dag"), (const char *[]){ colors[c], "depth=40", NULL });
        assert_true(scene.frame.n_legend > 1);
        for (size_t i = 0; i < scene.frame.n_legend; i++)
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(scene.frame.legend[i].label,
                                        scene.frame.legend[k].label);
                assert_int_not_equal(scene.frame.legend[i].fill,
                                     scene.frame.legend[k].fill);
            }
    }
    end_run();
}

/* Legends have workers by their numbers, under the names of their lanes, however much each ran. */
static void legends_have_workers_in_order(void **state)
{
    static const char *const views[] = { "dag", "dag-box", "dag-timeline" };
    enum { WORKERS = 7 };
    (void)state;
    run(SIMULATED_FIB, 12, WORKERS, 0);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        struct weft_scene scene;
        uint32_t worker = 0;
        draw(&scene, view_of(views[v]), (const char *[]){ NULL });
        assert_int_equal(scene.frame.n_legend, WORKERS);
        for (size_t i = 0; i < scene.frame.n_legend; i++, worker++) {
            uint32_t container = weft_dag_worker_container(dag, worker);
            assert_string_equal(scene.frame.legend[i].label,
                                source->schema->containers[container].name);
        }
    }
    end_run();
}

static void marks_say_what_clicks_do(void **state)
{
    (void)state;
    struct weft_scene scene;
    run(SIMULATED_FIB, 4, 2, 0);
    for (int opens = 0; opens < 2; opens++) {
        const char *const texts[] = { opens ? "click=open" : "click=select", NULL };
        draw(&scene, view_of("dag"), texts);
        const struct weft_layer *boxes = layer(&scene, "boxes"),
                                *nodes = layer(&scene, "nodes");
        assert_true(boxes->n_marks > 0 && nodes->n_marks > 0);
        for (size_t i = 0; i < boxes->n_marks; i++) {
            const struct weft_mark *mark = &boxes->marks[i];
            assert_string_equal(mark->action.parameter, opens ? "closed" : "tags");
            assert_string_equal(mark->twice.parameter, opens ? "tags" : "closed");
        }
        for (size_t i = 0; i < nodes->n_marks; i++) { /* leaves */
            assert_string_equal(nodes->marks[i].action.parameter, "tags");
            assert_int_equal(nodes->marks[i].twice.kind, WEFT_ACTION_NONE);
        }
    }
    end_run();
}

static void details_lead_from_node_to_node(void **state)
{
    (void)state;
    struct weft_detail detail;
    run(SIMULATED_FIB, 3, 2, 0);
    assert_true(weft_detail(source, weft_dag_layout_id(6), &arena, &detail));
    assert_string_equal(detail.kind, "node");
    assert_string_equal(detail.name, "task 6");
    assert_int_equal(weft_dag_of_mark(dag, detail.incoming), 3); /* its create */
    assert_int_equal(weft_dag_of_mark(dag, detail.outgoing), 8); /* its section */
    assert_true(weft_detail(source, detail.incoming, &arena, &detail));
    assert_string_equal(detail.kind, "state");
    assert_int_equal(weft_dag_of_mark(dag, detail.outgoing), 6);
    assert_false(weft_detail(source, weft_dag_layout_id(18), &arena, &detail));
    end_run();
}

/* ---- The timeline ---- */

/* From whom a node was stolen: its task's create, or the create before it, ran elsewhere. */
static int32_t robbed(uint32_t node)
{
    struct weft_dag_node all, up, by;
    weft_dag_node(dag, node, &all);
    if (all.in_edge == WEFT_DAG_EDGE_CREATE_CONTINUATION) {
        uint32_t at = node;
        weft_dag_node(dag, all.parent, &up);
        while (at == up.first) { /* the first of a section that is behind a create */
            at = all.parent;
            weft_dag_node(dag, at, &all);
            weft_dag_node(dag, all.parent, &up);
        }
        weft_dag_node(dag, at - 1, &by);
    } else if (all.in_edge == WEFT_DAG_EDGE_CREATE && node) {
        uint32_t at = all.parent;
        for (weft_dag_node(dag, at, &up); up.kind != WEFT_DAG_CREATE;
             weft_dag_node(dag, at, &up)) {
            at = up.parent;
            if (at == WEFT_NONE)
                return -1;
        }
        by = up;
    } else {
        return -1;
    }
    weft_dag_node(dag, node, &all);
    return by.worker == all.worker ? -1 : by.worker;
}

static void the_timeline_has_delays_and_steals(void **state)
{
    (void)state;
    static const char *const none[] = { NULL };
    run(SIMULATED_SORT, 64, 3, 0);
    const char *csv = row_text(&arena, view_of("dag-timeline"), none);
    size_t rows = 0, steals = 0;
    for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        char kind[16], from[16] = "";
        long worker, node, begin, end, ready, delay;
        assert_true(sscanf(line, "%ld,%ld,%15[a-z],%ld,%ld,%ld,%ld,%15[0-9]", &worker,
                           &node, kind, &begin, &end, &ready, &delay, from)
                    >= 7);
        struct weft_dag_node all;
        weft_dag_node(dag, (uint32_t)node, &all);
        int32_t of = robbed((uint32_t)node);
        assert_int_equal(worker, all.worker);
        assert_int_equal(begin, all.begin - source->schema->span.begin);
        assert_int_equal(delay, all.begin - all.first_ready);
        assert_int_equal(*from ? strtol(from, NULL, 10) : -1, of);
        steals += of >= 0;
        rows++;
    }
    size_t leaves = 0;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node all;
        weft_dag_node(dag, i, &all);
        leaves += !all.n;
    }
    assert_int_equal(rows, leaves);
    assert_true(steals > 0);
    end_run();
}

/* At every size and zoom there are marks, and none beyond the picture. */
static void pictures_are_drawn_at_any_size(void **state)
{
    (void)state;
    static const char *const names[] = { "dag", "dag-box", "dag-timeline" };
    static const double sizes[][2] = { { 320, 200 }, { 40, 30 }, { 1920, 1080 } };
    run(SIMULATED_SORT, 32, 4, 8);
    for (size_t v = 0; v < 3; v++)
        for (size_t s = 0; s < 3; s++)
            for (int bare = 0; bare < 2; bare++) {
                const char *settings[32] = { 0 };
                const struct weft_view *view = view_of(names[v]);
                struct weft_request request = ask(view, settings, (const char *[]){ NULL });
                struct weft_scene scene;
                struct weft_err err = { 0 };
                size_t n = 0;
                request.width = sizes[s][0];
                request.height = sizes[s][1];
                request.bare = bare;
                assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
                for (size_t i = 0; i < scene.n_layers; i++)
                    n += scene.layers[i].n_marks;
                assert_true(n > 0);
            }
    end_run();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fib_of_three_has_its_nodes),
        cmocka_unit_test(depth_and_sets_say_what_is_open),
        cmocka_unit_test(the_critical_path_is_as_long_as_it_says),
        cmocka_unit_test(pictures_say_where_the_marked_node_is),
        cmocka_unit_test(marks_say_what_clicks_do),
        cmocka_unit_test(colors_tell_places_apart),
        cmocka_unit_test(legends_have_workers_in_order),
        cmocka_unit_test(what_is_never_drawn_is_told),
        cmocka_unit_test(the_limit_hides_nothing),
        cmocka_unit_test(lanes_have_shares_of_contracted_nodes),
        cmocka_unit_test(details_lead_from_node_to_node),
        cmocka_unit_test(the_timeline_has_delays_and_steals),
        cmocka_unit_test(pictures_are_drawn_at_any_size),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
