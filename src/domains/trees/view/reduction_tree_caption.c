/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the lines of text below a reduction tree, as VISTA has one: how its nodes are
 * shown, how levels are condensed, work and span, and the meaning of colours.
 */
#include <math.h>
#include <string.h>

#include "domains/trees/view/reduction_tree.h"
#include "store/time.h"

enum {
    LINE = 16,
    ABOVE = 4,
    SPECTRUM = 150
}; /* pixels: height of a line, space above all lines, width of the spectrum */
enum { MAX_LINES = 3 };

/* Returns text on how VISTA's formula condenses levels. */
static const char *formula_text(const struct rt_picture *p)
{
    const struct weft_tree_rings *rings = &p->look.layout->rings;
    uint32_t rest = rings->n - rings->n_first;
    const char *first =
        rings->ratio == 1
            ? weft_arena_printf(p->arena, "the first %u all, then ", rings->n_first)
            : weft_arena_printf(p->arena, "first 1 of %u, then ", rings->ratio);
    return weft_arena_printf(p->arena, " (%s1 of %u)", rest ? first : "",
                             rings->ratio + (rest > 0));
}

static const char *levels_text(const struct rt_picture *p)
{
    const struct weft_tree_rings *rings = &p->look.layout->rings;
    const char *of = p->top ? "subtree of " : "";
    const char *levels = weft_number_text(p->arena, rings->levels, 0);
    if (rings->n == rings->levels)
        return weft_arena_printf(p->arena, "%s%s level%s", of, levels,
                                 rings->levels == 1 ? "" : "s");
    return weft_arena_printf(p->arena, "%s%s levels on %u %s%s", of, levels, rings->n,
                             p->layout == RT_RADIAL ? "rings" : "rows",
                             p->depth == WEFT_TREE_DEPTH_VISTA ? formula_text(p) : "");
}

/*
 * Returns text on how all nodes are shown: "96 drawn, 1,200 folded, 3,000 below a pixel
 * (shades)".
 */
static const char *nodes_text(const struct rt_picture *p)
{
    const struct {
        uint64_t n;
        const char *what;
    } parts[] = { { p->merged, "merged (×)" },
                  { p->folded, "folded" },
                  { p->hidden, "below a pixel (shades)" },
                  { p->outside, "outside" },
                  { p->later, "later" } };
    const char *all = weft_number_text(p->arena, (double)p->look.spread->n, 0);
    if (p->n_places == p->look.spread->n)
        return weft_arena_printf(p->arena, "all %s nodes drawn", all);
    const char *text =
        weft_arena_printf(p->arena, "%s nodes: %s drawn", all,
                          weft_number_text(p->arena, (double)p->n_places, 0));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].n)
            text = weft_arena_printf(p->arena, "%s, %s %s", text,
                                     weft_number_text(p->arena, (double)parts[i].n, 0),
                                     parts[i].what);
    return text;
}

/* Returns text on what colours mean, as in VISTA's line, and what sizes mean. */
static const char *color_text(const struct rt_picture *p)
{
    static const char *const sizes[] = { "", ", large by count", ", large by time",
                                         ", large by work" };
    const char *by[] = { [RT_BY_PE] = p->words.row,
                         [RT_BY_TIME] = "time",
                         [RT_BY_PE_AND_TIME] =
                             weft_arena_printf(p->arena, "%s and time", p->words.row),
                         [RT_BY_PROCEDURE] = p->words.label,
                         [RT_BY_WAITING] = "waiting" };
    return weft_arena_printf(p->arena, "by %s%s", by[p->color], sizes[p->size]);
}

/* Returns the parts of the status, the most important first. */
static const char *status_text(const struct rt_picture *p)
{
    struct weft_arena *arena = p->arena;
    uint32_t pes = p->look.tree->n_pes;
    const char *parts[9], *text = nodes_text(p);
    size_t n = 0;
    parts[n++] = levels_text(p);
    if (p->span_text)
        parts[n++] = p->span_text;
    if (p->edges)
        parts[n++] = weft_arena_printf(arena, "%s of %s edges",
                                       weft_number_text(arena, (double)p->edges_drawn, 0),
                                       weft_number_text(arena, (double)p->edges, 0));
    if (p->look.tree->lost)
        parts[n++] = weft_arena_printf(arena, "%s hang on no root",
                                       weft_number_text(arena, p->look.tree->lost, 0));
    parts[n++] =
        weft_arena_printf(arena, "%u %s", pes, pes == 1 ? p->words.row : p->words.rows);
    parts[n++] = color_text(p);
    for (size_t i = 0; i < n; i++)
        text = weft_arena_printf(arena, "%s · %s", text, parts[i]);
    return text;
}

/*
 * Draws the ramp of time or waiting with the times at its ends; returns its width, 0
 * without room.
 */
static double draw_spectrum(struct rt_picture *p, double left, double right, double y)
{
    const struct tree_spread *spread = p->look.spread;
    const struct weft_theme *theme = p->request->theme;
    int64_t zero = p->look.schema->span.begin;
    char from[WEFT_TIME_TEXT], to[WEFT_TIME_TEXT];
    int64_t first = spread->first - zero, last = spread->last - zero;
    if (p->color == RT_BY_WAITING) {
        last = p->look.waits->most;
        first = last / 1000;
    }
    weft_duration_text(p->look.schema, first, from);
    weft_duration_text(p->look.schema, last, to);
    double from_width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, from);
    double to_width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, to);
    double width = fmin(SPECTRUM, p->scene->width * 0.3),
           all = width + from_width + to_width + 12;
    double x = right - all;
    enum { STEPS = 256 };
    if (x < left)
        return 0;
    weft_scene_text(p->scene, (struct weft_point){ x, y + 11 }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, from);
    x += from_width + 6;
    uint32_t *pixels = weft_arena_alloc(p->arena, STEPS * sizeof *pixels);
    struct weft_raster *raster = weft_arena_zalloc(p->arena, 1, sizeof *raster);
    for (int i = 0; i < STEPS; i++)
        pixels[i] = rt_time_color(p, (i + 0.5) / STEPS);
    *raster = (struct weft_raster){ STEPS, 1, pixels };
    weft_scene_raster(p->scene, (struct weft_rect){ x, y + 1, width, 11 }, raster);
    weft_scene_text(p->scene, (struct weft_point){ x + width + 6, y + 11 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, to);
    return all;
}

/* Returns the end of the part of TEXT that fits into WIDTH: whole words, at least one. */
static const char *line_end(struct weft_arena *arena, const char *text, double width)
{
    const char *end = text + strcspn(text, " ");
    while (*end) {
        const char *next = end + 1 + strcspn(end + 1, " ");
        const char *line = weft_arena_printf(arena, "%.*s", (int)(next - text), text);
        if (weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, line) > width)
            break;
        end = next;
    }
    return end;
}

void rt_draw_status(struct rt_picture *p, struct weft_rect line)
{
    bool ramp = p->color == RT_BY_TIME || p->color == RT_BY_PE_AND_TIME
                || p->color == RT_BY_WAITING;
    double first = line.width, y = line.y + ABOVE;
    weft_scene_layer(p->scene, "status", line, WEFT_LAYER_FIXED);
    if (ramp)
        first -= draw_spectrum(p, line.x, line.x + line.width, y - 1) + 12;
    const char *text = status_text(p);
    for (; *text && y + LINE <= line.y + line.height + 1; y += LINE) {
        double width = y == line.y + ABOVE ? first : line.width;
        const char *end = line_end(p->arena, text, width);
        const char *shown = weft_arena_printf(p->arena, "%.*s", (int)(end - text), text);
        bool last = y + 2 * LINE > line.y + line.height + 1;
        shown = weft_text_fit(p->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                              last && !*shown ? text : shown, width);
        if (shown && width >= 60)
            weft_scene_text(p->scene, (struct weft_point){ line.x, y + 10 },
                            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                            p->request->theme->quiet, shown);
        text = end + strspn(end, " ");
    }
}

/*
 * Returns how many lines of text there are, whatever they say and whatever colours mean. So
 * the tree does not move when these change, and it has the same place for tables and
 * pointing, which draw no text.
 */
static int lines_for(double width)
{
    const double usual = 1250; /* pixels of a status with work and span, and the colours of
                                  time */
    int lines = (int)ceil(usual / fmax(width, 1));
    return lines < MAX_LINES ? lines : MAX_LINES;
}

struct weft_rect rt_cut_status_line(struct rt_picture *p)
{
    struct weft_rect *plot = &p->frame.plot, line = { 0 };
    int lines = lines_for(plot->width);
    while (lines > 1 && plot->height < 7.0 * (ABOVE + LINE * lines))
        lines--;
    double height = ABOVE + LINE * lines;
    if (plot->height > 7 * height) {
        plot->height -= height;
        line = (struct weft_rect){ plot->x, plot->y + plot->height, plot->width, height };
        p->scene->frame.plot = *plot;
    }
    return line;
}
