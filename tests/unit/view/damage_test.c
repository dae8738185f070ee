/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A track of 1,024 states of ten ticks each, whose second block of 256 changes is damaged: from
 * 2,560 to 5,120 nothing can be known.  What every answer and picture makes of that.
 */
#include <fcntl.h>
#include <math.h>

#include "base/file.h"
#include "base/memory.h"
#include "domains/messages/model/busy_idle_mipmaps.h"
#include "domains/messages/model/concurrency.h"
#include "format/store_layout.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/damage.h"

enum { STATES = 1024, LENGTH = 10, END = STATES * LENGTH, GAP = 2560, GAP_END = 5120 };

static char path[] = "/tmp/weft-view-damage.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;

static void build(void)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_STATE, thread, "state", WEFT_ROLE_NONE);
    uint32_t values[2] = { weft_builder_value(b, type, "a", NULL, 0),
                           weft_builder_value(b, type, "b", NULL, 0) };
    weft_builder_type_role(b, type, WEFT_ROLE_ACTIVITY); /* so the thread is a processor */
    weft_builder_value_role(b, values[1], WEFT_ROLE_IDLE);
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "t", NULL, 0), type);
    for (int i = 0; i < STATES; i++)
        (void)!weft_builder_set(b, track, i * LENGTH, values[i % 2], NULL, 0, NULL);
    (void)!weft_builder_reset(b, track, END);
    assert_true(weft_builder_finish(b, NULL, &err));
}

static int set_up(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_mapping map;
    struct weft_file_header header;
    struct weft_file_block block;
    if (strchr(path, 'X')) /* the next test takes the same name */
        close(mkstemp(path));
    build();
    assert_true(weft_map_file(&map, path, &err));
    memcpy(&header, map.data, sizeof header);
    memcpy(&block, map.data + header.sections[WEFT_SECTION_DIRECTORY].offset + sizeof block,
           sizeof block);
    assert_int_equal(block.time, GAP);
    unsigned char byte = map.data[block.offset + 40] ^ 1;
    weft_unmap(&map);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)block.offset + 40), 1);
    close(fd);
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    source = weft_trace_source(trace);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    weft_trace_close(trace);
    return unlink(path);
}

static bool see_state(void *user, const struct weft_state *state)
{
    unsigned *seen = user;
    assert_int_equal(state->begin, weft_entity_ordinal(state->id) * LENGTH);
    assert_int_equal(state->end, state->begin + LENGTH);
    assert_true(state->end <= GAP || state->begin >= GAP_END);
    ++*seen;
    return true;
}

/* The states of the three blocks that can be read; the last one before the gap ends with it. */
static void test_states_outside_of_the_gap_are_whole(void **unused)
{
    (void)unused;
    unsigned seen = 0;
    source->ops->states(source, 0, (struct weft_span){ 0, END }, see_state, &seen);
    assert_int_equal(seen, STATES - 256);
    seen = 0; /* from within the gap, which then has no beginning */
    source->ops->states(source, 0, (struct weft_span){ GAP + 100, GAP_END + 1000 },
                        see_state, &seen);
    assert_int_equal(seen, 100);
}

static void test_damage_is_listed_once(void **unused)
{
    (void)unused;
    struct weft_damage list[4];
    unsigned seen = 0;
    for (int i = 0; i < 3; i++)
        source->ops->states(source, 0, (struct weft_span){ 0, END }, see_state, &seen);
    assert_int_equal(source->ops->damage(source, 0, list, 4), 1);
    assert_int_equal(list[0].what, WEFT_DAMAGED_ENTITIES);
    assert_int_equal(list[0].track, 0);
    assert_int_equal(list[0].span.begin, GAP);
    assert_int_equal(list[0].span.end, GAP_END);
    assert_int_equal(weft_trace_verify(trace, NULL), 1);
}

/* Columns in the gap show nothing, all others what they always do. */
static void test_shares_are_nothing_in_the_gap(void **unused)
{
    (void)unused;
    /* 64: many changes in a column; 512: two; none of them wide enough for a summary. */
    static const size_t columns[] = { 64, 512 };
    for (size_t i = 0; i < 2; i++) {
        size_t n = columns[i], slots = source->schema->types[2].slots;
        float *shares = weft_alloc(n * slots * sizeof *shares);
        struct weft_share_query query = { &(uint32_t){ 0 }, 1, { 0, END }, n, shares };
        source->ops->shares(source, &query);
        for (size_t c = 0; c < n; c++) {
            bool in_gap = c >= n / 4 && c < n / 2;
            double a = (double)shares[c * slots], b = (double)shares[c * slots + 1];
            assert_true(fabs(a - (in_gap ? 0 : 0.5)) < 1e-3);
            assert_true(fabs(b - (in_gap ? 0 : 0.5)) < 1e-3);
        }
        free(shares);
    }
}

/* Sums need the blocks at the ends of their window only: exact, or none. */
static void test_sums_are_exact_or_left_out(void **unused)
{
    (void)unused;
    static const struct {
        struct weft_span window;
        int64_t of_each;
    } cases[] = { { { 0, END }, END / 2 },
                  { { 100, 2100 }, 1000 },
                  { { 0, GAP + 1000 }, 0 },
                  { { GAP + 1000, END }, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_sum sums[2] = { { 0 } };
        source->ops->sums(source, &(uint32_t){ 0 }, 1, cases[i].window, sums);
        for (int v = 0; v < 2; v++) {
            assert_int_equal(sums[v].self_ticks, cases[i].of_each);
            assert_int_equal(sums[v].total_ticks, cases[i].of_each);
        }
    }
    assert_int_equal(source->ops->damage(source, 0, NULL, 0), 1);
}

enum { OF_A, OF_NONE, OF_B, OF_DAMAGE };
static const uint8_t of_value[] = { OF_A, OF_B }, none_passed_over[] = { 0, 0 };

static bool see_classes(void *user, const struct weft_class_run *run)
{
    unsigned *seen = user;
    for (size_t i = 0; i < run->n; i++, ++*seen) {
        bool in_gap = run->times[i] >= GAP && run->times[i] < GAP_END;
        assert_int_equal(run->classes[i], in_gap                       ? OF_DAMAGE
                                          : run->times[i] / LENGTH % 2 ? OF_B
                                                                       : OF_A);
        assert_true(!in_gap || run->times[i] == GAP);
    }
    return true;
}

/* The gap is in no class, neither as it comes nor in sums. */
static void test_classes_know_of_the_gap(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        unsigned seen = 0;
        const struct weft_classing classing = { of_value, OF_NONE, OF_DAMAGE,
                                                i ? none_passed_over : NULL };
        source->ops->classes(source, 0, (struct weft_span){ 0, END }, &classing,
                             see_classes, &seen);
        assert_int_equal(seen, STATES - 256 + 1);
        const struct weft_class_query queries[] = { { 0, { 0, END } },
                                                    { 0, { GAP + 1, GAP_END - 1 } },
                                                    { 0, { GAP - 100, GAP + 100 } },
                                                    { 0,
                                                      { GAP_END - 100, GAP_END + 40 } } };
        static const int64_t of_each[] = { (END - (GAP_END - GAP)) / 2, 0, 50, 20 };
        int64_t ticks[4][WEFT_TALLIES] = { 0 };
        source->ops->class_ticks(source, queries, 4, &classing, ticks);
        for (int q = 0; q < 4; q++) {
            assert_int_equal(ticks[q][OF_A], of_each[q]);
            assert_int_equal(ticks[q][OF_NONE], 0);
            assert_int_equal(ticks[q][OF_B], of_each[q]);
        }
    }
    struct weft_innermost inner;
    source->ops->values_at(source, &(uint32_t){ 0 }, 1, GAP + 5, &inner);
    assert_int_equal(inner.value, WEFT_NONE);
    assert_true(inner.damaged);
    source->ops->values_at(source, &(uint32_t){ 0 }, 1, GAP_END + 5, &inner);
    assert_false(inner.damaged);
}

static bool see_counts(void *user, int64_t time, const uint32_t counts[WEFT_CLASSES])
{
    (void)user;
    bool in_gap = time >= GAP && time < GAP_END, idle = time / LENGTH % 2;
    assert_int_equal(counts[WEFT_CLASS_BUSY], !in_gap && !idle);
    assert_int_equal(counts[WEFT_CLASS_OVERHEAD], 0);
    assert_int_equal(counts[WEFT_CLASS_IDLE], !in_gap && idle);
    return true;
}

/* A processor of which nothing is known is neither busy nor idle, and its streak is over. */
static void test_processors_count_without_the_gap(void **unused)
{
    (void)unused;
    struct weft_err err;
    const struct weft_processor_list list = { &(uint32_t){ 0 }, 1 };
    struct weft_processors *processors = weft_processors_make(source, NULL, &err);
    struct weft_utilization *u = weft_utilization_make(processors, NULL, &err);
    int64_t ticks[WEFT_CLASSES];
    weft_utilization_ticks(u, list, (struct weft_span){ 0, END }, &ticks);
    assert_int_equal(ticks[WEFT_CLASS_BUSY], (END - (GAP_END - GAP)) / 2);
    assert_int_equal(ticks[WEFT_CLASS_IDLE], (END - (GAP_END - GAP)) / 2);
    weft_utilization_ticks(u, list, (struct weft_span){ GAP + 7, GAP_END + 15 }, &ticks);
    assert_int_equal(ticks[WEFT_CLASS_BUSY], 10);
    assert_int_equal(ticks[WEFT_CLASS_IDLE], 5);
    struct weft_streak streak;
    weft_utilization_streaks(u, list, (struct weft_span){ 0, GAP + 1000 }, true, &streak);
    assert_int_equal(streak.kind, WEFT_NO_STREAK);
    assert_int_equal(streak.length, 0);
    assert_int_equal(streak.longest[WEFT_WIN], LENGTH);
    assert_int_equal(streak.longest[WEFT_LOSS], LENGTH);
    weft_utilization_streaks(u, list, (struct weft_span){ 0, END }, true, &streak);
    assert_int_equal(streak.kind, WEFT_LOSS);
    assert_int_equal(streak.longest[WEFT_WIN], LENGTH);
    assert_int_equal(streak.longest[WEFT_LOSS], LENGTH);
    uint8_t class;
    weft_processors_at(processors, GAP + 5, &class);
    assert_int_equal(class, WEFT_CLASS_UNKNOWN);
    float shares[4 * WEFT_CLASSES];
    weft_class_shares_read(processors, list, (struct weft_span){ 0, END }, 4, shares);
    for (size_t c = 0; c < 4; c++)
        for (size_t k = 0; k < WEFT_CLASSES; k++) {
            double half = c != 1 && k != WEFT_CLASS_OVERHEAD ? 0.5 : 0;
            assert_true(fabs((double)shares[c * WEFT_CLASSES + k] - half) < 1e-3);
        }
    /* Nor from what is kept for pictures, in which the gap would be idle. */
    struct weft_class_mips *mips = weft_class_mips_make(processors, 0, NULL, &err);
    weft_processors_shares(processors, mips, list, (struct weft_span){ 0, END }, 4, shares,
                           NULL);
    for (size_t c = 0; c < 4; c++)
        assert_true(
            fabs((double)shares[c * WEFT_CLASSES + WEFT_CLASS_IDLE] - (c != 1 ? 0.5 : 0))
            < 1e-3);
    weft_class_mips_free(mips);
    assert_true(weft_count_changes(u, list, (struct weft_span){ 0, END }, see_counts, NULL,
                                   NULL, &err));
    weft_utilization_free(u);
    weft_processors_free(processors);
}

/* The hatch lies where the gap is, and the picture says so. */
static void test_the_row_is_hatched(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    struct weft_set set = { &source, 1 };
    const struct weft_view *view = weft_view_find("space-time");
    const char *settings[32] = { NULL };
    struct weft_request request = { .set = &set,
                                    .window = { 0, END },
                                    .width = 900,
                                    .height = 400,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    assert_true(weft_view_draw(view, &request, &arena, &scene, &err));
    unsigned hatched = 0;
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks
                           && strcmp(scene.layers[l].name, WEFT_DAMAGE_LAYER) == 0;
             i++) {
            const struct weft_mark *mark = &scene.layers[l].marks[i];
            struct weft_rect plot = scene.frame.plot;
            assert_int_equal(mark->paint.hatch, WEFT_HATCH_CROSS);
            assert_true(fabs(mark->box.x - (plot.x + plot.width / 4)) < 1);
            assert_true(fabs(mark->box.width - plot.width / 4) < 1);
            hatched++;
        }
    assert_int_equal(hatched, 1);
    assert_string_equal(scene.frame.legend[scene.frame.n_legend - 1].label, "damaged");
    assert_non_null(strstr(scene.frame.subtitle, "1 damaged part of the trace left out"));
    weft_arena_free(&arena);
}

/* The node of a processor says so, too, and is not drawn as a busy one. */
static void test_the_node_is_hatched(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    struct weft_set set = { &source, 1 };
    const struct weft_view *view = weft_view_find("animation");
    const char *settings[32] = { NULL };
    struct weft_request request = { .set = &set,
                                    .window = { 0, END },
                                    .has_at = true,
                                    .width = 900,
                                    .height = 400,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    for (int in_gap = 0; in_gap < 2; in_gap++) {
        unsigned damaged = 0, busy = 0, hatched = 0;
        request.at = in_gap ? GAP + 5 : GAP - 15; /* a, which has no class */
        assert_true(weft_view_draw(view, &request, &arena, &scene, &err));
        for (size_t l = 0; l < scene.n_layers; l++)
            for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
                const struct weft_mark *mark = &scene.layers[l].marks[i];
                damaged += mark->title && strstr(mark->title, "damaged") != NULL;
                busy += mark->title && strstr(mark->title, "busy") != NULL;
                hatched += mark->paint.hatch == WEFT_HATCH_CROSS
                           && strcmp(scene.layers[l].name, "damage note") != 0;
            }
        assert_int_equal(damaged, in_gap);
        assert_int_equal(hatched, in_gap);
        assert_int_equal(busy, 1 - in_gap);
    }
    weft_arena_free(&arena);
}

static void ask(struct weft_request *request, struct weft_set *set, int64_t at)
{
    static const char *settings[32];
    *set = (struct weft_set){ &source, 1 };
    *request = (struct weft_request){ .set = set,
                                      .window = { 0, END },
                                      .has_at = at >= 0,
                                      .at = at,
                                      .width = 900,
                                      .height = 400,
                                      .settings = settings,
                                      .theme = weft_theme_get(WEFT_THEME_LIGHT) };
}

/* How much of a picture's plot is hatched. */
static double hatched_part(const char *view, int64_t at)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_request request;
    struct weft_set set;
    struct weft_err err;
    double area = 0;
    ask(&request, &set, at);
    assert_true(weft_view_draw(weft_view_find(view), &request, &arena, &scene, &err));
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
            const struct weft_mark *mark = &scene.layers[l].marks[i];
            if (mark->paint.hatch == WEFT_HATCH_CROSS
                && strcmp(scene.layers[l].name, "damage note") != 0)
                area += mark->kind == WEFT_MARK_SECTOR ? (double)(mark->outer * mark->outer)
                                                       : mark->box.width * mark->box.height;
        }
    area /= scene.frame.plot.width * scene.frame.plot.height;
    weft_arena_free(&arena);
    return area;
}

/* Hatches lie where the gap is, and not over what is known: the gap is a quarter of the time. */
static void test_pictures_are_hatched_in_the_gap(void **unused)
{
    static const char *const of_range[] = { "gantt", "utilization-count", "overview",
                                            "utilization-summary" };
    (void)unused;
    for (size_t i = 0; i < sizeof of_range / sizeof *of_range; i++) {
        double part = hatched_part(of_range[i], -1);
        assert_true(part > 0.2 && part < 0.27);
    }
    static const char *const of_moment[] = { "utilization-meter", "streak", "kiviat" };
    for (size_t i = 0; i < sizeof of_moment / sizeof *of_moment; i++) {
        assert_true(hatched_part(of_moment[i], GAP + 1000) > 0.05);
        assert_true(hatched_part(of_moment[i], GAP - 15) == 0);
    }
}

/* A page says it beside the picture, so no note covers what the picture shows. */
static void test_a_bare_picture_has_no_note(void **unused)
{
    (void)unused;
    for (int bare = 0; bare < 2; bare++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_request request;
        struct weft_set set;
        struct weft_err err;
        unsigned notes = 0;
        ask(&request, &set, -1);
        request.bare = bare;
        assert_true(
            weft_view_draw(weft_view_find("gantt"), &request, &arena, &scene, &err));
        for (size_t l = 0; l < scene.n_layers; l++)
            notes += strcmp(scene.layers[l].name, "damage note") == 0;
        assert_int_equal(notes, !bare);
        assert_string_equal(scene.frame.legend[scene.frame.n_legend - 1].label, "damaged");
        weft_arena_free(&arena);
    }
}

static void expect_table(const char *view, int64_t at, const char *expected)
{
    struct weft_request request;
    struct weft_set set;
    ask(&request, &set, at);
    char *text = table_csv(weft_view_find(view), &request);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

/*
 * What is not known is no number.  Of what is, half is busy; at most 105 of the 205 ticks that the
 * Kiviat diagram averages.
 */
static void test_tables_know_of_the_gap(void **unused)
{
    (void)unused;
    expect_table("kiviat", -1, "0,50.0000,51.2195\n");
    expect_table("kiviat", GAP + 1000, "0,,51.2195\n");
    expect_table("streak", GAP + 1000, "0,,,10,10\n");
    expect_table("utilization-summary", -1, "0,37.5000,0.0000,37.5000\n");
    expect_table("concurrency-profile", -1,
                 "0,37.5000,75.0000,37.5000\n1,37.5000,0.0000,37.5000\n");
}

/* ---- Curves ---- */

enum { CURVES = 20 };

static int set_up_curves(void **unused)
{
    (void)unused;
    struct weft_err err;
    if (strchr(path, 'X'))
        close(mkstemp(path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_VARIABLE, thread, "memory", WEFT_ROLE_NONE);
    for (int i = 0; i < CURVES; i++) {
        uint32_t track =
            weft_builder_track(b, weft_builder_container(b, thread, 0, "t", NULL, 0), type);
        for (int k = 0; k < 4; k++)
            (void)!weft_builder_sample(b, track, k * END / 4, i + k);
    }
    trace = small_store_open(b, path);
    source = weft_trace_source(trace);
    return 0;
}

static size_t n_known, n_lists; /* damaged parts, and how often they were listed */

/* Damage of an index, which no curve is made of. */
static size_t some_damage(const struct weft_source *unused, size_t from,
                          struct weft_damage *out, size_t capacity)
{
    (void)unused;
    n_lists += capacity > 0;
    for (size_t i = 0; i < capacity && from + i < n_known; i++)
        out[i] = (struct weft_damage){ .what = WEFT_DAMAGED_INDEX,
                                       .track = WEFT_NONE,
                                       .field = WEFT_NONE };
    return n_known;
}

/* How many curves say their greatest value when there is so much damage. */
static size_t count_labels(size_t damage)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    struct weft_set set = { &source, 1 };
    const char *settings[32] = { NULL };
    struct weft_request request = { .set = &set,
                                    .window = { 0, END },
                                    .width = 900,
                                    .height = 1200,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    size_t labels = 0;
    n_known = damage;
    n_lists = 0;
    assert_true(
        weft_view_draw(weft_view_find("space-time"), &request, &arena, &scene, &err));
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
            const struct weft_mark *mark = &scene.layers[l].marks[i];
            labels += mark->kind == WEFT_MARK_TEXT && strncmp(mark->text, "max ", 4) == 0;
        }
    weft_arena_free(&arena);
    return labels;
}

/*
 * Curves and damaged parts may be thousands each: the list is not read for each curve.  Of which
 * curves the parts are that are beyond the list nobody knows.
 */
static void test_curves_read_the_list_once(void **unused)
{
    (void)unused;
    struct weft_source *asked = (struct weft_source *)source;
    const struct weft_source_ops *whole = source->ops;
    struct weft_source_ops ops = *whole;
    ops.damage = some_damage;
    asked->ops = &ops;
    assert_int_equal(count_labels(0), CURVES);
    assert_int_equal(count_labels(1000), CURVES);
    assert_true(n_lists > 0 && n_lists < CURVES);
    assert_int_equal(count_labels(1000000), 0);
    asked->ops = whole;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_states_outside_of_the_gap_are_whole, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_damage_is_listed_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_node_is_hatched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shares_are_nothing_in_the_gap, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_sums_are_exact_or_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_classes_know_of_the_gap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_processors_count_without_the_gap, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_row_is_hatched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pictures_are_hatched_in_the_gap, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_bare_picture_has_no_note, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tables_know_of_the_gap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_curves_read_the_list_once, set_up_curves,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
