/* SPDX-License-Identifier: Apache-2.0 */
/* The views of trees, on a small run of reductions. */
#include "tree_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/model/tree.h"
#include "tests/table_text.h"

static void tables_tell_the_run(void **state)
{
    (void)state;
    assert_has(runs_table("tree-levels", "", 600),
               "level,nodes,condensed_into,from,to\n0,1,0,0.0000,0.0000\n"
               "1,3,1,0.0000,0.5000\n2,2,2,0.5000,1.0000\n");
    char *nodes = runs_table("tree-nodes", "", 600);
    /* Records are ranks of time; of equal times the lower PE is first. */
    assert_non_null(strstr(nodes, "1,0,1,0,0,1,go,0,0,3,3,2,"));
    assert_non_null(strstr(nodes, "2,0,2,0,1,2,work,10,1,1,2,1,3,0,"));
    assert_non_null(strstr(nodes, "4,1,1,0,1,2,work,20,1,1,2,1,3,"));
    assert_non_null(strstr(nodes, "6,0,4,0,1,3,print,50,1,0,2,0,2,270,90"));
    free(nodes);
    assert_has(runs_table("tree-nodes", "root=1:1", 600),
               "5,1,2,1,1,2,work,30,1,0,1,0,1,0,360");
    char *pes = runs_table("tree-pes", "", 600);
    assert_non_null(strstr(pes, "0,4,60,2,0,1"));
    assert_non_null(strstr(pes, "1,2,40,0,1,0"));
    free(pes);
}

static void parallelism_is_the_mean_of_each_column(void **state)
{
    (void)state;
    /*
     * Six columns of 10.  Goals wait: the first work 0 to 10, its child 10 to 20, the second
     * work 0 to 20, its child 20 to 30, print 0 to 50, of which it is suspended 10 to 40.
     */
    assert_has(runs_table("tree-parallelism", "", 6),
               "0,1.000,3.000,0.000,4.000\n10,1.000,2.000,1.000,3.000\n"
               "20,2.000,1.000,1.000,3.000\n30,2.000,0.000,1.000,2.000\n"
               "40,2.000,1.000,0.000,3.000\n50,2.000,0.000,0.000,2.000\n");
}

static void pictures_show_the_nodes(void **state)
{
    static const char *const settings[] = {
        "",
        "color=time",
        "color=time spectrum=vista",
        "color=pe-time",
        "color=procedure",
        "layout=icicle",
        "layout=icicle color=pe-time",
        "layout=top-down",
        "node=1:2 labels=off rings=off",
    };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int theme = 0; theme < 5; theme++) {
            runs_draw("reduction-tree", settings[i], 600, 500, (enum weft_theme_name)theme,
                      runs_count_nodes);
            assert_int_equal(runs_n_nodes, 6);
            runs_draw("reduction-tree", settings[i], 320, 200, (enum weft_theme_name)theme,
                      runs_count_nodes);
            assert_int_equal(runs_n_nodes, 6);
            runs_draw("reduction-tree", settings[i], 17, 16, (enum weft_theme_name)theme,
                      runs_count_nodes);
        }
    for (int i = 0; i < 4; i++) {
        static const char *const others[] = { "tree-levels", "tree-nodes", "tree-pes",
                                              "tree-parallelism" };
        runs_draw(others[i], "", 600, 500, WEFT_THEME_LIGHT, runs_count_nodes);
        runs_draw(others[i], "", 20, 16, WEFT_THEME_DARK, runs_count_nodes);
    }
}

static bool is_seen(weft_color color)
{
    return color >> 24 && (color & 0xffffff) != 0xffffff;
}

/* White, without an edge or a hatch, is nothing on white; texts and glyphs have grounds. */
static void expect_no_white(const struct weft_scene *scene)
{
    size_t seen = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t i = 0; i < scene->layers[l].n_marks; i++) {
            const struct weft_mark *mark = &scene->layers[l].marks[i];
            const struct weft_paint *paint = &mark->paint;
            if (mark->kind != WEFT_MARK_POLYGON && mark->kind != WEFT_MARK_POLYLINE
                && !mark->title)
                continue;
            seen++;
            if (!is_seen(paint->fill) && !paint->hatch
                && !(is_seen(paint->stroke) && paint->stroke_width > 0))
                fail_msg("a mark of layer %s is white on white", scene->layers[l].name);
        }
    assert_true(seen > 0);
}

static void black_and_white_has_no_white_on_white(void **state)
{
    static const char *const views[] = { "reduction-tree", "reduction-tree",
                                         "tree-levels",    "tree-nodes",
                                         "tree-pes",       "tree-parallelism" };
    (void)state;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        runs_draw(views[i], i == 1 ? "edges=subtree" : "", 600, 500, WEFT_THEME_MONO,
                  expect_no_white);
        runs_draw(views[i], i == 1 ? "edges=subtree" : "", 60, 50, WEFT_THEME_MONO,
                  expect_no_white);
    }
}

static void a_run_can_be_played(void **state)
{
    static const struct {
        int64_t at;
        size_t n;
    } steps[] = {
        { 0, 1 }, { 9, 1 }, { 10, 2 }, { 20, 4 }, { 30, 5 }, { 49, 5 }, { 60, 6 }
    };
    const struct weft_view *view = weft_view_find("reduction-tree");
    const char *settings[32] = { 0 };
    (void)state;
    assert_int_equal(view->moment, WEFT_MOMENT_SHOWN);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct weft_request request = runs_ask(settings);
        request.has_at = true;
        request.at = steps[i].at;
        runs_draw_request(view, &request, runs_count_nodes);
        assert_int_equal(runs_n_nodes, steps[i].n);
    }
}

static char *table_at(const char *name, int64_t at)
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[32] = { 0 };
    struct weft_request request = runs_ask(settings);
    request.has_at = true;
    request.at = at;
    return table_csv(view, &request);
}

static size_t lines_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* A row for each node that is there; at 15 PE 0 runs, of three goals one is suspended. */
static void tables_are_of_the_moment_too(void **state)
{
    (void)state;
    char *text = table_at("reduction-tree", 20);
    assert_int_equal(lines_of(text), 1 + 4);
    free(text);
    text = table_at("tree-parallelism", 15);
    assert_string_equal(text, "time_ns,running,ready,suspended,available\n"
                              "15,1.000,2.000,1.000,3.000\n");
    free(text);
}

static void zooming_leaves_out_what_is_outside(void **state)
{
    (void)state;
    runs_draw("reduction-tree", "zoom=1000 x=-500 y=0.5", 600, 500, WEFT_THEME_LIGHT,
              runs_count_nodes);
    assert_true(runs_n_nodes < 6);
    runs_draw("reduction-tree", "zoom=1000000 x=10000000 y=-10000000", 600, 500,
              WEFT_THEME_LIGHT, runs_count_nodes);
    assert_int_equal(runs_n_nodes, 0);
    runs_draw("reduction-tree", "root=1:1 zoom=0.01", 600, 500, WEFT_THEME_LIGHT,
              runs_count_nodes);
    assert_true(runs_n_nodes <= 2);
}

static weft_color wanted_color;
static size_t n_wanted;

static void count_colors(const struct weft_scene *scene)
{
    n_wanted = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++)
            n_wanted += strcmp(scene->layers[l].name, "nodes") == 0
                        && scene->layers[l].marks[m].paint.fill == wanted_color;
}

/* go, work, work, work, work, print: what does not match is pale. */
static void what_is_looked_for_is_lit(void **state)
{
    static const struct {
        const char *settings;
        size_t n;
    } cases[] = { { "find=work layout=icicle color=procedure", 2 },
                  { "find=o layout=icicle color=procedure", 1 },
                  { "find=zzz layout=icicle color=pe", 6 },
                  { "layout=icicle color=pe", 0 } };
    (void)state;
    wanted_color = weft_theme_get(WEFT_THEME_LIGHT)->grid;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        runs_draw("reduction-tree", cases[i].settings, 600, 500, WEFT_THEME_LIGHT,
                  count_colors);
        if (n_wanted != cases[i].n)
            fail_msg("%s: %zu are pale", cases[i].settings, n_wanted);
    }
}

/* Only print waited, from 10 to 40. */
static void waiting_has_colours(void **state)
{
    (void)state;
    wanted_color = weft_theme_get(WEFT_THEME_LIGHT)->grid;
    runs_draw("reduction-tree", "layout=icicle color=waiting", 600, 500, WEFT_THEME_LIGHT,
              count_colors);
    assert_int_equal(n_wanted, 5);
}

static const char *wanted_text;
static bool is_there;

static void find_text(const struct weft_scene *scene)
{
    is_there = false;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++)
            is_there |= scene->layers[l].marks[m].kind == WEFT_MARK_TEXT
                        && strstr(scene->layers[l].marks[m].text, wanted_text);
}

/*
 * go 0-10, work 10-20, work 20-50, print 50-60 on PE 0; work 20-30, work 30-60 on PE 1: 100
 * in all.  The longest way: go, work (20-30), work (30-60), whose binding wakes print: 10 + 10
 * + 30 + 10.  In a run of 60, 1.7 of the 1.7 were used, all that there was.
 */
static void work_and_span_are_told(void **state)
{
    (void)state;
    char *pes = runs_table("tree-pes", "", 600);
    assert_non_null(strstr(pes, "0,4,60,2,0,1,100,60,1.667,1.667\n"));
    free(pes);
    wanted_text = "work 100 ns, span 60 ns: parallelism 1.7, of which 1.7 used (100.0 %)";
    runs_draw("reduction-tree", "", 900, 500, WEFT_THEME_LIGHT, find_text);
    assert_true(is_there);
    runs_draw("tree-pes", "", 900, 500, WEFT_THEME_LIGHT, find_text);
    assert_true(is_there);
    runs_draw("reduction-tree", "span=on", 900, 500, WEFT_THEME_LIGHT, runs_count_nodes);
    assert_int_equal(runs_n_nodes, 6);
}

static void edges_are_drawn_on_demand(void **state)
{
    static const struct {
        const char *settings;
        size_t n;
    } cases[] = {
        { "edges=none", 0 },
        { "edges=node node=0:4", 1 }, /* print was woken */
        { "edges=node node=0:1", 1 }, /* go's second work migrated */
        { "edges=node node=0:2", 0 },
        { "edges=subtree edge-kind=dependence", 1 },
        { "edges=subtree edge-kind=migration", 1 },
        { "edges=subtree node=1:1", 0 }, /* its end is outside */
        { "edges=bundles layout=top-down", 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        runs_draw("reduction-tree", cases[i].settings, 600, 500, WEFT_THEME_LIGHT,
                  runs_count_nodes);
        if (runs_n_lines != cases[i].n)
            fail_msg("%s: %zu edges", cases[i].settings, runs_n_lines);
    }
}

static char edges_in_legend[200];

static void keep_edges_in_legend(const struct weft_scene *scene)
{
    edges_in_legend[0] = '\0';
    for (size_t i = 0; i < scene->frame.n_legend; i++)
        if (strcmp(scene->frame.legend[i].label, "migration") == 0
            || strcmp(scene->frame.legend[i].label, "data dependence") == 0)
            snprintf(edges_in_legend + strlen(edges_in_legend),
                     sizeof edges_in_legend - strlen(edges_in_legend), "%s;",
                     scene->frame.legend[i].label);
}

/* The legend has the kinds of edges that the tree has: on one PE nothing migrates. */
static void the_legend_has_edges_that_there_are(void **state)
{
    (void)state;
    const struct weft_source *kept = runs_sources[0];
    runs_draw("reduction-tree", "edges=bundles", 900, 600, WEFT_THEME_LIGHT,
              keep_edges_in_legend);
    assert_string_equal(edges_in_legend, "data dependence;migration;");
    runs_sources[0] = runs_sources[1];
    runs_draw("reduction-tree", "edges=bundles", 900, 600, WEFT_THEME_LIGHT,
              keep_edges_in_legend);
    assert_string_equal(edges_in_legend, "data dependence;");
    runs_draw("reduction-tree", "edges=none", 900, 600, WEFT_THEME_LIGHT,
              keep_edges_in_legend);
    assert_string_equal(edges_in_legend, "");
    runs_sources[0] = kept;
}

/* As the questions of a store of which a block is damaged: the reductions of its second PE. */
static const struct weft_source_ops *whole_ops;

static void states_of_the_first(const struct weft_source *source, uint32_t track,
                                struct weft_span window,
                                bool (*visit)(void *, const struct weft_state *),
                                void *user)
{
    const struct weft_track *of = &source->schema->tracks[track];
    if (strcmp(source->schema->containers[of->container].name, "PE 1") != 0)
        whole_ops->states(source, track, window, visit, user);
}

static void damaged_reductions_are_not_there(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_source *source = (struct weft_source *)runs_sources[0];
    struct weft_source_ops ops = *source->ops;
    whole_ops = source->ops;
    ops.states = states_of_the_first;
    source->ops = &ops;
    struct weft_tree *tree = weft_tree_read(source, NULL, &err);
    source->ops = whole_ops;
    assert_non_null(tree);
    assert_int_equal(tree->n, 4); /* without the second work and its child */
    assert_int_equal(tree->lost, 2);
    for (uint32_t i = 0; i < tree->n; i++)
        assert_string_equal(tree->pes[tree->pe[i]].name, "PE 0");
    weft_tree_free(tree);
}

/* Pointing at where the table says that a node is tells of it; so does pointing near it. */
static void the_nearest_node_is_told(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("reduction-tree");
    char *places = runs_table("reduction-tree", "", 600), *rest = places, *line;
    size_t n = 0;
    strtok_r(rest, "\n", &rest);
    while ((line = strtok_r(rest, "\n", &rest))) {
        unsigned record, pe, index;
        char procedure[16];
        double x, y;
        assert_int_equal(sscanf(line, "%u,%u,%u,%15[^,],%*d,%*d,%*d,%lf,%lf", &record, &pe,
                                &index, procedure, &x, &y),
                         6);
        struct weft_request request = runs_ask(NULL);
        uint64_t id;
        char *out = point_csv(view, &request, (struct weft_point){ x + 2, y - 1 }, &id);
        assert_int_equal(weft_entity_ordinal(id), index - 1);
        char *wanted = weft_asprintf("procedure,%s\n", procedure);
        assert_non_null(strstr(out, wanted));
        assert_non_null(strstr(out, "in the run,"));
        free(wanted);
        free(out);
        n++;
    }
    assert_int_equal(n, 6);
    free(places);
}

static double lowest;

static void find_lowest(const struct weft_scene *scene)
{
    lowest = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            if (strcmp(scene->layers[l].name, "nodes") == 0 && mark->box.y > lowest)
                lowest = mark->box.y;
        }
}

/* What stands below a tree does not move it: tables and pointing know its places without that. */
static void places_are_those_of_the_picture(void **state)
{
    static const char *const colors[] = { "layout=top-down", "layout=top-down color=time",
                                          "layout=top-down color=waiting span=on" };
    (void)state;
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        for (double width = 320; width < 1500; width += 290) {
            double y = 0, x;
            char *places = runs_table("reduction-tree", colors[i], width), *rest = places;
            runs_draw("reduction-tree", colors[i], width, 500, WEFT_THEME_LIGHT,
                      find_lowest);
            strtok_r(rest, "\n", &rest);
            for (char *line; (line = strtok_r(rest, "\n", &rest));) {
                double at;
                assert_int_equal(
                    sscanf(line, "%*u,%*u,%*u,%*[^,],%*d,%*d,%*d,%lf,%lf", &x, &at), 2);
                y = at > y ? at : y;
            }
            assert_true(fabs(y - lowest) < 0.01);
            free(places);
        }
}

static void waiting_is_told(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("reduction-tree");
    const char *settings[32] = { 0 };
    uint64_t id;
    runs_parse(view, "root=0:4", settings); /* print */
    struct weft_request request = runs_ask(settings);
    char *out = point_csv(view, &request, (struct weft_point){ 0, 0 }, &id);
    runs_forget(view, settings);
    assert_non_null(strstr(out, "suspended at,10 ns\n"));
    assert_non_null(strstr(out, "\"work (PE 1, 2)\"\n"));
    assert_non_null(strstr(out, "woken at,40 ns\n"));
    assert_has(out, "suspensions,2\n");
}

static void bad_settings_are_named(void **state)
{
    static const char *const bad[] = { "root=9:9", "root=record:7", "root=x",
                                       "node=record:", "root=1:" };
    const struct weft_view *view = weft_view_find("reduction-tree");
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *settings[32] = { 0 };
        struct weft_err err = { 0 };
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        runs_parse(view, bad[i], settings);
        struct weft_request request = runs_ask(settings);
        assert_false(weft_view_scene(view, &request, &arena, &scene, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
        runs_forget(view, settings);
        weft_arena_free(&arena);
    }
}

static void two_runs_are_compared(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("tree-compare");
    assert_false(view->fills(&runs_set));
    runs_set.n_sources = 2;
    assert_true(view->fills(&runs_set));
    char *text = runs_table("tree-compare", "", 600);
    assert_non_null(strstr(text, "4,4,work,1,0,20,30,1"));
    assert_non_null(strstr(text, "6,6,print,0,0,50,60,1"));
    free(text);
    text = table_at("tree-compare", 20);
    assert_int_equal(lines_of(text), 1 + 4); /* of the first run */
    free(text);
    runs_draw("tree-compare", "difference=pe", 800, 300, WEFT_THEME_LIGHT,
              runs_count_nodes);
    assert_int_equal(runs_n_nodes, 12);
    runs_draw("tree-compare", "difference=none layout=icicle", 300, 800, WEFT_THEME_MONO,
              runs_count_nodes);
    assert_int_equal(runs_n_nodes, 12);
    runs_draw("tree-compare", "difference=time", 40, 30, WEFT_THEME_CVD, runs_count_nodes);
    runs_set.n_sources = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_tell_the_run),
        cmocka_unit_test(parallelism_is_the_mean_of_each_column),
        cmocka_unit_test(pictures_show_the_nodes),
        cmocka_unit_test(black_and_white_has_no_white_on_white),
        cmocka_unit_test(a_run_can_be_played),
        cmocka_unit_test(tables_are_of_the_moment_too),
        cmocka_unit_test(zooming_leaves_out_what_is_outside),
        cmocka_unit_test(what_is_looked_for_is_lit),
        cmocka_unit_test(waiting_has_colours),
        cmocka_unit_test(work_and_span_are_told),
        cmocka_unit_test(edges_are_drawn_on_demand),
        cmocka_unit_test(the_legend_has_edges_that_there_are),
        cmocka_unit_test(damaged_reductions_are_not_there),
        cmocka_unit_test(the_nearest_node_is_told),
        cmocka_unit_test(places_are_those_of_the_picture),
        cmocka_unit_test(waiting_is_told),
        cmocka_unit_test(bad_settings_are_named),
        cmocka_unit_test(two_runs_are_compared),
    };
    return cmocka_run_group_tests(tests, runs_set_up, runs_tear_down);
}
