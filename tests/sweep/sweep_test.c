/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every view in pictures of all sizes.  Sizes, windows, themes and settings are drawn from a
 * sequence that is the same in every run; what must hold in each picture is scene_check's.
 * Run under sanitizers, this finds what is written or read beyond a picture.
 */
#include <math.h>

#include "analyse/where_selection.h"
#include "base/memory.h"
#include "domains/tasks/model/dag_layout.h"
#include "draw/draw.h"
#include "scene_check.h"
#include "shots.h"
#include "store/build/builder.h"
#include "tests/domains/arrays/simulated_arrays.h"
#include "tests/domains/tasks/simulated_dag.h"
#include "tests/random.h"
#include "tests/test.h"
#include "traces.h"
#include "view/prepare.h"
#include "view/view.h"

/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}

enum {
    PICTURES = 50, /* of each view and trace */
    DAMAGED_COPIES = 20,
    DAMAGED_PICTURES = 2,   /* of each view that such a copy fills */
    PLAYED_PIXELS = 200000, /* larger pictures take a back end too long */
    TABLE_ROWS = 200,
};

static char path[] = "/tmp/weft-sweep.XXXXXX";
static char copy[] = "/tmp/weft-sweep-copy.XXXXXX";

static unsigned all_pictures; /* that were drawn, of all */
static bool came_out[100];    /* a picture of the view with this number */

static _Noreturn void tell(const struct shot *shot, const char *what)
{
    const struct weft_request *r = &shot->request;
    fprintf(stderr, "# %s of %u rows, %g x %g, window %lld to %lld, bare %d, theme %d:\n",
            shot->view->name, shot->rows, r->width, r->height, (long long)r->window.begin,
            (long long)r->window.end, r->bare, (int)r->theme->name);
    for (size_t i = 0; i < shot->view->n_parameters; i++)
        if (shot->settings[i])
            fprintf(stderr, "#   %.80s\n", shot->texts[i]);
    fail_msg("%s", what);
    abort();
}

/* ---- What is done with it ---- */

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8
           | bytes[3];
}

static void play(const struct shot *shot, const struct weft_scene *scene)
{
    const struct weft_backend *backend = weft_backends[roll(weft_n_backends)];
    char *bytes = NULL;
    size_t size = 0;
    struct weft_err err;
    FILE *stream = open_memstream(&bytes, &size);
    assert_non_null(stream);
    bool ok = backend->draw(scene, stream, NULL, &err);
    fclose(stream);
    if (!ok || !size)
        tell(shot, backend->name);
    /* A PNG says its size in the 16th byte of the file and those after it. */
    if (strcmp(backend->name, "png") == 0
        && (size < 24
            || big_endian((unsigned char *)bytes + 16) != (uint32_t)ceil(scene->width)
            || big_endian((unsigned char *)bytes + 20) != (uint32_t)ceil(scene->height)))
        tell(shot, "the PNG has another size than the picture");
    free(bytes);
}

/* A setting is wrong, or the file that it stands for, or asks for more than is shown. */
static bool is_of_setting(const struct weft_err *err)
{
    return err->code == WEFT_ERR_USAGE || err->code == WEFT_ERR_FORMAT
           || err->code == WEFT_ERR_LIMIT;
}

struct counting_table {
    struct weft_table table;
    const struct weft_view *view; /* NULL: facts */
    size_t n_columns, n_rows;
};

/*
 * Whether the columns are those that the view declares, which has some only by a setting, or
 * only for the page.
 */
static bool are_declared(const struct weft_view *view, const char *const *names, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < view->n_columns; i++) {
        if (at < n && strcmp(names[at], view->columns[i].name) == 0)
            at++;
        else if (!view->columns[i].with && !view->columns[i].of_page)
            return false;
    }
    return at == n;
}

static void count_begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct counting_table *count = (struct counting_table *)table;
    if (count->view && !are_declared(count->view, names, n))
        fail_msg("the table of %s has other columns than it declares", count->view->name);
    count->n_columns = n;
}

static bool count_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct counting_table *count = (struct counting_table *)table;
    for (size_t i = 0; i < count->n_columns; i++)
        if (cells[i].kind == WEFT_CELL_TEXT)
            (void)!strlen(cells[i].text);
    return ++count->n_rows < TABLE_ROWS;
}

static void count_end(struct weft_table *table)
{
    (void)table;
}

/* The table of the same request, and what is at some points of the picture. */
static void ask_besides(const struct shot *shot)
{
    struct counting_table count = {
        { count_begin, count_row, count_end }, shot->view, 0, 0
    };
    struct weft_err err;
    if (!weft_view_table(shot->view, &shot->request, &count.table, &err) && shot->whole)
        assert_true(is_of_setting(&err));
    count.view = NULL;
    for (int i = 0; shot->view->point && i < 5; i++) {
        struct weft_point at = { shot->request.width * (double)(roll(1200)) / 1000 - 10,
                                 shot->request.height * (double)(roll(1200)) / 1000 - 10 };
        uint64_t id;
        count.n_rows = 0;
        (void)!weft_view_point(shot->view, &shot->request, at, &id, &count.table, &err);
    }
}

/* The setting is a set, or, for what is moved, lines. */
static bool holds(const struct weft_view *view, const struct weft_action *action)
{
    for (size_t i = 0; i < view->n_parameters; i++) {
        const struct weft_parameter *p = &view->parameters[i];
        if (strcmp(p->name, action->parameter) == 0)
            return action->kind == WEFT_ACTION_MOVE
                       ? p->kind == WEFT_PARAMETER_FILE
                       : p->kind == WEFT_PARAMETER_CONTAINERS
                             || p->kind == WEFT_PARAMETER_ENTITIES;
    }
    return false;
}

/* A mark's action to list must be a selection that suits the trace. */
static void check_selection(const struct shot *shot, const char *text)
{
    struct weft_err err;
    struct weft_where *where = weft_where_new(shot->request.set->sources[0], text, &err);
    if (!where)
        tell(shot, "a click lists what cannot be selected");
    weft_where_free(where);
}

/* What a click does must be possible: a set of the view's, and something of the trace. */
static void check_actions(const struct shot *shot, const struct weft_scene *scene)
{
    const struct weft_schema *schema = shot->request.set->sources[0]->schema;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_action *action = &scene->layers[l].marks[m].action;
            if (action->kind == WEFT_ACTION_NONE)
                continue;
            if (action->kind == WEFT_ACTION_LIST) {
                check_selection(shot, action->parameter);
                continue;
            }
            if (!holds(shot->view, action))
                tell(shot, "a click does what cannot be done");
            if (action->kind == WEFT_ACTION_MOVE)
                continue; /* any line will do */
            struct weft_entity_set set = { 0 }, again;
            struct weft_err err;
            assert_true(weft_entity_set_toggle(&set, action->id, &err));
            char *text = weft_entity_set_text(&set);
            if (weft_entity_track(action->id) >= schema->n_tracks
                && !weft_is_container_id(action->id))
                ; /* a node of a task DAG, or a processor of a distribution */
            else if (!weft_setting_entities(schema, text, &again, &err))
                tell(shot, "a click does what cannot be done");
            else
                weft_entity_set_free(&again);
            free(text);
            weft_entity_set_free(&set);
        }
}

/* Whether it could be drawn; that it cannot is fine when a setting is why. */
static bool draw(struct shot *shot, const struct weft_set *set, struct weft_shelf *shelf)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    char what[600];
    some_request(shot, set);
    shot->request.shelf = shelf;
    bool ok = weft_view_scene(shot->view, &shot->request, &arena, &scene, &err);
    if (!ok && shot->whole && !is_of_setting(&err))
        tell(shot, err.message);
    if (ok) {
        if (scene.width != shot->request.width || scene.height != shot->request.height)
            tell(shot, "the scene has another size than was asked for");
        if (scene_fault(&scene, what, sizeof what))
            tell(shot, what);
        check_actions(shot, &scene);
        if (roll(4) == 0 && scene.width * scene.height < PLAYED_PIXELS)
            play(shot, &scene);
        if (roll(4) == 0)
            ask_besides(shot);
    }
    weft_arena_free(&arena);
    return ok;
}

/* Every view that the trace fills; how many pictures came out. */
static unsigned draw_all(struct shot *shot, const struct weft_source *source,
                         unsigned pictures)
{
    const struct weft_source *both[2] = { source, source };
    unsigned drawn = 0;
    struct weft_shelf *shelf = weft_shelf_new();
    for (size_t v = 0; v < weft_view_count(); v++) {
        struct weft_set set = { both, weft_view_at(v)->compares ? 2 : 1 };
        shot->view = weft_view_at(v);
        unsigned of_view = 0;
        if (!shot->view->fills(&set))
            continue;
        for (unsigned i = 0; i < pictures; i++)
            of_view += draw(shot, &set, shelf);
        /* Settings are wrong now and then, but not always: a view must have been seen. */
        if (shot->whole && of_view < pictures / 10)
            tell(shot, "hardly a picture of this view came out");
        drawn += of_view;
        came_out[v] |= of_view > 0;
    }
    weft_shelf_free(shelf);
    return drawn;
}

static void sweep_stored(unsigned rows)
{
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    static struct shot shot;
    shot.rows = rows;
    shot.whole = true;
    unsigned drawn = draw_all(&shot, weft_trace_source(trace), PICTURES);
    assert_true(drawn > PICTURES);
    all_pictures += drawn;
    weft_trace_close(trace);
}

static void sweep(unsigned rows, bool meanings)
{
    make_trace(path, rows, meanings);
    sweep_stored(rows);
}

static void test_task_dags(void **unused)
{
    (void)unused;
    static const struct simulated_dag runs[] = {
        { SIMULATED_FIB, 0, 1, 0 },     { SIMULATED_FIB, 12, 4, 5 },
        { SIMULATED_SORT, 256, 70, 0 }, { SIMULATED_LOOP, 3000, 8, 0 },
        { SIMULATED_NEST, 300, 2, 0 },
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        simulated_dag_write(path, &runs[i]);
        sweep_stored(runs[i].workers);
    }
}

static void test_messages(void **unused)
{
    (void)unused;
#ifdef __SANITIZE_THREAD__ /* which takes more pieces of memory for 300 than Linux gives */
    static const unsigned ranks[] = { 1, 2, 9, 64 };
#else
    static const unsigned ranks[] = { 1, 2, 9, 64, 300 };
#endif
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        make_messages(path, ranks[i]);
        sweep_stored(ranks[i]);
    }
}

static void test_arrays(void **unused)
{
    (void)unused;
    static const struct {
        const char *program;
        uint32_t size, steps;
    } runs[] = {
        { "gauss", 8, 0 },  { "stencil", 30, 5 }, { "stencil", 300, 3 },
        { "tensor", 7, 4 }, { "rows", 50, 9 },    { "found", 10, 0 },
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_true(
            simulated_arrays_write(path, runs[i].program, runs[i].size, runs[i].steps));
        sweep_stored(runs[i].size);
    }
}

static void test_one_row(void **unused)
{
    (void)unused;
    sweep(1, false);
    sweep(1, true);
}

static void test_few_rows(void **unused)
{
    (void)unused;
    sweep(7, true);
    sweep(64, true);
}

static void test_hundreds_of_rows(void **unused)
{
    (void)unused;
    sweep(500, true);
}

static void test_thousands_of_rows(void **unused)
{
    (void)unused;
    sweep(5000, false);
    sweep(5000, true);
}

/* Shares that are wrong make a picture wrong, and nothing else. */
static void test_damaged_shares(void **unused)
{
    (void)unused;
    static const unsigned rows[] = { 1, 64, 500 };
    static struct shot shot;
    unsigned drawn = 0;
    for (unsigned i = 0; i < DAMAGED_COPIES; i++) {
        struct weft_err err;
        shot.rows = rows[i * 3 / DAMAGED_COPIES];
        shot.whole = false;
        if (i == 0 || shot.rows != rows[(i - 1) * 3 / DAMAGED_COPIES])
            make_trace(path, shot.rows, i % 2);
        copy_damaged(path, copy, 500);
        struct weft_trace *trace = weft_trace_open(copy, &err);
        if (!trace)
            fail_msg("%s", err.message);
        drawn += draw_all(&shot, weft_trace_source(trace), DAMAGED_PICTURES);
        weft_trace_close(trace);
    }
    assert_true(drawn > DAMAGED_COPIES);
    all_pictures += drawn;
}

/* ---- A source whose shares are no shares ---- */

/*
 * What a damaged block may come to: parts below nothing, beyond everything, or no numbers.  The
 * other questions go to a trace that is whole.
 */
static const struct weft_source *whole;

static void wild_shares(const struct weft_source *source,
                        const struct weft_share_query *query)
{
    static const float wild[] = { -1,        -1e30f, 1e30f, NAN, INFINITY,
                                  -INFINITY, -0.01f, 0.5f,  1,   -0.0f };
    uint32_t type = source->schema->tracks[query->tracks[0]].type;
    for (size_t i = 0; i < query->columns * source->schema->types[type].slots; i++)
        query->shares[i] = wild[i * 7 % 64 % (sizeof wild / sizeof *wild)];
}

static uint64_t dense(const struct weft_source *source, uint32_t track,
                      struct weft_span window)
{
    (void)source;
    (void)track;
    (void)window;
    return UINT32_MAX; /* so that every row is painted from its shares */
}

static void whole_sums(const struct weft_source *source, const uint32_t *tracks, size_t n,
                       struct weft_span window, struct weft_sum *sums)
{
    (void)source;
    whole->ops->sums(whole, tracks, n, window, sums);
}

static void whole_events(const struct weft_source *source, uint32_t track,
                         struct weft_span window,
                         bool (*visit)(void *user, const struct weft_event *event),
                         void *user)
{
    (void)source;
    whole->ops->events(whole, track, window, visit, user);
}

static void whole_envelope(const struct weft_source *source, uint32_t track,
                           struct weft_span window, size_t columns,
                           struct weft_envelope *out)
{
    (void)source;
    whole->ops->envelope(whole, track, window, columns, out);
}

static void whole_links(const struct weft_source *source, uint32_t track,
                        struct weft_span window,
                        bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    (void)source;
    whole->ops->links(whole, track, window, visit, user);
}

static size_t whole_damage(const struct weft_source *source, size_t from,
                           struct weft_damage *out, size_t capacity)
{
    (void)source;
    return whole->ops->damage(whole, from, out, capacity);
}

/* Rows of one line, in mixtures, and tall ones, in stacks. */
static void test_wild_shares(void **unused)
{
    (void)unused;
    static const struct weft_source_ops ops = { .shares = wild_shares,
                                                .density = dense,
                                                .sums = whole_sums,
                                                .events = whole_events,
                                                .envelope = whole_envelope,
                                                .links = whole_links,
                                                .damage = whole_damage };
    static const char *const names[] = { "space-time", "overview" };
    struct weft_err err;
    make_trace(path, 64, true);
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    whole = weft_trace_source(trace);
    const struct weft_source wild = { &ops, whole->schema };
    const struct weft_source *source = &wild;
    struct weft_set set = { &source, 1 };
    unsigned drawn = 0;
    for (unsigned i = 0; i < 80; i++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_request request = {
            .set = &set,
            .window = whole->schema->span,
            .width = 1 + (double)roll(700),
            .height = 1 + (double)roll(900),
            .theme = weft_theme_get((enum weft_theme_name)(i % (WEFT_THEME_CVD + 1))),
        };
        drawn +=
            weft_view_scene(weft_view_find(names[i % 2]), &request, &arena, &scene, &err);
        weft_arena_free(&arena);
    }
    assert_int_equal(drawn, 80);
    all_pictures += drawn;
    weft_trace_close(trace);
}

/* The last one: the traces have what each view shows. */
static void test_no_view_was_left_out(void **unused)
{
    (void)unused;
    assert_true(weft_view_count() <= sizeof came_out / sizeof *came_out);
    for (size_t v = 0; v < weft_view_count(); v++)
        if (!came_out[v])
            fail_msg("no trace fills %s", weft_view_at(v)->name);
}

static int set_up(void **state)
{
    (void)state;
    close(mkstemp(path));
    close(mkstemp(copy));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    print_message("# %u pictures\n", all_pictures);
    unlink(path);
    return unlink(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_dags),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_hundreds_of_rows),
        cmocka_unit_test(test_thousands_of_rows),
        cmocka_unit_test(test_damaged_shares),
        cmocka_unit_test(test_wild_shares),
        cmocka_unit_test(test_no_view_was_left_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
