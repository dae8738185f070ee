/* SPDX-License-Identifier: Apache-2.0 */
/* Clipping: whatever a view asks for, no coordinate leaves the layer; and what is inside stays. */
#define _GNU_SOURCE
#include <math.h>
#include <sys/mman.h>

#include "tests/test.h"
#include "view/scene.h"
#include "view/text.h"

static struct weft_arena arena;
static struct weft_scene scene;
static const struct weft_paint ink = { .fill = 0xff000000u,
                                       .stroke = 0xff000000u,
                                       .stroke_width = 1 };

static int set_up(void **state)
{
    (void)state;
    weft_scene_init(&scene, &arena, 100, 80, 0xffffffffu);
    weft_scene_layer(&scene, "plot", (struct weft_rect){ 10, 10, 80, 60 }, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_arena_free(&arena);
    return 0;
}

static void test_rects_are_cut(void **unused)
{
    (void)unused;
    struct weft_mark *mark =
        weft_scene_rect(&scene, (struct weft_rect){ -1e18, 20, 2e18, 5 }, ink);
    assert_non_null(mark);
    assert_true(mark->box.x == 10 && mark->box.width == 80);
    assert_true(mark->box.y == 20 && mark->box.height == 5);
    assert_null(weft_scene_rect(&scene, (struct weft_rect){ 95, 20, 3, 5 }, ink));
    assert_null(weft_scene_rect(&scene, (struct weft_rect){ NAN, 20, 3, 5 }, ink));
    assert_null(weft_scene_rect(&scene, (struct weft_rect){ 20, 20, 0, 5 }, ink));
    mark = weft_scene_rect(&scene, (struct weft_rect){ 20, 20, 30, 10 }, ink);
    assert_true(mark->box.x == 20 && mark->box.width == 30); /* inside: untouched */
}

static void test_lines_keep_their_slope(void **unused)
{
    (void)unused;
    /* y = x, from far outside to far outside: enters at (10, 10), leaves at (70, 70). */
    struct weft_mark *mark = weft_scene_line(&scene, (struct weft_point){ -1e6, -1e6 },
                                             (struct weft_point){ 1e6, 1e6 }, ink);
    assert_non_null(mark);
    assert_true(fabs(mark->points[0].x - 10) < 1e-6 && fabs(mark->points[0].y - 10) < 1e-6);
    assert_true(fabs(mark->points[1].x - 70) < 1e-6 && fabs(mark->points[1].y - 70) < 1e-6);
    assert_null(weft_scene_line(&scene, (struct weft_point){ 0, 0 },
                                (struct weft_point){ 100, 5 }, ink));
    assert_null(weft_scene_line(&scene, (struct weft_point){ NAN, 0 },
                                (struct weft_point){ 50, 50 }, ink));
}

static void test_polylines_split_where_they_leave(void **unused)
{
    (void)unused;
    const struct weft_point points[] = { { 20, 20 },  { 30, 30 }, { 30, 1e9 },
                                         { 60, 1e9 }, { 60, 30 }, { 70, 30 } };
    weft_scene_polyline(&scene, points, 6, ink);
    const struct weft_layer *layer = &scene.layers[0];
    assert_int_equal(layer->n_marks, 2);
    assert_int_equal(layer->marks[0].n_points, 3); /* ... down to the edge */
    assert_true(layer->marks[0].points[2].y == 70);
    assert_int_equal(layer->marks[1].n_points, 3);
    assert_true(layer->marks[1].points[0].x == 60 && layer->marks[1].points[0].y == 70);
}

static double area_of(const struct weft_mark *mark)
{
    double twice = 0;
    for (uint32_t i = 0; i < mark->n_points; i++) {
        struct weft_point a = mark->points[i], b = mark->points[(i + 1) % mark->n_points];
        twice += a.x * b.y - b.x * a.y;
    }
    return fabs(twice) / 2;
}

static void test_polygons_are_cut(void **unused)
{
    (void)unused;
    const struct weft_point huge[] = {
        { -1e9, -1e9 }, { 1e9, -1e9 }, { 1e9, 1e9 }, { -1e9, 1e9 }
    };
    struct weft_mark *mark = weft_scene_polygon(&scene, huge, 4, ink);
    assert_non_null(mark);
    assert_true(fabs(area_of(mark) - 80 * 60) < 1e-3);
    /* The half of a square that lies inside: 10 x 20. */
    const struct weft_point half[] = { { 80, 20 }, { 100, 20 }, { 100, 40 }, { 80, 40 } };
    mark = weft_scene_polygon(&scene, half, 4, ink);
    assert_true(fabs(area_of(mark) - 200) < 1e-9);
    /* Within, points stay as they are; beyond one side, nothing is left. */
    const struct weft_point in[] = { { 20, 20 }, { 30, 20 }, { 25, 35 } };
    mark = weft_scene_polygon(&scene, in, 3, ink);
    assert_int_equal(mark->n_points, 3);
    assert_memory_equal(mark->points, in, sizeof in);
    const struct weft_point out[] = { { 91, -1e9 }, { 1e9, 40 }, { 92, 1e9 } };
    assert_null(weft_scene_polygon(&scene, out, 3, ink));
    assert_null(weft_scene_polygon(&scene, in, 2, ink));
}

static void test_sectors_far_larger_than_the_layer(void **unused)
{
    (void)unused;
    struct weft_mark *mark =
        weft_scene_sector(&scene, (struct weft_point){ 50, 40 }, 0, 1e7, 0, 6.2831853, ink);
    assert_non_null(mark);
    for (uint32_t i = 0; i < mark->n_points; i++) {
        assert_true(mark->points[i].x >= 10 && mark->points[i].x <= 90);
        assert_true(mark->points[i].y >= 10 && mark->points[i].y <= 70);
    }
    assert_int_equal(
        weft_scene_sector(&scene, (struct weft_point){ 50, 40 }, 5, 10, 0, 1, ink)->kind,
        WEFT_MARK_SECTOR);
}

static void test_texts_and_glyphs_belong_to_their_anchor(void **unused)
{
    (void)unused;
    assert_non_null(weft_scene_text(&scene, (struct weft_point){ 50, 40 },
                                    WEFT_ANCHOR_START, WEFT_FONT_SANS, 12, 0xff000000u,
                                    "x"));
    assert_null(weft_scene_text(&scene, (struct weft_point){ 5, 40 }, WEFT_ANCHOR_START,
                                WEFT_FONT_SANS, 12, 0xff000000u, "x"));
    assert_null(weft_scene_glyph(&scene, WEFT_GLYPH_CIRCLE,
                                 (struct weft_point){ 1e300, 40 }, 4, 0, ink));
}

static void test_text_fits_or_is_shortened_in_the_middle(void **unused)
{
    (void)unused;
    double whole = weft_text_width(WEFT_FONT_SANS, 12, "MPI_Allreduce");
    assert_string_equal(weft_text_fit(&arena, WEFT_FONT_SANS, 12, "MPI_Allreduce", whole),
                        "MPI_Allreduce");
    for (double width = 0; width < whole; width += 3) {
        const char *text =
            weft_text_fit(&arena, WEFT_FONT_SANS, 12, "MPI_Allreduce", width);
        if (!text)
            continue;
        assert_true(weft_text_width(WEFT_FONT_SANS, 12, text) <= width + 1e-9);
        assert_int_equal(text[0], 'M');
        assert_non_null(strstr(text, "\xe2\x80\xa6"));
        assert_int_equal(text[strlen(text) - 1], 'e');
    }
    assert_null(weft_text_fit(&arena, WEFT_FONT_SANS, 12, "MPI_Allreduce", 10));
    /* Digits have one width, so that tables align. */
    assert_true(weft_text_width(WEFT_FONT_SANS, 12, "1111")
                == weft_text_width(WEFT_FONT_SANS, 12, "8888"));
}

/* Behind what there is room for lies memory that cannot be read. */
static void test_long_texts_are_not_read_to_their_end(void **unused)
{
    (void)unused;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), readable = (8192 / page + 1) * page;
    char *name = mmap(NULL, readable + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(name != MAP_FAILED);
    memset(name, 'N', readable);
    assert_int_equal(mprotect(name + readable, page, PROT_NONE), 0);
    const char *text = weft_text_fit(&arena, WEFT_FONT_SANS, 12, name, 100);
    assert_non_null(text);
    assert_true(weft_text_width(WEFT_FONT_SANS, 12, text) <= 100);
    assert_memory_equal(text, "NNNN", 4);
    assert_string_equal(text + strspn(text, "N"), "\xe2\x80\xa6");
    assert_null(weft_text_fit(&arena, WEFT_FONT_SANS, 12, name, 10));
    munmap(name, readable + page);
}

static void test_texts_are_cleaned(void **unused)
{
    (void)unused;
    assert_string_equal(weft_text_clean(&arena, "a\x1b[31mb"), "a\xef\xbf\xbd[31mb");
    /* The drawn text is as wide as the text before it was cleaned. */
    assert_true(
        weft_text_width(WEFT_FONT_SANS, 12, "a\x1b\x7f\xffz")
        == weft_text_width(WEFT_FONT_SANS, 12, weft_text_clean(&arena, "a\x1b\x7f\xffz")));
    const char *parts[] = { "a\n", "b\n" };
    assert_string_equal(weft_text_parts(&arena, WEFT_FONT_SANS, 12, parts, 2, 1000),
                        "a\xef\xbf\xbd · b\xef\xbf\xbd");
    assert_string_equal(weft_text_clean(&arena, "\xff\xc0\xaf"),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(weft_text_clean(&arena, "na\xc3\xafve <b>"), "na\xc3\xafve <b>");
    /* XML 1.0, production 2: U+FFFD is a character, U+FFFE and U+FFFF are not. */
    assert_string_equal(weft_text_clean(&arena, "\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf"),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_marks_hold_clean_texts(void **unused)
{
    (void)unused;
    struct weft_mark *mark =
        weft_scene_text(&scene, (struct weft_point){ 50, 40 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, 12, 0xff000000u, "a\xff");
    assert_string_equal(mark->text, "a\xef\xbf\xbd");
    /* A title that is too long is cut between characters, whatever their place. */
    char name[1201];
    for (int shift = 0; shift < 2; shift++) {
        memset(name, 'x', (size_t)shift);
        for (int i = shift; i + 1 < 1200; i += 2)
            memcpy(name + i, "\xc3\xa9", 3);
        weft_mark_title(&scene, mark, "%s", name);
        assert_null(strstr(mark->title, "\xef\xbf\xbd"));
        size_t length = strlen(mark->title);
        assert_true(length > 500 && length < 512);
        assert_memory_equal(mark->title, name, length - 3);
        assert_string_equal(mark->title + length - 3, "\xe2\x80\xa6");
    }
}

static void test_what_is_no_number_is_dropped(void **unused)
{
    (void)unused;
    static const uint32_t pixel = 0xff000000u;
    const struct weft_raster raster = { 1, 1, &pixel };
    const struct weft_point middle = { 50, 40 };
    assert_null(weft_scene_raster(&scene, (struct weft_rect){ NAN, 20, 5, 5 }, &raster));
    assert_null(weft_scene_raster(&scene, (struct weft_rect){ 20, 20, 5, NAN }, &raster));
    assert_non_null(weft_scene_raster(&scene, (struct weft_rect){ 20, 20, 5, 5 }, &raster));
    assert_null(weft_scene_glyph(&scene, WEFT_GLYPH_CIRCLE, middle, NAN, 0, ink));
    assert_null(weft_scene_sector(&scene, middle, NAN, 10, 0, 1, ink));
}

/* Of twelve rows of ten pixels those that are seen remain, and they stay where they were. */
static void test_rows_beyond_the_layer_are_left_out(void **unused)
{
    (void)unused;
    static const uint32_t pixels[12 * 2];
    const struct weft_raster raster = { 2, 12, pixels };
    struct weft_rect clip = scene.layers[scene.n_layers - 1].clip;
    for (double shift = -115; shift < clip.height; shift += 7) {
        double y = clip.y + shift;
        const struct weft_mark *mark =
            weft_scene_raster(&scene, (struct weft_rect){ clip.x, y, 20, 120 }, &raster);
        assert_non_null(mark);
        const struct weft_raster *cut = mark->raster;
        long first = cut->pixels - pixels;
        assert_int_equal(first % 2, 0);
        assert_int_equal((int)(mark->box.y * 1000), (int)((y + 5 * (double)first) * 1000));
        assert_int_equal((int)mark->box.height, cut->rows * 10);
        assert_true(mark->box.y > clip.y - 10);
        assert_true(mark->box.y + mark->box.height < clip.y + clip.height + 10);
        /* What is left out is not seen. */
        assert_true(first == 0 || mark->box.y <= clip.y);
        assert_true(first / 2 + cut->rows == 12
                    || mark->box.y + mark->box.height >= clip.y + clip.height);
    }
}

/* Names may be of megabytes, in each of very many titles: what has no room is not read. */
static void test_titles_read_what_they_show(void **unused)
{
    (void)unused;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *name =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(name != MAP_FAILED);
    memset(name, 'n', page); /* it goes on where it cannot be read */
    assert_int_equal(mprotect(name + page, page, PROT_NONE), 0);
    struct weft_mark *mark =
        weft_scene_rect(&scene, (struct weft_rect){ 20, 20, 5, 5 }, ink);
    weft_mark_title(&scene, mark, "%s %s · %d", name, name, 7);
    assert_memory_equal(mark->title, name, 500);
    assert_string_equal(mark->title + strlen(mark->title) - 3, "\xe2\x80\xa6");
    weft_mark_title(&scene, mark, "%s%s · %.1f %% (%s) 100%%s", "a", "", 2.5, "b");
    assert_string_equal(mark->title, "a · 2.5 % (b) 100%s");
    munmap(name, 2 * page);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_rects_are_cut),
        T(test_rows_beyond_the_layer_are_left_out),
        T(test_lines_keep_their_slope),
        T(test_polylines_split_where_they_leave),
        T(test_polygons_are_cut),
        T(test_sectors_far_larger_than_the_layer),
        T(test_texts_and_glyphs_belong_to_their_anchor),
        T(test_text_fits_or_is_shortened_in_the_middle),
        T(test_long_texts_are_not_read_to_their_end),
        T(test_texts_are_cleaned),
        T(test_titles_read_what_they_show),
        T(test_marks_hold_clean_texts),
        T(test_what_is_no_number_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
