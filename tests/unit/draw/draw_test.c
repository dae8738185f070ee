/* SPDX-License-Identifier: Apache-2.0 */
/* Back ends: what a scene holds must be in the picture. */
#include <cairo.h>
#include <math.h>
#include <pango/pangocairo.h>

#include "draw/draw.h"
#include "store/schema.h"
#include "tests/test.h"
#include "view/text.h"

/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}

static struct weft_arena arena;
static struct weft_scene scene;

static int set_up(void **state)
{
    (void)state;
    weft_scene_init(&scene, &arena, 100, 60, 0xffffffff);
    scene.title = "A <title> & more";
    weft_scene_layer(&scene, "marks", (struct weft_rect){ 0, 0, 100, 60 }, 0);
    struct weft_mark *mark = weft_scene_rect(&scene, (struct weft_rect){ 10, 10, 30, 20 },
                                             (struct weft_paint){ .fill = 0xff3f9f68 });
    mark->id = 77;
    mark->action = (struct weft_action){ WEFT_ACTION_TOGGLE, "closed \"one\"",
                                         weft_container_id(12, true) };
    weft_mark_title(&scene, mark, "<b>\"x\" & y</b>");
    static const uint32_t pixels[] = { 0xffff0000, 0xff0000ff, 0x00000000, 0xff00ff00 };
    weft_scene_raster(&scene, (struct weft_rect){ 50, 10, 40, 20 },
                      &(struct weft_raster){ 2, 2, pixels });
    weft_scene_text(&scene, (struct weft_point){ 4, 52 }, WEFT_ANCHOR_START, WEFT_FONT_SANS,
                    9, 0xff000000, "blocked <on> mutex");
    weft_scene_line(&scene, (struct weft_point){ 0, 40 }, (struct weft_point){ 100, 40 },
                    (struct weft_paint){ .stroke = 0xff000000, .stroke_width = 2 });
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_arena_free(&arena);
    return 0;
}

static char *draw(const char *format, size_t *size)
{
    char *bytes;
    struct weft_err err;
    FILE *stream = open_memstream(&bytes, size);
    const struct weft_backend *backend = weft_backend_find(format);
    assert_non_null(backend);
    assert_true(backend->draw(&scene, stream, NULL, &err));
    fclose(stream);
    return bytes;
}

struct reader {
    const char *bytes;
    size_t at;
};

static cairo_status_t feed(void *user, unsigned char *out, unsigned size)
{
    struct reader *reader = user;
    memcpy(out, reader->bytes + reader->at, size);
    reader->at += size;
    return CAIRO_STATUS_SUCCESS;
}

static void test_png_has_the_pixels(void **unused)
{
    (void)unused;
    size_t size;
    char *bytes = draw("png", &size);
    struct reader reader = { bytes, 0 };
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(feed, &reader);
    assert_int_equal(cairo_image_surface_get_width(surface), 100);
    assert_int_equal(cairo_image_surface_get_height(surface), 60);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
#define PIXEL(x, y)                                                                        \
 (*(const uint32_t *)(const void *)(data + (y)*stride + (x)*4) & 0xffffff)
    assert_int_equal(PIXEL(25, 20), 0x3f9f68);
    assert_int_equal(PIXEL(5, 5), 0xffffff);
    /* The raster, stretched without smoothing, its empty cell left as it is. */
    assert_int_equal(PIXEL(55, 12), 0xff0000);
    assert_int_equal(PIXEL(85, 12), 0x0000ff);
    assert_int_equal(PIXEL(55, 27), 0xffffff);
    assert_int_equal(PIXEL(85, 27), 0x00ff00);
    assert_int_equal(PIXEL(50, 40), 0x000000); /* the line */
    unsigned dark = 0;                         /* the text has left some ink */
    for (int y = 42; y < 54; y++)
        for (int x = 8; x < 100; x++)
            dark += (PIXEL(x, y) & 255) < 100;
    assert_true(dark > 50);
    cairo_surface_destroy(surface);
    free(bytes);
}

static void test_svg_keeps_titles_and_escapes_them(void **unused)
{
    (void)unused;
    size_t size;
    char *svg = draw("svg", &size);
    assert_non_null(strstr(svg, "<title>A &lt;title&gt; &amp; more</title>"));
    assert_non_null(strstr(svg, "data-id=\"77\""));
    assert_non_null(strstr(svg, "<title>&lt;b&gt;&quot;x&quot; &amp; y&lt;/b&gt;</title>"));
    assert_non_null(strstr(svg, ">blocked &lt;on&gt; mutex</text>"));
    assert_non_null(strstr(svg, "data:image/png;base64,iVBORw0KGgo"));
    assert_null(strstr(svg, "<b>"));
    free(svg);
}

static void test_pdf_and_eps_are_what_they_say(void **unused)
{
    (void)unused;
    size_t size;
    char *pdf = draw("pdf", &size);
    assert_memory_equal(pdf, "%PDF-", 5);
    free(pdf);
    char *eps = draw("eps", &size);
    assert_memory_equal(eps, "%!PS-Adobe", 10);
    assert_non_null(strstr(eps, "EPSF"));
    free(eps);
}

static void test_scene_json_lists_the_marks(void **unused)
{
    (void)unused;
    size_t size;
    char *json = draw("scene", &size);
    assert_non_null(strstr(json, "[\"rect\",10.00,10.00,30.00,20.00,"
                                 "{\"fill\":\"#3f9f68ff\",\"id\":\"77\""));
    assert_non_null(strstr(json, "\"blocked <on> mutex\",\"sans\""));
    assert_non_null(strstr(json, "\"stroke\":\"#000000ff\",\"width\":2.00"));
    assert_non_null(strstr(json, "\"title\":\"<b>\\\"x\\\" & y</b>\""));
    /* (2^24 - 1) * 2^40 + 2^32 + 12; of one mark only */
    const char *action = strstr(json, "\"action\":{\"kind\":\"toggle\",\"parameter\":"
                                      "\"closed \\\"one\\\"\",\"id\":"
                                      "\"18446742978492891148\"}");
    assert_non_null(action);
    assert_null(strstr(action + 1, "\"action\""));
    assert_non_null(strstr(json, "[\"raster\",50.00,10.00,40.00,20.00,2,2"));
    free(json);
}

/* The table of widths against the library that draws. */
/* Of many rectangles that go as numbers, one that does something keeps its own line. */
static void test_packed_scenes_keep_actions(void **unused)
{
    (void)unused;
    enum { RECTS = 100, ACTS = 40 };
    for (int i = 0; i < RECTS; i++) {
        struct weft_mark *mark = weft_scene_rect(&scene, (struct weft_rect){ i, 10, 1, 20 },
                                                 (struct weft_paint){ .fill = 0xff3f9f68 });
        if (i == ACTS)
            mark->action =
                (struct weft_action){ WEFT_ACTION_TOGGLE, "opened", weft_entity_id(1, 5) };
    }
    size_t size;
    char *bytes = weft_scene_pack(&scene, &size);
    uint32_t length = 0;
    for (int i = 3; i >= 0; i--)
        length = length << 8 | (unsigned char)bytes[8 + i];
    char *text = strndup(bytes + 12, length);
    assert_non_null(strstr(text, "[\"rects\",40,"));
    assert_non_null(strstr(text, "[\"rects\",59,"));
    assert_non_null(strstr(text, "{\"fill\":\"#3f9f68ff\",\"action\":{\"kind\":\"toggle\","
                                 "\"parameter\":\"opened\",\"id\":\"1099511627781\"}}"));
    free(text);
    free(bytes);
}

static void test_widths_agree_with_pango(void **unused)
{
    (void)unused;
    static const char *const texts[] = { "MPI_Allreduce", "blocked on mutex · 1.93 ms",
                                         "0123456789", "naïve façade Ωμ → …", "WWWiiilll" };
    static const char *const fonts[] = { "DejaVu Sans", "DejaVu Sans Bold",
                                         "DejaVu Sans Mono" };
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10, 10);
    cairo_t *cr = cairo_create(surface);
    PangoLayout *layout = pango_cairo_create_layout(cr);
    for (int f = 0; f < 3; f++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            PangoFontDescription *font = pango_font_description_from_string(fonts[f]);
            pango_font_description_set_absolute_size(font, 100 * PANGO_SCALE);
            pango_layout_set_font_description(layout, font);
            pango_layout_set_text(layout, texts[t], -1);
            int width;
            pango_layout_get_size(layout, &width, NULL);
            double drawn = (double)width / PANGO_SCALE;
            double ours = weft_text_width((enum weft_font)f, 100, texts[t]);
            assert_true(fabs(ours - drawn) < 0.02 * drawn);
            pango_font_description_free(font);
        }
    g_object_unref(layout);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

/* The columns of a PNG that hold ink, in the lines from TOP to BOTTOM: first and last. */
static void ink_columns(int top, int bottom, int *first, int *last)
{
    size_t size;
    char *bytes = draw("png", &size);
    struct reader reader = { bytes, 0 };
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(feed, &reader);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    int width = cairo_image_surface_get_width(surface);
    *first = width;
    *last = -1;
    for (int y = top; y < bottom; y++)
        for (int x = 0; x < width; x++)
            if ((PIXEL(x, y) & 255) < 128) {
                *first = x < *first ? x : *first;
                *last = x > *last ? x : *last;
            }
    cairo_surface_destroy(surface);
    free(bytes);
}

/* Not only at a size where rounding is nothing: 40 letters of 11 to 13 pixels. */
static void test_small_texts_are_as_wide_as_measured(void **unused)
{
    (void)unused;
    static const char text[] = "HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH";
    for (int pixels = 11; pixels <= 13; pixels++)
        for (int font = 0; font < 3; font++) {
            weft_scene_init(&scene, &arena, 600, 40, 0xffffffff);
            weft_scene_text(&scene, (struct weft_point){ 10, 30 }, WEFT_ANCHOR_START,
                            (enum weft_font)font, pixels, 0xff000000, text);
            int first, last;
            ink_columns(0, 40, &first, &last);
            double measured = weft_text_width((enum weft_font)font, pixels, text);
            /* The ink lacks the white beside the first and the last letter: under 3 px. */
            assert_true(fabs(last + 1 - first - measured) < 3 + 0.02 * measured);
        }
}

/* A trace's name may be any bytes: every back end draws, and says nothing. */
static void test_any_bytes_are_drawn(void **unused)
{
    (void)unused;
    static const char *const formats[] = { "png", "svg", "pdf", "eps", "scene" };
    weft_scene_text(&scene, (struct weft_point){ 10, 20 }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, 12, 0xff000000, "a\xff\xc0\x1b[31m\xef\xbf\xbe");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t size;
        char *bytes = draw(formats[i], &size);
        assert_true(size > 100);
        if (formats[i][0] == 's') {
            assert_null(strchr(bytes, '\xff'));
            assert_null(strstr(bytes, "\xef\xbf\xbe"));
            assert_non_null(strstr(bytes, "a\xef\xbf\xbd\xef\xbf\xbd"));
        }
        free(bytes);
    }
}

/* One picture of hatched rectangles on grey, each HEIGHT high and below the last one. */
static char *draw_hatched(enum weft_hatch hatch, const double *heights, size_t n,
                          size_t *size)
{
    double y = 0;
    weft_scene_init(&scene, &arena, 40, 40, 0xffcccccc);
    for (size_t i = 0; i < n; y += heights[i++])
        weft_scene_rect(&scene, (struct weft_rect){ 0, y, 40, heights[i] },
                        (struct weft_paint){ .fill = 0xffcccccc, .hatch = hatch });
    return draw("png", size);
}

/* Where three lie below each other, whatever their heights, they look like one. */
static void test_hatches_of_neighbours_meet(void **unused)
{
    (void)unused;
    char *seen[WEFT_HATCHES];
    size_t sizes[WEFT_HATCHES];
    for (enum weft_hatch h = WEFT_HATCH_NONE; h < WEFT_HATCHES; h++) {
        size_t parts;
        seen[h] = draw_hatched(h, (double[]){ 40 }, 1, &sizes[h]);
        char *split = draw_hatched(h, (double[]){ 13, 8, 19 }, 3, &parts);
        assert_int_equal(parts, sizes[h]);
        assert_memory_equal(split, seen[h], parts);
        free(split);
        for (enum weft_hatch other = WEFT_HATCH_NONE; other < h; other++)
            assert_false(sizes[other] == sizes[h]
                         && memcmp(seen[other], seen[h], sizes[h]) == 0);
    }
    for (size_t h = 0; h < WEFT_HATCHES; h++)
        free(seen[h]);
}

/* A page of dots is as many lines as it has rows, not as many squares as it has dots. */
static void test_dots_of_a_large_page_are_few(void **unused)
{
    (void)unused;
    size_t size;
    weft_scene_init(&scene, &arena, 5000, 5000, 0xffffffff);
    weft_scene_rect(&scene, (struct weft_rect){ 0, 0, 5000, 5000 },
                    (struct weft_paint){ .fill = 0xffffffff, .hatch = WEFT_HATCH_DOTS });
    free(draw("eps", &size));
    assert_in_range(size, 1000,
                    200000); /* a million dots of 20 bytes each would be 20 MB */
}

/* A picture that nobody waits for any more ends with that, in every format. */
static void test_who_leaves_ends_the_drawing(void **state)
{
    (void)state;
    for (size_t i = 0; i < weft_n_backends; i++) {
        struct weft_job job = { .cancelled = true };
        struct weft_err err = { 0 };
        char *bytes;
        size_t size;
        FILE *stream = open_memstream(&bytes, &size);
        assert_false(weft_backends[i]->draw(&scene, stream, &job, &err));
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
        fclose(stream);
        if (strcmp(weft_backends[i]->name, "pdf") == 0
            || strcmp(weft_backends[i]->name, "eps") == 0)
            assert_int_equal(size, 0); /* no page was finished for nobody */
        free(bytes);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_png_has_the_pixels),
        T(test_svg_keeps_titles_and_escapes_them),
        T(test_pdf_and_eps_are_what_they_say),
        T(test_scene_json_lists_the_marks),
        T(test_packed_scenes_keep_actions),
        cmocka_unit_test(test_widths_agree_with_pango),
        T(test_small_texts_are_as_wide_as_measured),
        T(test_any_bytes_are_drawn),
        T(test_hatches_of_neighbours_meet),
        T(test_dots_of_a_large_page_are_few),
        T(test_who_leaves_ends_the_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
