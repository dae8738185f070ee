/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Space-time in ParaGraph's manner, on a run whose picture can be worked out: lines of activity,
 * where messages end, and collective operations as messages and as stars.
 */
#include <math.h>

#include "tests/small_store.h"
#include "view/view.h"

enum { RANKS = 3, LENGTH = 1000 };

static char path[] = "/tmp/weft-lines-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_set set;

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE,
                                                     .role = role });
}

/*
 * Three ranks with a thread each.  In [100, 300) rank 0 waits for a message, which rank 1 sends
 * at 200 in a call of overhead that lasts till 210.  All take part in a barrier: rank R enters at
 * 400 + 100 R and leaves at 700.  At 1000 all end.
 */
static int set_up(void **state)
{
    struct weft_err err;
    (void)state;
    if (strchr(path, 'X'))
        close(mkstemp(path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_RANK);
    uint32_t thread = define(b, WEFT_CONTAINER, rank, "Thread", WEFT_ROLE_THREAD);
    uint32_t comm = define(b, WEFT_CONTAINER, 0, "Communicator", WEFT_ROLE_COMMUNICATOR);
    uint32_t call = define(b, WEFT_STATE, thread, "Call", WEFT_ROLE_COMMUNICATION);
    uint32_t op = define(b, WEFT_EVENT, comm, "Op", WEFT_ROLE_COLLECTIVE_OPERATION);
    uint32_t message = define(b, WEFT_LINK, 0, "Message", WEFT_ROLE_MESSAGE);
    static const enum weft_role roles[] = { WEFT_ROLE_BLOCKED_ON_MESSAGE,
                                            WEFT_ROLE_BLOCKING_SEND,
                                            WEFT_ROLE_BLOCKED_ON_BARRIER,
                                            WEFT_ROLE_COMPUTING };
    uint32_t values[4];
    for (size_t v = 0; v < 4; v++) {
        values[v] = add_value(b, call, (char[]){ (char)('a' + v), 0 }, roles[v]);
    }
    uint32_t all = add_value(b, op, "barrier", WEFT_ROLE_ALL_TO_ALL);
    uint32_t of = add_field(b, call, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION);
    weft_builder_index_field(b, of);
    uint32_t ranks[RANKS], tracks[RANKS];
    for (uint32_t r = 0; r < RANKS; r++) {
        char name[] = { 'R', (char)('0' + r), 0 };
        ranks[r] = weft_builder_container(b, rank, 0, name, NULL, 0);
        name[0] = 'T';
        tracks[r] = weft_builder_track(
            b, weft_builder_container(b, thread, ranks[r], name, NULL, 0), call);
    }
    uint64_t receive, send, event;
    (void)!weft_builder_push(b, tracks[0], 100, values[0], NULL, 0, &receive);
    (void)!weft_builder_pop(b, tracks[0], 300, NULL);
    (void)!weft_builder_push(b, tracks[1], 200, values[1], NULL, 0, &send);
    (void)!weft_builder_pop(b, tracks[1], 210, NULL);
    uint32_t world = weft_builder_container(b, comm, 0, "world", NULL, 0);
    (void)!weft_builder_event(b, weft_builder_track(b, world, op), 400, all, NULL, 0,
                              &event);
    const struct weft_field_value part = { of, { .entity = event } };
    for (uint32_t r = 0; r < RANKS; r++) {
        (void)!weft_builder_push(b, tracks[r], 400 + 100 * r, values[2], &part, 1, NULL);
        (void)!weft_builder_pop(b, tracks[r], 700, NULL);
        (void)!weft_builder_push(b, tracks[r], 700, values[3], NULL, 0, NULL);
        (void)!weft_builder_pop(b, tracks[r], LENGTH, NULL);
    }
    weft_builder_link(b,
                      &(struct weft_link){ .type = message,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = ranks[1],
                                           .to = ranks[0],
                                           .begin = 200,
                                           .end = 300,
                                           .from_entity = send,
                                           .to_entity = receive },
                      NULL, 0);
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

static struct weft_scene draw(struct weft_arena *arena, const char *const *wanted, size_t n)
{
    const struct weft_view *view = weft_view_find("space-time");
    const char *settings[24] = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    struct weft_request request = { .set = &set,
                                    .window = { 0, LENGTH },
                                    .width = 1200,
                                    .height = 500,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    for (size_t i = 0; i < n; i++)
        assert_true(weft_setting_parse(view, wanted[i], settings, &err));
    if (!weft_view_scene(view, &request, arena, &scene, &err))
        fail_msg("%s", err.message);
    return scene;
}

static const struct weft_layer *layer_of(const struct weft_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_layers; i++)
        if (strcmp(scene->layers[i].name, name) == 0)
            return &scene->layers[i];
    fail_msg("no layer %s", name);
    return NULL;
}

static double time_at(const struct weft_scene *scene, double x)
{
    struct weft_rect plot = scene->frame.plot;
    return (x - plot.x) / plot.width * LENGTH;
}

/* By the definition of the guide: waits are idle, a send is overhead, all else is busy. */
static bool is_idle(uint32_t rank, double time)
{
    return (rank == 0 && time >= 100 && time < 300)
           || (time >= 400 + 100.0 * rank && time < 700);
}

static void lines_are_solid_while_busy(void **state)
{
    (void)state;
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(&arena, (const char *[]){ "activity=lines" }, 1);
    const struct weft_layer *layer = layer_of(&scene, "states");
    assert_int_equal(layer->n_marks, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct weft_mark *mark = &layer->marks[r];
        assert_int_equal(mark->kind, WEFT_MARK_RASTER);
        assert_true(r == 0 || mark->box.y > layer->marks[r - 1].box.y);
        for (uint32_t c = 0; c < mark->raster->columns; c++) {
            double time = time_at(&scene, mark->box.x + c + 0.5);
            uint32_t alpha = mark->raster->pixels[c] >> 24;
            /* Two columns at each edge may be in between. */
            if (is_idle(r, time - 2) && is_idle(r, time + 2))
                assert_int_equal(alpha, 0);
            if (!is_idle(r, time - 2) && !is_idle(r, time + 2))
                assert_int_equal(alpha, 255);
        }
    }
    weft_arena_free(&arena);
}

/* The y of the middle of the row whose name is TEXT. */
static double row_of(const struct weft_scene *scene, const char *text)
{
    const struct weft_layer *rows = layer_of(scene, "rows");
    for (size_t i = 0; i < rows->n_marks; i++)
        if (rows->marks[i].kind == WEFT_MARK_TEXT && strcmp(rows->marks[i].text, text) == 0)
            return rows->marks[i].box.y - 4;
    fail_msg("no row %s", text);
    return 0;
}

/* A message is one of processes, but its line ends where their threads' calls are. */
static void messages_end_at_calls(void **state)
{
    (void)state;
    struct weft_arena arena = { 0 };
    struct weft_scene scene = draw(&arena, NULL, 0);
    const struct weft_layer *links = layer_of(&scene, "links");
    const struct weft_mark *line = &links->marks[0];
    assert_int_equal(line->kind, WEFT_MARK_LINE);
    assert_true(fabs(line->points[0].y - row_of(&scene, "T1")) < 2);
    assert_true(fabs(line->points[1].y - row_of(&scene, "T0")) < 2);
    assert_true(fabs(time_at(&scene, line->points[0].x) - 200) < 1);
    assert_true(fabs(time_at(&scene, line->points[1].x) - 300) < 1);
    weft_arena_free(&arena);
}

struct line_counts {
    int lines, dashed, diamonds;
};

static struct line_counts count(const struct weft_scene *scene)
{
    struct line_counts counted = { 0 };
    const struct weft_layer *links = layer_of(scene, "links");
    for (size_t i = 0; i < links->n_marks; i++) {
        const struct weft_mark *mark = &links->marks[i];
        counted.lines += mark->kind == WEFT_MARK_LINE;
        counted.dashed += mark->kind == WEFT_MARK_LINE && mark->paint.dash > 0;
        counted.diamonds +=
            mark->kind == WEFT_MARK_GLYPH && mark->detail == WEFT_GLYPH_DIAMOND;
    }
    return counted;
}

/*
 * A barrier of three is six messages, each from an entry to 700; as a star, which it is among
 * data, six dashed lines.
 */
static void collective_operations_are_drawn_as_wanted(void **state)
{
    static const struct {
        const char *settings[2];
        struct line_counts counted;
    } cases[] = {
        { { "activity=bars", "collectives=auto" }, { 1, 0, 0 } },
        { { "activity=lines", "collectives=auto" }, { 7, 6, 1 } },
        { { "activity=bars", "collectives=data" }, { 7, 6, 1 } },
        { { "activity=bars", "collectives=messages" }, { 7, 0, 0 } },
        { { "activity=lines", "collectives=group" }, { 7, 6, 1 } },
        { { "activity=lines", "collectives=none" }, { 1, 0, 0 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene = draw(&arena, cases[i].settings, 2);
        struct line_counts counted = count(&scene);
        assert_int_equal(counted.lines, cases[i].counted.lines);
        assert_int_equal(counted.dashed, cases[i].counted.dashed);
        assert_int_equal(counted.diamonds, cases[i].counted.diamonds);
        weft_arena_free(&arena);
    }
    struct weft_arena arena = { 0 };
    struct weft_scene scene =
        draw(&arena, (const char *[]){ "activity=lines", "collectives=messages" }, 2);
    const struct weft_layer *links = layer_of(&scene, "links");
    int entries[RANKS] = { 0 };
    for (size_t i = 0; i < links->n_marks; i++) {
        const struct weft_mark *mark = &links->marks[i];
        double from = mark->kind == WEFT_MARK_LINE ? time_at(&scene, mark->points[0].x) : 0;
        if (from < 399)
            continue;
        entries[(int)((from + 1 - 400) / 100)]++;
        assert_true(fabs(time_at(&scene, mark->points[1].x) - 700) < 1);
        assert_true(mark->points[0].y != mark->points[1].y);
    }
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(entries[r], 2);
    weft_arena_free(&arena);
}

static void a_thread_alone_is_no_processor(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("space-time");
    const char *settings[24] = { 0 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    bool ambiguous;
    struct weft_request request = { .set = &set,
                                    .window = { 0, LENGTH },
                                    .under = weft_find_container(source->schema, "T1",
                                                                 &ambiguous),
                                    .width = 600,
                                    .height = 300,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_DARK) };
    assert_true(weft_setting_parse(view, "activity=lines", settings, &err));
    assert_false(weft_view_scene(view, &request, &arena, &scene, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    request.under = weft_find_container(source->schema, "R1", &ambiguous);
    assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
    assert_int_equal(layer_of(&scene, "states")->n_marks, 1);
    weft_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_solid_while_busy),
        cmocka_unit_test(messages_end_at_calls),
        cmocka_unit_test(collective_operations_are_drawn_as_wanted),
        cmocka_unit_test(a_thread_alone_is_no_processor),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
