/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the displays of communication, of a run whose numbers can be worked out by hand
 * (times in ns):
 *
 *     0 → 1   100 bytes, tag 7   sent at 10, received at 30
 *     2 → 1    50 bytes, tag 8   sent at 20, received at 40
 *     1 → 0    10 bytes, tag 7   sent at 45, received at 60
 *     2 → all   8 bytes          a broadcast: 2 enters at 70, 0 leaves at 80, 1 at 90
 *     0 → 2     5 bytes, tag 9   sent at 85, never received
 *
 * so that this is pending:
 *
 *     from      0    10    20    30    40    45    60    70    80    85    90   to 100
 *     messages  0     1     2     1     0     1     0     2     1     2     1
 *     bytes     0   100   150    50     0    10     0    16     8    13     5
 *
 * Hops of a hypercube: 0-1 and 0-2 one, 1-2 two.
 */
#include <math.h>

#include "analyse/where_selection.h"
#include "domains/messages/model/phase_portrait_points.h"
#include "tests/small_store.h"
#include "view/view.h"

enum { N = 3 };

static struct weft_trace *trace;
static struct weft_set set;
static const struct weft_source *source;

static struct weft_builder *b;
static uint32_t processors[N], calls, call_value, operation_of, bytes_of_call;
static uint32_t message, size, tag;

static uint32_t define(enum weft_kind kind, const char *name, enum weft_role role)
{
    return add_type(b, kind, 0, name, role);
}

static uint32_t define_field(uint32_t type, const char *name, enum weft_field_kind kind,
                             enum weft_role role)
{
    return add_field(b, type, name, kind, role);
}

static uint64_t call(uint32_t processor, int64_t from, int64_t to,
                     const struct weft_field_value *fields, size_t n)
{
    uint32_t track = weft_builder_track(b, processors[processor], calls);
    uint64_t id;
    assert_int_equal(weft_builder_push(b, track, from, call_value, fields, n, &id),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(b, track, to, NULL), WEFT_BUILD_OK);
    return id;
}

static void send(uint32_t from, uint32_t to, int64_t begin, int64_t end, int64_t bytes,
                 int64_t of_tag, bool received)
{
    const struct weft_field_value fields[] = { { size, { .integer = bytes } },
                                               { tag, { .integer = of_tag } } };
    struct weft_link link = { .type = message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = processors[from],
                              .to = processors[to],
                              .begin = begin,
                              .end = end,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = WEFT_NO_ID,
                              .flags = received ? 0 : WEFT_END_IMPLIED };
    weft_builder_link(b, &link, fields, 2);
}

static void take_part(uint32_t processor, int64_t from, int64_t to, uint64_t event,
                      int64_t bytes)
{
    const struct weft_field_value fields[] = { { operation_of, { .entity = event } },
                                               { bytes_of_call, { .integer = bytes } } };
    call(processor, from, to, fields, 2);
}

static void define_all(void)
{
    uint32_t rank = define(WEFT_CONTAINER, "rank", WEFT_ROLE_RANK);
    uint32_t number =
        define_field(rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    calls = define(WEFT_STATE, "call", WEFT_ROLE_COMMUNICATION);
    call_value = weft_builder_value(b, calls, "call", NULL, 0);
    operation_of = define_field(calls, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION);
    bytes_of_call = define_field(calls, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    message = define(WEFT_LINK, "message", WEFT_ROLE_MESSAGE);
    size = define_field(message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    tag = define_field(message, "tag", WEFT_FIELD_INTEGER, WEFT_ROLE_TAG);
    /* A recording has rows of the machine's processors, too. */
    weft_builder_container(b, define(WEFT_CONTAINER, "cpu", WEFT_ROLE_NONE), 0,
                           "processor 0", NULL, 0);
    for (uint32_t q = 0; q < N; q++) {
        processors[q] = weft_builder_container(b, rank, 0, "p", NULL, 0);
        weft_builder_container_field(
            b, processors[q], &(struct weft_field_value){ number, { .integer = q } });
    }
}

static void broadcast(void)
{
    uint32_t communicator = define(WEFT_CONTAINER, "communicator", WEFT_ROLE_COMMUNICATOR);
    uint32_t operation = define(WEFT_EVENT, "operation", WEFT_ROLE_COLLECTIVE_OPERATION);
    uint32_t root = define_field(operation, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT);
    uint32_t value = add_value(b, operation, "broadcast", WEFT_ROLE_ONE_TO_ALL);
    uint32_t world = weft_builder_container(b, communicator, 0, "world", NULL, 0);
    uint64_t event;
    assert_int_equal(
        weft_builder_event(b, weft_builder_track(b, world, operation), 65, value,
                           &(struct weft_field_value){ root, { .integer = 2 } }, 1, &event),
        WEFT_BUILD_OK);
    take_part(0, 65, 80, event, 0);
    take_part(1, 75, 90, event, 0);
    take_part(2, 70, 72, event, 8);
}

static int set_up(void **state)
{
    char path[] = "/tmp/weft-communication-views.XXXXXX";
    (void)state;
    b = small_store_begin(path);
    define_all();
    send(0, 1, 10, 30, 100, 7, true);
    send(2, 1, 20, 40, 50, 8, true);
    send(1, 0, 45, 60, 10, 7, true);
    send(0, 2, 85, 100, 5, 9, false);
    broadcast();
    call(2, 95, 100, NULL, 0);
    trace = small_store_open(b, path);
    assert_int_equal(weft_trace_verify(trace, NULL), 0);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1 };
    unlink(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return 0;
}

/* The error, or NULL after checking that the table of a view is the text EXPECTED. */
static const char *ask(const char *name, int64_t at, struct weft_span window,
                       const char *settings, char *text, size_t room)
{
    static struct weft_err err;
    const struct weft_view *view = weft_view_find(name);
    const char *values[20] = { NULL };
    char copy[200];
    assert_non_null(view);
    assert_true(view->fills(&set));
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *one = strtok(copy, " "); one; one = strtok(NULL, " "))
        assert_true(weft_setting_parse(view, one, values, &err));
    struct weft_request request = { .set = &set,
                                    .window = window,
                                    .has_at = at >= 0,
                                    .at = at,
                                    .width = 900,
                                    .height = 500,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = values };
    FILE *stream = fmemopen(text, room, "w");
    struct weft_table *table = weft_table_csv(stream);
    bool ok = weft_view_table(view, &request, table, &err);
    weft_table_free(table);
    fclose(stream);
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    assert_int_equal(weft_view_scene(view, &request, &arena, &scene, &err), ok);
    weft_arena_free(&arena);
    return ok ? NULL : err.message;
}

/* ROWS: without the head, lines separated by blanks. */
static void check(const char *name, int64_t at, struct weft_span window,
                  const char *settings, const char *rows)
{
    char text[4000] = "", *body;
    assert_null(ask(name, at, window, settings, text, sizeof text));
    body = strchr(text, '\n');
    assert_non_null(body);
    body++;
    size_t n = 0;
    for (char *c = body; *c; c++) /* lines may end with a return, too */
        if (*c != '\r')
            body[n++] = *c == '\n' ? ' ' : *c;
    body[n ? n - 1 : 0] = '\0';
    assert_string_equal(body, rows);
}

static const struct weft_span all = { 0, 100 };

static void test_traffic(void **state)
{
    (void)state;
    check("traffic", -1, all, "",
          "0,0,0 10,1,100 20,2,150 30,1,50 40,0,0 45,1,10 60,0,0 70,2,16 80,1,8 85,2,13 "
          "90,1,5");
    check("traffic", -1, all, "processor=1",
          "0,0,0 10,1,100 20,2,150 30,1,50 40,0,0 70,1,8 90,0,0");
    check("traffic", -1, all, "collectives=none",
          "0,0,0 10,1,100 20,2,150 30,1,50 40,0,0 45,1,10 60,0,0 85,1,5");
    check("traffic", -1, (struct weft_span){ 25, 45 }, "", "25,2,150 30,1,50 40,0,0");
    check("traffic", 70, all, "", "70,2,16");
    check("traffic", 100, all, "", "100,1,5");
}

static void test_queues(void **state)
{
    (void)state;
    check("message-queues", 25, all, "", "0,0,0,0,0 1,2,150,2,150 2,0,0,0,0");
    /* At 20, when the most is pending; the longest of the whole range. */
    check("message-queues", -1, all, "", "0,0,0,1,10 1,2,150,2,150 2,0,0,1,5");
    check("message-queues", -1, (struct weft_span){ 41, 69 }, "",
          "0,1,10,1,10 1,0,0,2,150 2,0,0,0,0");
    check("message-queues", 75, all, "queue=outgoing",
          "0,0,0,1,100 1,0,0,1,10 2,2,16,2,50");
    check("message-queues", 75, all, "queue=outgoing collectives=none",
          "0,0,0,1,100 1,0,0,1,10 2,0,0,1,50");
}

static void test_matrix(void **state)
{
    (void)state;
    check("comm-matrix", -1, all, "", "0,1,1,100 0,2,1,5 1,0,1,10 2,0,1,8 2,1,2,58");
    check("comm-matrix", -1, all, "collectives=none color=distance",
          "0,1,1,100 0,2,1,5 1,0,1,10 2,1,1,50");
    check("comm-matrix", 25, all, "color=tag", "0,1,1,100 2,1,1,50");
    check("comm-matrix", 100, all, "", "0,2,1,5");
    check("comm-matrix", -1, (struct weft_span){ 15, 50 }, "", "1,0,1,10 2,1,1,50");
}

static void test_meter(void **state)
{
    (void)state;
    check("comm-meter", 25, all, "", "2,150,2,150,100.000");
    check("comm-meter", 45, all, "", "1,10,2,150,50.000");
    check("comm-meter", 85, all, "show=bytes", "2,13,2,150,8.667");
    check("comm-meter", 5, all, "", "0,0,2,150,0.000");
    /* At 20; at 30, before the second is received; at 70, the begin of the broadcast. */
    check("comm-meter", -1, all, "", "2,150,2,150,100.000");
    check("comm-meter", -1, (struct weft_span){ 30, 100 }, "show=bytes",
          "1,50,2,150,33.333");
    check("comm-meter", -1, (struct weft_span){ 41, 100 }, "", "2,16,2,150,100.000");
}

/* Pictures that have an order refuse one that three processors cannot have. */
static void test_order(void **state)
{
    (void)state;
    static const char *const names[] = { "message-queues", "comm-matrix" };
    static const struct {
        const char *order;
        bool good;
    } orders[] = { { "order=gray", false },      { "order=natural", true },
                   { "order=0 2 a", true },      { "order=0 3", false },
                   { "order=2 0\n0 2 x", true }, { "order=one two", false } };
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            const struct weft_view *view = weft_view_find(names[v]);
            const char *values[20] = { NULL };
            struct weft_err err;
            struct weft_arena arena = { 0 };
            struct weft_scene scene;
            assert_true(weft_setting_parse(view, orders[i].order, values, &err));
            struct weft_request request = { .set = &set,
                                            .window = all,
                                            .width = 320,
                                            .height = 200,
                                            .theme = weft_theme_get(WEFT_THEME_MONO),
                                            .settings = values };
            assert_int_equal(weft_view_scene(view, &request, &arena, &scene, &err),
                             orders[i].good);
            FILE *stream = fopen("/dev/null", "w");
            struct weft_table *table = weft_table_csv(stream);
            assert_int_equal(weft_view_table(view, &request, table, &err), orders[i].good);
            weft_table_free(table);
            fclose(stream);
            weft_arena_free(&arena);
        }
}

/* The name of an axis leaves room for all of its labels. */
static void test_names_of_axes(void **state)
{
    static const double widths[] = { 320, 400, 640, 1280 };
    const struct weft_view *view = weft_view_find("message-queues");
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err = { 0 };
        const char *settings[32] = { 0 };
        struct weft_request request = { .set = &set,
                                        .window = all,
                                        .width = widths[w],
                                        .height = 300,
                                        .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                        .settings = settings };
        bool seen[N] = { false }, name = false;
        assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
        for (size_t l = 0; l < scene.n_layers; l++)
            for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
                const char *text = scene.layers[l].marks[i].text;
                if (strcmp(scene.layers[l].name, "processors") != 0 || !text)
                    continue;
                name |= strcmp(text, "processor") == 0;
                if (*text >= '0' && *text < '0' + N && !text[1])
                    seen[*text - '0'] = true;
            }
        assert_true(name);
        for (int q = 0; q < N; q++)
            assert_true(seen[q]);
        weft_arena_free(&arena);
    }
}

/* Whether the picture of a view, at a moment when that is not -1, has TEXT in it somewhere. */
static bool says(const char *name, int64_t at, const char *setting, const char *text)
{
    const struct weft_view *view = weft_view_find(name);
    const char *values[20] = { NULL };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    if (setting)
        assert_true(weft_setting_parse(view, setting, values, &err));
    struct weft_request request = { .set = &set,
                                    .window = all,
                                    .has_at = at >= 0,
                                    .at = at,
                                    .width = 900,
                                    .height = 500,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = values };
    assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
    bool said = scene.frame.subtitle && strstr(scene.frame.subtitle, text);
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++)
            said |= scene.layers[l].marks[i].text
                    && strstr(scene.layers[l].marks[i].text, text);
    weft_arena_free(&arena);
    return said;
}

/* Pictures say what numbers alone do not: that nothing is there, and by which network. */
static void test_words(void **state)
{
    (void)state;
    assert_true(says("comm-matrix", 5, NULL, "No message was pending at this moment."));
    assert_false(says("comm-matrix", 25, NULL, "No message"));
    assert_true(says("comm-matrix", -1, NULL, "most: 0 → 1: 1 message, 100 B"));
    assert_false(says("comm-matrix", -1, NULL, "No message"));
    assert_true(says("comm-matrix", -1, NULL, "with those of collectives"));
    assert_false(says("comm-matrix", -1, "collectives=none", "collectives"));
    assert_true(says("node-data", -1, NULL, "processor 0 of 3"));
    assert_false(says("node-data", -1, NULL, "hops"));
    assert_true(says("node-data", -1, "show=distance", "hops in a hypercube"));
    assert_false(says("gantt", -1, NULL, "not recorded"));
}

static void test_node(void **state)
{
    (void)state;
    check("node-data", -1, all, "processor=1",
          "30,incoming,0,7,100,1 40,incoming,2,8,50,2 45,outgoing,0,7,10,1 "
          "90,incoming,2,,8,2");
    check("node-data", -1, all, "processor=2 distance=unit show=tag",
          "20,outgoing,1,8,50,1 70,outgoing,0,,8,1 70,outgoing,1,,8,1");
    check("node-data", -1, all, "processor=0 collectives=none show=bytes",
          "10,outgoing,1,7,100,1 60,incoming,1,7,10,1 85,outgoing,2,9,5,1");
    check("node-data", 45, all, "processor=1", "45,outgoing,0,7,10,1");
    char text[1000];
    assert_non_null(ask("node-data", -1, all, "processor=3", text, sizeof text));
    assert_non_null(ask("node-data", -1, all, "aspect=1x2", text, sizeof text));
}

/* 0 is idle after 80, 1 after 90; no call has a role, so all else is busy. */
static void test_statistics(void **state)
{
    (void)state;
    check("statistics", -1, all, "",
          "0,80,0,20,2,105,2,18,1,10,5,52.5,100,1,1,1,20,20,20,8,9,10,1,1,1,10,13,15 "
          "1,90,0,10,1,10,3,158,2,150,10,10,10,1,1,1,15,15,15,"
          "8,52.666666666666664,100,1,1.6666666666666667,2,20,20,20 "
          "2,100,0,0,3,66,0,0,1,5,8,22,50,1,1.6666666666666667,2,10,17,20,,,,,,,,, "
          "all,90,0,10,6,181,5,176,2,150,5,30.166666666666668,100,1,1.3333333333333333,2,"
          "10,17,20,8,35.2,100,1,1.4,2,10,17,20");
    /* The moment itself belongs to the time so far. */
    check("statistics", 30, all, "queue=outgoing collectives=none",
          "0,100,0,0,1,100,0,0,1,100,100,100,100,1,1,1,20,20,20,,,,,,,,, "
          "1,100,0,0,0,0,1,100,0,0,,,,,,,,,,100,100,100,1,1,1,20,20,20 "
          "2,100,0,0,1,50,0,0,1,50,50,50,50,2,2,2,20,20,20,,,,,,,,, "
          "all,100,0,0,2,150,1,100,1,100,50,75,100,1,1.5,2,20,20,20,100,100,100,1,1,1,"
          "20,20,20");
    char text[1000];
    assert_non_null(ask("statistics", -1, all, "aspect=1x2", text, sizeof text));
    assert_true(says("statistics", -1, "distance=unit", "hops where all are joined"));
}

/* 155 = 8 * 5 + 13 * 5 + 5 * 10 bytes times ns in 80-100, where 30 of 60 ns are busy. */
static void test_phase_portrait(void **state)
{
    (void)state;
    check("phase-portrait", 30, all, "smoothing=10ns", "30,100,100");
    check("phase-portrait", 100, all, "smoothing=20ns", "100,50,5.166666666666667");
    check("phase-portrait", 100, all, "smoothing=20ns show=messages collectives=none",
          "100,50,37.5");
    check("phase-portrait", 10, all, "smoothing=50ns", "10,100,0"); /* of what there is */
    check("phase-portrait", 0, all, "", "0,,");
    check("phase-portrait", -1, (struct weft_span){ 20, 23 }, "smoothing=4ns show=messages",
          "20,100,50 21,100,62.5 22,100,75 23,100,87.5");
    char text[1000];
    assert_non_null(ask("phase-portrait", -1, all, "smoothing=x", text, sizeof text));
    assert_true(says("phase-portrait", -1, NULL, "% of the most bytes ever on their way"));
}

static void test_processor_status(void **state)
{
    (void)state;
    check("processor-status", -1, all, "", "0,busy,,100,0 1,busy,,0,150 2,busy,,50,0");
    check("processor-status", 85, all, "", "0,idle,,5,0 1,busy,,0,8 2,busy,,8,5");
    check("processor-status", 85, all, "collectives=none",
          "0,idle,,5,0 1,busy,,0,0 2,busy,,0,5");
    check("processor-status", 100, all, "", "0,idle,,5,0 1,idle,,0,0 2,idle,,0,5");
    check("processor-status", -1, (struct weft_span){ 41, 80 }, "",
          "0,busy,,0,8 1,busy,,0,8 2,busy,,16,0");
    /* Nothing is pending: the end. */
    check("processor-status", -1, (struct weft_span){ 1, 9 }, "",
          "0,busy,,0,0 1,busy,,0,0 2,busy,,0,0");
    assert_true(says("comm-meter", -1, NULL, "at 20 ns, when the most was on its way"));
    assert_true(
        says("processor-status", -1, NULL, "at 20 ns, when the most was on its way"));
    assert_true(says("processor-status", 85, NULL, "at 85 ns"));
}

static void test_clock(void **state)
{
    (void)state;
    check("clock", 25, all, "", "25,25");
    check("clock", 0, all, "", "0,0");
    check("clock", -1, all, "", "100,100");
    check("clock", -1, (struct weft_span){ 10, 50 }, "", "50,50");
    assert_true(says("clock", 25, NULL, "25.0 % of the run"));
}

/* The picture has the points of the table, however many of them have a whole interval. */
static void test_points_that_are_drawn(void **state)
{
    struct weft_processors *p = weft_processors_make(source, NULL, NULL);
    struct weft_utilization *utilization = weft_utilization_make(p, NULL, NULL);
    struct weft_traffic *traffic = weft_traffic_make(source, p, NULL, NULL);
    struct weft_history *history =
        weft_history_make(traffic, WEFT_COLLECTIVES_MESSAGES, WEFT_NONE, NULL, NULL);
    const uint32_t index[N] = { 0, 1, 2 };
    struct weft_concurrency *concurrency = weft_concurrency_make(
        utilization, (struct weft_processor_list){ index, N }, NULL, NULL, NULL);
    (void)state;
    for (int64_t width = 1; width <= 120; width += 7)
        for (int64_t step = 1; step <= 40; step += 3) {
            const struct weft_phase phase = { utilization, traffic,
                                              history,     WEFT_COLLECTIVES_MESSAGES,
                                              width,       true };
            struct weft_phase_point points[101], drawn[101];
            size_t n = 0;
            for (int64_t time = 100 % step; time <= 100; time += step)
                drawn[n].time = points[n].time = time, n++;
            assert_true(weft_phase_exact(&phase, points, n, NULL, NULL));
            weft_phase_quick(&phase, concurrency, drawn, n);
            for (size_t i = 0; i < n; i++) {
                assert_true(isnan(points[i].utilization) == (points[i].time == 0));
                if (points[i].time == 0)
                    continue;
                assert_float_equal(points[i].utilization, drawn[i].utilization, 1e-5);
                assert_float_equal(points[i].communication, drawn[i].communication, 1e-5);
            }
        }
    weft_concurrency_free(concurrency);
    weft_history_free(history);
    weft_traffic_free(traffic);
    weft_utilization_free(utilization);
    weft_processors_free(p);
}

/* ---- Another run: 14 communicators ---- */

enum { COMMUNICATORS = 14 };

/*
 * In each communicator a broadcast of 8 bytes from processor 2 is pending at 50.  The calls
 * of the others say 3,000 bytes, which they do not send.  Before, one of 700 bytes ended at
 * 20.  A message has 4 bytes.
 */
static void set_up_other(void)
{
    char path[] = "/tmp/weft-communication-views.XXXXXX";
    b = small_store_begin(path);
    define_all();
    uint32_t communicator = define(WEFT_CONTAINER, "communicator", WEFT_ROLE_COMMUNICATOR);
    uint32_t operation = define(WEFT_EVENT, "operation", WEFT_ROLE_COLLECTIVE_OPERATION);
    uint32_t root = define_field(operation, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT);
    uint32_t value = add_value(b, operation, "broadcast", WEFT_ROLE_ONE_TO_ALL);
    const struct weft_field_value of_2 = { root, { .integer = 2 } };
    uint64_t event, events[COMMUNICATORS];
    for (int c = 0; c < COMMUNICATORS; c++) {
        uint32_t of = weft_builder_container(b, communicator, 0, "c", NULL, 0);
        uint32_t track = weft_builder_track(b, of, operation);
        if (c == 0) {
            (void)!weft_builder_event(b, track, 5, value, &of_2, 1, &event);
            for (uint32_t q = 0; q < N; q++)
                take_part(q, 10, 20, event, q == 2 ? 700 : 0);
        }
        (void)!weft_builder_event(b, track, 30, value, &of_2, 1, &events[c]);
    }
    for (uint32_t q = 0; q < N; q++) {
        uint32_t track = weft_builder_track(b, processors[q], calls);
        for (int c = 0; c < COMMUNICATORS; c++) {
            const struct weft_field_value fields[] = {
                { operation_of, { .entity = events[c] } },
                { bytes_of_call, { .integer = q == 2 ? 8 : 3000 } }
            };
            (void)!weft_builder_push(b, track, 30 + c, call_value, fields, 2, NULL);
        }
        for (int c = 0; c < COMMUNICATORS; c++)
            (void)!weft_builder_pop(b, track, 80 + c, NULL);
    }
    send(0, 1, 40, 60, 4, 7, true);
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
}

static void end_other(struct weft_trace *first)
{
    weft_trace_close(trace);
    trace = first;
    source = weft_trace_source(trace);
}

/* Two messages go from 0 to 1 (10 to 30 and 40 to 50); the second one has no length. */
static void test_lengths_that_are_not_known(void **state)
{
    char path[] = "/tmp/weft-communication-views.XXXXXX";
    struct weft_trace *first = trace;
    (void)state;
    b = small_store_begin(path);
    define_all();
    send(0, 1, 10, 30, 7, 1, true);
    struct weft_link link = { .type = message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = processors[0],
                              .to = processors[1],
                              .begin = 40,
                              .end = 50,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = WEFT_NO_ID };
    weft_builder_link(b, &link, NULL, 0);
    call(0, 0, 50, NULL, 0);
    call(1, 0, 50, NULL, 0);
    call(2, 0, 50, NULL, 0);
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
    check("statistics", -1, (struct weft_span){ 0, 50 }, "",
          "0,100,0,0,2,,0,0,0,0,7,7,7,1,1,1,10,15,20,,,,,,,,, "
          "1,100,0,0,0,0,2,,1,,,,,,,,,,,7,7,7,1,1,1,10,15,20 "
          "2,100,0,0,0,0,0,0,0,0,,,,,,,,,,,,,,,,,, "
          "all,100,0,0,2,,2,,1,,7,7,7,1,1,1,10,15,20,7,7,7,1,1,1,10,15,20");
    check("statistics", 35, (struct weft_span){ 0, 50 }, "",
          "0,100,0,0,1,7,0,0,0,0,7,7,7,1,1,1,20,20,20,,,,,,,,, "
          "1,100,0,0,0,0,1,7,1,7,,,,,,,,,,7,7,7,1,1,1,20,20,20 "
          "2,100,0,0,0,0,0,0,0,0,,,,,,,,,,,,,,,,,, "
          "all,100,0,0,1,7,1,7,1,7,7,7,7,1,1,1,20,20,20,7,7,7,1,1,1,20,20,20");
    check("processor-status", 45, (struct weft_span){ 0, 50 }, "",
          "0,busy,,,0 1,busy,,0, 2,busy,,0,0");
    end_other(first);
}

/* Without lengths, messages are counted, unless bytes are asked for. */
static void test_portrait_without_lengths(void **state)
{
    char path[] = "/tmp/weft-communication-views.XXXXXX";
    const struct weft_span span = { 0, 50 };
    struct weft_trace *first = trace;
    (void)state;
    b = small_store_begin(path);
    define_all();
    struct weft_link link = { .type = message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = processors[0],
                              .to = processors[1],
                              .begin = 40,
                              .end = 50,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = WEFT_NO_ID };
    weft_builder_link(b, &link, NULL, 0);
    for (uint32_t q = 0; q < N; q++)
        call(q, 0, 50, NULL, 0);
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
    check("phase-portrait", 44, span, "smoothing=8ns", "44,100,50");
    check("phase-portrait", 44, span, "smoothing=8ns show=bytes", "44,100,");
    assert_true(says("phase-portrait", -1, "show=bytes", "No bytes are known"));
    assert_true(says("phase-portrait", -1, NULL, "% of the most messages ever"));
    end_other(first);
}

/* Not all stars are drawn, and the picture says so. */
static void test_stars_that_are_left_out(void **state)
{
    static const char *const views[] = { "animation", "hypercube" };
    struct weft_trace *first = trace;
    (void)state;
    set_up_other();
    for (int i = 0; i < 2; i++) {
        assert_true(
            says(views[i], -1, "collectives=group", "12 of 14 communicators' operations"));
        assert_true(says(views[i], 50, "collectives=group",
                         "12 of 14 pending collective operations"));
        assert_false(says(views[i], -1, "collectives=messages", "12 of 14"));
    }
    end_other(first);
    assert_false(says("animation", -1, "collectives=group", "communicators"));
}

/* The code of colours reaches to the most that is sent in a line of the picture: 8 bytes. */
static void test_sizes_of_lines(void **state)
{
    struct weft_trace *first = trace;
    const struct weft_view *view = weft_view_find("space-time");
    const char *values[32] = { NULL };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    (void)state;
    set_up_other();
    assert_true(weft_setting_parse(view, "messages=size", values, &err));
    assert_true(weft_setting_parse(view, "collectives=messages", values, &err));
    struct weft_request request = { .set = &set,
                                    .window = { 25, 100 },
                                    .width = 900,
                                    .height = 500,
                                    .bare = true,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = values };
    assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
    assert_true(scene.frame.n_legend > 1);
    assert_string_equal(scene.frame.legend[scene.frame.n_legend - 1].label, "8 B");
    weft_arena_free(&arena);
    end_other(first);
}

/* Rows of tables lead to the ranks, whatever other rows are called. */
static void test_selections_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *where;
        bool is_rank;
        uint32_t rank;
    } cases[] = { { "row = \"processor number 0\"", true, 0 },
                  { "row = \"processor number 2\"", true, 2 },
                  { "row = \"processor 2\"", true, 2 },
                  { "row = \"processor 0\"", false, 0 } };
    uint8_t rows[16];
    assert_true(source->schema->n_containers <= sizeof rows);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_err err;
        struct weft_where *where = weft_where_new(source, cases[i].where, &err);
        assert_non_null(where);
        assert_true(weft_where_rows(where, rows));
        for (uint32_t c = 0; c < source->schema->n_containers; c++) {
            bool is_cpu = strcmp(source->schema->containers[c].name, "processor 0") == 0;
            assert_int_equal(rows[c],
                             cases[i].is_rank ? c == processors[cases[i].rank] : is_cpu);
        }
        weft_where_free(where);
    }
    struct weft_err err;
    assert_null(weft_where_new(source, "row = \"processor number 3\"", &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selections_by_number),
        cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_meter),
        cmocka_unit_test(test_node),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_phase_portrait),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_portrait_without_lengths),
        cmocka_unit_test(test_processor_status),
        cmocka_unit_test(test_points_that_are_drawn),
        cmocka_unit_test(test_lengths_that_are_not_known),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_names_of_axes),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_stars_that_are_left_out),
        cmocka_unit_test(test_sizes_of_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
