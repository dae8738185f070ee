/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes as SVG.  Written without Cairo, so that marks keep their titles and ids (tooltips
 * and links in any browser) and texts stay texts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "draw/backends.h"
#include "view/text.h"

static void put_text(FILE *out, const char *text)
{
    struct weft_arena arena = { 0 };
    for (const char *c = weft_text_clean(&arena, text); *c; c++) {
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*c, out);
        }
    }
    weft_arena_free(&arena);
}

/* Writes a coordinate with two decimals: a hundredth of a pixel. */
static void put_number(FILE *out, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.2f", x);
    char *end = text + strlen(text);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        *--end = '\0';
    fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

static void put_attribute(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"", name);
    put_number(out, value);
    fputc('"', out);
}

static void put_color(FILE *out, const char *name, weft_color color)
{
    if (!(color >> 24)) {
        fprintf(out, " %s=\"none\"", name);
        return;
    }
    fprintf(out, " %s=\"#%06x\"", name, color & 0xffffff);
    if (color >> 24 != 255)
        fprintf(out, " %s-opacity=\"%.3g\"", name, (color >> 24) / 255.0);
}

static void put_paint(FILE *out, const struct weft_paint *paint, bool closed)
{
    put_color(out, "fill", closed ? paint->fill : 0);
    if (paint->stroke >> 24 && paint->stroke_width > 0) {
        put_color(out, "stroke", paint->stroke);
        put_attribute(out, "stroke-width", (double)paint->stroke_width);
        if (paint->dash > 0)
            put_attribute(out, "stroke-dasharray", (double)paint->dash);
    }
}

/* Closes an element that may have a title and an id. */
static void finish(FILE *out, const struct weft_mark *mark, const char *name)
{
    if (mark->id != UINT64_MAX)
        fprintf(out, " data-id=\"%llu\"", (unsigned long long)mark->id);
    if (!mark->title) {
        fputs("/>\n", out);
        return;
    }
    fputs("><title>", out);
    put_text(out, mark->title);
    fprintf(out, "</title></%s>\n", name);
}

static void rect(FILE *out, const struct weft_rect *box)
{
    fputs("<rect", out);
    put_attribute(out, "x", box->x);
    put_attribute(out, "y", box->y);
    put_attribute(out, "width", box->width);
    put_attribute(out, "height", box->height);
}

/* Ends a second element with the same shape, which shows the hatch. */
static void put_hatch(FILE *out, const struct weft_paint *paint)
{
    fprintf(out, " fill=\"url(#hatch%d%s)\" pointer-events=\"none\"/>\n", paint->hatch,
            weft_hatch_ink(paint) & 1 ? "w" : "");
}

static void play_rect(FILE *out, const struct weft_mark *mark)
{
    rect(out, &mark->box);
    put_paint(out, &mark->paint, true);
    finish(out, mark, "rect");
    if (mark->paint.hatch == WEFT_HATCH_NONE)
        return;
    rect(out, &mark->box);
    put_hatch(out, &mark->paint);
}

static void put_points(FILE *out, const struct weft_mark *mark)
{
    fputs(" points=\"", out);
    for (uint32_t i = 0; i < mark->n_points; i++) {
        if (i)
            fputc(' ', out);
        put_number(out, mark->points[i].x);
        fputc(',', out);
        put_number(out, mark->points[i].y);
    }
    fputc('"', out);
}

static void play_points(FILE *out, const struct weft_mark *mark)
{
    const char *name = mark->kind == WEFT_MARK_POLYGON ? "polygon" : "polyline";
    fprintf(out, "<%s", name);
    put_points(out, mark);
    put_paint(out, &mark->paint, mark->kind == WEFT_MARK_POLYGON);
    finish(out, mark, name);
    if (mark->kind != WEFT_MARK_POLYGON || mark->paint.hatch == WEFT_HATCH_NONE)
        return;
    fputs("<polygon", out);
    put_points(out, mark);
    put_hatch(out, &mark->paint);
}

static void point(FILE *out, char command, double x, double y)
{
    fputc(command, out);
    put_number(out, x);
    fputc(' ', out);
    put_number(out, y);
}

static void arc(FILE *out, double radius, bool large, bool clockwise, double x, double y)
{
    fputc('A', out);
    put_number(out, radius);
    fputc(' ', out);
    put_number(out, radius);
    fprintf(out, " 0 %d %d ", large, clockwise);
    put_number(out, x);
    fputc(' ', out);
    put_number(out, y);
}

static void sector_path(FILE *out, const struct weft_mark *mark)
{
    double x = mark->box.x, y = mark->box.y, r0 = (double)mark->inner,
           r1 = (double)mark->outer;
    double from = (double)mark->from, sweep = (double)mark->sweep;
    if (sweep > 2 * M_PI - 1e-4)
        sweep = 2 * M_PI - 1e-4; /* an arc to its own start would be empty */
    double to = from + sweep;
    fputs("<path d=\"", out);
    point(out, 'M', x + r1 * cos(from), y + r1 * sin(from));
    arc(out, r1, sweep > M_PI, true, x + r1 * cos(to), y + r1 * sin(to));
    point(out, 'L', x + r0 * cos(to), y + r0 * sin(to));
    if (r0 > 0)
        arc(out, r0, sweep > M_PI, false, x + r0 * cos(from), y + r0 * sin(from));
    fputs("Z\"", out);
}

static void play_sector(FILE *out, const struct weft_mark *mark)
{
    sector_path(out, mark);
    put_paint(out, &mark->paint, true);
    finish(out, mark, "path");
    if (mark->paint.hatch == WEFT_HATCH_NONE)
        return;
    sector_path(out, mark);
    put_hatch(out, &mark->paint);
}

static void glyph_path(FILE *out, const struct weft_mark *mark)
{
    double r = (double)mark->size / 2, q = r / 4; /* half a bar of a cross */
    fputs("<path d=\"", out);
    switch ((enum weft_glyph)mark->detail) {
    case WEFT_GLYPH_TICK: fprintf(out, "M-.75 %.2fh1.5v%.2fh-1.5Z", -r, 2 * r); break;
    case WEFT_GLYPH_CIRCLE:
        fprintf(out, "M%.2f 0a%.2f %.2f 0 1 0 %.2f 0a%.2f %.2f 0 1 0 %.2f 0Z", -r, r, r,
                2 * r, r, r, -2 * r);
        break;
    case WEFT_GLYPH_DIAMOND:
        fprintf(out, "M0 %.2fL%.2f 0L0 %.2fL%.2f 0Z", -r, r, r, -r);
        break;
    case WEFT_GLYPH_TRIANGLE: fprintf(out, "M0 %.2fL%.2f %.2fH%.2fZ", -r, r, r, -r); break;
    case WEFT_GLYPH_SQUARE:
        fprintf(out, "M%.2f %.2fh%.2fv%.2fh%.2fZ", -0.8 * r, -0.8 * r, 1.6 * r, 1.6 * r,
                -1.6 * r);
        break;
    case WEFT_GLYPH_CROSS:
        fprintf(out, "M%.2f %.2fh%.2fv%.2fh%.2fv%.2fh%.2fv%.2fh%.2fv%.2fh%.2fv%.2fh%.2fZ",
                -q, -r, 2 * q, r - q, r - q, 2 * q, q - r, r - q, -2 * q, q - r, q - r,
                -2 * q, r - q);
        break;
    case WEFT_GLYPH_ARROWHEAD:
        fprintf(out, "M0 0L%.2f %.2fV%.2fZ", -2 * r, -0.7 * r, 0.7 * r);
        break;
    }
    fprintf(out, "\" transform=\"translate(%.2f %.2f)", mark->box.x, mark->box.y);
    if (mark->angle != 0)
        fprintf(out, " rotate(%.2f)", (double)mark->angle * 180 / M_PI);
    fputc('"', out);
}

static void play_glyph(FILE *out, const struct weft_mark *mark)
{
    glyph_path(out, mark);
    put_paint(out, &mark->paint, true);
    finish(out, mark, "path");
    if (mark->paint.hatch == WEFT_HATCH_NONE)
        return;
    glyph_path(out, mark);
    put_hatch(out, &mark->paint);
}

static void play_text(FILE *out, const struct weft_mark *mark)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    static const char *const classes[] = { "s", "b", "m" };
    fprintf(out, "<text class=\"%s\"", classes[mark->font]);
    put_attribute(out, "x", mark->box.x);
    put_attribute(out, "y", mark->box.y);
    put_attribute(out, "font-size", (double)mark->size);
    if (mark->detail != WEFT_ANCHOR_START)
        fprintf(out, " text-anchor=\"%s\"", anchors[mark->detail]);
    if (mark->angle != 0)
        fprintf(out, " transform=\"rotate(%.2f %.2f %.2f)\"",
                (double)mark->angle * 180 / M_PI, mark->box.x, mark->box.y);
    put_color(out, "fill", mark->paint.fill);
    fputc('>', out);
    put_text(out, mark->text);
    fputs("</text>\n", out);
}

static void put_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned long word = (unsigned long)bytes[i] << 16;
        if (i + 1 < size)
            word |= (unsigned long)bytes[i + 1] << 8;
        if (i + 2 < size)
            word |= bytes[i + 2];
        fputc(digits[word >> 18 & 63], out);
        fputc(digits[word >> 12 & 63], out);
        fputc(i + 1 < size ? digits[word >> 6 & 63] : '=', out);
        fputc(i + 2 < size ? digits[word & 63] : '=', out);
    }
}

static void play_raster(FILE *out, const struct weft_mark *mark, struct weft_job *job)
{
    size_t size;
    uint32_t *made;
    struct weft_raster raster = weft_raster_with_pixels(mark->raster, &made);
    unsigned char *png = weft_raster_png(&raster, job, &size);
    free(made);
    if (!png)
        return; /* cancelled: the caller checks the job */
    fputs("<image", out);
    put_attribute(out, "x", mark->box.x);
    put_attribute(out, "y", mark->box.y);
    put_attribute(out, "width", mark->box.width);
    put_attribute(out, "height", mark->box.height);
    fputs(" preserveAspectRatio=\"none\" image-rendering=\"pixelated\" "
          "xlink:href=\"data:image/png;base64,",
          out);
    put_base64(out, png, size);
    fputc('"', out);
    finish(out, mark, "image");
    free(png);
}

static void play(FILE *out, const struct weft_mark *mark, struct weft_job *job)
{
    switch (mark->kind) {
    case WEFT_MARK_RECT: play_rect(out, mark); break;
    case WEFT_MARK_LINE:
    case WEFT_MARK_POLYLINE:
    case WEFT_MARK_POLYGON: play_points(out, mark); break;
    case WEFT_MARK_SECTOR: play_sector(out, mark); break;
    case WEFT_MARK_GLYPH: play_glyph(out, mark); break;
    case WEFT_MARK_TEXT: play_text(out, mark); break;
    case WEFT_MARK_RASTER: play_raster(out, mark, job); break;
    }
}

/*
 * Writes the hatches, in black (hatch1 ...) for light fills and in white (hatch1w ...) for
 * dark.
 */
static void put_patterns(FILE *out)
{
    static const char *const paths[WEFT_HATCHES] = {
        [WEFT_HATCH_DIAGONAL] = "M-1 6L6-1M-1 1L1-1M4 6L6 4",
        [WEFT_HATCH_DOTS] = "M1 1h1.5v1.5h-1.5Z",
        [WEFT_HATCH_CROSS] = "M-1 6L6-1M-1-1L6 6",
        [WEFT_HATCH_BACK_DIAGONAL] = "M-1-1L6 6M4-1L6 1M-1 4L1 6",
        [WEFT_HATCH_HORIZONTAL] = "M0 .5H5",
        [WEFT_HATCH_VERTICAL] = "M.5 0V5",
        [WEFT_HATCH_GRID] = "M0 .5H5M.5 0V5",
    };
    for (int white = 0; white < 2; white++)
        for (int i = WEFT_HATCH_NONE + 1; i < WEFT_HATCHES; i++)
            fprintf(out,
                    "<pattern id=\"hatch%d%s\" width=\"5\" height=\"5\" "
                    "patternUnits=\"userSpaceOnUse\"><path d=\"%s\" %s=\"%s\" "
                    "opacity=\".4\"/></pattern>\n",
                    i, white ? "w" : "", paths[i], i == WEFT_HATCH_DOTS ? "fill" : "stroke",
                    white ? "#fff" : "#000");
}

static void head(FILE *out, const struct weft_scene *scene)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%.10g\" "
            "height=\"%.10g\" viewBox=\"0 0 %.10g %.10g\">\n",
            scene->width, scene->height, scene->width, scene->height);
    if (scene->title) {
        fputs("<title>", out);
        put_text(out, scene->title);
        fputs("</title>\n", out);
    }
    if (scene->description) {
        fputs("<desc>", out);
        put_text(out, scene->description);
        fputs("</desc>\n", out);
    }
    fputs("<style>.s{font-family:'DejaVu Sans',Verdana,sans-serif}"
          ".b{font-family:'DejaVu Sans',Verdana,sans-serif;font-weight:bold}"
          ".m{font-family:'DejaVu Sans Mono',monospace}</style>\n<defs>\n",
          out);
    put_patterns(out);
    for (size_t l = 0; l < scene->n_layers; l++) {
        fprintf(out, "<clipPath id=\"clip%zu\">", l);
        rect(out, &scene->layers[l].clip);
        fputs("/></clipPath>\n", out);
    }
    fputs("</defs>\n<rect width=\"100%\" height=\"100%\"", out);
    put_color(out, "fill", scene->background);
    fputs("/>\n", out);
}

static bool draw_svg(const struct weft_scene *scene, FILE *out, struct weft_job *job,
                     struct weft_err *err)
{
    head(out, scene);
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        if (!layer->n_marks)
            continue;
        fprintf(out, "<g clip-path=\"url(#clip%zu)\" data-layer=\"", l);
        put_text(out, layer->name);
        fputs("\">\n", out);
        for (size_t m = 0; m < layer->n_marks && !weft_job_cancelled(job); m++)
            play(out, &layer->marks[m], job);
        fputs("</g>\n", out);
    }
    fputs("</svg>\n", out);
    if (!weft_draw_goes_on(job, err))
        return false;
    return !ferror(out) || weft_fail(err, WEFT_ERR_WRITE, "cannot write the picture");
}

const struct weft_backend weft_backend_svg = { "svg", true, draw_svg };
