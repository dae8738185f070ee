/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views of arrays: tables of the report's Gaussian elimination (CIS-TR-93-21, chapter 5)
 * against a count of single references, and what pictures show of larger arrays.
 */
#include <math.h>

#include "array_store.h"
#include "base/memory.h"
#include "domains/arrays/view/prepared.h"
#include "simulated_arrays.h"
#include "store/trace/trace.h"
#include "tests/test.h"
#include "view/view.h"

enum { SIZE = 10, STEPS = 100, P = 16, MAX_SETTINGS = 32 /* settings */ };
static const char CYCLIC[] = "distribution=PROCESSORS P(2,8)\n"
                             "DISTRIBUTE B(CYCLIC,CYCLIC) ONTO P\n"
                             "DISTRIBUTE M(CYCLIC,CYCLIC) ONTO P\n";

static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_shelf *shelf;
static struct weft_arena arena;

static void open_run(const char *program, uint32_t size, uint32_t steps)
{
    char path[] = "/tmp/weft-array-views.XXXXXX";
    struct weft_err err = { 0 };
    close(mkstemp(path));
    assert_true(simulated_arrays_write(path, program, size, steps));
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    unlink(path);
    source = weft_trace_source(trace);
    shelf = weft_shelf_new();
}

static void end_run(void)
{
    weft_shelf_free(shelf);
    weft_trace_close(trace);
    weft_arena_free(&arena);
}

static const struct weft_view *view_of(const char *name)
{
    const struct weft_view *view = weft_view_find(name);
    assert_non_null(view);
    return view;
}

static struct weft_request ask(const struct weft_view *view, const char **settings,
                               const char *const *texts)
{
    static struct weft_set set;
    struct weft_err err = { 0 };
    set = (struct weft_set){ &source, 1 };
    for (; *texts; texts++)
        if (!weft_setting_parse(view, *texts, settings, &err))
            fail_msg("%s", err.message);
    return (struct weft_request){ .set = &set,
                                  .window = source->schema->span,
                                  .width = 900,
                                  .height = 640,
                                  .bare = true,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings,
                                  .shelf = shelf };
}

/* ---- Tables as numbers ---- */

struct numbers {
    struct weft_table table;
    size_t n_columns, n_rows, capacity;
    const char *names[12];
    double *cells; /* [n_rows][n_columns]; an empty cell is -1 */
};

static void begin_numbers(struct weft_table *table, const char *const *names, size_t n)
{
    struct numbers *numbers = (struct numbers *)table;
    numbers->n_columns = n;
    memcpy(numbers->names, names, n * sizeof *names);
}

static bool add_numbers(struct weft_table *table, const struct weft_cell *cells)
{
    struct numbers *numbers = (struct numbers *)table;
    size_t at = numbers->n_rows++ * numbers->n_columns;
    numbers->cells = weft_grow(numbers->cells, &numbers->capacity, at + numbers->n_columns,
                               sizeof *numbers->cells);
    for (size_t c = 0; c < numbers->n_columns; c++)
        numbers->cells[at + c] = cells[c].kind == WEFT_CELL_INTEGER
                                     ? (double)cells[c].integer
                                 : cells[c].kind == WEFT_CELL_REAL ? cells[c].real
                                                                   : -1;
    return true;
}

static void end_numbers(struct weft_table *table)
{
    (void)table;
}

static struct numbers numbers_of(const char *view, const char *const *texts)
{
    const char *settings[MAX_SETTINGS] = { 0 };
    struct numbers numbers = { .table = { begin_numbers, add_numbers, end_numbers } };
    struct weft_request request = ask(view_of(view), settings, texts);
    struct weft_err err = { 0 };
    if (!weft_view_table(view_of(view), &request, &numbers.table, &err))
        fail_msg("%s: %s", view, err.message);
    return numbers;
}

static void check_names(const struct numbers *numbers, const char *names)
{
    char text[200] = "";
    for (size_t i = 0; i < numbers->n_columns; i++)
        strcat(strcat(text, i ? "," : ""), numbers->names[i]);
    assert_string_equal(text, names);
}

/* ---- The second count: every single reference, one after the other ---- */

static uint32_t cyclic_owner(uint32_t row, uint32_t column)
{
    return 8 * (row % 2) + column % 8;
}

enum rule { LEFT, RIGHT, FIFTH };
struct count {
    uint32_t first, after;
    enum rule rule;
    bool of_b;
    /* local reads, remote reads, local writes, remote writes */
    uint64_t element[SIZE][SIZE][4], owner[P][4], requester[P][4];
    uint8_t asked[STEPS][SIZE][SIZE][P];
    uint8_t sent[STEPS][P][P][2][SIZE * SIZE]; /* from, to, write, element */
    uint64_t references[P][P];
};

static void count_one(void *user, const struct simulated_reference *of)
{
    struct count *count = user;
    if (of->step < count->first || of->step >= count->after || of->of_b != count->of_b)
        return;
    uint32_t serves = cyclic_owner(of->row, of->column);
    uint32_t asks = cyclic_owner(of->owner_row, of->owner_column);
    if (count->rule == RIGHT && !of->write)
        asks = serves;
    if (count->rule == FIFTH)
        asks = 5;
    int kind = 2 * of->write + (serves != asks);
    count->element[of->row][of->column][kind]++;
    count->owner[serves][kind]++;
    count->requester[asks][kind]++;
    count->asked[of->step][of->row][of->column][asks] = 1;
    if (serves == asks)
        return;
    uint32_t from = of->write ? asks : serves, to = of->write ? serves : asks;
    count->sent[of->step][from][to][of->write][of->row * SIZE + of->column] = 1;
    count->references[from][to]++;
}

static struct count *count_all(uint32_t first, uint32_t after, enum rule rule, bool of_b)
{
    struct count *count = weft_zalloc(1, sizeof *count);
    count->first = first;
    count->after = after;
    count->rule = rule;
    count->of_b = of_b;
    simulated_gauss(SIZE, count_one, count);
    return count;
}

static uint32_t most_requesters(const struct count *count, uint32_t row, uint32_t column)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < STEPS; s++) {
        uint32_t n = 0;
        for (uint32_t p = 0; p < P; p++)
            n += count->asked[s][row][column][p];
        most = n > most ? n : most;
    }
    return most;
}

static void check_four(const double *cells, const uint64_t *counts, double divisor)
{
    for (int k = 0; k < 4; k++)
        assert_true(fabs(cells[k] - (double)counts[k] / divisor) < 1e-6);
}

static void check_elements(const struct count *count, const char *const *texts,
                           double divisor)
{
    struct numbers grid = numbers_of("array-grid", texts);
    check_names(&grid, "row,col,owner,local_reads,remote_reads,local_writes,remote_writes,"
                       "max_requesters_per_step,unowned_reads");
    assert_int_equal(grid.n_rows, SIZE * SIZE);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const double *row = grid.cells + 9 * i;
        uint32_t r = i / SIZE, c = i % SIZE;
        assert_true(row[0] == r && row[1] == c && row[2] == cyclic_owner(r, c));
        check_four(row + 3, count->element[r][c], divisor);
        assert_true(row[7] == most_requesters(count, r, c));
        assert_true(row[8] == 0);
    }
    free(grid.cells);
}

static void check_processors(const struct count *count, const char **texts, size_t n,
                             double divisor)
{
    for (int by = 0; by < 2; by++) {
        texts[n] = by ? "by=requester" : "by=owner";
        struct numbers grid = numbers_of("processor-grid", texts);
        check_names(&grid, "processor,local_reads,remote_reads,local_writes,remote_writes,"
                           "unowned_reads");
        assert_int_equal(grid.n_rows, P);
        for (uint32_t p = 0; p < P; p++) {
            assert_true(grid.cells[6 * p] == p && grid.cells[6 * p + 5] == 0);
            check_four(grid.cells + 6 * p + 1, by ? count->requester[p] : count->owner[p],
                       divisor);
        }
        free(grid.cells);
    }
    texts[n] = NULL;
}

static void check_flows(const struct count *count, const char *const *texts, double divisor)
{
    struct numbers flows = numbers_of("reference-flow", texts);
    size_t at = 0;
    check_names(&flows, "from,to,elements,messages,bytes,references");
    for (uint32_t from = 0; from < P; from++)
        for (uint32_t to = 0; to < P; to++) {
            uint64_t elements = 0, messages = 0;
            for (uint32_t s = 0; s < STEPS; s++) {
                uint64_t before = elements;
                const uint8_t *sent = count->sent[s][from][to][0];
                for (size_t i = 0; i < (size_t)2 * SIZE * SIZE; i++)
                    elements += sent[i];
                messages += elements > before;
            }
            if (!elements)
                continue;
            assert_true(at < flows.n_rows);
            const double *row = flows.cells + 6 * at++;
            assert_true(row[0] == from && row[1] == to);
            assert_true(fabs(row[2] - (double)elements / divisor) < 1e-6);
            assert_true(fabs(row[3] - (double)messages / divisor) < 1e-6);
            assert_true(fabs(row[4] - 8 * (double)elements / divisor) < 1e-5);
            assert_true(fabs(row[5] - (double)count->references[from][to] / divisor)
                        < 1e-6);
        }
    assert_int_equal(at, flows.n_rows);
    free(flows.cells);
}

static void tables_are_those_of_single_references(void **state)
{
    (void)state;
    static const uint32_t steps[] = { 0, 22, 60, 97, 99 };
    static const char *const statistics[] = { "cumulative", "average", "step" };
    static const char *const rules[] = { "compute=left", "compute=right",
                                         "compute=processor" };
    open_run("gauss", SIZE, 0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int s = 0; s < 3; s++)
            for (int rule = 0; rule < (i == 2 ? 3 : 1); rule++) {
                char step[20], statistic[30];
                const char *array = i % 2 ? "array=B" : "array=M";
                const char *texts[10] = { CYCLIC,      step,          statistic,
                                          rules[rule], "processor=5", array };
                struct count *count =
                    count_all(s == 2 ? steps[i] : 0, steps[i] + 1, (enum rule)rule, i % 2);
                double divisor = s == 1 ? steps[i] + 1 : 1;
                snprintf(step, sizeof step, "step=%u", steps[i]);
                snprintf(statistic, sizeof statistic, "statistic=%s", statistics[s]);
                check_elements(count, texts, divisor);
                check_processors(count, texts, 6, divisor);
                check_flows(count, texts, divisor);
                free(count);
            }
    end_run();
}

/* Figure 5.1: processors 0, 1, 8 and 9 own ten elements each, the others five. */
static void the_map_has_the_owners_of_figure_5_1(void **state)
{
    (void)state;
    static const char *const texts[] = { CYCLIC, NULL };
    uint32_t owned[P] = { 0 };
    open_run("gauss", SIZE, 0);
    struct numbers map = numbers_of("distribution-map", texts);
    check_names(&map, "row,col,owner");
    assert_int_equal(map.n_rows, SIZE * SIZE);
    for (size_t i = 0; i < map.n_rows; i++)
        owned[(size_t)map.cells[3 * i + 2]]++;
    for (uint32_t p = 0; p < P; p++)
        assert_int_equal(owned[p], p % 8 < 2 ? 10 : 5);
    free(map.cells);
    end_run();
}

static double all_of(const double *counts)
{
    return counts[0] + counts[1] + counts[2] + counts[3];
}

/*
 * What the report says of its figures: early, elements below the diagonal grow (5.4); behind the
 * first phase, remote writes lie otherwise than all references do (5.6, 5.7); near the end, the
 * two left columns of processors have too much (5.10), and elements nearly the same (5.9).
 */
static void tables_say_what_the_report_says_of_its_figures(void **state)
{
    (void)state;
    open_run("gauss", SIZE, 0);
    struct numbers early =
        numbers_of("array-grid", (const char *[]){ CYCLIC, "step=22", NULL });
    for (size_t r = 2; r < SIZE; r++)
        for (size_t c = 0; c < 2; c++)
            for (size_t right = 3; right < SIZE; right++)
                assert_true(all_of(early.cells + 9 * (SIZE * r + c) + 3)
                            > all_of(early.cells + 9 * (SIZE * r + right) + 3));
    struct numbers middle =
        numbers_of("array-grid", (const char *[]){ CYCLIC, "step=60", NULL });
    bool differ = false;
    for (size_t r = 0; r < SIZE; r++)
        for (size_t c = 1; c < SIZE; c++) {
            const double *left = middle.cells + 9 * (SIZE * r + c - 1), *right = left + 9;
            assert_true(left[6] == right[6]); /* whole rows are written */
            differ |= all_of(left + 3) != all_of(right + 3);
        }
    assert_true(differ);
    struct numbers late =
        numbers_of("processor-grid", (const char *[]){ CYCLIC, "step=97", NULL });
    for (size_t p = 0; p < P; p++)
        for (size_t other = 0; other < P; other++)
            if (p % 8 < 2 && other % 8 >= 2)
                assert_true(all_of(late.cells + 6 * p + 1)
                            > 1.8 * all_of(late.cells + 6 * other + 1));
    struct numbers end =
        numbers_of("array-grid", (const char *[]){ CYCLIC, "step=97", NULL });
    double most = 0;
    size_t fewer = 0; /* B[0][1] and B[0][2], which the columns that remain are about */
    for (size_t i = 0; i < end.n_rows; i++)
        most = fmax(most, all_of(end.cells + 9 * i + 3));
    for (size_t i = 0; i < end.n_rows; i++)
        fewer += all_of(end.cells + 9 * i + 3) < 0.85 * most;
    assert_int_equal(fewer, 2);
    free(early.cells);
    free(middle.cells);
    free(late.cells);
    free(end.cells);
    end_run();
}

/* A moment is that of a step: a step lasts a tick when nobody says more. */
static void a_moment_is_a_step(void **state)
{
    (void)state;
    const struct weft_view *view = view_of("processor-grid");
    open_run("gauss", SIZE, 0);
    for (uint32_t step = 0; step < STEPS; step += 11) {
        const char *settings[MAX_SETTINGS] = { 0 };
        const char *const texts[] = { CYCLIC, NULL };
        struct weft_request request = ask(view, settings, texts);
        struct numbers moment = { .table = { begin_numbers, add_numbers, end_numbers } };
        struct weft_err err = { 0 };
        struct weft_scene scene;
        char text[20];
        request.has_at = true;
        request.at = step;
        assert_true(weft_view_table(view, &request, &moment.table, &err));
        snprintf(text, sizeof text, "step=%u", step);
        struct numbers asked =
            numbers_of("processor-grid", (const char *[]){ CYCLIC, text, NULL });
        assert_memory_equal(moment.cells, asked.cells, 6 * P * sizeof(double));
        free(moment.cells);
        free(asked.cells);
        assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
        assert_true(scene.frame.has_moments);
        assert_int_equal(scene.frame.previous, step ? step - 1 : 0);
        assert_int_equal(scene.frame.next, step + 1 < STEPS ? step + 1 : step);
    }
    end_run();
}

/* ---- Settings that do not suit ---- */

static void what_does_not_suit_is_an_error_that_says_what_would(void **state)
{
    (void)state;
    static const struct {
        const char *view, *text, *says;
    } cases[] = {
        { "array-grid", "step=100", "0 to 99" },
        { "array-grid", "step=-1", "0 to 99" },
        { "array-grid", "step=two", "0 to 99" },
        { "array-grid", "array=X", "B, M" },
        { "array-grid", "array=*", "one array at a time" },
        { "array-grid", "slice=1,*", "two of them" },
        { "array-grid", "slice=*,*,*", "2 dimensions" },
        { "array-grid", "slice=*,*x", "2 dimensions" },
        { "array-grid", "scale=0", "above 0" },
        { "array-grid", "scale=nan", "above 0" },
        { "array-grid", "distribution=DISTRIBUTE B(BLOCK,BLOCK) ONTO Q", "Q" },
    };
    open_run("gauss", SIZE, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[MAX_SETTINGS] = { 0 };
        const char *const texts[] = { cases[i].text, NULL };
        struct weft_request request = ask(view_of(cases[i].view), settings, texts);
        struct weft_scene scene;
        struct weft_err err = { 0 };
        if (weft_view_scene(view_of(cases[i].view), &request, &arena, &scene, &err)
            || !strstr(err.message, cases[i].says))
            fail_msg("%s: %s", cases[i].text, err.message);
    }
    end_run();
}

static bool has_text(const struct weft_scene *scene, const char *part)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            if (mark->kind == WEFT_MARK_TEXT && strstr(mark->text, part))
                return true;
        }
    return false;
}

/* Without a distribution, all is local on one processor; what is about processors says so. */
static void without_a_distribution_references_are_there_all_the_same(void **state)
{
    (void)state;
    static const char *const none[] = { NULL };
    static const char *const views[] = { "processor-grid", "array-and-processors",
                                         "distribution-map", "reference-flow" };
    open_run("gauss", SIZE, 0);
    struct count *count = count_all(0, STEPS, LEFT, true);
    struct numbers grid = numbers_of("array-grid", none);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint64_t *of = count->element[i / SIZE][i % SIZE];
        const double *row = grid.cells + 9 * i;
        assert_true(row[2] == 0 && row[3] == (double)(of[0] + of[1]) && row[4] == 0);
        assert_true(row[5] == (double)(of[2] + of[3]) && row[6] == 0);
    }
    free(grid.cells);
    free(count);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const char *settings[MAX_SETTINGS] = { 0 };
        struct weft_request request = ask(view_of(views[i]), settings, none);
        struct weft_scene scene;
        struct weft_err err = { 0 };
        struct numbers numbers = { .table = { begin_numbers, add_numbers, end_numbers } };
        assert_true(weft_view_scene(view_of(views[i]), &request, &arena, &scene, &err));
        assert_true(has_text(&scene, "distribution"));
        assert_false(weft_view_table(view_of(views[i]), &request, &numbers.table, &err));
        assert_non_null(strstr(err.message, "DISTRIBUTE"));
    }
    end_run();
}

/* A trace of one distribution has its own owners, and does not say who asked. */
static void a_trace_of_a_distribution_is_drawn_as_found(void **state)
{
    (void)state;
    static const char *const none[] = { NULL };
    open_run("found", SIZE, 0);
    struct count *count = count_all(0, STEPS, LEFT, true);
    struct numbers grid = numbers_of("array-grid", none);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const double *row = grid.cells + 9 * i;
        assert_true(row[2] == cyclic_owner(i / SIZE, i % SIZE));
        check_four(row + 3, count->element[i / SIZE][i % SIZE], 1);
    }
    free(grid.cells);
    struct numbers map = numbers_of("distribution-map", none);
    assert_int_equal(map.n_rows, SIZE * SIZE);
    free(map.cells);
    free(count);
    const char *settings[MAX_SETTINGS] = { 0 };
    struct weft_request request = ask(view_of("reference-flow"), settings, none);
    struct weft_scene scene;
    struct weft_err err = { 0 };
    assert_true(weft_view_scene(view_of("reference-flow"), &request, &arena, &scene, &err));
    assert_true(has_text(&scene, "requester"));
    end_run();
}

/* ---- Pictures ---- */

static const struct weft_layer *layer(const struct weft_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_layers; i++)
        if (strcmp(scene->layers[i].name, name) == 0)
            return &scene->layers[i];
    fail_msg("no layer %s", name);
    return NULL;
}

static void draw(struct weft_scene *scene, const char *view, const char *const *texts)
{
    const char *settings[MAX_SETTINGS] = { 0 };
    struct weft_request request = ask(view_of(view), settings, texts);
    struct weft_err err = { 0 };
    if (!weft_view_scene(view_of(view), &request, &arena, scene, &err))
        fail_msg("%s: %s", view, err.message);
}

/* Each element is a mark that a click lights the owner by; its circle's area is its number. */
static void elements_are_marks_of_their_owner(void **state)
{
    (void)state;
    static const char *const texts[] = { CYCLIC, "step=60", NULL };
    struct weft_scene scene;
    open_run("gauss", SIZE, 0);
    struct count *count = count_all(0, 61, LEFT, true);
    draw(&scene, "array-grid", texts);
    const struct weft_layer *elements = layer(&scene, "elements");
    size_t rects = 0;
    double part = 0; /* of a circle's area and its number: the same for all */
    for (size_t i = 0; i < elements->n_marks; i++) {
        const struct weft_mark *mark = &elements->marks[i];
        uint32_t element = (uint32_t)rects - (mark->kind == WEFT_MARK_GLYPH);
        uint32_t r = element / SIZE, c = element % SIZE;
        assert_true(mark->id == arrays_processor_id(cyclic_owner(r, c)));
        assert_int_equal(mark->action.kind, WEFT_ACTION_TOGGLE);
        assert_string_equal(mark->action.parameter, "lit");
        rects += mark->kind == WEFT_MARK_RECT;
        const uint64_t *of = count->element[r][c];
        double number = (double)(of[0] + of[1] + of[2] + of[3]);
        if (mark->kind != WEFT_MARK_GLYPH)
            continue;
        double area = mark->size * mark->size / number;
        assert_true(part == 0 || fabs(area / part - 1) < 1e-4);
        part = area;
    }
    assert_int_equal(rects, SIZE * SIZE);
    assert_true(part > 0);
    free(count);
    end_run();
}

/* What is lit keeps its colour and has the accent's edge, all else goes back. */
static void lit_processors_and_their_elements_stand_out(void **state)
{
    (void)state;
    static const char *const texts[] = { CYCLIC, "lit=processor:9", NULL };
    const struct weft_theme *theme = weft_theme_get(WEFT_THEME_LIGHT);
    struct weft_scene scene;
    open_run("gauss", SIZE, 0);
    draw(&scene, "array-and-processors", texts);
    size_t elements = 0, processors = 0;
    for (size_t i = 0; i < layer(&scene, "elements")->n_marks; i++)
        elements += layer(&scene, "elements")->marks[i].paint.stroke == theme->accent;
    for (size_t i = 0; i < layer(&scene, "processors")->n_marks; i++)
        processors += layer(&scene, "processors")->marks[i].paint.stroke == theme->accent;
    assert_int_equal(elements, 10); /* rows 1, 3, 5, 7, 9 and columns 1, 9 */
    assert_int_equal(processors, 1);
    end_run();
}

static const struct weft_mark *raster_of(const struct weft_scene *scene)
{
    const struct weft_layer *elements = layer(scene, "elements");
    assert_int_equal(elements->n_marks, 1);
    assert_int_equal(elements->marks[0].kind, WEFT_MARK_RASTER);
    return &elements->marks[0];
}

/* Zooming shows the same elements at other places: a point has the element that is drawn there. */
static void a_point_has_the_element_that_is_drawn_there(void **state)
{
    (void)state;
    static const char *const zooms[] = { "zoom=0", "zoom=2", "zoom=4", "zoom=0.7",
                                         "zoom=200" };
    const struct weft_view *view = view_of("array-grid");
    open_run("rows", 100, 20);
    for (size_t z = 0; z < sizeof zooms / sizeof *zooms; z++) {
        static const char cyclic[] = "distribution=PROCESSORS P(2,8)\n"
                                     "DISTRIBUTE R(BLOCK,CYCLIC(3)) ONTO P\n";
        const char *settings[MAX_SETTINGS] = { 0 };
        const char *const texts[] = { cyclic, zooms[z], "x=-0.1", "y=-0.2", NULL };
        struct weft_request request = ask(view, settings, texts);
        struct weft_scene scene;
        struct weft_err err = { 0 };
        assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
        const struct weft_scene_frame *frame = &scene.frame;
        for (int i = 0; i < 40; i++) {
            struct weft_point at = { frame->plot.x + (i * 37) % (int)frame->plot.width,
                                     frame->plot.y + (i * 53) % (int)frame->plot.height };
            double c = floor((at.x - frame->anchor.x) / frame->zoom);
            double r = floor((at.y - frame->anchor.y) / (frame->zoom * frame->tall));
            struct numbers facts = { .table = { begin_numbers, add_numbers, end_numbers } };
            uint64_t id;
            assert_true(weft_view_point(view, &request, at, &id, &facts.table, &err));
            free(facts.cells);
            bool inside = c >= 0 && r >= 0 && c < 100 && r < 100;
            uint64_t owner = 8 * (uint64_t)(r >= 50) + (uint64_t)c / 3 % 8;
            assert_true(id == (inside ? arrays_processor_id((uint32_t)owner) : WEFT_NO_ID));
        }
    }
    end_run();
}

/* One pixel of the bitmap an element, in the ramp's colour; the most referenced is its end. */
static void small_elements_are_one_bitmap(void **state)
{
    (void)state;
    static const char *const texts[] = { "statistic=step", "background=step", "step=7",
                                         NULL };
    const struct weft_theme *theme = weft_theme_get(WEFT_THEME_LIGHT);
    struct weft_scene scene;
    open_run("rows", 90, 20);
    draw(&scene, "array-grid", texts);
    const struct weft_raster *raster = raster_of(&scene)->raster;
    assert_int_equal(raster->columns, 90);
    assert_int_equal(raster->rows, 90);
    for (uint32_t i = 0; i < 90 * 90; i++) {
        double amount = i / 90 != 7 ? 0 : i % 90 < 45 ? 0.5 : 1;
        weft_color wanted = weft_ramp(theme, floor(amount * 255 + 0.5) / 255);
        assert_int_equal(raster->pixels[i], wanted);
    }
    end_run();
}

/* Cells of any size hold the sum of their elements, from a history of all steps or without. */
static void cells_hold_the_sum_of_their_elements(void **state)
{
    (void)state;
    /* Steps: few enough for all elements; for their squares; for none. */
    static const uint32_t steps[] = { 50, 400, 5000 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        enum { N = 161 };
        open_run("rows", N, steps[i]);
        for (unsigned wanted = 0; wanted < 9; wanted++)
            for (int statistic = 0; statistic < 3; statistic++) {
                const char *settings[MAX_SETTINGS] = { 0 };
                const char *const texts[] = { "step=30", NULL };
                const struct weft_view *view = view_of("array-grid");
                struct weft_request request = ask(view, settings, texts);
                struct arrays_question q;
                struct arrays_cells cells;
                struct weft_err err = { 0 };
                struct weft_use use;
                request.view = view;
                request.arena = &arena;
                request.use = &use;
                weft_use_begin(&use, &request);
                assert_true(arrays_begin(&q, &request, &err));
                assert_true(arrays_use_cells(&q, (enum arrays_statistic)statistic, wanted,
                                             &cells, &err));
                assert_int_equal(cells.shift, wanted < 8 ? wanted : 8);
                uint64_t most = 0;
                for (uint64_t r = 0; r < cells.rows; r++)
                    for (uint64_t c = 0; c < cells.columns; c++) {
                        uint64_t sum = 0, reads = arrays_cell(&cells, r, c).local_reads;
                        for (uint64_t e = r << cells.shift; e < (r + 1) << cells.shift; e++)
                            for (uint64_t f = c << cells.shift;
                                 e <= 30 && f < (c + 1) << cells.shift && f < N; f++)
                                sum += (statistic == ARRAYS_STEP ? e == 30 : 1)
                                       * (f < N / 2 ? 1 : 2);
                        assert_int_equal(reads, sum);
                        most = sum > most ? sum : most;
                    }
                if (wanted == 0)
                    assert_true(cells.most[ARRAYS_READS] == (double)most);
                arrays_end(&q);
                weft_use_end(&use);
            }
        end_run();
    }
}

/* An array that is too large to be drawn says so, and others are drawn on behalf of it. */
static void what_is_too_large_is_refused_and_can_be_an_owner(void **state)
{
    (void)state;
    static const char *const views[] = { "array-grid", "processor-grid",
                                         "array-and-processors", "distribution-map" };
    static const char both[] = "distribution=PROCESSORS P(3,4)\n"
                               "PROCESSORS Q(4)\n"
                               "DISTRIBUTE H(CYCLIC,CYCLIC) ONTO P\n"
                               "DISTRIBUTE I(CYCLIC) ONTO Q\n";
    open_run("huge", 0, 0);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++)
        for (int huge = 0; huge < 2; huge++) {
            const char *settings[MAX_SETTINGS] = { 0 };
            const char *const texts[] = { both, huge ? "array=H" : "array=I", NULL };
            struct weft_request request = ask(view_of(views[v]), settings, texts);
            struct weft_scene scene;
            struct weft_err err = { 0 };
            bool ok = weft_view_scene(view_of(views[v]), &request, &arena, &scene, &err);
            assert_int_equal(ok, !huge);
            if (huge)
                assert_non_null(strstr(err.message, "4398046511104"));
        }
    /* Element 3 is processor 3's, asked for by row 1, column 7: processor 4 + 3. */
    struct numbers grid =
        numbers_of("array-grid", (const char *[]){ both, "array=I", NULL });
    for (size_t i = 0; i < 5; i++) {
        assert_true(grid.cells[9 * i + 3] == 0);
        assert_true(grid.cells[9 * i + 4] == (i == 3));
        assert_true(grid.cells[9 * i + 7] == (i == 3));
    }
    free(grid.cells);
    end_run();
}

/* A plane of an array of three dimensions, along any two of them. */
static void a_slice_is_a_plane_of_the_array(void **state)
{
    (void)state;
    static const char *const slices[] = { "slice=3,*,*", "slice=*,2,*", "slice=*,*,5" };
    open_run("tensor", 4, 0);
    for (int i = 0; i < 3; i++) {
        const char *const texts[] = { slices[i], NULL };
        struct numbers grid = numbers_of("array-grid", texts);
        static const size_t rows[] = { 6, 4, 4 }, columns[] = { 8, 8, 6 };
        assert_int_equal(grid.n_rows, rows[i] * columns[i]);
        for (size_t j = 0; j < grid.n_rows; j++) {
            const double *row = grid.cells + 9 * j;
            double plane = i == 0 ? 3 : row[0];
            assert_true(row[0] == (double)(j / columns[i]));
            assert_true(row[3] == plane + 1);
        }
        free(grid.cells);
    }
    end_run();
}

/* The index 4,294,967,295 of a larger extent is one like any other. */
static void a_slice_of_a_very_long_array(void **state)
{
    (void)state;
    static const char *const texts[] = { "slice=4294967295,*,*", NULL };
    const uint64_t shape[] = { (uint64_t)1 << 33, 2, 3 };
    struct array_store store = array_store_begin();
    uint32_t array = array_store_array(&store, "long", 3, shape);
    struct weft_pattern pattern = array_reference(0, array, UINT32_MAX * (uint64_t)6 + 4,
                                                  WEFT_NONE, 0, WEFT_REFERENCE_READ);
    assert_true(weft_profile_writer_add(store.writer, &pattern));
    array_store_open(&store);
    source = store.source;
    shelf = weft_shelf_new();
    struct weft_scene scene;
    draw(&scene, "array-grid", texts);
    assert_int_equal(layer(&scene, "elements")->marks[0].kind, WEFT_MARK_RECT);
    weft_shelf_free(shelf);
    weft_arena_free(&arena);
    array_store_free(&store);
}

/* The title of the first mark of a layer that is a rectangle and has one. */
static const char *title_in(const struct weft_scene *scene, const char *name)
{
    const struct weft_layer *of = layer(scene, name);
    for (size_t i = 0; i < of->n_marks; i++)
        if (of->marks[i].kind == WEFT_MARK_RECT && of->marks[i].title)
            return of->marks[i].title;
    fail_msg("no title in %s", name);
    return NULL;
}

/* Without circles a tooltip counts what the background shows: the step alone, or all so far. */
static void tooltips_count_what_the_background_shows(void **state)
{
    (void)state;
    static const struct {
        const char *statistic, *background, *says;
    } cases[] = {
        { "statistic=cumulative", "background=step", " · step 60 of 0 to 99: " },
        { "statistic=step", "background=cumulative", " · up to step 60 of 0 to 99: " },
    };
    static const char *const views[][2] = { { "array-grid", "elements" },
                                            { "processor-grid", "processors" } };
    open_run("gauss", SIZE, 0);
    for (int i = 0; i < 2; i++)
        for (int v = 0; v < 2; v++) {
            const char *const texts[] = {
                CYCLIC,    cases[i].statistic, cases[i].background,
                "step=60", "glyphs=off",       NULL
            };
            struct weft_scene scene;
            draw(&scene, views[v][0], texts);
            assert_non_null(strstr(title_in(&scene, views[v][1]), cases[i].says));
        }
    end_run();
}

/* All themes and shapes draw something, large ones and those of a few pixels. */
static void every_view_draws_in_every_theme_and_size(void **state)
{
    (void)state;
    static const char *const views[] = { "array-grid", "processor-grid",
                                         "array-and-processors", "distribution-map",
                                         "reference-flow" };
    static const double sizes[][2] = {
        { 16, 16 }, { 120, 60 }, { 320, 200 }, { 300, 900 }
    };
    static const uint32_t extents[] = { 1, 2, 10, 30 };
    for (size_t n = 0; n < 4; n++) {
        open_run("gauss", extents[n], 0);
        for (size_t v = 0; v < sizeof views / sizeof *views; v++)
            for (int theme = 0; theme < 5; theme++)
                for (size_t s = 0; s < 4; s++) {
                    const char *settings[MAX_SETTINGS] = { 0 };
                    const char *const texts[] = { CYCLIC, NULL };
                    struct weft_request request = ask(view_of(views[v]), settings, texts);
                    struct weft_scene scene;
                    struct weft_err err = { 0 };
                    request.theme = weft_theme_get((enum weft_theme_name)theme);
                    request.bare = s % 2;
                    request.width = sizes[s][0];
                    request.height = sizes[s][1];
                    assert_true(
                        weft_view_scene(view_of(views[v]), &request, &arena, &scene, &err));
                    assert_true(scene.n_layers > 1);
                    weft_arena_reset(&arena);
                }
        end_run();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_single_references),
        cmocka_unit_test(the_map_has_the_owners_of_figure_5_1),
        cmocka_unit_test(tables_say_what_the_report_says_of_its_figures),
        cmocka_unit_test(a_moment_is_a_step),
        cmocka_unit_test(what_does_not_suit_is_an_error_that_says_what_would),
        cmocka_unit_test(without_a_distribution_references_are_there_all_the_same),
        cmocka_unit_test(a_trace_of_a_distribution_is_drawn_as_found),
        cmocka_unit_test(elements_are_marks_of_their_owner),
        cmocka_unit_test(lit_processors_and_their_elements_stand_out),
        cmocka_unit_test(a_point_has_the_element_that_is_drawn_there),
        cmocka_unit_test(small_elements_are_one_bitmap),
        cmocka_unit_test(cells_hold_the_sum_of_their_elements),
        cmocka_unit_test(what_is_too_large_is_refused_and_can_be_an_owner),
        cmocka_unit_test(a_slice_is_a_plane_of_the_array),
        cmocka_unit_test(a_slice_of_a_very_long_array),
        cmocka_unit_test(tooltips_count_what_the_background_shows),
        cmocka_unit_test(every_view_draws_in_every_theme_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
