/* SPDX-License-Identifier: Apache-2.0 */
#include "view/bars.h"

#include <math.h>
#include <string.h>

enum { ROW = 22, TALL_ROW = 72, LABELS = 29, NAME = 20, MAX_PARTS = 8 };
enum { MEASURED = 200 }; /* bars whose names decide the gutter's width */

size_t weft_bars_looked_at(const struct weft_request *request)
{
    return (size_t)fmax(MEASURED, request->height / ROW + 1);
}

double weft_bars_gutter(const struct weft_request *request, const struct weft_bar *bars,
                        size_t n)
{
    double gutter = 40;
    for (size_t i = 0; i < n && i < MEASURED; i++)
        gutter = fmax(gutter,
                      weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE, bars[i].name) + 10);
    return fmin(gutter, request->width * 0.3);
}

double weft_bars_row(const struct weft_frame *frame, size_t n)
{
    return fmin(fmax(frame->plot.height / fmax((double)n, 1), ROW), TALL_ROW);
}

/*
 * Fits numbers, parts joined by " · ", into WIDTH pixels: leaves out whole parts at the
 * end, and shortens the first if it does not fit.  NULL if there is no room at all.
 */
static const char *fit_numbers(struct weft_arena *arena, const char *numbers, double width)
{
    static const char between[] = " · ";
    const char *parts[MAX_PARTS];
    size_t n = 0;
    for (char *at = weft_arena_strdup(arena, numbers); at && n < MAX_PARTS;) {
        char *end = n + 1 < MAX_PARTS ? strstr(at, between) : NULL;
        parts[n++] = at;
        at = end ? end + sizeof between - 1 : NULL;
        if (end)
            *end = '\0';
    }
    return weft_text_parts(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, parts, n, width);
}

/* ROW has the place of the bar. */
static struct weft_mark *draw_part(struct weft_frame *frame, double x, struct weft_rect row,
                                   double width, const struct weft_swatch *swatch)
{
    return weft_scene_rect(frame->scene,
                           (struct weft_rect){ x, row.y + 3, width, row.height - 6 },
                           (struct weft_paint){ .fill = swatch->fill,
                                                .stroke = frame->theme->quiet,
                                                .stroke_width = 0.5f,
                                                .hatch = swatch->hatch });
}

/* PART is the look of a second part of length REST behind the bar's value; NULL: none. */
static void draw_bar(struct weft_frame *frame, const struct weft_bar *bar, double rest,
                     const struct weft_swatch *part, struct weft_rect row, double length,
                     double most)
{
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    const struct weft_theme *theme = frame->theme;
    double width = most > 0 ? length * bar->value / most : 0;
    double base = row.y + row.height / 2 + 4; /* of texts */
    const char *name =
        weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_FONT_SIZE, bar->name, plot.x - 12);
    if (name)
        weft_scene_text(scene, (struct weft_point){ plot.x - 8, base }, WEFT_ANCHOR_END,
                        WEFT_FONT_SANS, WEFT_FONT_SIZE, theme->text, name);
    struct weft_mark *mark =
        bar->value > 0
            ? draw_part(frame, plot.x, row, fmax(width, 0.5), &bar->swatch)
            : weft_scene_rect(
                scene, (struct weft_rect){ plot.x, row.y + 3, 0.5, row.height - 6 },
                (struct weft_paint){ 0 }); /* an invisible area for the pointer */
    if (part && rest > 0) {
        double behind = fmax(length * rest / most, 0.5);
        struct weft_mark *second = draw_part(frame, plot.x + width, row, behind, part);
        weft_mark_title(scene, second, "%s · %s", bar->name, bar->numbers);
        width += behind;
    }
    weft_mark_title(scene, mark, "%s · %s", bar->name, bar->numbers);
    if (mark)
        mark->id = bar->id;
    if (mark)
        mark->action = weft_list_action(bar->where);
    const char *numbers = fit_numbers(scene->arena, bar->numbers, plot.width - width - 8);
    if (numbers)
        weft_scene_text(scene, (struct weft_point){ plot.x + width + 8, base },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet,
                        numbers);
}

static void draw_bars(struct weft_frame *frame, const struct weft_bar *bars,
                      const double *rests, const struct weft_swatch *rest, size_t n,
                      uint64_t others, double most)
{
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    size_t fit = (size_t)(plot.height / ROW);
    size_t shown = n <= fit && !others ? n : fit > 1 ? fit - 1 : fit;
    shown = shown < n ? shown : n;
    bool more = shown < n || others;
    double row = weft_bars_row(frame, shown + more), widest = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, bars[i].value + (rests ? rests[i] : 0));
    for (size_t i = 0; i < shown; i++)
        widest =
            fmax(widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, bars[i].numbers));
    weft_scene_layer(scene, "bars",
                     (struct weft_rect){ 0, plot.y, scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    double length = plot.width - fmin(widest + 12, plot.width * 0.6);
    for (size_t i = 0; i < shown; i++)
        draw_bar(frame, &bars[i], rests ? rests[i] : 0, rest,
                 (struct weft_rect){ plot.x, plot.y + (double)i * row, plot.width, row },
                 length, most);
    if (more)
        weft_scene_text(
            scene, (struct weft_point){ plot.x, plot.y + (double)shown * row + 15 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
            weft_arena_printf(
                scene->arena, "and %s more, in the table",
                weft_number_text(scene->arena, (double)(n - shown) + (double)others, 0)));
}

void weft_bars_draw(struct weft_frame *frame, const struct weft_bar *bars, size_t n)
{
    draw_bars(frame, bars, NULL, NULL, n, 0, 0);
}

void weft_bars_draw_some(struct weft_frame *frame, const struct weft_bar *bars, size_t n,
                         uint64_t others)
{
    draw_bars(frame, bars, NULL, NULL, n, others, 0);
}

void weft_bars_draw_parts(struct weft_frame *frame, const struct weft_bar *bars,
                          const double *rests, const struct weft_swatch *rest, size_t n,
                          uint64_t others, double most)
{
    draw_bars(frame, bars, rests, rest, n, others, most);
}

double weft_labels_width(const struct weft_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis->n_ticks; i++)
        widest = fmax(
            widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, axis->ticks[i].label));
    return widest;
}

void weft_value_line(struct weft_frame *frame, struct weft_rect plot, double y,
                     const char *label)
{
    struct weft_scene *scene = frame->scene;
    weft_scene_line(scene, (struct weft_point){ plot.x, y },
                    (struct weft_point){ plot.x + plot.width, y },
                    (struct weft_paint){ .stroke = frame->theme->grid, .stroke_width = 1 });
    if (label)
        weft_scene_text(scene, (struct weft_point){ plot.x - 5, y + 4 }, WEFT_ANCHOR_END,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet, label);
}

static void draw_x_axis(struct weft_frame *frame, struct weft_rect plot, double low,
                        double high, const char *name)
{
    struct weft_scene *scene = frame->scene;
    struct weft_axis axis = weft_count_axis(scene->arena, low, high, plot.width, 60);
    double y = plot.y + plot.height + 12, end = plot.x;
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double half =
            weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, axis.ticks[i].label) / 2;
        double x = fmax(plot.x + axis.ticks[i].at, plot.x + half);
        if (x - half < end || x + half > scene->width - 1)
            continue;
        weft_scene_text(scene, (struct weft_point){ x, y }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
                        axis.ticks[i].label);
        end = x + half + 8;
    }
    weft_scene_text(scene, (struct weft_point){ plot.x + plot.width, y + 13 },
                    WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->text,
                    name);
}

struct weft_rect weft_axes_draw(struct weft_frame *frame, double most, const char *y_name,
                                double low, double high, const char *x_name)
{
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    const struct weft_theme *theme = frame->theme;
    double below = high > low ? LABELS : 0, above = plot.height > 60 ? NAME : 0;
    plot.height = fmax(1, plot.height - below - above);
    plot.y += above;
    struct weft_axis axis =
        weft_count_axis(scene->arena, 0, fmax(most, 1e-9), plot.height, 36);
    double gutter = fmin(weft_labels_width(&axis) + 8, plot.width / 3);
    weft_scene_layer(scene, "axes",
                     (struct weft_rect){ 0, plot.y - NAME, scene->width,
                                         plot.height + NAME + LABELS + 4 },
                     WEFT_LAYER_FIXED);
    plot.x += gutter;
    plot.width = fmax(1, plot.width - gutter);
    if (above > 0)
        weft_scene_text(scene, (struct weft_point){ frame->plot.x, plot.y - 9 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                        y_name);
    for (size_t i = 0; i < axis.n_ticks; i++)
        weft_value_line(frame, plot, plot.y + plot.height - axis.ticks[i].at,
                        axis.ticks[i].label);
    if (high > low)
        draw_x_axis(frame, plot, low, high, x_name);
    return plot;
}
