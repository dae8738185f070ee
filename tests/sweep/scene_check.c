/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/text.h"

/* Pixels; clipping computes in doubles, marks of sectors keep floats. */
static const double slack = 1e-3;

static bool holds(struct weft_rect outer, double x, double y)
{
    return isfinite(x) && isfinite(y) && x >= outer.x - slack && y >= outer.y - slack
           && x <= outer.x + outer.width + slack && y <= outer.y + outer.height + slack;
}

static bool holds_rect(struct weft_rect outer, struct weft_rect rect)
{
    return rect.width >= 0 && rect.height >= 0 && holds(outer, rect.x, rect.y)
           && holds(outer, rect.x + rect.width, rect.y + rect.height);
}

static bool text_holds(const struct weft_scene *scene, const struct weft_layer *layer,
                       const struct weft_mark *mark)
{
    if (!mark->text || !mark->text[0] || !(mark->size > 0) || !isfinite(mark->size)
        || !holds(layer->clip, mark->box.x, mark->box.y))
        return false;
    double width =
        weft_text_width((enum weft_font)mark->font, (double)mark->size, mark->text);
    double left = mark->box.x
                  - width
                        * (mark->detail == WEFT_ANCHOR_START ? 0
                           : mark->detail == WEFT_ANCHOR_END ? 1
                                                             : 0.5);
    /* A pixel at each edge is what letters have as white around them. */
    return left >= -1 && left + width <= scene->width + 1
           && mark->box.y - 0.7 * (double)mark->size >= -1
           && mark->box.y <= scene->height + 1;
}

/* Touches every pixel, so that a sanitizer sees a raster that is smaller than it says. */
static bool raster_holds(const struct weft_layer *layer, const struct weft_mark *mark)
{
    const struct weft_raster *raster = mark->raster;
    struct weft_rect box = mark->box, clip = layer->clip;
    if (!raster || !raster->columns || !raster->rows
        || !raster->pixels != !!raster->n_bands)
        return false;
    uint32_t *made;
    const uint32_t *pixels = weft_raster_with_pixels(raster, &made).pixels;
    volatile uint32_t sum = 0;
    for (size_t i = 0; i < (size_t)raster->columns * raster->rows; i++)
        sum = sum + pixels[i];
    free(made);
    /* It keeps its rectangle, and may so reach a pixel or a cell beyond the layer. */
    double column = box.width / raster->columns, row = box.height / raster->rows;
    struct weft_rect around = { clip.x - column - 1, clip.y - row - 1,
                                clip.width + 2 * column + 2, clip.height + 2 * row + 2 };
    return box.width > 0 && box.height > 0 && holds_rect(around, box);
}

static bool mark_holds(const struct weft_scene *scene, const struct weft_layer *layer,
                       const struct weft_mark *mark)
{
    struct weft_rect clip = layer->clip, box = mark->box;
    switch (mark->kind) {
    case WEFT_MARK_RECT: return holds_rect(clip, box);
    case WEFT_MARK_LINE:
    case WEFT_MARK_POLYLINE:
    case WEFT_MARK_POLYGON:
        for (uint32_t i = 0; i < mark->n_points; i++)
            if (!holds(clip, mark->points[i].x, mark->points[i].y))
                return false;
        return mark->n_points >= (mark->kind == WEFT_MARK_POLYGON ? 3u : 2u);
    case WEFT_MARK_SECTOR: {
        double outer = (double)mark->outer;
        return mark->inner >= 0 && mark->inner <= mark->outer && isfinite(mark->from)
               && isfinite(mark->sweep)
               && holds_rect(clip, (struct weft_rect){ box.x - outer, box.y - outer,
                                                       2 * outer, 2 * outer });
    }
    case WEFT_MARK_GLYPH:
        return holds(clip, box.x, box.y) && mark->size >= 0 && isfinite(mark->size)
               && isfinite(mark->angle);
    case WEFT_MARK_TEXT: return text_holds(scene, layer, mark);
    case WEFT_MARK_RASTER: return raster_holds(layer, mark);
    }
    return false;
}

const char *scene_fault(const struct weft_scene *scene, char *what, size_t size)
{
    struct weft_rect all = { 0, 0, scene->width, scene->height };
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        bool empty = !(layer->clip.width > 0 && layer->clip.height > 0);
        if (empty ? layer->n_marks > 0 && !isfinite(layer->clip.x + layer->clip.y)
                  : !holds_rect(all, layer->clip)) {
            snprintf(what, size, "layer %s reaches beyond the picture", layer->name);
            return what;
        }
        for (size_t i = 0; i < layer->n_marks; i++) {
            const struct weft_mark *mark = &layer->marks[i];
            if (mark_holds(scene, layer, mark))
                continue;
            snprintf(what, size,
                     "layer %s (%g,%g %gx%g): mark %zu of kind %d at %g,%g %gx%g %s",
                     layer->name, layer->clip.x, layer->clip.y, layer->clip.width,
                     layer->clip.height, i, mark->kind, mark->box.x, mark->box.y,
                     mark->box.width, mark->box.height, mark->text ? mark->text : "");
            return what;
        }
    }
    struct weft_rect plot = scene->frame.plot;
    if (!isfinite(plot.x) || !isfinite(plot.y) || !(plot.width >= 0) || !(plot.height >= 0)
        || !isfinite(plot.width) || !isfinite(plot.height) || !isfinite(scene->frame.scroll)
        || !isfinite(scene->frame.scroll_height)) {
        snprintf(what, size, "the frame has a number that is none");
        return what;
    }
    for (size_t i = 0; i < scene->frame.n_legend; i++)
        if (!isfinite(scene->frame.legend[i].share)) {
            snprintf(what, size, "the legend's %s has no share",
                     scene->frame.legend[i].label);
            return what;
        }
    return NULL;
}
