/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes scenes as JSON, for programs that draw them elsewhere:
 *
 *     {"width", "height", "background", "title", "frame": FRAME, "layers": [
 *        {"name", "clip": [x, y, width, height], "moves": 0..3, "marks": [ MARK ... ]} ]}
 *
 * FRAME is struct weft_scene_frame: {"plot": [x, y, width, height], "begin", "end" (ticks,
 * as text: a double cannot hold all of them), "scroll", "scroll_height", "pinned",
 * "anchor", "again", "zoom": [zoom, tall], "levels", "marked": [x, y, width, height],
 * "moments": [previous, next] (ticks, as text), "list": {"rows", "first", "last"},
 * "subtitle", "legend": [[label, color, hatch, share] ...]}.
 *
 * A MARK is an array that begins with its kind:
 *
 *     ["rect", x, y, w, h]  ["line" | "polygon", [x, y, ...]]
 *     ["sector", x, y, inner, outer, from, sweep]  ["glyph", which, x, y, size, angle]
 *     ["text", x, y, "start" | "middle" | "end", size, "text", "sans" | "bold" | "mono"]
 *     ["raster", x, y, w, h, columns, rows, PIXELS]
 *
 * The last element is an object with the properties that the mark has: fill, stroke, width,
 * dash, hatch, id (of an entity, as text), row (a container in the syntax of settings:
 * "#5", "#5+"), heading (of a row: it only names those below it), title, action (the
 * effect of a click or of dragging: {"kind": "toggle", "move" or "list", "parameter", "id"
 * (as text)}) and twice (the effect of a double click).
 *
 * PIXELS are bytes red, green, blue, alpha, row by row, as base64.  packed.c writes the
 * same with large parts in binary.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/backends.h"
#include "store/schema.h"

void weft_pixels_as_bytes(const uint32_t *pixels, size_t count, unsigned char *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = pixels[i];
        uint32_t swapped =
            (pixel & 0xff00ff00u) | (pixel >> 16 & 0xff) | (pixel & 0xff) << 16;
        memcpy(out + 4 * i, &swapped, 4);
    }
}

/* Writes the pixels as a string; base64 has nothing to escape. */
static void put_base64(FILE *out, const struct weft_raster *raster)
{
    uint32_t *made;
    const uint32_t *pixels = weft_raster_with_pixels(raster, &made).pixels;
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { CHUNK = 3 * 256 }; /* pixels: a whole number of groups of three bytes */
    unsigned char bytes[4 * CHUNK + 2] = { 0 };
    size_t total = (size_t)raster->columns * raster->rows;
    putc('"', out);
    for (size_t first = 0; first < total; first += CHUNK) {
        size_t n = total - first < CHUNK ? total - first : CHUNK, size = 4 * n;
        weft_pixels_as_bytes(pixels + first, n, bytes);
        bytes[size] = bytes[size + 1] = 0;
        for (size_t i = 0; i < size; i += 3) {
            unsigned v = (unsigned)bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
            putc(digits[v >> 18], out);
            putc(digits[v >> 12 & 63], out);
            putc(i + 1 < size ? digits[v >> 6 & 63] : '=', out);
            putc(i + 2 < size ? digits[v & 63] : '=', out);
        }
    }
    putc('"', out);
    free(made);
}

static void put_rect(struct weft_json *json, const struct weft_rect *rect)
{
    weft_json_fixed(json, NULL, rect->x, 2);
    weft_json_fixed(json, NULL, rect->y, 2);
    weft_json_fixed(json, NULL, rect->width, 2);
    weft_json_fixed(json, NULL, rect->height, 2);
}

static void put_point(struct weft_json *json, double x, double y)
{
    weft_json_fixed(json, NULL, x, 2);
    weft_json_fixed(json, NULL, y, 2);
}

/* Returns true if MARK is a raster whose bands are stored elsewhere. */
static bool keeps_bands(const struct weft_scene_writer *w, const struct weft_mark *mark)
{
    return mark->kind == WEFT_MARK_RASTER && w->keep_raster && !mark->raster->pixels;
}

static void put_raster(struct weft_scene_writer *w, const struct weft_mark *mark)
{
    const struct weft_raster *raster = mark->raster;
    put_rect(&w->json, &mark->box);
    weft_json_unsigned(&w->json, NULL, raster->columns);
    weft_json_unsigned(&w->json, NULL, raster->rows);
    if (keeps_bands(w, mark))
        weft_json_unsigned(&w->json, NULL, raster->n_bands);
    if (w->keep_raster)
        weft_json_unsigned(&w->json, NULL, w->keep_raster(w, raster));
    else
        put_base64(weft_json_value(&w->json, NULL), raster);
}

static void put_points(struct weft_json *json, const struct weft_mark *mark)
{
    static_assert(sizeof *mark->points == 2 * sizeof(double), "x and y side by side");
    weft_json_fixed_array(json, NULL, (const double *)mark->points,
                          2 * (size_t)mark->n_points, 2);
}

static void put_text(struct weft_json *json, const struct weft_mark *mark)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    static const char *const fonts[] = { "sans", "bold", "mono" };
    put_point(json, mark->box.x, mark->box.y);
    weft_json_text(json, NULL, anchors[mark->detail]);
    weft_json_fixed(json, NULL, (double)mark->size, 1);
    weft_json_text(json, NULL, mark->text);
    weft_json_text(json, NULL, fonts[mark->font]);
}

static void put_geometry(struct weft_scene_writer *w, const struct weft_mark *mark)
{
    static const char *const kinds[] = {
        [WEFT_MARK_RECT] = "rect",     [WEFT_MARK_LINE] = "line",
        [WEFT_MARK_POLYLINE] = "line", [WEFT_MARK_POLYGON] = "polygon",
        [WEFT_MARK_SECTOR] = "sector", [WEFT_MARK_GLYPH] = "glyph",
        [WEFT_MARK_TEXT] = "text",     [WEFT_MARK_RASTER] = "raster",
    };
    static const char *const glyphs[] = { "tick",   "diamond", "circle",   "triangle",
                                          "square", "cross",   "arrowhead" };
    struct weft_json *json = &w->json;
    weft_json_text(json, NULL, keeps_bands(w, mark) ? "bands" : kinds[mark->kind]);
    switch (mark->kind) {
    case WEFT_MARK_RECT: put_rect(json, &mark->box); break;
    case WEFT_MARK_LINE:
    case WEFT_MARK_POLYLINE:
    case WEFT_MARK_POLYGON: put_points(json, mark); break;
    case WEFT_MARK_SECTOR:
        put_point(json, mark->box.x, mark->box.y);
        put_point(json, (double)mark->inner, (double)mark->outer);
        weft_json_fixed(json, NULL, (double)mark->from, 5);
        weft_json_fixed(json, NULL, (double)mark->sweep, 5);
        break;
    case WEFT_MARK_GLYPH:
        weft_json_text(json, NULL, glyphs[mark->detail]);
        put_point(json, mark->box.x, mark->box.y);
        weft_json_fixed(json, NULL, (double)mark->size, 2);
        weft_json_fixed(json, NULL, (double)mark->angle, 4);
        break;
    case WEFT_MARK_TEXT: put_text(json, mark); break;
    case WEFT_MARK_RASTER: put_raster(w, mark); break;
    }
}

/* Writes a colour that is not wholly transparent, as "#rrggbbaa". */
static void put_color(struct weft_json *json, const char *name, weft_color color)
{
    static const char digits[] = "0123456789abcdef";
    char text[] = "#rrggbbaa";
    uint32_t rgba = color << 8 | color >> 24;
    if (!(color >> 24))
        return;
    for (unsigned i = 0; i < 8; i++)
        text[1 + i] = digits[rgba >> (28 - 4 * i) & 15];
    weft_json_text(json, name, text);
}

static void put_paint(struct weft_json *json, const struct weft_paint *paint)
{
    put_color(json, "fill", paint->fill);
    put_color(json, "stroke", paint->stroke);
    if (paint->stroke >> 24 && paint->stroke_width > 0) {
        weft_json_fixed(json, "width", (double)paint->stroke_width, 2);
        if (paint->dash > 0)
            weft_json_fixed(json, "dash", (double)paint->dash, 2);
    }
    if (paint->hatch)
        weft_json_integer(json, "hatch", paint->hatch);
}

static void put_action(struct weft_json *json, const char *name,
                       const struct weft_action *action)
{
    static const char *const kinds[] = { [WEFT_ACTION_TOGGLE] = "toggle",
                                         [WEFT_ACTION_MOVE] = "move",
                                         [WEFT_ACTION_LIST] = "list",
                                         [WEFT_ACTION_SET] = "set" };
    if (action->kind == WEFT_ACTION_NONE)
        return;
    weft_json_object(json, name);
    weft_json_text(json, "kind", kinds[action->kind]);
    weft_json_text(json, "parameter", action->parameter);
    weft_json_id(json, "id", action->id);
    weft_json_close(json);
}

/* Writes the entity that a mark shows, and the action of a click on it. */
static void put_meaning(struct weft_json *json, const struct weft_mark *mark)
{
    if (weft_is_container_id(mark->id)) {
        uint64_t ordinal = weft_entity_ordinal(mark->id);
        weft_json_format(json, "row", "#%u%s", (unsigned)ordinal, ordinal >> 32 ? "+" : "");
        if (mark->heading)
            weft_json_bool(json, "heading", true);
    } else if (mark->id != WEFT_NO_ID) {
        weft_json_id(json, "id", mark->id);
    }
    put_action(json, "action", &mark->action);
    put_action(json, "twice", &mark->twice);
    if (mark->title)
        weft_json_text(json, "title", mark->title);
}

static void put_mark(struct weft_scene_writer *w, const struct weft_mark *mark)
{
    weft_json_array(&w->json, NULL);
    put_geometry(w, mark);
    weft_json_object(&w->json, NULL);
    put_paint(&w->json, &mark->paint);
    put_meaning(&w->json, mark);
    weft_json_close(&w->json);
    weft_json_close(&w->json);
}

static void put_legend(struct weft_json *json, const struct weft_scene_frame *frame)
{
    weft_json_array(json, "legend");
    for (size_t i = 0; i < frame->n_legend; i++) {
        const struct weft_legend_item *item = &frame->legend[i];
        weft_json_array(json, NULL);
        weft_json_text(json, NULL, item->label);
        weft_json_format(json, NULL, "#%06x", item->fill & 0xffffff);
        weft_json_integer(json, NULL, item->hatch);
        weft_json_fixed(json, NULL, item->share, 6);
        if (item->tone != item->fill)
            weft_json_format(json, NULL, "#%06x", item->tone & 0xffffff);
        weft_json_close(json);
    }
    weft_json_close(json);
}

static void put_frame(struct weft_json *json, const struct weft_scene_frame *frame)
{
    weft_json_object(json, "frame");
    weft_json_array(json, "plot");
    put_rect(json, &frame->plot);
    weft_json_close(json);
    if (frame->has_time) {
        weft_json_format(json, "begin", "%" PRId64, frame->begin);
        weft_json_format(json, "end", "%" PRId64, frame->end);
    }
    if (frame->zooms) {
        weft_json_array(json, "anchor");
        put_point(json, frame->anchor.x, frame->anchor.y);
        weft_json_close(json);
        weft_json_array(json, "again");
        put_point(json, frame->again.x, frame->again.y);
        weft_json_close(json);
    }
    if (frame->zoom > 0) {
        weft_json_array(json, "zoom");
        weft_json_real(json, NULL, frame->zoom);
        weft_json_real(json, NULL, frame->tall);
        weft_json_close(json);
    }
    if (frame->levels)
        weft_json_unsigned(json, "levels", frame->levels);
    if (frame->has_marked) {
        weft_json_array(json, "marked");
        put_rect(json, &frame->marked);
        weft_json_close(json);
    }
    if (frame->has_moments) {
        weft_json_array(json, "moments");
        weft_json_format(json, NULL, "%" PRId64, frame->previous);
        weft_json_format(json, NULL, "%" PRId64, frame->next);
        weft_json_close(json);
    }
    if (frame->rows) {
        weft_json_object(json, "list");
        weft_json_unsigned(json, "rows", frame->rows);
        weft_json_format(json, "first", "%" PRId64, frame->first);
        weft_json_format(json, "last", "%" PRId64, frame->last);
        weft_json_close(json);
    }
    weft_json_fixed(json, "scroll", frame->scroll, 2);
    weft_json_fixed(json, "scroll_height", frame->scroll_height, 2);
    weft_json_fixed(json, "pinned", frame->pinned, 2);
    weft_json_text(json, "subtitle", frame->subtitle);
    put_legend(json, frame);
    weft_json_close(json);
}

static void put_layer(struct weft_scene_writer *w, const struct weft_layer *layer)
{
    struct weft_json *json = &w->json;
    weft_json_line(json, 0);
    weft_json_object(json, NULL);
    weft_json_text(json, "name", layer->name);
    weft_json_array(json, "clip");
    put_rect(json, &layer->clip);
    weft_json_close(json);
    weft_json_unsigned(json, "moves", layer->moves);
    weft_json_array(json, "marks");
    for (size_t m = 0; m < layer->n_marks && !weft_job_cancelled(w->job);) {
        weft_json_line(json, 0);
        size_t kept = w->keep_rects ? w->keep_rects(w, layer, m) : 0;
        if (!kept)
            put_mark(w, &layer->marks[m]);
        m += kept ? kept : 1;
    }
    weft_json_close(json);
    weft_json_close(json);
}

void weft_scene_write(struct weft_scene_writer *w, const struct weft_scene *scene,
                      FILE *stream)
{
    struct weft_json *json = &w->json;
    weft_json_begin(json, stream);
    weft_json_object(json, NULL);
    weft_json_real(json, "width", scene->width);
    weft_json_real(json, "height", scene->height);
    weft_json_format(json, "background", "#%06x", scene->background & 0xffffff);
    weft_json_text(json, "title", scene->title);
    put_frame(json, &scene->frame);
    weft_json_array(json, "layers");
    for (size_t l = 0; l < scene->n_layers; l++)
        put_layer(w, &scene->layers[l]);
    weft_json_line(json, 0);
    weft_json_close(json);
    weft_json_close(json);
    weft_json_end(json);
}

static bool draw_json(const struct weft_scene *scene, FILE *out, struct weft_job *job,
                      struct weft_err *err)
{
    struct weft_scene_writer writer = { .job = job };
    weft_scene_write(&writer, scene, out);
    if (!weft_draw_goes_on(job, err))
        return false;
    return !ferror(out) || weft_fail(err, WEFT_ERR_WRITE, "cannot write the picture");
}

const struct weft_backend weft_backend_json = { "scene", true, draw_json };
