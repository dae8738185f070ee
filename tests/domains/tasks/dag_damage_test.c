/* SPDX-License-Identifier: Apache-2.0 */
/* Task DAGs of which a part cannot be read: no view says 0 of it, nor that nobody worked. */
#include <fcntl.h>

#include "base/file.h"
#include "domains/tasks/view/dag_facts.h"
#include "format/store_layout.h"
#include "simulated_dag.h"
#include "store/trace/trace.h"
#include "tests/table_text.h"
#include "tests/test.h"
#include "view/damage.h"

static char path[] = "/tmp/weft-dag-damage.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;

/* Where a block of a grid is in the file. */
static uint64_t find_block(enum weft_grid_kind kind, uint32_t number)
{
    struct weft_err err;
    struct weft_mapping map;
    struct weft_file_header header;
    struct weft_file_grid grid = { 0 };
    struct weft_file_grid_block block;
    assert_true(weft_map_file(&map, path, &err));
    memcpy(&header, map.data, sizeof header);
    const unsigned char *grids = map.data + header.sections[WEFT_SECTION_GRIDS].offset;
    for (size_t i = 0; i < WEFT_GRID_KINDS; i++) {
        memcpy(&grid, grids + i * sizeof grid, sizeof grid);
        if (grid.kind == kind)
            break;
    }
    assert_int_equal(grid.kind, kind);
    memcpy(&block,
           map.data + header.sections[WEFT_SECTION_GRID_BLOCKS].offset
               + (grid.first_block + number) * sizeof block,
           sizeof block);
    weft_unmap(&map);
    return block.offset;
}

static void write_dag(const struct simulated_dag *what)
{
    if (strchr(path, 'X')) /* the next test takes the same name */
        close(mkstemp(path));
    simulated_dag_write(path, what);
}

static void damage(enum weft_grid_kind kind, uint32_t number)
{
    const unsigned char other = 0xa5;
    uint64_t block = find_block(kind, number);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, &other, 1, (off_t)block + 40), 1);
    close(fd);
}

static int open_it(void)
{
    struct weft_err err;
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    source = weft_trace_source(trace);
    return 0;
}

static int open_damaged(const struct simulated_dag *what, enum weft_grid_kind kind,
                        uint32_t number)
{
    write_dag(what);
    damage(kind, number);
    return open_it();
}

/* The root's block. */
static int set_up(void **unused)
{
    (void)unused;
    return open_damaged(&(struct simulated_dag){ SIMULATED_FIB, 12, 4, 0 },
                        WEFT_GRID_DAG_NODES, 0);
}

/* A root, a section of creates and, behind them, the tasks that those made: whole. */
static int set_up_whole(void **unused)
{
    (void)unused;
    write_dag(&(struct simulated_dag){ SIMULATED_LOOP, 6000, 4, 0 });
    return open_it();
}

/* The same, of which nodes 512 to 767 cannot be read: all are creates of the section. */
static int set_up_lost(void **unused)
{
    (void)unused;
    return open_damaged(&(struct simulated_dag){ SIMULATED_LOOP, 2000, 4, 0 },
                        WEFT_GRID_DAG_NODES, 2);
}

/* The root can be read, but not what it adds up to. */
static int set_up_details(void **unused)
{
    (void)unused;
    return open_damaged(&(struct simulated_dag){ SIMULATED_FIB, 12, 4, 0 },
                        WEFT_GRID_DAG_DETAILS, 0);
}

/* The root and what it adds up to can be read, but not what contracted tasks add up to. */
static int set_up_contracted(void **unused)
{
    (void)unused;
    return open_damaged(&(struct simulated_dag){ SIMULATED_FIB, 16, 4, 5 },
                        WEFT_GRID_DAG_DETAILS, 1);
}

static int tear_down(void **unused)
{
    (void)unused;
    weft_trace_close(trace);
    return unlink(path);
}

static struct weft_request ask(const char **settings)
{
    static struct weft_set set;
    set = (struct weft_set){ &source, 1 };
    return (struct weft_request){ .set = &set,
                                  .window = source->schema->span,
                                  .width = 900,
                                  .height = 500,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

static void test_views_of_figures_say_that_there_are_none(void **unused)
{
    (void)unused;
    static const char *const names[] = { "critical-path", "dag-breakdown", "dag-speedup",
                                         "dag-tasks", "dag-steals" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *settings[32] = { NULL };
        struct weft_request request = ask(settings);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err = { 0 };
        assert_false(
            weft_view_draw(weft_view_find(names[i]), &request, &arena, &scene, &err));
        assert_int_equal(err.code, WEFT_ERR_READ);
        assert_non_null(strstr(err.message, "figures of the run cannot be read"));
        weft_arena_free(&arena);
    }
}

/* As CSV, to be freed. */
static char *table_of(const char *view)
{
    const char *settings[32] = { NULL };
    struct weft_request request = ask(settings);
    return table_csv(weft_view_find(view), &request);
}

/* In a line of CSV, counted from 1 behind the names, these columns are empty and no others. */
static void expect_empty(char *text, size_t n_line, const char *const *columns)
{
    char *names = strsep(&text, "\n"), *line = NULL;
    for (size_t i = 0; i < n_line; i++)
        line = strsep(&text, "\n");
    assert_non_null(line);
    for (char *name, *cell; (name = strsep(&names, ",")) && (cell = strsep(&line, ","));) {
        bool expected = false;
        for (const char *const *c = columns; *c; c++)
            expected |= strcmp(*c, name) == 0;
        if (expected != !*cell)
            fail_msg("%s is \"%s\"", name, cell);
    }
}

static void test_statistics_are_empty(void **unused)
{
    (void)unused;
    size_t n = 0;
    char *text = table_of("dag-stats");
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) && *line; n++)
        if (n) /* behind the names of the columns */
            assert_int_equal(line[strlen(line) - 1], ',');
    assert_true(n > 10);
    free(text);
}

static void test_a_tag_says_that_a_node_cannot_be_read(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_arena arena = { 0 };
    struct weft_dag *dag = weft_dag_open(source, &err);
    struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS];
    size_t few;
    assert_int_equal(weft_dag_facts(source, dag, 0, &arena, facts, &few), 1);
    assert_int_equal(few, 1);
    assert_string_equal(facts[0].value, "node 0 cannot be read: damaged");
    weft_dag_close(dag);
    weft_arena_free(&arena);
}

static void test_a_row_of_what_is_lost_has_its_place_alone(void **unused)
{
    (void)unused;
    static const char *const known[] = { "node", "depth", "x", "y", "width", "height" };
    const char *empty[64] = { NULL };
    const struct weft_view *view = weft_view_find("dag");
    for (size_t c = 0, n = 0; c < view->n_columns; c++) {
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            is_known |= strcmp(known[k], view->columns[c].name) == 0;
        if (!is_known)
            empty[n++] = view->columns[c].name;
    }
    char *text = table_of("dag");
    expect_empty(text, 1, empty);
    free(text);
}

static size_t damaged_entries(const struct weft_scene *scene)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->frame.n_legend; i++)
        n += strcmp(scene->frame.legend[i].label, "damaged") == 0;
    return n;
}

/* Beyond 5,000 nodes there are columns, of the colour of their worker. */
static void test_a_whole_trace_is_not_called_damaged(void **unused)
{
    (void)unused;
    const char *settings[32] = { NULL };
    struct weft_request request = ask(settings);
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    assert_true(
        weft_view_draw(weft_view_find("dag-timeline"), &request, &arena, &scene, &err));
    assert_int_equal(damaged_entries(&scene), 0);
    assert_int_equal(scene.frame.n_legend, 4);
    weft_arena_free(&arena);
}

/* The states of the lost nodes say when they ran, on which worker, and nothing else. */
static void test_lost_nodes_are_where_their_states_are(void **unused)
{
    (void)unused;
    size_t lost = 0;
    char *text = table_of("dag-timeline");
    (void)strtok(text, "\n");
    for (char *line; (line = strtok(NULL, "\n"));) {
        unsigned worker, node;
        char kind[16] = "";
        long long begin, end;
        assert_int_equal(sscanf(line, "%u,%u,", &worker, &node), 2);
        if (node < 512 || node >= 768) {
            assert_int_equal(sscanf(line, "%*u,%*u,%15[a-z],", kind), 1);
            continue;
        }
        assert_int_equal(sscanf(line, "%*u,%*u,,%lld,%lld", &begin, &end), 2);
        assert_true(begin > 0 && end > begin);
        assert_string_equal(line + strlen(line) - 3, ",,,");
        lost++;
    }
    assert_int_equal(lost, 256);
    free(text);
}

static void test_lost_nodes_are_hatched_in_their_lanes(void **unused)
{
    (void)unused;
    const char *settings[32] = { NULL };
    struct weft_request request = ask(settings);
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    size_t hatched = 0, outlined = 0;
    assert_true(
        weft_view_draw(weft_view_find("dag-timeline"), &request, &arena, &scene, &err));
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0;
             strcmp(scene.layers[l].name, "nodes") == 0 && i < scene.layers[l].n_marks;
             i++) {
            const struct weft_paint *paint = &scene.layers[l].marks[i].paint;
            hatched += paint->hatch == WEFT_HATCH_CROSS;
            outlined += paint->hatch == WEFT_HATCH_CROSS && paint->stroke_width > 0;
        }
    assert_int_equal(hatched, 256);
    /* Creates of one section run one behind the other: a single hatch. */
    assert_int_equal(outlined, 1);
    assert_int_equal(damaged_entries(&scene), 1);
    weft_arena_free(&arena);
}

/* With nodes missing another way would be the longest, and its numbers too small. */
static void test_no_other_way_is_called_critical(void **unused)
{
    (void)unused;
    const char *settings[32] = { NULL };
    struct weft_request request = ask(settings);
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    assert_false(
        weft_view_draw(weft_view_find("critical-path"), &request, &arena, &scene, &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    assert_non_null(strstr(err.message, "critical path cannot be read"));
    weft_arena_free(&arena);
}

/* What nobody can read is no delay, and not the time in which there was nothing to do. */
static void test_what_lost_nodes_did_is_not_idle(void **unused)
{
    (void)unused;
    static const char *const of_run[] = { "app",          "type",      "work_stretch_ns",
                                          "delay_ns",     "nowork_ns", "create_delay_ns",
                                          "processor_ns", "file",      NULL };
    static const char *const of_tasks[] = { "count",       "work_ns",   "mean_ns",
                                            "smallest_ns", "small_pct", "stolen",
                                            "inflation",   NULL };
    char *text = table_of("dag-breakdown");
    expect_empty(text, 1, of_run);
    free(text);
    text = table_of("dag-tasks");
    expect_empty(text, 1, of_tasks);
    free(text);
    text = table_of("dag-stats");
    assert_non_null(strstr(text, "\ndelay_ns,\nnowork_ns,\nwaiting_ns,"));
    assert_non_null(strstr(text, "\nsteals,\n"));
    assert_null(strstr(text, "\nwork_ns,\n"));
    free(text);
}

static size_t notes_are_lost(const struct weft_source *unused, size_t from,
                             struct weft_damage *out, size_t capacity)
{
    (void)unused;
    if (from == 0 && capacity)
        *out = (struct weft_damage){ .what = WEFT_DAMAGED_TABLE,
                                     .track = WEFT_NONE,
                                     .field = WEFT_NONE,
                                     .table = "notes" };
    return 1;
}

/* It may have been the notes that said that nobody knows when creations were over. */
static void test_creations_are_not_known_without_notes(void **unused)
{
    (void)unused;
    struct weft_source *asked = (struct weft_source *)source;
    const struct weft_source_ops *whole = source->ops;
    struct weft_source_ops ops = *whole;
    struct weft_err err;
    struct weft_dag *dag = weft_dag_open(source, &err);
    ops.damage = notes_are_lost;
    assert_true(weft_dag_knows_creations(dag));
    asked->ops = &ops;
    assert_false(weft_dag_knows_creations(dag));
    asked->ops = whole;
    weft_dag_close(dag);
}

/* A stolen task of which is known when and where it ran did not work for no time at all. */
static void test_the_work_of_a_lost_steal_is_empty(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_dag *dag = weft_dag_open(source, &err);
    size_t lost = 0, whole = 0;
    char *text = table_of("dag-steals");
    (void)strtok(text, "\n");
    for (char *line; (line = strtok(NULL, "\n"));) {
        struct weft_dag_node node;
        unsigned number;
        char work[24] = "";
        assert_int_equal(sscanf(line, "%u,", &number), 1);
        (void)sscanf(line, "%*u,%*u,%*[^,],%*d,%*d,%*d,%*d,%*d,%23[0-9]", work);
        weft_dag_node(dag, number, &node);
        assert_int_equal(!*work, weft_dag_is_lost(&node));
        lost += weft_dag_is_lost(&node);
        whole += !weft_dag_is_lost(&node);
    }
    assert_true(lost > 0 && whole > 0);
    weft_dag_close(dag);
    free(text);
}

int main(void)
{
#define OF(set_up, test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        OF(set_up, test_views_of_figures_say_that_there_are_none),
        OF(set_up, test_statistics_are_empty),
        OF(set_up, test_a_tag_says_that_a_node_cannot_be_read),
        OF(set_up, test_a_row_of_what_is_lost_has_its_place_alone),
        OF(set_up_details, test_views_of_figures_say_that_there_are_none),
        OF(set_up_details, test_statistics_are_empty),
        OF(set_up_whole, test_a_whole_trace_is_not_called_damaged),
        OF(set_up_lost, test_lost_nodes_are_where_their_states_are),
        OF(set_up_lost, test_lost_nodes_are_hatched_in_their_lanes),
        OF(set_up_lost, test_what_lost_nodes_did_is_not_idle),
        OF(set_up_lost, test_no_other_way_is_called_critical),
        OF(set_up_whole, test_creations_are_not_known_without_notes),
        OF(set_up_contracted, test_the_work_of_a_lost_steal_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
