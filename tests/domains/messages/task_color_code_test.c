/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of tasks: 64, of which a file replaces some. */
#include "domains/messages/view/task_color_code.h"
#include "tests/test.h"

static struct weft_task_colors made(enum weft_theme_name theme, const char *setting)
{
    struct weft_task_colors colors;
    struct weft_err err;
    assert_true(weft_task_colors_make(&colors, weft_theme_get(theme), setting, &err));
    return colors;
}

static void test_rainbow(void **state)
{
    (void)state;
    struct weft_task_colors colors = made(WEFT_THEME_LIGHT, "rainbow");
    for (int i = 0; i < WEFT_TASK_COLORS; i++) {
        for (int k = 0; k < i; k++)
            assert_int_not_equal(colors.colors[i], colors.colors[k]);
        assert_int_equal(weft_task_swatch(&colors, i).fill, colors.colors[i]);
        assert_int_equal(weft_task_swatch(&colors, i + 6400).fill, colors.colors[i]);
    }
    /* -1 is 63 modulo 64 */
    assert_int_equal(weft_task_swatch(&colors, -1).fill, colors.colors[63]);
}

static void test_file(void **state)
{
    (void)state;
    const char *file = "# mine\n\n 5 255 0 16\r\n63\t1 2 3";
    struct weft_task_colors rainbow = made(WEFT_THEME_DARK, "rainbow"),
                            colors = made(WEFT_THEME_DARK, file);
    assert_int_equal(weft_task_swatch(&colors, 5).fill, 0xffff0010);
    assert_int_equal(weft_task_swatch(&colors, 69).fill, 0xffff0010);
    assert_int_equal(weft_task_swatch(&colors, 63).fill, 0xff010203);
    for (int i = 0; i < WEFT_TASK_COLORS - 1; i++)
        if (i != 5)
            assert_int_equal(colors.colors[i], rainbow.colors[i]);
    /* Greys stay greys. */
    colors = made(WEFT_THEME_GREY, file);
    rainbow = made(WEFT_THEME_GREY, "rainbow");
    assert_int_equal(colors.colors[5], rainbow.colors[5]);
}

static void test_patterns(void **state)
{
    (void)state;
    struct weft_task_colors colors = made(WEFT_THEME_MONO, "rainbow");
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(weft_task_swatch(&colors, i).hatch,
                                 weft_task_swatch(&colors, k).hatch);
    assert_int_equal(weft_task_swatch(&colors, 3).hatch,
                     weft_task_swatch(&colors, 11).hatch);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "64 0 0 0",  "0 256 0 0", "0 0 0",
        "x",         "1 2 3 4 5", "-1 0 0 0",
        "1 2 3 4.5", "1,2,3,4",   "99999999999999999999 0 0 0"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[64];
        struct weft_task_colors colors;
        struct weft_err err;
        snprintf(text, sizeof text, "1 2 3 4\n%s\n", wrong[i]);
        assert_false(
            weft_task_colors_make(&colors, weft_theme_get(WEFT_THEME_LIGHT), text, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
        assert_non_null(strstr(err.message, "line 2 of the colors"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rainbow),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
