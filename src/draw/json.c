/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes as JSON, for whoever draws them elsewhere:
 *
 *     {"width", "height", "background", "title", "layers": [
 *        {"name", "clip": [x, y, width, height], "moves": 0..3, "marks": [ MARK ... ]} ]}
 *
 * A MARK is an array that begins with its kind:
 *     ["rect", x, y, w, h]  ["line" | "polygon", [x, y, ...]]
 *     ["sector", x, y, inner, outer, from, sweep]  ["glyph", which, x, y, size, angle]
 *     ["text", x, y, "start" | "middle" | "end", size, "text", "sans" | "bold" | "mono"]
 *     ["raster", x, y, w, h, columns, rows]
 * followed by an object with fill, stroke, width, dash, hatch, id and title, where they are there.
 */
#include <stdio.h>
#include <string.h>

#include "draw/backends.h"
#include "view/text.h"

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

static void put_geometry(FILE *out, const struct weft_mark *mark)
{
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
    case WEFT_MARK_RASTER:
        fprintf(out, "[\"raster\",%.2f,%.2f,%.2f,%.2f,%u,%u", box->x, box->y, box->width,
                box->height, mark->raster->columns, mark->raster->rows);
        break;
    }
}

static void put_mark(FILE *out, const struct weft_mark *mark)
{
    const char *comma = "";
    put_geometry(out, mark);
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
    if (mark->id != UINT64_MAX) {
        fprintf(out, "%s\"id\":\"%llu\"", comma, (unsigned long long)mark->id);
        comma = ",";
    }
    if (mark->title) {
        fprintf(out, "%s\"title\":", comma);
        weft_text_json(out, mark->title);
    }
    fputs("}]", out);
}

static bool draw_json(const struct weft_scene *scene, FILE *out, struct weft_err *err)
{
    fprintf(out, "{\"width\":%.10g,\"height\":%.10g,\"background\":\"#%06x\",\"title\":",
            scene->width, scene->height, scene->background & 0xffffff);
    weft_text_json(out, scene->title ? scene->title : "");
    fputs(",\"layers\":[", out);
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        fprintf(out, "%s\n{\"name\":", l ? "," : "");
        weft_text_json(out, layer->name);
        fprintf(out, ",\"clip\":[%.2f,%.2f,%.2f,%.2f],\"moves\":%u,\"marks\":[",
                layer->clip.x, layer->clip.y, layer->clip.width, layer->clip.height,
                layer->moves);
        for (size_t m = 0; m < layer->n_marks; m++) {
            fputs(m ? ",\n" : "\n", out);
            put_mark(out, &layer->marks[m]);
        }
        fputs("]}", out);
    }
    fputs("\n]}\n", out);
    return !ferror(out) || weft_fail(err, WEFT_ERR_WRITE, "cannot write the picture");
}

const struct weft_backend weft_backend_json = { "scene", true, draw_json };
