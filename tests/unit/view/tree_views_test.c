/* SPDX-License-Identifier: Apache-2.0 */
/* The views of trees, on a small run of reductions and one of calls. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "store/builder.h"
#include "store/trace.h"
#include "view/prepare.h"
#include "view/view.h"

static char path[] = "/tmp/weft-tree-views-test.XXXXXX";
static struct weft_trace *traces[2];
static const struct weft_source *sources[2];
static struct weft_set set;

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, uint32_t end)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = end,
                                                     .end_type = end });
}

enum { INDEX, PARENT_PE, PARENT_INDEX, CLAUSE, SUSPENDED, WOKEN, SUSPENSIONS };

struct reduction {
    int64_t time;
    uint32_t pe, procedure;
    int64_t parent_pe, parent_index;
};

/*
 * go makes two work and a print; the second work migrates; print waits for it from 10 to 40.
 * As the system that runs the programs writes it: no records, a link for who woke whom.
 */
static const struct reduction run_a[] = {
    { 0, 0, 0, 0, 0 },  { 10, 0, 1, 0, 1 }, { 20, 0, 1, 0, 2 },
    { 20, 1, 1, 0, 1 }, { 30, 1, 1, 1, 1 }, { 50, 0, 2, 0, 1 },
};
/* The same on one PE: 4 and 5 run later. */
static const struct reduction run_b[] = {
    { 0, 0, 0, 0, 0 },  { 10, 0, 1, 0, 1 }, { 20, 0, 1, 0, 2 },
    { 30, 0, 1, 0, 1 }, { 40, 0, 1, 0, 4 }, { 60, 0, 2, 0, 1 },
};

static void add_fields(struct weft_builder *b, uint32_t type, uint32_t *fields)
{
    /* Nothing goes by names: a and b are those of another tool. */
    static const struct {
        const char *name;
        enum weft_role role;
    } of[] = {
        { "number", WEFT_ROLE_NUMBER },      { "a", WEFT_ROLE_PARENT_ROW },
        { "b", WEFT_ROLE_PARENT_NUMBER },    { "clause", WEFT_ROLE_CLAUSE },
        { "asleep since", WEFT_ROLE_SINCE }, { "awake", WEFT_ROLE_WOKEN },
        { "how often", WEFT_ROLE_WAITS },
    };
    weft_builder_type_role(b, type, WEFT_ROLE_REDUCTION);
    for (int i = 0; i < 7; i++) {
        fields[i] = weft_builder_field(b, type, of[i].name, WEFT_FIELD_INTEGER);
        weft_builder_field_role(b, fields[i], of[i].role);
    }
}

static struct weft_trace *reductions(const struct reduction *list, size_t n)
{
    static const char *const procedures[] = { "go", "work", "print" };
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t pe_type = define(b, WEFT_CONTAINER, 0, "PE", WEFT_NONE);
    uint32_t type = define(b, WEFT_STATE, pe_type, "reduction", WEFT_NONE);
    uint32_t wakes = define(b, WEFT_LINK, 0, "wakes", pe_type);
    uint32_t fields[7], pes[2], tracks[2], values[3], done[2] = { 0 };
    uint64_t ids[16];
    add_fields(b, type, fields);
    for (int i = 0; i < 3; i++)
        values[i] = weft_builder_value(b, type, procedures[i], NULL, 0);
    for (int i = 0; i < 2; i++) {
        pes[i] = weft_builder_container(b, pe_type, 0, i ? "PE 1" : "PE 0", NULL, 0);
        tracks[i] = weft_builder_track(b, pes[i], type);
    }
    for (size_t i = 0; i < n; i++) {
        const struct reduction *r = &list[i];
        struct weft_field_value of[7];
        size_t m = 0;
        of[m++] = (struct weft_field_value){ fields[INDEX], { ++done[r->pe] } };
        of[m++] = (struct weft_field_value){ fields[CLAUSE], { r->procedure + 1 } };
        if (r->parent_index) {
            of[m++] = (struct weft_field_value){ fields[PARENT_PE], { r->parent_pe } };
            of[m++] =
                (struct weft_field_value){ fields[PARENT_INDEX], { r->parent_index } };
        }
        if (r->procedure == 2) {
            of[m++] = (struct weft_field_value){ fields[SUSPENDED], { 10 } };
            of[m++] = (struct weft_field_value){ fields[WOKEN], { 40 } };
            of[m++] = (struct weft_field_value){ fields[SUSPENSIONS], { 2 } };
        }
        while (weft_builder_open_states(b, tracks[r->pe]))
            (void)!weft_builder_pop(b, tracks[r->pe], r->time, NULL);
        assert_int_equal(weft_builder_push(b, tracks[r->pe], r->time, values[r->procedure],
                                           of, m, &ids[i]),
                         WEFT_BUILD_OK);
    }
    for (int i = 0; i < 2; i++)
        (void)!weft_builder_reset(b, tracks[i], 60);
    weft_builder_link(b,
                      &(struct weft_link){ wakes, 0, WEFT_NONE, WEFT_NONE, pes[0], pes[0],
                                           30, 50, ids[4], ids[5], 0, 0 },
                      NULL, 0);
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    return trace;
}

static int set_up(void **state)
{
    (void)state;
    close(mkstemp(path));
    traces[0] = reductions(run_a, 6);
    traces[1] = reductions(run_b, 6);
    for (int i = 0; i < 2; i++)
        sources[i] = weft_trace_source(traces[i]);
    set = (struct weft_set){ sources, 1 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(traces[0]);
    weft_trace_close(traces[1]);
    unlink(path);
    return 0;
}

static struct weft_request ask(const char *const *settings)
{
    return (struct weft_request){ .set = &set,
                                  .window = sources[0]->schema->span,
                                  .width = 600,
                                  .height = 500,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

static void parse(const struct weft_view *view, const char *text, const char **settings)
{
    struct weft_err err = { 0 };
    char *copy = weft_strdup(text);
    for (char *rest = copy, *one; (one = strtok_r(rest, " ", &rest));)
        if (!weft_setting_parse(view, weft_strdup(one), settings, &err))
            fail_msg("%s", err.message);
    free(copy);
}

static void forget(const struct weft_view *view, const char **settings)
{
    for (size_t i = 0; i < view->n_parameters; i++)
        if (settings[i]) /* points behind NAME= of its own copy */
            free((char *)settings[i] - strlen(view->parameters[i].name) - 1);
}

static char *table_of(const char *name, const char *text, double width)
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[32] = { 0 };
    struct weft_err err = { 0 };
    parse(view, text, settings);
    struct weft_request request = ask(settings);
    request.width = width;
    char *out;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    struct weft_table *table = weft_table_csv(stream);
    if (!view->table(&request, table, &err))
        fail_msg("%s", err.message);
    weft_table_free(table);
    fclose(stream);
    forget(view, settings);
    return out;
}

static void has(char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
    free(text);
}

static void tables_tell_the_run(void **state)
{
    (void)state;
    has(table_of("tree-levels", "", 600),
        "level,nodes,condensed_into,from,to\n0,1,0,0.0000,0.0000\n"
        "1,3,1,0.0000,0.5000\n2,2,2,0.5000,1.0000\n");
    char *nodes = table_of("tree-nodes", "", 600);
    /* Records are ranks of time; of equal times the lower PE is first. */
    assert_non_null(strstr(nodes, "1,0,1,0,0,1,go,0,0,3,3,2,"));
    assert_non_null(strstr(nodes, "2,0,2,0,1,2,work,10,1,1,2,1,3,0,"));
    assert_non_null(strstr(nodes, "4,1,1,0,1,2,work,20,1,1,2,1,3,"));
    assert_non_null(strstr(nodes, "6,0,4,0,1,3,print,50,1,0,2,0,2,270,90"));
    free(nodes);
    has(table_of("tree-nodes", "root=1:1", 600), "5,1,2,1,1,2,work,30,1,0,1,0,1,0,360");
    char *pes = table_of("tree-pes", "", 600);
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
    has(table_of("tree-parallelism", "", 6),
        "0,1.000,3.000,0.000,4.000\n10,1.000,2.000,1.000,3.000\n"
        "20,2.000,1.000,1.000,3.000\n30,2.000,0.000,1.000,2.000\n"
        "40,2.000,1.000,0.000,3.000\n50,2.000,0.000,0.000,2.000\n");
}

static void draw_request(const struct weft_view *view, const struct weft_request *request,
                         void (*check)(const struct weft_scene *scene))
{
    struct weft_err err = { 0 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    if (!view->scene(request, &arena, &scene, &err))
        fail_msg("%s", err.message);
    check(&scene);
    weft_arena_free(&arena);
}

static void draw(const char *name, const char *text, double width, double height,
                 enum weft_theme_name theme, void (*check)(const struct weft_scene *scene))
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[32] = { 0 };
    parse(view, text, settings);
    struct weft_request request = ask(settings);
    request.width = width;
    request.height = height;
    request.theme = weft_theme_get(theme);
    draw_request(view, &request, check);
    forget(view, settings);
}

static size_t n_seen, n_lines;

static void count_nodes(const struct weft_scene *scene)
{
    n_seen = n_lines = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            assert_false(isnan(mark->box.x));
            n_seen += mark->id != WEFT_NO_ID && strcmp(scene->layers[l].name, "nodes") == 0;
            n_lines += strcmp(scene->layers[l].name, "edges") == 0
                       && mark->kind == WEFT_MARK_POLYLINE;
        }
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
            draw("reduction-tree", settings[i], 600, 500, (enum weft_theme_name)theme,
                 count_nodes);
            assert_int_equal(n_seen, 6);
            draw("reduction-tree", settings[i], 320, 200, (enum weft_theme_name)theme,
                 count_nodes);
            assert_int_equal(n_seen, 6);
            draw("reduction-tree", settings[i], 17, 16, (enum weft_theme_name)theme,
                 count_nodes);
        }
    for (int i = 0; i < 4; i++) {
        static const char *const others[] = { "tree-levels", "tree-nodes", "tree-pes",
                                              "tree-parallelism" };
        draw(others[i], "", 600, 500, WEFT_THEME_LIGHT, count_nodes);
        draw(others[i], "", 20, 16, WEFT_THEME_DARK, count_nodes);
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
        struct weft_request request = ask(settings);
        request.has_at = true;
        request.at = steps[i].at;
        draw_request(view, &request, count_nodes);
        assert_int_equal(n_seen, steps[i].n);
    }
}

static char *table_at(const char *name, int64_t at)
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[32] = { 0 };
    struct weft_err err = { 0 };
    char *out;
    size_t size;
    struct weft_request request = ask(settings);
    request.has_at = true;
    request.at = at;
    FILE *stream = open_memstream(&out, &size);
    struct weft_table *table = weft_table_csv(stream);
    assert_true(view->table(&request, table, &err));
    weft_table_free(table);
    fclose(stream);
    return out;
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
    draw("reduction-tree", "zoom=1000 x=-500 y=0.5", 600, 500, WEFT_THEME_LIGHT,
         count_nodes);
    assert_true(n_seen < 6);
    draw("reduction-tree", "zoom=1000000 x=10000000 y=-10000000", 600, 500,
         WEFT_THEME_LIGHT, count_nodes);
    assert_int_equal(n_seen, 0);
    draw("reduction-tree", "root=1:1 zoom=0.01", 600, 500, WEFT_THEME_LIGHT, count_nodes);
    assert_true(n_seen <= 2);
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
        draw("reduction-tree", cases[i].settings, 600, 500, WEFT_THEME_LIGHT, count_colors);
        if (n_wanted != cases[i].n)
            fail_msg("%s: %zu are pale", cases[i].settings, n_wanted);
    }
}

/* Only print waited, from 10 to 40. */
static void waiting_has_colours(void **state)
{
    (void)state;
    wanted_color = weft_theme_get(WEFT_THEME_LIGHT)->grid;
    draw("reduction-tree", "layout=icicle color=waiting", 600, 500, WEFT_THEME_LIGHT,
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
    char *pes = table_of("tree-pes", "", 600);
    assert_non_null(strstr(pes, "0,4,60,2,0,1,100,60,1.667,1.667\n"));
    free(pes);
    wanted_text = "work 100 ns, span 60 ns: parallelism 1.7, of which 1.7 used (100.0 %)";
    draw("reduction-tree", "", 900, 500, WEFT_THEME_LIGHT, find_text);
    assert_true(is_there);
    draw("tree-pes", "", 900, 500, WEFT_THEME_LIGHT, find_text);
    assert_true(is_there);
    draw("reduction-tree", "span=on", 900, 500, WEFT_THEME_LIGHT, count_nodes);
    assert_int_equal(n_seen, 6);
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
        draw("reduction-tree", cases[i].settings, 600, 500, WEFT_THEME_LIGHT, count_nodes);
        if (n_lines != cases[i].n)
            fail_msg("%s: %zu edges", cases[i].settings, n_lines);
    }
}

/* Pointing at where the table says that a node is tells of it; so does pointing near it. */
static void the_nearest_node_is_told(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("reduction-tree");
    char *places = table_of("reduction-tree", "", 600), *rest = places, *line;
    size_t n = 0;
    strtok_r(rest, "\n", &rest);
    while ((line = strtok_r(rest, "\n", &rest))) {
        unsigned record, pe, index;
        char procedure[16];
        double x, y;
        assert_int_equal(sscanf(line, "%u,%u,%u,%15[^,],%*d,%*d,%*d,%lf,%lf", &record, &pe,
                                &index, procedure, &x, &y),
                         6);
        struct weft_request request = ask(NULL);
        struct weft_err err;
        uint64_t id;
        char *out;
        size_t size;
        FILE *stream = open_memstream(&out, &size);
        struct weft_table *table = weft_table_csv(stream);
        assert_true(
            view->point(&request, (struct weft_point){ x + 2, y - 1 }, &id, table, &err));
        weft_table_free(table);
        fclose(stream);
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
            char *places = table_of("reduction-tree", colors[i], width), *rest = places;
            draw("reduction-tree", colors[i], width, 500, WEFT_THEME_LIGHT, find_lowest);
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
    struct weft_err err;
    uint64_t id;
    char *out;
    size_t size;
    parse(view, "root=0:4", settings); /* print */
    struct weft_request request = ask(settings);
    FILE *stream = open_memstream(&out, &size);
    struct weft_table *table = weft_table_csv(stream);
    assert_true(view->point(&request, (struct weft_point){ 0, 0 }, &id, table, &err));
    weft_table_free(table);
    fclose(stream);
    forget(view, settings);
    assert_non_null(strstr(out, "suspended at,10 ns\n"));
    assert_non_null(strstr(out, "\"work (PE 1, 2)\"\n"));
    assert_non_null(strstr(out, "woken at,40 ns\n"));
    has(out, "suspensions,2\n");
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
        parse(view, bad[i], settings);
        struct weft_request request = ask(settings);
        assert_false(view->scene(&request, &arena, &scene, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
        forget(view, settings);
        weft_arena_free(&arena);
    }
}

static void two_runs_are_compared(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("tree-compare");
    assert_false(view->fills(&set));
    set.n_sources = 2;
    assert_true(view->fills(&set));
    char *text = table_of("tree-compare", "", 600);
    assert_non_null(strstr(text, "4,4,work,1,0,20,30,1"));
    assert_non_null(strstr(text, "6,6,print,0,0,50,60,1"));
    free(text);
    text = table_at("tree-compare", 20);
    assert_int_equal(lines_of(text), 1 + 4); /* of the first run */
    free(text);
    draw("tree-compare", "difference=pe", 800, 300, WEFT_THEME_LIGHT, count_nodes);
    assert_int_equal(n_seen, 12);
    draw("tree-compare", "difference=none layout=icicle", 300, 800, WEFT_THEME_MONO,
         count_nodes);
    assert_int_equal(n_seen, 12);
    draw("tree-compare", "difference=time", 40, 30, WEFT_THEME_CVD, count_nodes);
    set.n_sources = 1;
}

/* ---- Calls ---- */

static void nested_states_are_a_tree_of_calls(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t thread = define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t call = define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    uint32_t f = weft_builder_value(b, call, "f", NULL, 0);
    uint32_t g = weft_builder_value(b, call, "g", NULL, 0);
    uint32_t one =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), call);
    uint32_t two =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "two", NULL, 0), call);
    for (int i = 0; i < 3; i++) { /* f { g g } f { g g } ... */
        (void)!weft_builder_push(b, one, 100 * i, f, NULL, 0, NULL);
        for (int k = 1; k < 3; k++) {
            (void)!weft_builder_push(b, one, 100 * i + 10 * k, g, NULL, 0, NULL);
            (void)!weft_builder_pop(b, one, 100 * i + 10 * k + 5, NULL);
        }
        (void)!weft_builder_pop(b, one, 100 * i + 90, NULL);
    }
    (void)!weft_builder_push(b, two, 0, g, NULL, 0, NULL); /* does not nest here */
    (void)!weft_builder_pop(b, two, 10, NULL);
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    const struct weft_source *kept = sources[0];
    sources[0] = weft_trace_source(trace);
    assert_true(weft_view_find("reduction-tree")->fills(&set));
    /* Nobody created one of the two threads, so both hang on a root above. */
    has(table_of("tree-levels", "depth=vista", 600),
        "0,1,0,0.0000,0.0000\n1,2,1,0.0000,0.3333\n2,4,2,0.3333,0.6667\n3,6,3,");
    char *nodes = table_of("tree-nodes", "", 600);
    assert_non_null(strstr(nodes, "0,0,0,0,0,0,one,0,1,3,3,2,"));
    assert_non_null(strstr(nodes, ",0,3,0,1,0,g,20,3,0,1,0,1,"));
    free(nodes);
    draw("reduction-tree", "color=procedure", 600, 500, WEFT_THEME_LIGHT, count_nodes);
    assert_int_equal(n_seen, 12);
    draw("tree-parallelism", "", 600, 500, WEFT_THEME_LIGHT, count_nodes);
    sources[0] = kept;
    weft_trace_close(trace);
}

/* Whom a call waited for, by the states of its thread and the link that ended each. */
static void waiting_of_calls_is_told(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t thread = define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t mutex = define(b, WEFT_CONTAINER, 0, "mutex", WEFT_NONE);
    uint32_t call = define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    uint32_t activity = define(b, WEFT_STATE, thread, "state", WEFT_NONE);
    uint32_t wakes = define(b, WEFT_LINK, WEFT_NONE, "wakes", WEFT_NONE);
    weft_builder_type_role(b, wakes, WEFT_ROLE_WAKE_UP);
    uint32_t object = weft_builder_field(b, activity, "what", WEFT_FIELD_CONTAINER);
    weft_builder_field_role(b, object, WEFT_ROLE_OBJECT);
    uint32_t f = weft_builder_value(b, call, "f", NULL, 0);
    uint32_t runs = weft_builder_value(b, activity, "runs", NULL, 0);
    uint32_t blocked = weft_builder_value(b, activity, "blocked on", NULL, 0);
    weft_builder_value_role(b, blocked, WEFT_ROLE_BLOCKED_ON_LOCK);
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t two = weft_builder_container(b, thread, 0, "two", NULL, 0);
    uint32_t m = weft_builder_container(b, mutex, 0, "m", NULL, 0);
    uint32_t calls = weft_builder_track(b, one, call);
    uint32_t states = weft_builder_track(b, one, activity);
    const struct weft_field_value on = { .field = object, .index = m };
    for (int depth = 0; depth < 2; depth++)
        (void)!weft_builder_push(b, calls, 0, f, NULL, 0, NULL);
    for (int i = 0; i < 3; i++) { /* waits from 20 to 50, 120 to 150 ... */
        (void)!weft_builder_set(b, states, 100 * i, runs, NULL, 0, NULL);
        (void)!weft_builder_set(b, states, 100 * i + 20, blocked, &on, 1, NULL);
        (void)!weft_builder_set(b, states, 100 * i + 50, runs, NULL, 0, NULL);
        weft_builder_link(b,
                          &(struct weft_link){ .type = wakes,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = i < 2 ? two : one,
                                               .to = one,
                                               .begin = 100 * i + 45,
                                               .end = 100 * i + 50,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = WEFT_NO_ID },
                          NULL, 0);
    }
    for (int depth = 0; depth < 2; depth++)
        (void)!weft_builder_pop(b, calls, 300, NULL);
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    const struct weft_source *kept = sources[0];
    sources[0] = weft_trace_source(trace);
    const struct weft_view *view = weft_view_find("reduction-tree");
    const char *settings[32] = { 0 };
    uint64_t id;
    char *out;
    size_t size;
    parse(view, "root=0:1", settings);
    struct weft_request request = ask(settings);
    FILE *stream = open_memstream(&out, &size);
    struct weft_table *table = weft_table_csv(stream);
    assert_true(view->point(&request, (struct weft_point){ 0, 0 }, &id, table, &err));
    weft_table_free(table);
    fclose(stream);
    forget(view, settings);
    assert_non_null(strstr(out, "waited,90 ns\n"));
    assert_non_null(strstr(out, "for,\"blocked on m, until two: 60 ns in 2 times\"\n"));
    has(out, ",blocked on m: 30 ns\n"); /* nobody else woke it */
    sources[0] = kept;
    weft_trace_close(trace);
}

/* ---- Keeping what is prepared ---- */

static void *draw_often(void *user)
{
    struct weft_shelf *shelf = user;
    static const char *const names[] = { "reduction-tree", "tree-levels", "tree-nodes",
                                         "tree-pes" };
    for (int i = 0; i < 40; i++) {
        const struct weft_view *view = weft_view_find(names[i % 4]);
        struct weft_request request = ask(NULL);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        request.height = 100 + 50 * (i % 10); /* other layouts */
        request.shelf = shelf;
        if (!view->scene(&request, &arena, &scene, &err))
            abort();
        weft_arena_free(&arena);
    }
    return NULL;
}

static void threads_share_what_is_prepared(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_often, shelf), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    /*
     * The tree, how its nodes are spread, their sizes; layouts by these and by counts, with room for
     * all three levels, and that of VISTA for the table of nodes; edges, graph and its longest way.
     */
    struct weft_shelf_counts counts = weft_shelf_count(shelf);
    assert_int_equal(counts.started, 9);
    assert_int_equal(counts.n_things, 9);
    weft_shelf_forget(shelf, sources[1]); /* was never prepared */
    assert_int_equal(weft_shelf_count(shelf).n_things, 9);
    weft_shelf_forget(shelf, sources[0]);
    assert_int_equal(weft_shelf_count(shelf).n_things, 0);
    assert_int_equal(weft_shelf_count(shelf).bytes, 0);
    weft_shelf_free(shelf);
}

/* What a picture asks for again is there, unless something that it is made for differs. */
static void each_part_is_prepared_once(void **state)
{
    (void)state;
    static const struct {
        const char *view, *setting;
        unsigned more; /* things that are made for it */
    } steps[] = {
        { "reduction-tree", "color=pe", 7 }, /* tree, spread, sizes, layout; edges, graph, span */
        { "reduction-tree", "color=time", 0 },    { "reduction-tree", "edges=node", 0 },
        { "reduction-tree", "edges=bundles", 1 }, /* and how they are bundled */
        { "reduction-tree", "edges=bundles", 0 }, { "reduction-tree", "root=record:2", 2 },
        { "reduction-tree", "root=record:2", 0 }, { "tree-levels", "distance=150", 1 },
        { "tree-nodes", "root=record:2", 1 }, /* VISTA's layout */
    };
    struct weft_shelf *shelf = weft_shelf_new();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct weft_view *view = weft_view_find(steps[i].view);
        const char *settings[32] = { 0 };
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        uint64_t before = weft_shelf_count(shelf).started;
        assert_true(weft_setting_parse(view, steps[i].setting, settings, &err));
        struct weft_request request = ask(settings);
        request.shelf = shelf;
        assert_true(view->scene(&request, &arena, &scene, &err));
        assert_int_equal(weft_shelf_count(shelf).started - before, steps[i].more);
        weft_arena_free(&arena);
    }
    weft_shelf_free(shelf);
}

static void a_cancelled_request_draws_nothing(void **state)
{
    (void)state;
    struct weft_job job = { .cancelled = true };
    for (size_t i = 0; i < weft_n_views; i++) {
        struct weft_request request = ask(NULL);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        if (strcmp(weft_views[i]->group, "Tree") != 0 || !weft_views[i]->fills(&set))
            continue;
        request.job = &job;
        assert_false(weft_views[i]->scene(&request, &arena, &scene, &err));
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
        weft_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_tell_the_run),
        cmocka_unit_test(parallelism_is_the_mean_of_each_column),
        cmocka_unit_test(pictures_show_the_nodes),
        cmocka_unit_test(a_run_can_be_played),
        cmocka_unit_test(tables_are_of_the_moment_too),
        cmocka_unit_test(zooming_leaves_out_what_is_outside),
        cmocka_unit_test(what_is_looked_for_is_lit),
        cmocka_unit_test(waiting_has_colours),
        cmocka_unit_test(work_and_span_are_told),
        cmocka_unit_test(edges_are_drawn_on_demand),
        cmocka_unit_test(the_nearest_node_is_told),
        cmocka_unit_test(places_are_those_of_the_picture),
        cmocka_unit_test(waiting_is_told),
        cmocka_unit_test(bad_settings_are_named),
        cmocka_unit_test(two_runs_are_compared),
        cmocka_unit_test(nested_states_are_a_tree_of_calls),
        cmocka_unit_test(waiting_of_calls_is_told),
        cmocka_unit_test(threads_share_what_is_prepared),
        cmocka_unit_test(each_part_is_prepared_once),
        cmocka_unit_test(a_cancelled_request_draws_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
