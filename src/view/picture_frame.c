/* SPDX-License-Identifier: Apache-2.0 */
#include "view/picture_frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "store/time.h"

enum { PAD = 8, AXIS = 20, LEGEND_LINE = 18, SWATCH = 11, TONE = 4, MAX_LEGEND_LINES = 3 };

/*
 * Returns how many lines a legend may take: a seventh of the picture's height, at least
 * one; a quarter without hues, where hatches have to be looked up.
 */
static int legend_lines(const struct weft_frame *frame)
{
    enum weft_theme_name name = frame->theme->name;
    bool hueless = name == WEFT_THEME_MONO || name == WEFT_THEME_GREY;
    int lines = (int)(frame->scene->height / (hueless ? 4 : 7) / LEGEND_LINE);
    int most = hueless ? 2 * MAX_LEGEND_LINES : MAX_LEGEND_LINES;
    return lines < 1 ? 1 : lines > most ? most : lines;
}

/* Makes "4.5" of "4.50" and "4" of "4.00". */
static void cut_zeros(char *text)
{
    if (strchr(text, '.'))
        while (text[strlen(text) - 1] == '0')
            text[strlen(text) - 1] = '\0';
    if (text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = '\0';
}

/*
 * Formats an edge of the window, no more exact than the window's length needs; both edges
 * in one unit.
 */
static const char *edge_text(const struct weft_schema *schema, struct weft_span window,
                             int64_t edge, char text[WEFT_TIME_TEXT])
{
    double begin = weft_ticks_to_seconds(schema, edge - schema->span.begin);
    double end = weft_ticks_to_seconds(schema, window.end - schema->span.begin);
    double length = weft_ticks_to_seconds(schema, window.end - window.begin);
    bool small = fabs(end) < 1;
    double unit = small ? 1e-3 : 1;
    int decimals = 2 - (int)floor(log10(length > 0 ? length / unit : 1));
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    snprintf(text, WEFT_TIME_TEXT, "%.*f", decimals, begin / unit);
    cut_zeros(text);
    strcat(text, small ? " ms" : " s");
    return text;
}

/*
 * Formats a time within the window to a thousandth of it or better, in the axis' unit, or a
 * larger one if the window is far from the start.  The number of digits is the same for all
 * times of the window.
 */
static const char *moment_text(const struct weft_schema *schema, int64_t time,
                               struct weft_span window, char text[WEFT_TIME_TEXT])
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {
        { "s", 1 }, { "ms", 1e-3 }, { "µs", 1e-6 }, { "ns", 1e-9 }, { "ps", 1e-12 }
    };
    const double far = 1e5; /* more digits before the point are hard to read */
    double length = weft_ticks_to_seconds(schema, window.end - window.begin);
    double end = weft_ticks_to_seconds(schema, window.end - schema->span.begin);
    size_t u = 0;
    while (u + 1 < sizeof units / sizeof *units && length < 2 * units[u].seconds
           && end < far * units[u + 1].seconds)
        u++;
    int decimals = 3 - (int)floor(log10(length > 0 ? length / units[u].seconds : 1));
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    snprintf(text, WEFT_TIME_TEXT / 2, "%.*f", decimals,
             weft_ticks_to_seconds(schema, time - schema->span.begin) / units[u].seconds);
    cut_zeros(text);
    strcat(strcat(text, " "), units[u].name);
    return text;
}

const char *weft_range_text(struct weft_arena *arena, const struct weft_schema *schema,
                            struct weft_span window)
{
    char from[WEFT_TIME_TEXT], length[WEFT_TIME_TEXT], to[WEFT_TIME_TEXT];
    int64_t zero = schema->span.begin;
    if (window.begin <= zero && window.end >= schema->span.end)
        return weft_arena_printf(arena, "all of %s",
                                 weft_duration_text(schema, schema->span.end - zero, to));
    return weft_arena_printf(arena, "%s: %s to %s",
                             weft_duration_text(schema, window.end - window.begin, length),
                             edge_text(schema, window, window.begin, from),
                             edge_text(schema, window, window.end, to));
}

static int by_share(const void *a, const void *b)
{
    const struct weft_legend_entry *x = a, *y = b;
    double mine = x->share < 0 ? x->weight : x->share;
    double other = y->share < 0 ? y->weight : y->share;
    /* 0, no number, wraps round to the greatest. */
    return WEFT_COMPARE(x->number - 1, y->number - 1) ?: WEFT_COMPARE(other, mine)
           ?: strcmp(x->label, y->label);
}

static const char *share_text(struct weft_arena *arena, double share)
{
    if (share < 0)
        return "";
    double percent = share * 100;
    return percent > 0 && percent < 0.1 ? "<0.1 %"
                                        : weft_arena_printf(arena, "%.1f %%", percent);
}

/*
 * Returns true if narrow columns show a tone instead of the hatch: the legend then shows
 * it, too, at the right edge of the swatch.
 */
static bool has_tone(const struct weft_swatch *swatch)
{
    return swatch->tone && swatch->tone != swatch->fill;
}

/* One entry of a legend: its place, and what of it is written. */
struct legend_place {
    double x, y; /* y: from the legend's top */
    const char *label, *share;
    double label_width;
};

struct legend_layout {
    struct legend_place *places; /* [n_places], of the first entries */
    size_t n_places;
    int lines;
    const char *more; /* "and 12 more", or NULL */
    double more_x;
};

/*
 * Lays the legend out in at most legend_lines() lines; "and N more" stands for the rest.
 * SHARES: with the numbers.
 */
static struct legend_layout lay_out_legend(const struct weft_frame *frame,
                                           struct weft_arena *arena,
                                           const struct weft_legend_entry *entries,
                                           size_t n, bool shares)
{
    enum { LONGEST = 220, GAP = 16 }; /* pixels */
    double size = WEFT_SMALL_SIZE, left = PAD, right = frame->scene->width - PAD, x = left;
    int most = legend_lines(frame);
    struct legend_layout out = { weft_arena_alloc(arena, (n + 1) * sizeof *out.places), 0,
                                 n > 0, NULL, 0 };
    for (size_t i = 0; i < n; i++) {
        struct legend_place place = {
            .label = weft_text_fit(arena, WEFT_FONT_SANS, size, entries[i].label, LONGEST),
            .share = shares ? share_text(arena, entries[i].share) : ""
        };
        if (!place.label)
            place.label = "";
        place.label_width = weft_text_width(WEFT_FONT_SANS, size, place.label);
        double need = SWATCH + 5 + place.label_width;
        if (place.share[0])
            need += 5 + weft_text_width(WEFT_FONT_SANS, size, place.share);
        double reserve = out.lines == most && i + 1 < n ? 80 : 0; /* for "and 12 more" */
        if (x > left && x + need + reserve > right) {
            if (out.lines == most) {
                out.more = weft_arena_printf(arena, "and %zu more", n - i);
                out.more_x = x;
                break;
            }
            out.lines++;
            x = left;
        }
        place.x = x;
        place.y = (out.lines - 1) * LEGEND_LINE;
        out.places[out.n_places++] = place;
        x += need + GAP;
    }
    return out;
}

/* Lays the legend out with the shares, unless more names fit without them: a name matters
   more. */
static struct legend_layout choose_legend(const struct weft_frame *frame,
                                          struct weft_arena *arena,
                                          const struct weft_legend_entry *entries, size_t n)
{
    struct legend_layout full = lay_out_legend(frame, arena, entries, n, true);
    if (full.n_places == n)
        return full;
    struct legend_layout names = lay_out_legend(frame, arena, entries, n, false);
    return names.n_places > full.n_places ? names : full;
}

static void draw_swatch(struct weft_frame *frame, const struct weft_swatch *swatch,
                        double x, double y)
{
    struct weft_paint paint = { .fill = swatch->fill,
                                .stroke = frame->theme->quiet,
                                .stroke_width = 0.5f,
                                .hatch = swatch->hatch };
    weft_scene_rect(frame->scene, (struct weft_rect){ x, y, SWATCH, SWATCH }, paint);
    if (!has_tone(swatch))
        return;
    paint.fill = swatch->tone;
    paint.hatch = WEFT_HATCH_NONE;
    weft_scene_rect(frame->scene, (struct weft_rect){ x + SWATCH - TONE, y, TONE, SWATCH },
                    paint);
}

static void draw_legend(struct weft_frame *frame, const struct legend_layout *layout,
                        const struct weft_legend_entry *entries)
{
    double size = WEFT_SMALL_SIZE, top = frame->legend_top;
    for (size_t i = 0; i < layout->n_places; i++) {
        const struct legend_place *place = &layout->places[i];
        double x = place->x, y = top + place->y;
        draw_swatch(frame, &entries[i].swatch, x, y + 3);
        x += SWATCH + 5;
        weft_scene_text(frame->scene, (struct weft_point){ x, y + 12 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, size, frame->theme->text, place->label);
        weft_scene_text(
            frame->scene, (struct weft_point){ x + place->label_width + 5, y + 12 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, size, frame->theme->quiet, place->share);
    }
    if (layout->more)
        weft_scene_text(frame->scene,
                        (struct weft_point){ layout->more_x,
                                             top + (layout->lines - 1) * LEGEND_LINE + 12 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, size, frame->theme->quiet,
                        layout->more);
}

/* Returns "one · two · three" without the last parts that do not fit. */
static const char *whole_parts(struct weft_arena *arena, const char *text, double width)
{
    static const char separator[] = " · ";
    size_t length = strlen(text);
    const char *fit = text;
    while (weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, fit) > width) {
        do
            length -= length > 0;
        while (length && strncmp(text + length, separator, strlen(separator)) != 0);
        if (!length)
            return weft_text_fit(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, fit, width);
        fit = weft_arena_printf(arena, "%.*s", (int)length, text);
    }
    return fit;
}

/* Draws title, explanation and subtitle; returns where they end. */
static double heading(struct weft_frame *frame, struct weft_arena *arena,
                      const struct weft_view *view, const char *subtitle)
{
    struct weft_scene *scene = frame->scene;
    double y = PAD, width = scene->width - 2 * PAD;
    scene->frame.subtitle = subtitle;
    if (frame->bare)
        return 0;
    if (scene->height < 120)
        return PAD / 2;
    const char *title =
        weft_text_fit(arena, WEFT_FONT_BOLD, WEFT_TITLE_SIZE, view->title, width);
    double title_width =
        title ? weft_text_width(WEFT_FONT_BOLD, WEFT_TITLE_SIZE, title) : 0;
    if (title)
        weft_scene_text(scene, (struct weft_point){ PAD, y + 14 }, WEFT_ANCHOR_START,
                        WEFT_FONT_BOLD, WEFT_TITLE_SIZE, frame->theme->text, title);
    if (subtitle) {
        const char *fit = whole_parts(arena, subtitle, width - title_width - 12);
        if (fit)
            weft_scene_text(scene, (struct weft_point){ PAD + title_width + 12, y + 14 },
                            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                            frame->theme->quiet, fit);
    }
    y += 20;
    bool fits =
        weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, view->explanation) <= width;
    if (scene->height >= 260 && fits) {
        weft_scene_text(scene, (struct weft_point){ PAD, y + 12 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
                        view->explanation);
        y += 18;
    }
    return y + 2;
}

void weft_frame_keep_legend(struct weft_scene *scene,
                            const struct weft_legend_entry *entries, size_t n)
{
    /* Keep no more entries than are read: each frame would carry them. */
    enum { KEPT_MAX = 1000 };
    n = n < KEPT_MAX ? n : KEPT_MAX;
    struct weft_legend_item *items =
        weft_arena_alloc(scene->arena, (n + 1) * sizeof *items);
    /* Copy the labels: they may be in a prepared thing, which is freed before the scene. */
    for (size_t i = 0; i < n; i++)
        items[i] = (struct weft_legend_item){
            entries[i].swatch.fill,
            has_tone(&entries[i].swatch) ? entries[i].swatch.tone : entries[i].swatch.fill,
            entries[i].swatch.hatch, weft_arena_strdup(scene->arena, entries[i].label),
            entries[i].share
        };
    scene->frame.legend = items;
    scene->frame.n_legend = n;
}

void weft_frame_begin(struct weft_frame *frame, struct weft_scene *scene,
                      const struct weft_request *request, double gutter, bool time_axis,
                      struct weft_legend_entry *entries, size_t n, const char *subtitle)
{
    const struct weft_theme *theme = request->theme;
    const struct weft_view *view = request->view;
    struct weft_arena *arena = request->arena;
    weft_scene_init(scene, arena, request->width, request->height, theme->panel);
    scene->title = view->title;
    scene->description = view->explanation;
    *frame = (struct weft_frame){ .scene = scene,
                                  .theme = theme,
                                  .bare = request->bare,
                                  .has_moment =
                                      request->has_at && view->moment == WEFT_MOMENT_MARKED,
                                  .moment = request->at };
    weft_scene_layer(scene, "frame",
                     (struct weft_rect){ 0, 0, scene->width, scene->height },
                     WEFT_LAYER_FIXED);
    double top = heading(frame, arena, view, subtitle);
    double bottom = scene->height - PAD;
    if (n)
        qsort(entries, n, sizeof *entries, by_share);
    weft_frame_keep_legend(scene, entries, n);
    if (request->bare) {
        bottom = scene->height;
    } else if (scene->height >= 180 && n) {
        struct legend_layout layout = choose_legend(frame, arena, entries, n);
        bottom -= layout.lines * LEGEND_LINE;
        frame->legend_top = bottom;
        draw_legend(frame, &layout, entries);
        bottom -= 4;
    }
    if (time_axis)
        top += AXIS;
    double left = ceil(PAD + gutter); /* whole pixels, so that rasters stay sharp */
    frame->plot = (struct weft_rect){ left, top, fmax(1, scene->width - PAD - left),
                                      fmax(1, bottom - top) };
    scene->frame.plot = frame->plot;
}

/* The place of the moment's line, and its label on the plot's axis. */
struct moment_label {
    const char *text;
    double x; /* of the line */
    double left, right;
};

static bool place_moment(const struct weft_frame *frame, const struct weft_schema *schema,
                         struct weft_span window, struct moment_label *label)
{
    enum { MARGIN = 4 };
    struct weft_rect plot = frame->plot;
    char text[WEFT_TIME_TEXT];
    *label = (struct moment_label){ .left = INFINITY, .right = -INFINITY };
    if (!frame->has_moment || frame->moment < window.begin || frame->moment > window.end)
        return false;
    label->x = plot.x
               + plot.width
                     * ((double)(frame->moment - window.begin)
                        / (double)(window.end - window.begin));
    label->text = weft_arena_printf(frame->scene->arena, "%s",
                                    moment_text(schema, frame->moment, window, text));
    double width =
        weft_text_width(WEFT_FONT_BOLD, WEFT_SMALL_SIZE, label->text) + 2 * MARGIN;
    label->left = fmax(0, fmin(label->x - width / 2, frame->scene->width - width));
    label->right = label->left + width;
    return true;
}

bool weft_frame_pixel(struct weft_rect plot, struct weft_span window, double x,
                      struct weft_span *pixel)
{
    double per = (double)(window.end - window.begin) / plot.width;
    /* On a narrower plot, a pixel's time might not fit into an int64_t. */
    if (!(plot.width >= 2 && x >= plot.x && x < plot.x + plot.width))
        return false;
    pixel->begin = window.begin + (int64_t)(floor(x - plot.x) * per);
    pixel->end = pixel->begin + (int64_t)fmax(1, per);
    return pixel->end <= window.end;
}

void weft_frame_moment(struct weft_frame *frame, const struct weft_schema *schema,
                       struct weft_span window)
{
    struct moment_label label;
    struct weft_rect plot = frame->plot;
    struct weft_scene *scene = frame->scene;
    if (!place_moment(frame, schema, window, &label))
        return;
    weft_scene_layer(
        scene, "moment",
        (struct weft_rect){ 0, plot.y - AXIS, scene->width, plot.height + AXIS },
        WEFT_LAYER_MOVES_X);
    /* Draw a line at the window's end inside the plot. */
    double x = fmin(fmax(label.x, plot.x + 0.75), plot.x + plot.width - 0.75);
    weft_scene_line(
        scene, (struct weft_point){ x, plot.y - 4 },
        (struct weft_point){ x, plot.y + plot.height },
        (struct weft_paint){ .stroke = frame->theme->accent, .stroke_width = 1.5f });
    weft_scene_rect(scene,
                    (struct weft_rect){ label.left, plot.y - AXIS + 1,
                                        label.right - label.left, AXIS - 4 },
                    (struct weft_paint){ .fill = frame->theme->accent });
    weft_scene_text(scene,
                    (struct weft_point){ (label.left + label.right) / 2, plot.y - 7 },
                    WEFT_ANCHOR_MIDDLE, WEFT_FONT_BOLD, WEFT_SMALL_SIZE,
                    frame->theme->panel, label.text);
}

void weft_frame_time_axis(struct weft_frame *frame, const struct weft_schema *schema,
                          struct weft_span window)
{
    struct moment_label moment;
    place_moment(frame, schema, window, &moment);
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    scene->frame.has_time = true;
    scene->frame.begin = window.begin;
    scene->frame.end = window.end;
    struct weft_axis axis = weft_time_axis(scene->arena, schema, window, plot.width, 90);
    weft_scene_layer(scene, "time axis",
                     (struct weft_rect){ plot.x - 40, plot.y - AXIS, plot.width + 48,
                                         plot.height + AXIS },
                     WEFT_LAYER_MOVES_X);
    /* The offset that labels count from is never shortened: labels make room for it. */
    double end = 0;
    if (axis.offset)
        end = PAD + weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, axis.offset) + 8;
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double x = plot.x + axis.ticks[i].at;
        weft_scene_line(
            scene, (struct weft_point){ x, plot.y - 4 },
            (struct weft_point){ x, plot.y + plot.height },
            (struct weft_paint){ .stroke = frame->theme->grid, .stroke_width = 1 });
        const char *text =
            weft_arena_printf(scene->arena, "%s %s", axis.ticks[i].label, axis.unit);
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text) / 2;
        double middle = fmin(fmax(x, fmax(2, plot.x - 8) + half), scene->width - half - 2);
        if (middle - half < end
            || (middle + half + 4 > moment.left && middle - half - 4 < moment.right))
            continue; /* labels must not touch */
        weft_scene_text(scene, (struct weft_point){ middle, plot.y - 7 },
                        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        frame->theme->quiet, text);
        end = middle + half + 8;
    }
    if (axis.offset) {
        weft_scene_layer(scene, "offset",
                         (struct weft_rect){ 0, plot.y - AXIS, scene->width, AXIS },
                         WEFT_LAYER_FIXED);
        weft_scene_text(scene, (struct weft_point){ PAD, plot.y - 7 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet, axis.offset);
    }
}

void weft_frame_empty(struct weft_frame *frame, const char *text)
{
    struct weft_rect plot = frame->plot;
    const char *fit = weft_text_fit(frame->scene->arena, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                                    text, plot.width);
    weft_scene_layer(frame->scene, "empty", plot, WEFT_LAYER_FIXED);
    if (fit)
        weft_scene_text(
            frame->scene,
            (struct weft_point){ plot.x + plot.width / 2, plot.y + plot.height / 2 },
            WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_FONT_SIZE, frame->theme->quiet, fit);
}
