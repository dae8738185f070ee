/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes as JSON, for whoever draws them elsewhere:
 *
 *     {"width", "height", "background", "title", "frame": FRAME, "layers": [
 *        {"name", "clip": [x, y, width, height], "moves": 0..3, "marks": [ MARK ... ]} ]}
 *
 * FRAME is struct weft_scene_frame: {"plot": [x, y, width, height], "begin", "end" (ticks, as
 * text: they may be longer than a double holds), "scroll", "scroll_height", "pinned",
 * "anchor", "again", "subtitle", "legend": [[label, color, hatch, share] ...]}.
 *
 * A MARK is an array that begins with its kind:
 *     ["rect", x, y, w, h]  ["line" | "polygon", [x, y, ...]]
 *     ["sector", x, y, inner, outer, from, sweep]  ["glyph", which, x, y, size, angle]
 *     ["text", x, y, "start" | "middle" | "end", size, "text", "sans" | "bold" | "mono"]
 *     ["raster", x, y, w, h, columns, rows, PIXELS]
 * followed by an object with fill, stroke, width, dash, hatch, id (of an entity), row (a
 * container as settings name it: "#5", "#5+"), action and title, where they are there.
 *
 * PIXELS are bytes red, green, blue, alpha, row by row, as base64.  packed.c writes the same
 * with what is large in binary.
 */
#include <stdio.h>
#include <string.h>

#include "draw/backends.h"
#include "store/schema.h"
#include "view/text.h"

void weft_raster_bytes(const struct weft_raster *raster, size_t first, size_t count,
                       unsigned char *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = raster->pixels[first + i];
        uint32_t swapped =
            (pixel & 0xff00ff00u) | (pixel >> 16 & 0xff) | (pixel & 0xff) << 16;
        memcpy(out + 4 * i, &swapped, 4);
    }
}

static void put_base64(FILE *out, const struct weft_raster *raster)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { CHUNK = 3 * 256 }; /* pixels: a whole number of groups of three bytes */
    unsigned char bytes[4 * CHUNK + 2] = { 0 };
    size_t total = (size_t)raster->columns * raster->rows;
    for (size_t first = 0; first < total; first += CHUNK) {
        size_t n = total - first < CHUNK ? total - first : CHUNK, size = 4 * n;
        weft_raster_bytes(raster, first, n, bytes);
        bytes[size] = bytes[size + 1] = 0;
        for (size_t i = 0; i < size; i += 3) {
            unsigned v = (unsigned)bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
            putc(digits[v >> 18], out);
            putc(digits[v >> 12 & 63], out);
            putc(i + 1 < size ? digits[v >> 6 & 63] : '=', out);
            putc(i + 2 < size ? digits[v & 63] : '=', out);
        }
    }
}

static void put_raster(struct weft_json_writer *w, const struct weft_mark *mark)
{
    const struct weft_raster *raster = mark->raster;
    fprintf(w->out, "[\"raster\",%.2f,%.2f,%.2f,%.2f,%u,%u,", mark->box.x, mark->box.y,
            mark->box.width, mark->box.height, raster->columns, raster->rows);
    if (w->keep_raster) {
        fprintf(w->out, "%llu", (unsigned long long)w->keep_raster(w, raster));
        return;
    }
    putc('"', w->out);
    put_base64(w->out, raster);
    putc('"', w->out);
}

static void put_color(FILE *out, const char *name, weft_color color, const char **comma)
{
    if (!(color >> 24))
        return;
    fprintf(out, "%s\"%s\":\"#%06x%02x\"", *comma, name, color & 0xffffff, color >> 24);
    *comma = ",";
}

static void put_points(FILE *out, const struct weft_mark *mark)
{
    fprintf(out, "[\"%s\",[", mark->kind == WEFT_MARK_POLYGON ? "polygon" : "line");
    for (uint32_t i = 0; i < mark->n_points; i++)
        fprintf(out, "%s%.2f,%.2f", i ? "," : "", mark->points[i].x, mark->points[i].y);
    fputc(']', out);
}

static void put_geometry(struct weft_json_writer *w, const struct weft_mark *mark)
{
    FILE *out = w->out;
    static const char *const anchors[] = { "start", "middle", "end" };
    static const char *const fonts[] = { "sans", "bold", "mono" };
    static const char *const glyphs[] = { "tick", "diamond", "circle", "triangle",
                                          "arrowhead" };
    const struct weft_rect *box = &mark->box;
    switch (mark->kind) {
    case WEFT_MARK_RECT:
        fprintf(out, "[\"rect\",%.2f,%.2f,%.2f,%.2f", box->x, box->y, box->width,
                box->height);
        break;
    case WEFT_MARK_LINE:
    case WEFT_MARK_POLYLINE:
    case WEFT_MARK_POLYGON: put_points(out, mark); break;
    case WEFT_MARK_SECTOR:
        fprintf(out, "[\"sector\",%.2f,%.2f,%.2f,%.2f,%.5f,%.5f", box->x, box->y,
                (double)mark->inner, (double)mark->outer, (double)mark->from,
                (double)mark->sweep);
        break;
    case WEFT_MARK_GLYPH:
        fprintf(out, "[\"glyph\",\"%s\",%.2f,%.2f,%.2f,%.4f", glyphs[mark->detail], box->x,
                box->y, (double)mark->size, (double)mark->angle);
        break;
    case WEFT_MARK_TEXT:
        fprintf(out, "[\"text\",%.2f,%.2f,\"%s\",%.1f,", box->x, box->y,
                anchors[mark->detail], (double)mark->size);
        weft_text_json(out, mark->text);
        fprintf(out, ",\"%s\"", fonts[mark->font]);
        break;
    case WEFT_MARK_RASTER: put_raster(w, mark); break;
    }
}

/* What a mark shows, and what a click on it does. */
static void put_meaning(FILE *out, const struct weft_mark *mark, const char *comma)
{
    if (weft_is_container_id(mark->id)) {
        uint64_t ordinal = weft_entity_ordinal(mark->id);
        fprintf(out, "%s\"row\":\"#%u%s\"", comma, (unsigned)ordinal,
                ordinal >> 32 ? "+" : "");
        comma = ",";
    } else if (mark->id != WEFT_NO_ID) {
        fprintf(out, "%s\"id\":\"%llu\"", comma, (unsigned long long)mark->id);
        comma = ",";
    }
    if (mark->action) {
        fprintf(out, "%s\"action\":", comma);
        weft_text_json(out, mark->action);
        comma = ",";
    }
    if (mark->title) {
        fprintf(out, "%s\"title\":", comma);
        weft_text_json(out, mark->title);
    }
}

static void put_mark(struct weft_json_writer *w, const struct weft_mark *mark)
{
    FILE *out = w->out;
    const char *comma = "";
    put_geometry(w, mark);
    fputs(",{", out);
    put_color(out, "fill", mark->paint.fill, &comma);
    put_color(out, "stroke", mark->paint.stroke, &comma);
    if (mark->paint.stroke >> 24 && mark->paint.stroke_width > 0) {
        fprintf(out, "%s\"width\":%.2f", comma, (double)mark->paint.stroke_width);
        comma = ",";
        if (mark->paint.dash > 0)
            fprintf(out, ",\"dash\":%.2f", (double)mark->paint.dash);
    }
    if (mark->paint.hatch) {
        fprintf(out, "%s\"hatch\":%d", comma, mark->paint.hatch);
        comma = ",";
    }
    put_meaning(out, mark, comma);
    fputs("}]", out);
}

static void put_frame(FILE *out, const struct weft_scene_frame *frame)
{
    fprintf(out, "{\"plot\":[%.2f,%.2f,%.2f,%.2f]", frame->plot.x, frame->plot.y,
            frame->plot.width, frame->plot.height);
    if (frame->has_time)
        fprintf(out, ",\"begin\":\"%lld\",\"end\":\"%lld\"", (long long)frame->begin,
                (long long)frame->end);
    if (frame->zooms)
        fprintf(out, ",\"anchor\":[%.2f,%.2f],\"again\":[%.2f,%.2f]", frame->anchor.x,
                frame->anchor.y, frame->again.x, frame->again.y);
    fprintf(out, ",\"scroll\":%.2f,\"scroll_height\":%.2f,\"pinned\":%.2f,\"subtitle\":",
            frame->scroll, frame->scroll_height, frame->pinned);
    weft_text_json(out, frame->subtitle ? frame->subtitle : "");
    fputs(",\"legend\":[", out);
    for (size_t i = 0; i < frame->n_legend; i++) {
        const struct weft_legend_item *item = &frame->legend[i];
        fputs(i ? ",[" : "[", out);
        weft_text_json(out, item->label);
        fprintf(out, ",\"#%06x\",%d,%.6f]", item->fill & 0xffffff, item->hatch,
                item->share);
    }
    fputs("]}", out);
}

void weft_json_scene(struct weft_json_writer *w, const struct weft_scene *scene)
{
    FILE *out = w->out;
    fprintf(out, "{\"width\":%.10g,\"height\":%.10g,\"background\":\"#%06x\",\"title\":",
            scene->width, scene->height, scene->background & 0xffffff);
    weft_text_json(out, scene->title ? scene->title : "");
    fputs(",\"frame\":", out);
    put_frame(out, &scene->frame);
    fputs(",\"layers\":[", out);
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        fprintf(out, "%s\n{\"name\":", l ? "," : "");
        weft_text_json(out, layer->name);
        fprintf(out, ",\"clip\":[%.2f,%.2f,%.2f,%.2f],\"moves\":%u,\"marks\":[",
                layer->clip.x, layer->clip.y, layer->clip.width, layer->clip.height,
                layer->moves);
        for (size_t m = 0; m < layer->n_marks;) {
            fputs(m ? ",\n" : "\n", out);
            size_t kept = w->keep_rects ? w->keep_rects(w, layer, m) : 0;
            if (!kept)
                put_mark(w, &layer->marks[m]);
            m += kept ? kept : 1;
        }
        fputs("]}", out);
    }
    fputs("\n]}\n", out);
}

static bool draw_json(const struct weft_scene *scene, FILE *out, struct weft_err *err)
{
    struct weft_json_writer writer = { .out = out };
    weft_json_scene(&writer, scene);
    return !ferror(out) || weft_fail(err, WEFT_ERR_WRITE, "cannot write the picture");
}

const struct weft_backend weft_backend_json = { "scene", true, draw_json };
