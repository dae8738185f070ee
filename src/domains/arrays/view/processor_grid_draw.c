/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/processor_grid_draw.h"

#include <math.h>

#include "domains/arrays/view/element_grid_draw.h"

enum {
    ABOVE = 18,       /* pixels for the numbers of columns */
    MAX_SIDE = 120,   /* of a cell; larger ones look coarse */
    MAX_MARKS = 4096, /* cells drawn as marks */
    MIN_CIRCLE = 10,
    MIN_NUMBERED_SIDE = 22, /* pixels of a cell with its number in a corner */
    BESIDE_CIRCLE = 56,     /* ... beside a circle */
};

static double left_of(const struct arrays_processor_cells *p)
{
    return ceil(weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                weft_arena_printf(p->q->arena, "%u", p->q->processors)))
           + 8;
}

void arrays_processors_place(struct arrays_processor_cells *p, struct arrays_question *q,
                             struct weft_frame *frame, struct weft_rect room)
{
    *p = (struct arrays_processor_cells){
        .q = q, .scene = frame->scene, .theme = frame->theme, .of = arrays_arrangement(q)
    };
    double left = fmin(left_of(p), room.width / 3);
    double side =
        fmin((room.width - left) / p->of.columns, (room.height - ABOVE) / p->of.rows);
    side = fmax(fmin(side, MAX_SIDE), 0.01);
    p->side = side >= 4 ? floor(side) : side;
    p->cells = (struct weft_rect){ ceil(room.x + left), ceil(room.y + ABOVE),
                                   p->side * p->of.columns, p->side * p->of.rows };
}

uint32_t arrays_processors_at(const struct arrays_processor_cells *p, struct weft_point at)
{
    double column = floor((at.x - p->cells.x) / p->side);
    double row = floor((at.y - p->cells.y) / p->side);
    if (column < 0 || row < 0 || column >= p->of.columns || row >= p->of.rows)
        return WEFT_NONE;
    uint32_t processor = (uint32_t)row * p->of.columns + (uint32_t)column;
    return processor < p->q->processors ? processor : WEFT_NONE;
}

const char *arrays_processor_title(const struct arrays_processor_cells *p,
                                   uint32_t processor)
{
    const char *name = arrays_processor_name(p->q, processor);
    const struct arrays_ramp *ramp = p->circle_counts ? &p->circle_ramp : &p->ramp;
    const struct weft_reference_counts *counts =
        p->circle_counts ? p->circle_counts : p->counts;
    return counts ? arrays_counts_title(p->q, name, ramp->statistic, &counts[processor])
                  : name;
}

static double value_of(const struct arrays_processor_cells *p,
                       const struct weft_reference_counts *counts,
                       const struct arrays_ramp *ramp, uint32_t processor)
{
    return (double)arrays_quantity_value(ramp->quantity, &counts[processor])
           / arrays_divisor(p->q, ramp->statistic);
}

static void draw_labels(const struct arrays_processor_cells *p)
{
    struct weft_scene *scene = p->scene;
    weft_color color = p->theme->quiet;
    double need = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, "0000") + 4;
    uint32_t step = 1;
    while (step * p->side < need && step < p->of.columns)
        step *= 2;
    if (p->side >= 14 && p->of.columns <= 100)
        step = 1;
    for (uint32_t c = 0; c < p->of.columns; c += step)
        weft_scene_text(
            scene, (struct weft_point){ p->cells.x + (c + 0.5) * p->side, p->cells.y - 5 },
            WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE, color,
            weft_arena_printf(p->q->arena, "%u", c));
    step = 1;
    while (step * p->side < 14)
        step *= 2;
    for (uint32_t r = 0; p->of.rows > 1 && r < p->of.rows; r += step)
        weft_scene_text(
            scene,
            (struct weft_point){ p->cells.x - 5, p->cells.y + (r + 0.5) * p->side + 4 },
            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, color,
            weft_arena_printf(p->q->arena, "%u", p->of.folded ? r * p->of.columns : r));
}

static void make_clickable(const struct arrays_processor_cells *p, struct weft_mark *mark,
                           uint32_t processor, const char *title)
{
    (void)p;
    if (!mark)
        return;
    mark->id = arrays_processor_id(processor);
    mark->title = title;
    mark->action = (struct weft_action){ WEFT_ACTION_TOGGLE, "lit", mark->id };
}

static void draw_circle(const struct arrays_processor_cells *p, uint32_t processor,
                        struct weft_rect box, bool faint, const char *title)
{
    const struct weft_theme *theme = p->theme;
    double value = value_of(p, p->circle_counts, &p->circle_ramp, processor);
    double size = arrays_circle(&p->circle_ramp, value, p->side);
    weft_color color = theme->name == WEFT_THEME_MONO ? theme->text
                       : p->owner_colors              ? arrays_owner_color(theme, processor)
                                         : arrays_circle_color(&p->circle_ramp, value);
    struct weft_point at = { box.x + p->side / 2, box.y + p->side / 2 };
    if (size > 0)
        make_clickable(
            p,
            weft_scene_glyph(
                p->scene, WEFT_GLYPH_CIRCLE, at, size, 0,
                (struct weft_paint){ .fill = faint ? arrays_faint(theme, color) : color,
                                     .stroke = theme->panel,
                                     .stroke_width = p->side >= 16 ? 1 : 0 }),
            processor, title);
}

static void draw_processor(const struct arrays_processor_cells *p, uint32_t processor)
{
    const struct weft_theme *theme = p->theme;
    bool some_lit = p->q->lit.n_ranges > 0, lit = arrays_is_lit(p->q, processor);
    double seam = p->side >= 4 ? 1 : 0;
    struct weft_rect box = { p->cells.x + processor % p->of.columns * p->side,
                             p->cells.y + processor / p->of.columns * p->side,
                             p->side - seam, p->side - seam };
    weft_color fill = theme->panel;
    if (p->counts && theme->name != WEFT_THEME_MONO)
        fill = arrays_ramp_color(&p->ramp, value_of(p, p->counts, &p->ramp, processor));
    if (some_lit && !lit)
        fill = arrays_faint(theme, fill);
    struct weft_paint paint = { .fill = fill };
    if (lit || !p->counts || theme->name == WEFT_THEME_MONO) {
        paint.stroke = lit ? theme->accent : theme->grid;
        paint.stroke_width = lit ? 2 : 1;
    }
    const char *title = arrays_processor_title(p, processor);
    make_clickable(p, weft_scene_rect(p->scene, box, paint), processor, title);
    if (p->circle_counts && p->side >= MIN_CIRCLE)
        draw_circle(p, processor, box, some_lit && !lit, title);
    if (p->side >= (p->circle_counts ? BESIDE_CIRCLE : MIN_NUMBERED_SIDE))
        weft_scene_text(p->scene, (struct weft_point){ box.x + 3, box.y + 11 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE - 1,
                        weft_ink(fill), weft_arena_printf(p->q->arena, "%u", processor));
}

static void draw_raster(const struct arrays_processor_cells *p)
{
    struct weft_raster *raster = weft_arena_zalloc(p->q->arena, 1, sizeof *raster);
    uint32_t *pixels =
        weft_arena_zalloc(p->q->arena, (size_t)p->of.rows * p->of.columns, sizeof *pixels);
    for (uint32_t i = 0; p->counts && i < p->q->processors; i++)
        pixels[i] = arrays_ramp_color(&p->ramp, value_of(p, p->counts, &p->ramp, i));
    *raster = (struct weft_raster){ .columns = p->of.columns,
                                    .rows = p->of.rows,
                                    .pixels = pixels };
    weft_scene_raster(p->scene, p->cells, raster);
}

void arrays_processors_draw(struct arrays_processor_cells *p)
{
    struct weft_rect all = { p->cells.x - 60, p->cells.y - ABOVE, p->cells.width + 70,
                             p->cells.height + ABOVE + 10 };
    weft_scene_layer(p->scene, "processors", all, WEFT_LAYER_FIXED);
    draw_labels(p);
    if (p->q->processors > MAX_MARKS)
        draw_raster(p);
    for (uint32_t i = 0; p->q->processors <= MAX_MARKS && i < p->q->processors; i++)
        draw_processor(p, i);
}
