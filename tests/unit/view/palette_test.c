/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/test.h"
#include "view/palette.h"

/* sRGB to linear light by its definition (IEC 61966-2-1). */
static double linear(weft_color color, int shift)
{
    double x = (color >> shift & 255) / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static double luminance(weft_color c)
{
    return 0.2126 * linear(c, 16) + 0.7152 * linear(c, 8) + 0.0722 * linear(c, 0);
}

static double contrast(weft_color a, weft_color b)
{
    double x = luminance(a), y = luminance(b);
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

static void test_texts_can_be_read_in_every_theme(void **unused)
{
    (void)unused;
    for (int t = 0; t < 5; t++) {
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        assert_true(contrast(theme->text, theme->panel) >= 4.5);
        assert_true(contrast(theme->quiet, theme->panel) >= 4.5);
        for (int i = 0; i < 200; i++) {
            char name[] = { (char)('a' + i % 26), (char)('a' + i / 26), 0 };
            struct weft_swatch swatch = weft_name_swatch(theme, name);
            assert_true(contrast(swatch.ink, swatch.fill) >= 4.5);
        }
    }
}

/* ParaGraph's traffic lights; a role without a colour of its own looks like its parent. */
static void test_roles_have_their_colours(void **unused)
{
    (void)unused;
    const struct weft_theme *light = weft_theme_get(WEFT_THEME_LIGHT);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_BUSY).fill, light->busy);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_COMPUTING).fill, light->busy);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_SENDING).fill, light->overhead);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_IDLE).fill, light->idle);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_BLOCKED_ON_MESSAGE).fill,
                     light->idle);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_BLOCKED_ON_LOCK).hatch,
                     WEFT_HATCH_DIAGONAL);
    assert_int_equal(weft_role_swatch(light, WEFT_ROLE_RUNNING).hatch, WEFT_HATCH_NONE);
    for (int t = 0; t < 5; t++)
        for (int role = 0; role < WEFT_ROLE_LIMIT; role++) {
            struct weft_swatch swatch =
                weft_role_swatch(weft_theme_get((enum weft_theme_name)t), role);
            assert_int_equal(swatch.fill >> 24, 0xff);
        }
}

static struct weft_type type = { .kind = WEFT_STATE, .name = "state", .slots = 16 };

/* In each theme no two of the values look alike: other colours, or other hatches. */
static void all_differ(struct weft_value *values, uint32_t n, int least)
{
    struct weft_schema schema = {
        .types = &type, .n_types = 1, .values = values, .n_values = n
    };
    for (int t = 0; t < 5; t++) {
        struct weft_arena arena = { 0 };
        struct weft_swatch *swatches =
            weft_palette(&arena, &schema, weft_theme_get((enum weft_theme_name)t));
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < a; b++) {
                int sum = 0;
                for (int shift = 0; shift < 24; shift += 8)
                    sum += abs((int)(swatches[a].fill >> shift & 255)
                               - (int)(swatches[b].fill >> shift & 255));
                if (swatches[a].hatch == swatches[b].hatch && sum < least)
                    fail_msg("theme %d: %s %06x and %s %06x look alike", t, values[a].name,
                             swatches[a].fill & 0xffffff, values[b].name,
                             swatches[b].fill & 0xffffff);
            }
        weft_arena_free(&arena);
    }
}

/* Calls of one role are told apart, in hues and without. */
static void test_values_of_one_role_differ(void **unused)
{
    (void)unused;
    struct weft_value values[] = {
        { .name = "recv", .role = WEFT_ROLE_BLOCKED_ON_MESSAGE },
        { .name = "wait", .role = WEFT_ROLE_BLOCKED_ON_MESSAGE, .rank = 1 },
        { .name = "probe", .role = WEFT_ROLE_BLOCKED_ON_MESSAGE, .rank = 2 },
        { .name = "barrier", .role = WEFT_ROLE_BLOCKED_ON_BARRIER, .rank = 3 },
        { .name = "bcast", .role = WEFT_ROLE_BLOCKED_ON_COLLECTIVE, .rank = 4 },
        { .name = "reduce", .role = WEFT_ROLE_BLOCKED_ON_COLLECTIVE, .rank = 5 },
        { .name = "gather", .role = WEFT_ROLE_BLOCKED_ON_COLLECTIVE, .rank = 6 },
        { .name = "send", .role = WEFT_ROLE_SENDING, .rank = 7 },
        { .name = "isend", .role = WEFT_ROLE_SENDING, .rank = 8 },
        { .name = "compute", .role = WEFT_ROLE_COMPUTING, .rank = 9 },
        { .name = "other", .rank = 10 },
    };
    const size_t n = sizeof values / sizeof *values, n_waiting = 7;
    all_differ(values, n, 30);
    /*
     * In black and white what waits is not taken for what is busy: of the eight looks that white
     * has, the three others that are not busy take one each at most.
     */
    struct weft_arena arena = { 0 };
    struct weft_schema schema = {
        .types = &type, .n_types = 1, .values = values, .n_values = (uint32_t)n
    };
    const struct weft_swatch *swatches =
        weft_palette(&arena, &schema, weft_theme_get(WEFT_THEME_MONO));
    size_t white = 0;
    for (size_t i = 0; i < n_waiting; i++)
        white += swatches[i].fill == 0xffffffff;
    assert_in_range(white, 8 - 3, n_waiting);
    assert_int_equal(swatches[9].fill, 0xff000000);
    weft_arena_free(&arena);
}

/*
 * Procedures that all compute have hues of their own, as far from one another as in a palette
 * and none of them idle's red; beside another role the role decides, and computing is green.
 */
static void test_procedures_have_hues_of_their_own(void **unused)
{
    (void)unused;
    struct weft_value values[9];
    static const char *const names[] = { "filter", "sieve", "numbers", "go",  "merge",
                                         "append", "split", "part",    "none" };
    for (uint32_t i = 0; i < 9; i++)
        values[i] =
            (struct weft_value){ .name = names[i], .role = WEFT_ROLE_COMPUTING, .rank = i };
    all_differ(values, 8, 60);
    for (int t = WEFT_THEME_LIGHT; t <= WEFT_THEME_DARK; t++) {
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        struct weft_arena arena = { 0 };
        struct weft_schema schema = {
            .types = &type, .n_types = 1, .values = values, .n_values = 8
        };
        const struct weft_swatch *swatches = weft_palette(&arena, &schema, theme);
        for (uint32_t i = 0; i < 8; i++) {
            unsigned red = swatches[i].fill >> 16 & 255,
                     green = swatches[i].fill >> 8 & 255, blue = swatches[i].fill & 255;
            assert_false(red > 150 && green < 100 && blue < 100);
        }
        values[8].role = WEFT_ROLE_BLOCKED;
        schema.n_values = 9;
        swatches = weft_palette(&arena, &schema, theme);
        bool green = false;
        for (uint32_t i = 0; i < 8; i++)
            green |= swatches[i].fill == theme->busy;
        assert_true(green);
        weft_arena_free(&arena);
    }
}

/* Four reds and five greens that the trace itself gives: StarPU's way. */
static void test_colours_of_a_trace_that_collide_are_told_apart(void **unused)
{
    (void)unused;
    struct weft_value values[9];
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
    for (uint32_t i = 0; i < 9; i++)
        values[i] = (struct weft_value){ .name = names[i],
                                         .rank = i,
                                         .color = i < 4 ? 0xffff0000u : 0xff00c000u + i };
    all_differ(values, 9, 20); /* what 0.07 of lightness is in a pure green */
    /* The first keeps what the trace gave it. */
    struct weft_arena arena = { 0 };
    struct weft_schema schema = {
        .types = &type, .n_types = 1, .values = values, .n_values = 9
    };
    assert_int_equal(
        weft_palette(&arena, &schema, weft_theme_get(WEFT_THEME_LIGHT))[0].fill,
        0xffff0000u);
    weft_arena_free(&arena);
}

/*
 * Rows of several types of states are in one picture: one name looks the same in all of them,
 * and reds that the trace gives to values of two types, and ours beside them, are told apart.
 */
static void test_types_of_states_are_told_apart(void **unused)
{
    (void)unused;
    const uint32_t red = 0xffe01000u;
    struct weft_type types[] = { { .kind = WEFT_STATE, .parent = WEFT_NONE, .name = "a" },
                                 { .kind = WEFT_STATE, .parent = WEFT_NONE, .name = "b" },
                                 { .kind = WEFT_EVENT, .parent = WEFT_NONE, .name = "c" } };
    struct weft_value values[] = {
        { .type = 0, .name = "idle", .color = red },
        { .type = 0, .name = "sleeping", .color = red },
        { .type = 1, .name = "idle", .color = red },
        { .type = 1, .name = "waiting", .color = red },
        { .type = 1, .name = "blocked", .role = WEFT_ROLE_BLOCKED }, /* our dark red */
        { .type = 1, .name = "down", .color = 0xffa02038u },         /* nearly that */
        { .type = 2, .name = "broken", .color = red },               /* an event */
    };
    enum { N = sizeof values / sizeof *values };
    struct weft_schema schema = {
        .types = types, .n_types = 3, .values = values, .n_values = N
    };
    struct weft_arena arena = { 0 };
    for (int dark = 0; dark < 2; dark++) {
        struct weft_swatch *swatches = weft_palette(
            &arena, &schema, weft_theme_get(dark ? WEFT_THEME_DARK : WEFT_THEME_LIGHT));
        assert_int_equal(swatches[0].fill, red);
        assert_int_equal(swatches[2].fill, red);
        assert_int_equal(swatches[6].fill, red);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < a; b++) {
                struct weft_oklab x = weft_oklab(swatches[a].fill),
                                  y = weft_oklab(swatches[b].fill);
                double distance =
                    hypot(x.lightness - y.lightness, hypot(x.a - y.a, x.b - y.b));
                assert_true(distance > 0.06 || (a == 2 && b == 0));
            }
    }
    /* Without hues, too, one name looks the same, and those of one type differ. */
    for (int grey = 0; grey < 2; grey++) {
        struct weft_swatch *swatches = weft_palette(
            &arena, &schema, weft_theme_get(grey ? WEFT_THEME_GREY : WEFT_THEME_MONO));
        assert_int_equal(swatches[0].fill, swatches[2].fill);
        assert_int_equal(swatches[0].hatch, swatches[2].hatch);
        for (int a = 2; a < 6; a++)
            for (int b = 2; b < a; b++)
                assert_true(swatches[a].fill != swatches[b].fill
                            || swatches[a].hatch != swatches[b].hatch);
    }
    weft_arena_free(&arena);
}

/* A recording of tasks has more kinds of busy states than there are greens. */
static void test_busy_states_of_tasks_are_told_apart(void **unused)
{
    (void)unused;
    enum { BUSY = 13, PARTS = 6, N = BUSY + PARTS };
    static const enum weft_role parts[PARTS] = {
        WEFT_ROLE_BEFORE_CREATE, WEFT_ROLE_BEFORE_WAIT,   WEFT_ROLE_BEFORE_OTHER,
        WEFT_ROLE_BEFORE_END,    WEFT_ROLE_WHOLE_SECTION, WEFT_ROLE_WHOLE_TASK
    };
    struct weft_type types[] = {
        { .kind = WEFT_STATE, .parent = WEFT_NONE, .name = "a" },
        { .kind = WEFT_STATE, .parent = WEFT_NONE, .name = "b" },
    };
    char names[N][4];
    struct weft_value values[N];
    for (uint32_t v = 0; v < N; v++) {
        snprintf(names[v], sizeof names[v], "v%u", v);
        values[v] =
            (struct weft_value){ .type = v >= BUSY,
                                 .name = names[v],
                                 .rank = v,
                                 .role = v < BUSY ? WEFT_ROLE_BUSY : parts[v - BUSY] };
    }
    struct weft_schema schema = {
        .types = types, .n_types = 2, .values = values, .n_values = N
    };
    for (int t = 0; t < 5; t++) {
        struct weft_arena arena = { 0 };
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        bool hues = t != WEFT_THEME_GREY && t != WEFT_THEME_MONO;
        struct weft_swatch *swatches = weft_palette(&arena, &schema, theme);
        for (int a = BUSY; a < N; a++)
            for (int b = hues ? 0 : BUSY; b < a; b++) {
                struct weft_oklab x = weft_oklab(swatches[a].fill),
                                  y = weft_oklab(swatches[b].fill);
                double distance =
                    hypot(x.lightness - y.lightness, hypot(x.a - y.a, x.b - y.b));
                assert_true(distance > 0.05 || swatches[a].hatch != swatches[b].hatch);
            }
        weft_arena_free(&arena);
    }
}

static void test_oklab_goes_there_and_back(void **unused)
{
    (void)unused;
    /* White is (1, 0, 0) by definition. */
    struct weft_oklab white = weft_oklab(0xffffffff);
    assert_true(fabs(white.lightness - 1) < 1e-3 && fabs(white.a) < 1e-3
                && fabs(white.b) < 1e-3);
    for (unsigned i = 0; i < 4096; i++) {
        weft_color color =
            0xff000000u | (i >> 8) * 17 << 16 | (i >> 4 & 15) * 17 << 8 | (i & 15) * 17;
        assert_int_equal(weft_oklab_color(weft_oklab(color)), color);
    }
}

static void test_grey_is_grey_and_mono_is_black_and_white(void **unused)
{
    (void)unused;
    for (int i = 0; i < 26; i++) {
        char name[] = { (char)('a' + i), 0 };
        weft_color grey = weft_name_swatch(weft_theme_get(WEFT_THEME_GREY), name).fill;
        assert_int_equal(grey >> 16 & 255, grey & 255);
        assert_int_equal(grey >> 8 & 255, grey & 255);
        weft_color mono = weft_name_swatch(weft_theme_get(WEFT_THEME_MONO), name).fill;
        assert_true(mono == 0xff000000 || mono == 0xffffffff);
    }
}

static void test_ten_values_have_ten_colours(void **unused)
{
    (void)unused;
    static const char *const names[] = { "send",   "receive", "wait", "solve", "pack",
                                         "unpack", "io",      "init", "setup", "exchange" };
    struct weft_value values[10];
    struct weft_arena arena = { 0 };
    for (uint32_t i = 0; i < 10; i++)
        values[i] = (struct weft_value){ .name = names[i], .alias = "", .rank = i };
    struct weft_schema schema = {
        .types = &type, .n_types = 1, .values = values, .n_values = 10
    };
    const struct weft_theme *light = weft_theme_get(WEFT_THEME_LIGHT);
    struct weft_swatch *a = weft_palette(&arena, &schema, light);
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(a[i].fill, a[j].fill);
    /* Another run, the values in another order: the same name, the same colour. */
    struct weft_value turned[10];
    for (uint32_t i = 0; i < 10; i++) {
        turned[i] = values[9 - i];
        turned[i].rank = i;
    }
    schema.values = turned;
    struct weft_swatch *b = weft_palette(&arena, &schema, light);
    for (int i = 0; i < 10; i++)
        assert_int_equal(a[i].fill, b[9 - i].fill);
    /* The trace's own colour wins, where the theme shows hues. */
    turned[3].color = 0xff00ff00;
    assert_int_equal(weft_palette(&arena, &schema, light)[3].fill, 0xff00ff00);
    assert_int_not_equal(
        weft_palette(&arena, &schema, weft_theme_get(WEFT_THEME_CVD))[3].fill, 0xff00ff00);
    weft_arena_free(&arena);
}

static void test_mixing_is_done_in_linear_light(void **unused)
{
    (void)unused;
    const weft_color colors[] = { 0xffff0000, 0xff00ff00 };
    const float halves[] = { 0.5f, 0.5f };
    /* Half of full red light is 188 in sRGB, not 128. */
    assert_int_equal(weft_mix(colors, halves, 2, 0xff000000), 0xffbcbc00);
    struct weft_mixer mixer;
    struct weft_swatch swatches[] = { { .fill = colors[0] }, { .fill = colors[1] } };
    weft_mixer_init(&mixer, swatches, 2, 0xffffffff);
    for (int i = 0; i <= 20; i++)
        for (int j = 0; i + j <= 20; j++) {
            const float weights[] = { (float)i / 20, (float)j / 20 };
            weft_color slow = weft_mix(colors, weights, 2, 0xffffffff);
            weft_color fast = weft_mixer_mix(&mixer, weights, 2, 1);
            for (int shift = 0; shift < 24; shift += 8) {
                int difference = (int)(slow >> shift & 255) - (int)(fast >> shift & 255);
                assert_true(difference >= -2 && difference <= 2);
            }
        }
}

static void test_ramps_go_one_way(void **unused)
{
    (void)unused;
    for (int t = 0; t < 5; t++) {
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        double before = luminance(weft_ramp(theme, 0));
        for (int i = 1; i <= 20; i++) {
            double now = luminance(weft_ramp(theme, i / 20.0));
            assert_true(theme->dark ? now > before : now < before);
            before = now;
        }
    }
}

static double eye_distance(weft_color x, weft_color y)
{
    struct weft_oklab a = weft_oklab(x), b = weft_oklab(y);
    double light = a.lightness - b.lightness, red = a.a - b.a, yellow = a.b - b.b;
    return sqrt(light * light + red * red + yellow * yellow);
}

/*
 * Even steps to the eye, lighter at each, and several times as far apart at its parts as those of
 * one hue; so one sees what is of one time.
 */
static void test_hues_are_even(void **unused)
{
    enum { N = 33 };
    (void)unused;
    for (int t = 0; t < 5; t++) {
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        weft_color hues[N];
        double all = 0, of_amounts = 0, least = 1, most = 0;
        weft_hue_ramp(theme, hues, N);
        for (int i = 1; i < N; i++) {
            double step = eye_distance(hues[i - 1], hues[i]);
            all += step;
            of_amounts += eye_distance(weft_ramp(theme, (i - 1.0) / (N - 1)),
                                       weft_ramp(theme, (double)i / (N - 1)));
            least = step < least ? step : least;
            most = step > most ? step : most;
        }
        if (theme->name != WEFT_THEME_LIGHT && theme->name != WEFT_THEME_DARK)
            continue; /* those of amounts */
        assert_true(all > 1.3 * of_amounts);
        if (most > 1.5 * all / (N - 1) || least < 0.6 * all / (N - 1))
            fail_msg("theme %d: steps of %g to %g, on average %g", t, least, most,
                     all / (N - 1));
        for (int i = 1; i < N; i++)
            assert_true(weft_oklab(hues[i]).lightness > weft_oklab(hues[i - 1]).lightness);
        for (int i = 0; i < N; i++) /* nothing that the background hides */
            assert_true(eye_distance(hues[i], theme->panel) > 0.14);
    }
}

/* The sum of the distances of the channels. */
static int distance(weft_color a, weft_color b)
{
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8)
        sum += abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
    return sum;
}

static void test_numbers_have_colours_of_their_own(void **unused)
{
    (void)unused;
    for (int t = 0; t < 5; t++) {
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        if (theme->name == WEFT_THEME_MONO || theme->name == WEFT_THEME_GREY)
            continue; /* those tell by hatches, too */
        for (uint32_t a = 0; a < 24; a++)
            for (uint32_t b = 0; b < a; b++)
                assert_true(distance(weft_number_swatch(theme, a).fill,
                                     weft_number_swatch(theme, b).fill)
                            > 24);
        weft_number_swatch(theme, UINT32_MAX);
    }
}

static void test_differences_have_two_sides(void **unused)
{
    (void)unused;
    for (int t = 0; t < 5; t++) {
        const struct weft_theme *theme = weft_theme_get((enum weft_theme_name)t);
        weft_color none = weft_two_sided(theme, 0);
        int before = 0;
        assert_int_equal(weft_two_sided(theme, 7), weft_two_sided(theme, 1));
        assert_int_equal(weft_two_sided(theme, -7), weft_two_sided(theme, -1));
        for (int i = 1; i <= 10; i++) { /* further away from none at each step */
            int low = distance(weft_two_sided(theme, -0.1 * i), none);
            int high = distance(weft_two_sided(theme, 0.1 * i), none);
            assert_true(low > 0 && high > 0);
            assert_true(low + high > before);
            before = low + high;
        }
    }
}

/* White lines on white, as some tools ask for, would be no lines at all. */
static void test_given_colors_are_seen(void **state)
{
    (void)state;
    const struct weft_theme *light = weft_theme_get(WEFT_THEME_LIGHT);
    const struct weft_theme *dark = weft_theme_get(WEFT_THEME_DARK);
    assert_int_equal(weft_given_color(light, 0), 0);
    assert_int_equal(weft_given_color(light, 0xffffff), 0);
    assert_int_equal(weft_given_color(dark, 0xffffff), 0xffffffff);
    assert_int_equal(weft_given_color(light, 0x010101), 0xff010101);
    assert_int_equal(weft_given_color(dark, 0x181c26), 0);
    assert_int_equal(weft_given_color(light, 0xffff00), 0xffffff00); /* yellow is seen */
    assert_int_equal(weft_given_color(weft_theme_get(WEFT_THEME_MONO), 0xff0000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_colors_are_seen),
        cmocka_unit_test(test_texts_can_be_read_in_every_theme),
        cmocka_unit_test(test_roles_have_their_colours),
        cmocka_unit_test(test_values_of_one_role_differ),
        cmocka_unit_test(test_procedures_have_hues_of_their_own),
        cmocka_unit_test(test_colours_of_a_trace_that_collide_are_told_apart),
        cmocka_unit_test(test_types_of_states_are_told_apart),
        cmocka_unit_test(test_busy_states_of_tasks_are_told_apart),
        cmocka_unit_test(test_oklab_goes_there_and_back),
        cmocka_unit_test(test_grey_is_grey_and_mono_is_black_and_white),
        cmocka_unit_test(test_ten_values_have_ten_colours),
        cmocka_unit_test(test_mixing_is_done_in_linear_light),
        cmocka_unit_test(test_ramps_go_one_way),
        cmocka_unit_test(test_hues_are_even),
        cmocka_unit_test(test_numbers_have_colours_of_their_own),
        cmocka_unit_test(test_differences_have_two_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
