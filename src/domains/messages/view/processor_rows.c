/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/processor_rows.h"

#include <math.h>

enum { MIN_LABEL_PITCH = 13 }; /* pixels between two names */

static double names_gutter(const struct weft_shown *shown, const struct weft_request *r)
{
    double widest = 8;
    uint32_t step = shown->list.n / 512 + 1;
    for (uint32_t i = 0; i < shown->list.n; i += step)
        widest =
            fmax(widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, shown->names[i]));
    return fmin(widest + 8, r->width * 0.25);
}

void weft_processor_rows_begin(struct weft_processor_rows *rows,
                               const struct weft_shown *shown, struct weft_frame *frame,
                               struct weft_scene *scene, const struct weft_request *request,
                               struct weft_legend_entry *legend, size_t n, const char *note)
{
    const char *text =
        weft_shown_text(shown, request->arena, request->window, "a row", rows->size);
    weft_frame_begin(frame, scene, request, names_gutter(shown, request), true, legend, n,
                     weft_arena_printf(request->arena, "%s%s", text, note));
    weft_axis_name(frame, "processor", true);
    double per_tick =
        frame->plot.width / (double)(request->window.end - request->window.begin);
    rows->shown = shown;
    rows->part = frame->plot;
    rows->part.x += (double)(shown->window.begin - request->window.begin) * per_tick;
    rows->part.width = (double)(shown->window.end - shown->window.begin) * per_tick;
    rows->size = weft_group_size(shown->list.n, rows->part.height);
    rows->n = (shown->list.n + rows->size - 1) / rows->size;
}

void weft_processor_rows_names(const struct weft_processor_rows *rows,
                               const struct weft_frame *frame)
{
    struct weft_scene *scene = frame->scene;
    uint32_t step = weft_name_step(rows->n, rows->part.height, MIN_LABEL_PITCH);
    weft_scene_layer(
        scene, "names",
        (struct weft_rect){ 0, rows->part.y - 6, scene->width, rows->part.height + 12 },
        WEFT_LAYER_FIXED);
    for (uint32_t row = 0; row < rows->n; row += step) {
        double y =
            rows->part.y + (weft_row_top(rows, row) + weft_row_bottom(rows, row)) / 2;
        const char *name =
            weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                          rows->shown->names[(size_t)row * rows->size], frame->plot.x - 8);
        if (name)
            weft_scene_text(scene, (struct weft_point){ frame->plot.x - 5, y + 4 },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                            frame->theme->quiet, name);
    }
}

uint32_t weft_row_at(const struct weft_processor_rows *rows, double y)
{
    uint32_t row = 0;
    while (row + 1 < rows->n && y >= rows->part.y + weft_row_top(rows, row + 1))
        row++;
    return row;
}

double weft_row_x(const struct weft_processor_rows *rows, int64_t time)
{
    struct weft_span window = rows->shown->window;
    return rows->part.x
           + (double)(time - window.begin) / (double)(window.end - window.begin)
                 * rows->part.width;
}

/* Returns how far a shape of COLUMNS x ROWS is from WIDTH x HEIGHT; 0: it has its shape. */
static double misfit(uint32_t columns, uint32_t rows, double width, double height)
{
    return fabs(log((double)columns / rows * height / width));
}

void weft_fit_squares(uint32_t n, double width, double height, double *side,
                      uint32_t *columns)
{
    enum { LARGEST = 64 };
    const double worth = 0.7; /* of the greatest side, for rows that are all full */
    double sides[2] = { 0 };  /* the greatest; the greatest with full rows */
    double misfits[2] = { INFINITY, INFINITY };
    uint32_t best[2] = { 1, 1 };
    for (uint32_t at = 1; at <= n; at++) {
        uint32_t rows = (n + at - 1) / at;
        double fits = fmin(LARGEST, fmin(width / at, height / rows));
        double shape = misfit(at, rows, width, height);
        for (int full = 0; full < 1 + (n % at == 0); full++)
            if (fits > sides[full] || (fits == sides[full] && shape < misfits[full])) {
                sides[full] = fits;
                misfits[full] = shape;
                best[full] = at;
            }
    }
    bool full = sides[1] >= worth * sides[0];
    *columns = best[full];
    *side = sides[full] >= 2 ? floor(sides[full]) : fmax(sides[full], 0.1);
}
