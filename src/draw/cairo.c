/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes on Cairo: PNG, PDF and EPS. */
#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "draw/backends.h"
#include "draw/png.h"

static void set_color(cairo_t *cr, weft_color color)
{
    cairo_set_source_rgba(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                          (color & 255) / 255.0, (color >> 24) / 255.0);
}

static double light_of(weft_color color)
{
    return 0.3 * (color >> 16 & 255) + 0.6 * (color >> 8 & 255) + 0.1 * (color & 255);
}

weft_color weft_hatch_ink(const struct weft_paint *paint)
{
    bool dark =
        paint->fill >> 24 ? light_of(paint->fill) > 90 : light_of(paint->stroke) < 128;
    return dark ? 0x66000000u : 0x66ffffffu;
}

/* State of drawing a scene. */
struct player {
    cairo_t *cr;
    struct weft_job *job;
    /*
     * Tiles for raster pictures, by hatch and by ink (black, white): one step of the hatch
     * each way.
     */
    cairo_pattern_t *tiles[WEFT_HATCHES][2];
};

/* Pixels between the lines of a hatch. */
enum { HATCH_STEP = 5 };

static double step_before(double at)
{
    return floor(at / HATCH_STEP) * HATCH_STEP;
}

/*
 * Draws diagonal lines; RISE is 1 for lines that go up to the right, -1 for lines that go
 * down.  Hatches start at multiples of the step, so that those of neighbours meet.
 */
static void hatch_diagonals(const struct player *p, double x0, double y0, double x1,
                            double y1, int rise)
{
    /* A line is where x + RISE * y is a multiple of the step. */
    double low = fmin(x0 + rise * y0, x0 + rise * y1);
    double high = fmax(x1 + rise * y0, x1 + rise * y1);
    for (double at = step_before(low); at <= high && !weft_job_cancelled(p->job);
         at += HATCH_STEP) {
        cairo_move_to(p->cr, at - rise * y0, y0);
        cairo_line_to(p->cr, at - rise * y1, y1);
    }
}

static void hatch_upright(const struct player *p, double x0, double y0, double x1,
                          double y1, bool vertical)
{
    double low = vertical ? x0 : y0, high = vertical ? x1 : y1;
    for (double at = step_before(low) + 0.5; at < high && !weft_job_cancelled(p->job);
         at += HATCH_STEP) {
        cairo_move_to(p->cr, vertical ? at : x0, vertical ? y0 : at);
        cairo_line_to(p->cr, vertical ? at : x1, vertical ? y1 : at);
    }
}

/* Draws each row of dots as a dashed line, since a large page has millions of dots. */
static void hatch_dots(const struct player *p, double x0, double y0, double x1, double y1)
{
    const double side = 1.5, dashes[] = { side, HATCH_STEP - side };
    double begin = step_before(x0) + 1;
    for (double y = step_before(y0); y < y1 && !weft_job_cancelled(p->job);
         y += HATCH_STEP) {
        cairo_move_to(p->cr, begin, y + 1 + side / 2);
        cairo_line_to(p->cr, fmax(x1, begin), y + 1 + side / 2);
    }
    cairo_save(p->cr);
    cairo_set_line_width(p->cr, side);
    cairo_set_dash(p->cr, dashes, 2, 0);
    cairo_stroke(p->cr);
    cairo_restore(p->cr);
}

/* Draws a hatch over a rectangle, within the clip. */
static void hatch_rect(const struct player *p, enum weft_hatch hatch, double x0, double y0,
                       double x1, double y1)
{
    cairo_set_line_width(p->cr, 1);
    if (hatch == WEFT_HATCH_DOTS)
        hatch_dots(p, x0, y0, x1, y1);
    if (hatch == WEFT_HATCH_DIAGONAL || hatch == WEFT_HATCH_CROSS)
        hatch_diagonals(p, x0, y0, x1, y1, 1);
    if (hatch == WEFT_HATCH_BACK_DIAGONAL || hatch == WEFT_HATCH_CROSS)
        hatch_diagonals(p, x0, y0, x1, y1, -1);
    if (hatch == WEFT_HATCH_VERTICAL || hatch == WEFT_HATCH_GRID)
        hatch_upright(p, x0, y0, x1, y1, true);
    if (hatch == WEFT_HATCH_HORIZONTAL || hatch == WEFT_HATCH_GRID)
        hatch_upright(p, x0, y0, x1, y1, false);
    cairo_stroke(p->cr);
}

/* Returns one step of a hatch each way, which repeats from 0, 0. */
static cairo_pattern_t *make_tile(enum weft_hatch hatch, weft_color ink)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, HATCH_STEP, HATCH_STEP);
    struct player tile = { .cr = cairo_create(surface) };
    set_color(tile.cr, ink);
    /* Draw a step around it, too, since lines of neighbours reach into it. */
    hatch_rect(&tile, hatch, -HATCH_STEP, -HATCH_STEP, 2 * HATCH_STEP, 2 * HATCH_STEP);
    cairo_destroy(tile.cr);
    cairo_pattern_t *pattern = cairo_pattern_create_for_surface(surface);
    cairo_pattern_set_extend(pattern, CAIRO_EXTEND_REPEAT);
    cairo_surface_destroy(surface);
    return pattern;
}

/*
 * Mixes the ink with an opaque fill.  PostScript has no half transparent colours: Cairo
 * would rasterize such parts of a page, hundreds of millions of pixels of a large one.
 */
static weft_color mixed(weft_color ink, weft_color fill)
{
    if (fill >> 24 != 255)
        return ink;
    weft_color color = 0xff000000u, part = ink >> 24;
    for (unsigned shift = 0; shift < 24; shift += 8)
        color |= ((ink >> shift & 255) * part + (fill >> shift & 255) * (255 - part)) / 255
                 << shift;
    return color;
}

/*
 * Hatches the current path.  Raster pictures use tiles: thousands of lines under a clip
 * with as many corners take seconds and a gigabyte.  Pages use lines, which stay sharp.
 */
static void hatch_path(struct player *p, const struct weft_paint *paint)
{
    cairo_t *cr = p->cr;
    weft_color ink = weft_hatch_ink(paint);
    cairo_surface_type_t type = cairo_surface_get_type(cairo_get_target(cr));
    if (type == CAIRO_SURFACE_TYPE_IMAGE) {
        cairo_pattern_t **tile = &p->tiles[paint->hatch][ink & 1];
        if (!*tile)
            *tile = make_tile(paint->hatch, ink);
        cairo_set_source(cr, *tile);
        cairo_fill_preserve(cr);
        return;
    }
    double x0, y0, x1, y1;
    cairo_path_extents(cr, &x0, &y0, &x1, &y1);
    cairo_save(cr);
    cairo_clip_preserve(cr);
    cairo_path_t *path = cairo_copy_path(cr);
    cairo_new_path(cr);
    set_color(cr, type == CAIRO_SURFACE_TYPE_PS ? mixed(ink, paint->fill) : ink);
    hatch_rect(p, paint->hatch, x0, y0, x1, y1);
    cairo_restore(cr);
    cairo_append_path(cr, path);
    cairo_path_destroy(path);
}

static void paint_path(struct player *p, const struct weft_paint *paint, bool closed)
{
    cairo_t *cr = p->cr;
    if (closed && paint->fill >> 24) {
        set_color(cr, paint->fill);
        cairo_fill_preserve(cr);
    }
    if (closed && paint->hatch != WEFT_HATCH_NONE)
        hatch_path(p, paint);
    if (paint->stroke >> 24 && paint->stroke_width > 0) {
        set_color(cr, paint->stroke);
        cairo_set_line_width(cr, (double)paint->stroke_width);
        double dash = (double)paint->dash;
        cairo_set_dash(cr, &dash, dash > 0, 0);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

static void play_points(struct player *p, const struct weft_mark *mark)
{
    cairo_t *cr = p->cr;
    cairo_new_path(cr); /* texts leave a current point behind */
    for (uint32_t i = 0; i < mark->n_points; i++)
        cairo_line_to(cr, mark->points[i].x, mark->points[i].y);
    if (mark->kind == WEFT_MARK_POLYGON)
        cairo_close_path(cr);
    paint_path(p, &mark->paint, mark->kind == WEFT_MARK_POLYGON);
}

static void play_sector(struct player *p, const struct weft_mark *mark)
{
    cairo_t *cr = p->cr;
    double from = (double)mark->from, to = from + (double)mark->sweep;
    cairo_new_path(cr);
    cairo_arc(cr, mark->box.x, mark->box.y, (double)mark->outer, from, to);
    if (mark->inner > 0)
        cairo_arc_negative(cr, mark->box.x, mark->box.y, (double)mark->inner, to, from);
    else
        cairo_line_to(cr, mark->box.x, mark->box.y);
    cairo_close_path(cr);
    paint_path(p, &mark->paint, true);
}

static void play_glyph(struct player *p, const struct weft_mark *mark)
{
    cairo_t *cr = p->cr;
    double r = (double)mark->size / 2;
    cairo_save(cr);
    cairo_translate(cr, mark->box.x, mark->box.y);
    cairo_rotate(cr, (double)mark->angle);
    cairo_new_path(cr);
    switch ((enum weft_glyph)mark->detail) {
    case WEFT_GLYPH_TICK: cairo_rectangle(cr, -0.75, -r, 1.5, 2 * r); break;
    case WEFT_GLYPH_CIRCLE: cairo_arc(cr, 0, 0, r, 0, 2 * G_PI); break;
    case WEFT_GLYPH_DIAMOND:
        cairo_move_to(cr, 0, -r);
        cairo_line_to(cr, r, 0);
        cairo_line_to(cr, 0, r);
        cairo_line_to(cr, -r, 0);
        cairo_close_path(cr);
        break;
    case WEFT_GLYPH_TRIANGLE:
        cairo_move_to(cr, 0, -r);
        cairo_line_to(cr, r, r);
        cairo_line_to(cr, -r, r);
        cairo_close_path(cr);
        break;
    case WEFT_GLYPH_SQUARE:
        cairo_rectangle(cr, -0.8 * r, -0.8 * r, 1.6 * r, 1.6 * r);
        break;
    case WEFT_GLYPH_CROSS:
        for (int turn = 0; turn < 4; turn++) { /* three corners of a bar's end each */
            cairo_line_to(cr, -0.25 * r, -0.25 * r);
            cairo_line_to(cr, -0.25 * r, -r);
            cairo_line_to(cr, 0.25 * r, -r);
            cairo_rotate(cr, G_PI / 2);
        }
        cairo_close_path(cr);
        break;
    case WEFT_GLYPH_ARROWHEAD: /* its point is the anchor */
        cairo_move_to(cr, 0, 0);
        cairo_line_to(cr, -2 * r, -0.7 * r);
        cairo_line_to(cr, -2 * r, 0.7 * r);
        cairo_close_path(cr);
        break;
    }
    paint_path(p, &mark->paint, true);
    cairo_restore(cr);
}

static void play_text(cairo_t *cr, const struct weft_mark *mark)
{
    static const char *const families[] = { "DejaVu Sans", "DejaVu Sans",
                                            "DejaVu Sans Mono" };
    PangoLayout *layout = pango_cairo_create_layout(cr);
    /*
     * The font's advances, not rounded to pixels, so that labels are as wide as measured.
     */
    PangoContext *context = pango_layout_get_context(layout);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    pango_context_set_round_glyph_positions(context, FALSE);
    cairo_font_options_destroy(options);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, families[mark->font]);
    pango_font_description_set_absolute_size(font, (double)mark->size * PANGO_SCALE);
    if (mark->font == WEFT_FONT_BOLD)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, font);
    pango_layout_set_text(layout, mark->text, -1);
    int width = 0;
    pango_layout_get_size(layout, &width, NULL);
    double shift = mark->detail == WEFT_ANCHOR_MIDDLE ? -0.5
                   : mark->detail == WEFT_ANCHOR_END  ? -1
                                                      : 0;
    cairo_save(cr);
    cairo_translate(cr, mark->box.x, mark->box.y);
    cairo_rotate(cr, (double)mark->angle);
    cairo_move_to(cr, shift * width / PANGO_SCALE,
                  -(double)pango_layout_get_baseline(layout) / PANGO_SCALE);
    set_color(cr, mark->paint.fill);
    pango_cairo_show_layout(cr, layout);
    cairo_new_path(cr);
    cairo_restore(cr);
    pango_font_description_free(font);
    g_object_unref(layout);
}

/* Returns the colour multiplied by its alpha, as Cairo needs it. */
static inline uint32_t premultiplied(uint32_t color)
{
    uint32_t a = color >> 24;
    return a << 24 | (color >> 16 & 255) * a / 255 << 16 | (color >> 8 & 255) * a / 255 << 8
           | (color & 255) * a / 255;
}

/* Returns an image; its status tells whether there was memory for it. */
static cairo_surface_t *image_surface(cairo_format_t format, int width, int height)
{
    cairo_surface_t *surface = cairo_image_surface_create(format, width, height);
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
        weft_large_pages(cairo_image_surface_get_data(surface),
                         (size_t)cairo_image_surface_get_stride(surface) * (size_t)height);
    return surface;
}

/*
 * Returns true if every pixel is either opaque or transparent: premultiplied it is the
 * same.
 */
static bool is_plain(const struct weft_raster *raster)
{
    size_t n = (size_t)raster->columns * raster->rows;
    uint32_t other = 0;
    for (size_t i = 0; i < n; i++)
        other |= (raster->pixels[i] >> 24 != 255) & (raster->pixels[i] != 0);
    return !other;
}

static cairo_surface_t *raster_surface(const struct weft_raster *raster)
{
    if (is_plain(raster)) /* Cairo only reads it */
        return cairo_image_surface_create_for_data(
            (unsigned char *)(uintptr_t)raster->pixels, CAIRO_FORMAT_ARGB32,
            (int)raster->columns, (int)raster->rows, 4 * (int)raster->columns);
    cairo_surface_t *surface =
        image_surface(CAIRO_FORMAT_ARGB32, (int)raster->columns, (int)raster->rows);
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
        return surface;
    unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    for (uint32_t y = 0; y < raster->rows; y++) {
        const uint32_t *from = raster->pixels + (size_t)y * raster->columns;
        uint32_t *to = (uint32_t *)(void *)(data + (size_t)y * (size_t)stride);
        for (uint32_t x = 0; x < raster->columns; x++)
            to[x] = premultiplied(from[x]);
    }
    cairo_surface_mark_dirty(surface);
    return surface;
}

/*
 * Paints the source within the clip; an image in bands of whole rows, since Cairo would
 * fill a gigabyte in one call that cannot be cancelled.  A page takes it as one part.
 */
static void paint_source(cairo_t *cr, struct weft_job *job)
{
    enum {
        AT_ONCE = 4 << 20
    }; /* pixels: some 10 ms, if memory is touched for the first
                                   time */
    cairo_surface_t *target = cairo_get_target(cr);
    double x0, y0, x1, y1;
    if (!job || cairo_surface_get_type(target) != CAIRO_SURFACE_TYPE_IMAGE) {
        cairo_paint(cr);
        return;
    }
    int width = cairo_image_surface_get_width(target);
    double rows = 1 + AT_ONCE / (width + 1);
    cairo_matrix_t shown;
    cairo_get_matrix(cr, &shown);
    cairo_save(cr);
    cairo_identity_matrix(cr);
    cairo_clip_extents(cr, &x0, &y0, &x1, &y1);
    for (double y = floor(y0); y < y1 && !weft_job_cancelled(job); y += rows) {
        cairo_save(cr);
        cairo_rectangle(cr, floor(x0), y, ceil(x1) - floor(x0), rows);
        cairo_clip(cr);
        cairo_set_matrix(cr, &shown);
        cairo_paint(cr);
        cairo_restore(cr);
    }
    cairo_restore(cr);
}

static void play_raster(cairo_t *cr, const struct weft_mark *mark, struct weft_job *job)
{
    uint32_t *made;
    struct weft_raster raster = weft_raster_with_pixels(mark->raster, &made);
    cairo_surface_t *surface = raster_surface(&raster);
    cairo_save(cr);
    cairo_rectangle(cr, mark->box.x, mark->box.y, mark->box.width, mark->box.height);
    cairo_clip(cr);
    cairo_translate(cr, mark->box.x, mark->box.y);
    cairo_scale(cr, mark->box.width / mark->raster->columns,
                mark->box.height / mark->raster->rows);
    cairo_set_source_surface(cr, surface, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    paint_source(cr, job);
    cairo_restore(cr);
    cairo_surface_destroy(surface);
    free(made);
}

void weft_cairo_play(cairo_t *cr, const struct weft_scene *scene, struct weft_job *job)
{
    struct player p = { .cr = cr, .job = job };
    set_color(cr, scene->background);
    paint_source(cr, job);
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        cairo_save(cr);
        cairo_rectangle(cr, layer->clip.x, layer->clip.y, layer->clip.width,
                        layer->clip.height);
        cairo_clip(cr);
        for (size_t m = 0; m < layer->n_marks && !weft_job_cancelled(job); m++) {
            const struct weft_mark *mark = &layer->marks[m];
            switch (mark->kind) {
            case WEFT_MARK_RECT:
                cairo_new_path(cr);
                cairo_rectangle(cr, mark->box.x, mark->box.y, mark->box.width,
                                mark->box.height);
                paint_path(&p, &mark->paint, true);
                break;
            case WEFT_MARK_LINE:
            case WEFT_MARK_POLYLINE:
            case WEFT_MARK_POLYGON: play_points(&p, mark); break;
            case WEFT_MARK_SECTOR: play_sector(&p, mark); break;
            case WEFT_MARK_GLYPH: play_glyph(&p, mark); break;
            case WEFT_MARK_TEXT: play_text(cr, mark); break;
            case WEFT_MARK_RASTER: play_raster(cr, mark, job); break;
            }
        }
        cairo_restore(cr);
    }
    for (size_t h = 0; h < WEFT_HATCHES; h++)
        for (size_t light = 0; light < 2; light++)
            cairo_pattern_destroy(p.tiles[h][light]); /* may be NULL */
}

/* Output of pages; stops when the job is cancelled. */
struct pages {
    FILE *stream;
    struct weft_job *job;
};

static cairo_status_t write_pages(void *user, const unsigned char *bytes, unsigned size)
{
    const struct pages *pages = user;
    bool written =
        !weft_job_cancelled(pages->job) && fwrite(bytes, 1, size, pages->stream) == size;
    return written ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool report(cairo_status_t status, struct weft_err *err)
{
    return status == CAIRO_STATUS_SUCCESS
           || weft_fail(err, WEFT_ERR_WRITE, "cannot draw: %s",
                        cairo_status_to_string(status));
}

static void surface_row(const void *user, uint32_t y, unsigned char *out)
{
    cairo_surface_t *surface = (cairo_surface_t *)user;
    const unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    int width = cairo_image_surface_get_width(surface);
    const uint32_t *row =
        (const uint32_t *)(const void *)(data + (size_t)y * (size_t)stride);
    for (int x = 0; x < width; x++, out += 3) {
        out[0] = (unsigned char)(row[x] >> 16);
        out[1] = (unsigned char)(row[x] >> 8);
        out[2] = (unsigned char)row[x];
    }
}

static bool write_png(cairo_surface_t *surface, FILE *stream, struct weft_job *job,
                      struct weft_err *err)
{
    cairo_surface_flush(surface);
    struct weft_png png = { .width = (uint32_t)cairo_image_surface_get_width(surface),
                            .height = (uint32_t)cairo_image_surface_get_height(surface),
                            .row = surface_row,
                            .user = surface,
                            .job = job };
    size_t size;
    unsigned char *bytes = weft_png_encode(&png, &size);
    if (!bytes)
        return weft_draw_goes_on(job, err);
    bool written = fwrite(bytes, 1, size, stream) == size;
    free(bytes);
    return report(written ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR, err);
}

static bool draw_png(const struct weft_scene *scene, FILE *stream, struct weft_job *job,
                     struct weft_err *err)
{
    cairo_surface_t *surface = image_surface(CAIRO_FORMAT_RGB24, (int)ceil(scene->width),
                                             (int)ceil(scene->height));
    cairo_t *cr = cairo_create(surface);
    weft_cairo_play(cr, scene, job);
    bool ok = weft_draw_goes_on(job, err) && report(cairo_status(cr), err)
              && write_png(surface, stream, job, err);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return ok;
}

/*
 * Cairo keeps what is drawn on a page until the page is shown, which closing it does, too.
 * Clearing all of it makes Cairo forget it, instead of compressing a cancelled page.
 */
static void forget_page(cairo_surface_t *surface)
{
    cairo_t *cr = cairo_create(surface); /* without the clip and scale of the drawing */
    cairo_set_operator(cr, CAIRO_OPERATOR_CLEAR);
    cairo_paint(cr);
    cairo_destroy(cr);
}

static bool draw_pages(cairo_surface_t *surface, const struct weft_scene *scene,
                       struct weft_job *job, struct weft_err *err)
{
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, 0.75, 0.75); /* a pixel is 1/96 inch, a point 1/72 */
    weft_cairo_play(cr, scene, job);
    if (!weft_job_cancelled(job))
        cairo_show_page(cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (weft_job_cancelled(job))
        forget_page(surface);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return weft_draw_goes_on(job, err) && report(status, err);
}

static bool draw_pdf(const struct weft_scene *scene, FILE *stream, struct weft_job *job,
                     struct weft_err *err)
{
    struct pages pages = { stream, job };
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        write_pages, &pages, scene->width * 0.75, scene->height * 0.75);
    if (scene->title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, scene->title);
    return draw_pages(surface, scene, job, err);
}

static bool draw_eps(const struct weft_scene *scene, FILE *stream, struct weft_job *job,
                     struct weft_err *err)
{
    struct pages pages = { stream, job };
    cairo_surface_t *surface = cairo_ps_surface_create_for_stream(
        write_pages, &pages, scene->width * 0.75, scene->height * 0.75);
    cairo_ps_surface_set_eps(surface, 1);
    return draw_pages(surface, scene, job, err);
}

static void raster_row(const void *user, uint32_t y, unsigned char *out)
{
    const struct weft_raster *raster = user;
    weft_pixels_as_bytes(raster->pixels + (size_t)y * raster->columns, raster->columns,
                         out);
}

unsigned char *weft_raster_png(const struct weft_raster *raster, struct weft_job *job,
                               size_t *size)
{
    return weft_png_encode(&(struct weft_png){ .width = raster->columns,
                                               .height = raster->rows,
                                               .has_alpha = true,
                                               .row = raster_row,
                                               .user = raster,
                                               .job = job },
                           size);
}

const struct weft_backend weft_backend_png = { "png", false, draw_png };
const struct weft_backend weft_backend_pdf = { "pdf", false, draw_pdf };
const struct weft_backend weft_backend_eps = { "eps", false, draw_eps };
