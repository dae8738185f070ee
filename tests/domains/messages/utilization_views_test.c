/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the displays of utilization, of a run whose numbers can be worked out by hand.
 *
 *     time          0    10   20   30   40   50   60   70   80   90   100 ns
 *     processor 0   busy.................|send|busy...............(end)....
 *     processor 1   busy|recv...........|busy......|barrier...........(end)
 *     processor 2   send|busy...............................|recv....(end).
 *
 * 0: send [40, 50), last event 80.  1: receive [10, 40), barrier [60, 90), last event 90.
 * 2: send [0, 10), receive [70, 90), last event 90.  A mark on the root at 100 ends the run.
 * Sends are overhead; receives and barriers are idle, and so is who has ended:
 *
 *     0   busy [0, 40) [50, 80)     overhead [40, 50)   idle [80, 100)
 *     1   busy [0, 10) [40, 60)                         idle [10, 40) [60, 100)
 *     2   busy [10, 70)             overhead [0, 10)    idle [70, 100)
 *
 * The containers are created as 2, 0, 1.
 */
#include "domains/messages/view/processor_display_helpers.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/view.h"

enum { N = 3, END = 100 };

static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_set set;
static uint32_t hosts[2];

static void call(struct weft_builder *b, uint32_t track, uint32_t value, int64_t from,
                 int64_t to)
{
    (void)!weft_builder_push(b, track, from, value, NULL, 0, NULL);
    (void)!weft_builder_pop(b, track, to, NULL);
}

static int set_up(void **state)
{
    char path[] = "/tmp/weft-utilization-views.XXXXXX";
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    uint32_t host = add_type(b, WEFT_CONTAINER, 0, "host", WEFT_ROLE_HOST);
    uint32_t rank = add_type(b, WEFT_CONTAINER, host, "rank", WEFT_ROLE_RANK);
    uint32_t calls = add_type(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t marks = add_type(b, WEFT_EVENT, rank, "mark", WEFT_ROLE_MARK);
    uint32_t last = add_type(b, WEFT_EVENT, 0, "last", WEFT_ROLE_MARK);
    uint32_t number =
        add_field(b, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    uint32_t send = weft_builder_value(b, calls, "send", NULL, 0);
    uint32_t receive = weft_builder_value(b, calls, "receive", NULL, 0);
    uint32_t barrier = weft_builder_value(b, calls, "barrier", NULL, 0);
    weft_builder_value_role(b, send, WEFT_ROLE_SENDING);
    weft_builder_value_role(b, receive, WEFT_ROLE_BLOCKED_ON_MESSAGE);
    weft_builder_value_role(b, barrier, WEFT_ROLE_BLOCKED_ON_BARRIER);
    weft_builder_value_role(b, weft_builder_value(b, calls, "not recorded", NULL, 0),
                            WEFT_ROLE_MEASURING);
    uint32_t tracks[N], containers[N];
    static const int64_t created[N] = { 2, 0, 1 };
    hosts[0] = weft_builder_container(b, host, 0, "one", NULL, 0);
    hosts[1] = weft_builder_container(b, host, 0, "two", NULL, 0);
    for (int i = 0; i < N; i++) {
        int64_t n = created[i];
        containers[n] = weft_builder_container(b, rank, hosts[n == 1], "p", NULL, 0);
        struct weft_field_value fact = { .field = number };
        fact.integer = n;
        weft_builder_container_field(b, containers[n], &fact);
        tracks[n] = weft_builder_track(b, containers[n], calls);
    }
    call(b, tracks[0], send, 40, 50);
    call(b, tracks[1], receive, 10, 40);
    call(b, tracks[1], barrier, 60, 90);
    call(b, tracks[2], send, 0, 10);
    call(b, tracks[2], receive, 70, 90);
    (void)!weft_builder_event(b, weft_builder_track(b, containers[0], marks), 80, WEFT_NONE,
                              NULL, 0, NULL);
    (void)!weft_builder_event(b, weft_builder_track(b, 0, last), END, WEFT_NONE, NULL, 0,
                              NULL);
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return 0;
}

static struct weft_request ask(int64_t begin, int64_t end)
{
    return (struct weft_request){ .set = &set,
                                  .window = { begin, end },
                                  .width = 400,
                                  .height = 300,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT) };
}

/* The rows of a table, as text; SETTING: "name=value" or NULL. */
static void check(const char *name, struct weft_request request, const char *setting,
                  const char *wanted)
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[8] = { 0 };
    struct weft_err err = { 0 };
    if (setting)
        assert_true(weft_setting_parse(view, setting, settings, &err));
    request.settings = settings;
    char *text = table_csv(view, &request);
    const char *rows = strchr(text, '\n');
    assert_non_null(rows);
    for (char *c = text; *c; c++)
        *c = *c == '\r' ? ' ' : *c;
    char flat[2048];
    size_t n = 0;
    for (const char *c = rows + 1; *c && n + 1 < sizeof flat; c++)
        if (*c != ' ')
            flat[n++] = *c;
    flat[n] = '\0';
    assert_string_equal(flat, wanted);
    free(text);
}

static struct weft_request at(int64_t time)
{
    struct weft_request request = ask(0, END);
    request.has_at = true;
    request.at = time;
    return request;
}

static void test_counts(void **unused)
{
    (void)unused;
    /* 0: 0 and 1 are busy, 2 sends.  10: 1 waits, 2 is busy.  40: 0 sends, 1 is busy. */
    check("utilization-count", ask(0, END), NULL,
          "0,2,1,0\n10,2,0,1\n40,2,1,0\n50,3,0,0\n60,2,0,1\n70,1,0,2\n80,0,0,3\n");
    check("utilization-count", ask(45, 65), NULL, "45,2,1,0\n50,3,0,0\n60,2,0,1\n");
    check("utilization-count", at(40), NULL, "40,2,1,0\n");
    struct weft_request one = ask(0, END);
    one.under = hosts[1]; /* processor 1 */
    check("utilization-count", one, NULL, "0,1,0,0\n10,0,0,1\n40,1,0,0\n60,0,0,1\n");
    check("utilization-meter", at(45), NULL, "66.6667,33.3333,0.0000\n");
    /* Busy: 70 + 30 + 60 of 300; overhead: 10 + 0 + 10. */
    check("utilization-meter", ask(0, END), NULL, "53.3333,6.6667,40.0000\n");
}

static void test_gantt(void **unused)
{
    (void)unused;
    check("gantt", ask(0, END), NULL,
          "0,0,40,busy\n0,40,50,overhead\n0,50,80,busy\n0,80,100,idle\n"
          "1,0,10,busy\n1,10,40,idle\n1,40,60,busy\n1,60,100,idle\n"
          "2,0,10,overhead\n2,10,70,busy\n2,70,100,idle\n");
    check("gantt", ask(20, 45), NULL,
          "0,20,40,busy\n0,40,45,overhead\n1,20,40,idle\n1,40,45,busy\n2,20,45,busy\n");
    /* At a moment whole, as the barrier and what follows it are one time of idleness. */
    check("gantt", at(95), NULL, "0,80,100,idle\n1,60,100,idle\n2,70,100,idle\n");
    check("gantt", at(100), NULL, "0,80,100,idle\n1,60,100,idle\n2,70,100,idle\n");
    check("gantt", at(0), NULL, "0,0,40,busy\n1,0,10,busy\n2,0,10,overhead\n");
}

static void test_summary(void **unused)
{
    (void)unused;
    check(
        "utilization-summary", ask(0, END), NULL,
        "0,70.0000,10.0000,20.0000\n1,30.0000,0.0000,70.0000\n2,60.0000,10.0000,30.0000\n");
    check("utilization-summary", at(50), NULL,
          "0,80.0000,20.0000,0.0000\n1,40.0000,0.0000,60.0000\n2,80.0000,20.0000,0.0000\n");
    check("utilization-summary", ask(40, 80), NULL,
          "0,75.0000,25.0000,0.0000\n1,50.0000,0.0000,50.0000\n2,75.0000,0.0000,25.0000\n");
}

static void test_profile(void **unused)
{
    (void)unused;
    /*
     * Busy: 2 in [0, 50), 3 in [50, 60), 2 in [60, 70), 1 in [70, 80), 0 in [80, 100).
     * Overhead: 1 in [0, 10) and [40, 50).  Idle: 0 in [0, 10) [40, 60), 1 in [10, 40)
     * [60, 70), 2 in [70, 80), 3 in [80, 100).
     */
    check("concurrency-profile", ask(0, END), NULL,
          "0,20.0000,80.0000,30.0000\n1,10.0000,20.0000,40.0000\n"
          "2,60.0000,0.0000,10.0000\n3,10.0000,0.0000,20.0000\n");
    check("concurrency-profile", at(50), NULL,
          "0,0.0000,60.0000,40.0000\n1,0.0000,40.0000,60.0000\n"
          "2,100.0000,0.0000,0.0000\n3,0.0000,0.0000,0.0000\n");
}

static void test_streaks(void **unused)
{
    (void)unused;
    /* Overhead wins: 0 wins [0, 80); 1 loses [10, 40) and [60, 100); 2 wins [0, 70). */
    check("streak", ask(0, END), NULL,
          "0,loss,20,80,20\n1,loss,40,20,40\n2,loss,30,70,30\n");
    check("streak", at(45), NULL, "0,win,45,45,0\n1,win,5,10,30\n2,win,45,45,0\n");
    /* It loses: 0 wins [50, 80), and its longest is [0, 40). */
    check("streak", at(75), "overhead=loss",
          "0,win,25,40,10\n1,loss,15,20,30\n2,loss,5,60,10\n");
    check("streak", at(45), "overhead=loss",
          "0,loss,5,40,5\n1,win,5,10,30\n2,win,35,35,10\n");
}

static void test_averages(void **unused)
{
    (void)unused;
    /*
     * Of 20 ns before 55, [35, 55): 0 is busy in [35, 40) and [50, 55), 1 in [40, 55), 2 all
     * the time.  Until then 0 and 2 were busy for 20 ns on end, 1 for no more than these 15.
     */
    check("kiviat", at(55), "smoothing=20ns",
          "0,50.0000,100.0000\n1,75.0000,75.0000\n2,100.0000,100.0000\n");
    /* At 10 there are 10 ns to be averaged, not 20: 0 and 1 were busy in all of them. */
    check("kiviat", at(10), "smoothing=20ns",
          "0,100.0000,100.0000\n1,100.0000,100.0000\n2,0.0000,0.0000\n");
    /* Without a moment the average of the range: at its end here nobody is. */
    check("kiviat", ask(0, END), "smoothing=20ns",
          "0,70.0000,100.0000\n1,30.0000,100.0000\n2,60.0000,100.0000\n");
    check("kiviat", ask(40, 80), "overhead=busy",
          "0,100.0000,100.0000\n1,50.0000,100.0000\n2,75.0000,100.0000\n");
    struct weft_request request = at(10);
    const struct weft_view *view = weft_view_find("kiviat");
    const char *settings[8] = { 0 };
    struct weft_err err;
    assert_true(weft_setting_parse(view, "overhead=busy", settings, &err));
    assert_true(weft_setting_parse(view, "smoothing=20%", settings, &err));
    check("kiviat", request, "overhead=busy",
          "0,100.0000,100.0000\n1,100.0000,100.0000\n"
          "2,100.0000,100.0000\n"); /* of 2 ns */
    settings[0] = "soon";
    request.settings = settings;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    assert_false(weft_view_scene(view, &request, &arena, &scene, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    weft_arena_free(&arena);
}

/* Every picture says for how many processors one thing stands, where it stands for several. */
static bool says(const struct weft_scene *scene, const char *text)
{
    return scene->frame.subtitle && strstr(scene->frame.subtitle, text);
}

static void test_groups_are_said(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    struct weft_request low = ask(0, END);
    low.height = 12; /* a plot of a pixel or two for three rows */
    assert_true(weft_view_scene(weft_view_find("gantt"), &low, &arena, &scene, &err));
    assert_true(says(&scene, "processors a row"));
    struct weft_request high = ask(0, END);
    assert_true(weft_view_scene(weft_view_find("gantt"), &high, &arena, &scene, &err));
    assert_false(says(&scene, "a row"));
    struct weft_request narrow = ask(0, END);
    narrow.width = 20;
    assert_true(weft_view_scene(weft_view_find("utilization-summary"), &narrow, &arena,
                                &scene, &err));
    assert_true(says(&scene, "processors a bar"));
    weft_arena_free(&arena);
}

/* Groups of 1, 2, 4, ... processors; the last may have fewer, and counts as well. */
static void test_sizes_of_groups(void **unused)
{
    (void)unused;
    assert_int_equal(weft_group_size(0, 7), 1);
    assert_int_equal(weft_group_size(8, 8), 1);
    assert_int_equal(weft_group_size(9, 8), 2);
    assert_int_equal(weft_group_size(5, 3), 2);
    assert_int_equal(weft_group_size(5, 2.5), 4); /* by 2 they make 3 groups */
    assert_int_equal(weft_group_size(6, 3.5), 2);
    assert_int_equal(weft_group_size(5, 0.1), 8);
    assert_int_equal(weft_group_size(1u << 31, 1), 1u << 31);
}

/* Of a run that stopped its recording pictures say in which colour that time is. */
static void test_unrecorded_time_is_said(void **unused)
{
    (void)unused;
    static const char *const names[] = { "gantt", "utilization-count", "kiviat",
                                         "utilization-summary", "concurrency-profile" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        struct weft_request request = ask(0, END);
        assert_true(
            weft_view_scene(weft_view_find(names[i]), &request, &arena, &scene, &err));
        assert_true(says(&scene, "overhead includes what is not recorded"));
        weft_arena_free(&arena);
    }
}

static void test_gray_order_needs_a_power_of_two(void **unused)
{
    (void)unused;
    const struct weft_view *view = weft_view_find("utilization-summary");
    const char *settings[8] = { 0 };
    struct weft_err err;
    struct weft_request request = ask(0, END);
    assert_true(weft_setting_parse(view, "order=gray", settings, &err));
    request.settings = settings;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    assert_false(weft_view_scene(view, &request, &arena, &scene, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    weft_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_gantt),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_streaks),
        cmocka_unit_test(test_averages),
        cmocka_unit_test(test_groups_are_said),
        cmocka_unit_test(test_sizes_of_groups),
        cmocka_unit_test(test_unrecorded_time_is_said),
        cmocka_unit_test(test_gray_order_needs_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
