/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/element_grid_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_MARK_SIDE = 4, /* least pixels of an element drawn as a mark */
    MAX_MARKS = 2500,
    ABOVE = 18,             /* pixels for the numbers of columns */
    MIN_SIDE = 40,          /* ... of a grid with far more columns than rows */
    WHOLE = 4,              /* from this size elements have whole pixels, to look alike */
    MIN_NUMBERED_SIDE = 16, /* ... of an element with its owner's number */
};

/* ---- Where things are ---- */

static double digits_width(uint64_t most)
{
    char text[24] = "0";
    for (size_t n = 1; most >= 10 && n < sizeof text - 1; n++, most /= 10)
        text[n] = '0', text[n + 1] = '\0';
    return weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text);
}

/*
 * The size of an element so that all fit: square, unless a side would be too thin to see.
 */
static void fit(struct arrays_grid *grid)
{
    const struct arrays_plane *plane = &grid->q->plane;
    double rows = (double)plane->rows, columns = (double)plane->columns;
    double each = fmin(grid->plot.width / columns, grid->plot.height / rows);
    grid->width = fmax(each, fmin(MIN_SIDE, grid->plot.width) / columns);
    grid->height = fmax(each, fmin(MIN_SIDE, grid->plot.height) / rows);
    if (grid->width >= WHOLE)
        grid->width = floor(grid->width);
    if (grid->height >= WHOLE)
        grid->height = floor(grid->height);
    grid->x = grid->plot.x;
    grid->y = grid->plot.y;
}

static void read_zoom(struct arrays_grid *grid)
{
    const struct arrays_question *q = grid->q;
    double zoom = weft_setting_number(q->request, "zoom");
    double tall = weft_setting_number(q->request, "tall");
    fit(grid);
    if (zoom <= 0)
        return;
    double ratio = tall > 0 ? tall : grid->height / grid->width;
    grid->width = zoom;
    grid->height = zoom * ratio;
    grid->x = grid->plot.x + weft_setting_number(q->request, "x") * grid->plot.width;
    grid->y = grid->plot.y + weft_setting_number(q->request, "y") * grid->plot.height;
}

/* Finds the range of N items, each SIZE pixels from BEGIN on, between FROM and TO. */
static void find_seen(double begin, double size, uint64_t n, double from, double to,
                      uint64_t *first, uint64_t *after)
{
    double a = floor((from - begin) / size), b = ceil((to - begin) / size);
    *first = a <= 0 ? 0 : a >= (double)n ? n : (uint64_t)a;
    *after = b <= 0 ? 0 : b >= (double)n ? n : (uint64_t)b;
}

static void tell_scene(const struct arrays_grid *grid)
{
    struct weft_scene_frame *frame = &grid->scene->frame;
    frame->plot = grid->plot;
    frame->zooms = true;
    frame->anchor = (struct weft_point){ grid->x, grid->y };
    frame->zoom = grid->width;
    frame->tall = grid->height / grid->width;
}

void arrays_grid_place(struct arrays_grid *grid, struct arrays_question *q,
                       struct weft_frame *frame, struct weft_rect room)
{
    const struct arrays_plane *plane = &q->plane;
    *grid = (struct arrays_grid){ .q = q, .scene = frame->scene, .theme = frame->theme };
    double left = ceil(digits_width(plane->rows - 1)) + 8;
    left = fmin(left, room.width / 3);
    grid->plot = (struct weft_rect){ ceil(room.x + left), ceil(room.y + ABOVE),
                                     fmax(1, floor(room.width - left - 1)),
                                     fmax(1, floor(room.height - ABOVE - 1)) };
    read_zoom(grid);
    const struct weft_rect *plot = &grid->plot;
    find_seen(grid->x, grid->width, plane->columns, plot->x, plot->x + plot->width,
              &grid->first_column, &grid->after_column);
    find_seen(grid->y, grid->height, plane->rows, plot->y, plot->y + plot->height,
              &grid->first_row, &grid->after_row);
    while (ldexp(fmin(grid->width, grid->height), (int)grid->shift) < 0.999
           && grid->shift < 47)
        grid->shift++;
    double n = (double)(grid->after_row - grid->first_row)
               * (double)(grid->after_column - grid->first_column);
    grid->marks = fmin(grid->width, grid->height) >= MIN_MARK_SIDE && n <= MAX_MARKS;
    double x0 = fmax(plot->x, grid->x), y0 = fmax(plot->y, grid->y);
    double x1 = fmin(plot->x + plot->width, grid->x + (double)plane->columns * grid->width);
    double y1 = fmin(plot->y + plot->height, grid->y + (double)plane->rows * grid->height);
    grid->seen = (struct weft_rect){ x0, y0, fmax(0, x1 - x0), fmax(0, y1 - y0) };
    tell_scene(grid);
}

bool arrays_grid_at(const struct arrays_grid *grid, struct weft_point at, uint64_t *row,
                    uint64_t *column)
{
    const struct weft_rect *seen = &grid->seen;
    if (at.x < seen->x || at.y < seen->y || at.x >= seen->x + seen->width
        || at.y >= seen->y + seen->height)
        return false;
    *row = (uint64_t)((at.y - grid->y) / grid->height);
    *column = (uint64_t)((at.x - grid->x) / grid->width);
    return *row < grid->q->plane.rows && *column < grid->q->plane.columns;
}

const char *arrays_grid_text(const struct arrays_grid *grid)
{
    unsigned shift = grid->shift;
    uint64_t side = (uint64_t)1 << shift;
    if (!shift)
        return NULL;
    return grid->q->plane.rows == 1
               ? weft_arena_printf(grid->q->arena, "each cell: %llu elements, their mean",
                                   (unsigned long long)side)
               : weft_arena_printf(grid->q->arena,
                                   "each cell: %llu × %llu elements, their mean",
                                   (unsigned long long)side, (unsigned long long)side);
}

/* ---- Numbers of rows and columns ---- */

static uint64_t label_step(double size, double need)
{
    static const unsigned steps[] = { 1, 2, 5 };
    uint64_t scale = 1;
    for (size_t i = 0;; i++) {
        uint64_t step = steps[i % 3] * scale;
        if ((double)step * size >= need || step > UINT64_MAX / 100)
            return step;
        if (i % 3 == 2)
            scale *= 10;
    }
}

static void draw_label(struct arrays_grid *grid, double x, double y,
                       enum weft_anchor anchor, uint64_t number)
{
    weft_scene_text(grid->scene, (struct weft_point){ x, y }, anchor, WEFT_FONT_SANS,
                    WEFT_SMALL_SIZE, grid->theme->quiet,
                    weft_arena_printf(grid->q->arena, "%llu", (unsigned long long)number));
}

static void draw_labels(struct arrays_grid *grid)
{
    const struct weft_rect *plot = &grid->plot;
    double wide = digits_width(grid->q->plane.columns - 1);
    uint64_t step = label_step(grid->width, wide + 10);
    weft_scene_layer(
        grid->scene, "columns",
        (struct weft_rect){ plot->x - 8, plot->y - ABOVE, plot->width + 16, ABOVE },
        WEFT_LAYER_MOVES_X);
    for (uint64_t c = (grid->first_column + step - 1) / step * step; c < grid->after_column;
         c += step) {
        double x = grid->x + ((double)c + 0.5) * grid->width;
        if (x - wide / 2 >= plot->x - 8 && x + wide / 2 <= plot->x + plot->width + 4)
            draw_label(grid, x, plot->y - 5, WEFT_ANCHOR_MIDDLE, c);
    }
    if (grid->q->plane.row_dimension == WEFT_NONE)
        return;
    step = label_step(grid->height, 15);
    weft_scene_layer(grid->scene, "rows",
                     (struct weft_rect){ plot->x - wide - 40, plot->y - 6, wide + 40,
                                         plot->height + 12 },
                     WEFT_LAYER_MOVES_Y);
    for (uint64_t r = (grid->first_row + step - 1) / step * step; r < grid->after_row;
         r += step) {
        double y = grid->y + ((double)r + 0.5) * grid->height + 4;
        if (y > plot->y && y < plot->y + plot->height + 4)
            draw_label(grid, plot->x - 5, y, WEFT_ANCHOR_END, r);
    }
}

/* ---- Colours ---- */

weft_color arrays_owner_color(const struct weft_theme *theme, uint32_t owner)
{
    return owner == WEFT_NONE ? theme->empty : weft_number_swatch(theme, owner).fill;
}

static double value_of(const struct arrays_grid *grid, const struct arrays_cells *cells,
                       const struct arrays_ramp *ramp, uint64_t row, uint64_t column)
{
    const struct arrays_plane *plane = &grid->q->plane;
    struct weft_reference_counts counts = arrays_cell(cells, row, column);
    double sum = (double)arrays_quantity_value(ramp->quantity, &counts);
    if (cells->shift)
        sum /= arrays_part(plane->rows, row, cells->shift)
               * arrays_part(plane->columns, column, cells->shift);
    return sum / arrays_divisor(grid->q, ramp->statistic);
}

/* Colours of owners; cells with several owners are mixed in linear light. */
enum { SAMPLES = 4 /* of a cell, each way */, TABLE = 1024 /* steps of linear light */ };
struct owner_mixer {
    float *light; /* [processors + 1][3]; the last for unknown */
    uint32_t processors;
    uint8_t bytes[TABLE + 1];
};

static double linear_of(unsigned byte)
{
    double part = byte / 255.0;
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static void start_mixer(struct owner_mixer *mixer, const struct arrays_grid *grid)
{
    const struct arrays_question *q = grid->q;
    bool some_lit = q->lit.n_ranges > 0;
    mixer->processors = q->processors;
    mixer->light = weft_arena_alloc(q->arena, (q->processors + 1) * 3 * sizeof(float));
    for (uint32_t p = 0; p <= q->processors; p++) {
        weft_color color =
            arrays_owner_color(grid->theme, p < q->processors ? p : WEFT_NONE);
        if (some_lit && (p == q->processors || !arrays_is_lit(q, p)))
            color = arrays_faint(grid->theme, color);
        for (int i = 0; i < 3; i++)
            mixer->light[3 * p + i] = (float)linear_of(color >> (16 - 8 * i) & 255);
    }
    for (int i = 0; i <= TABLE; i++) {
        double light = (double)i / TABLE;
        double part =
            light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
        mixer->bytes[i] = (uint8_t)(part * 255 + 0.5);
    }
}

static weft_color mix_owners(const struct owner_mixer *mixer,
                             const struct arrays_grid *grid, uint64_t row, uint64_t column)
{
    const struct arrays_plane *plane = &grid->q->plane;
    unsigned shift = grid->shift;
    uint64_t side = (uint64_t)1 << shift, step = side > SAMPLES ? side / SAMPLES : 1;
    uint64_t r1 = (row + 1) << shift, c1 = (column + 1) << shift;
    float sum[3] = { 0 };
    int n = 0;
    for (uint64_t r = row << shift; r < r1 && r < plane->rows; r += step)
        for (uint64_t c = column << shift; c < c1 && c < plane->columns; c += step, n++) {
            uint32_t owner = arrays_owner(grid->q, r, c);
            const float *light =
                mixer->light
                + 3 * (size_t)(owner < mixer->processors ? owner : mixer->processors);
            for (int i = 0; i < 3; i++)
                sum[i] += light[i];
        }
    weft_color color = 0xff;
    for (int i = 0; i < 3; i++)
        color = color << 8 | mixer->bytes[(int)(sum[i] / (float)n * TABLE + 0.5f)];
    return color;
}

/* Returns true if the sampled elements of two rows of cells have the same owners. */
static bool same_owners(const struct arrays_grid *grid, uint64_t row, uint64_t other)
{
    const uint32_t *of_row = grid->q->owners.of_row;
    uint64_t rows = grid->q->plane.rows, side = (uint64_t)1 << grid->shift;
    uint64_t step = side > SAMPLES ? side / SAMPLES : 1;
    if (!of_row || (row + 1) << grid->shift > rows || (other + 1) << grid->shift > rows)
        return false;
    for (uint64_t i = 0; i < side; i += step)
        if (of_row[(row << grid->shift) + i] != of_row[(other << grid->shift) + i])
            return false;
    return true;
}

/* ---- One bitmap ---- */

/* Black or white for a pixel, by an ordered dither (Bayer 1973), since the theme has no
   greys. */
static bool is_dark(uint64_t x, uint64_t y, double place)
{
    static const uint8_t bayer[4][4] = {
        { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 }, { 15, 7, 13, 5 }
    };
    return (bayer[y % 4][x % 4] + 0.5) / 16 < place;
}

static void put_raster(struct arrays_grid *grid, struct weft_rect rect, uint32_t columns,
                       uint32_t rows, const uint32_t *pixels)
{
    struct weft_raster *raster = weft_arena_zalloc(grid->q->arena, 1, sizeof *raster);
    *raster = (struct weft_raster){ .columns = columns, .rows = rows, .pixels = pixels };
    weft_scene_raster(grid->scene, rect, raster);
}

static void draw_dither(struct arrays_grid *grid)
{
    const struct weft_rect *seen = &grid->seen;
    uint32_t columns = (uint32_t)ceil(seen->width), rows = (uint32_t)ceil(seen->height);
    uint32_t *pixels =
        weft_arena_zalloc(grid->q->arena, (size_t)columns * rows, sizeof *pixels);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++) {
            uint64_t row, column;
            struct weft_point at = { seen->x + x + 0.5, seen->y + y + 0.5 };
            if (!arrays_grid_at(grid, at, &row, &column))
                continue;
            double value = value_of(grid, &grid->cells, &grid->ramp, row >> grid->shift,
                                    column >> grid->shift);
            double place = arrays_ramp_place(&grid->ramp, value);
            if (is_dark(x, y, grid->ramp.pale ? place / 2 : place))
                pixels[(size_t)y * columns + x] = grid->theme->text;
        }
    put_raster(grid, (struct weft_rect){ seen->x, seen->y, columns, rows }, columns, rows,
               pixels);
}

static void fill_row(const struct arrays_grid *grid, const struct owner_mixer *mixer,
                     uint64_t row, uint64_t first, uint64_t after, uint32_t *pixels)
{
    bool some_lit = grid->q->lit.n_ranges > 0;
    for (uint64_t c = first; c < after; c++) {
        if (grid->fill == ARRAYS_FILL_OWNER) {
            pixels[c - first] = mix_owners(mixer, grid, row, c);
            continue;
        }
        weft_color color = arrays_ramp_color(
            &grid->ramp, value_of(grid, &grid->cells, &grid->ramp, row, c));
        if (some_lit
            && !arrays_is_lit(grid->q,
                              arrays_owner(grid->q, row << grid->shift, c << grid->shift)))
            color = arrays_faint(grid->theme, color);
        pixels[c - first] = color;
    }
}

static void draw_raster(struct arrays_grid *grid)
{
    unsigned shift = grid->shift;
    struct owner_mixer mixer = { .processors = 0 };
    uint64_t r0 = grid->first_row >> shift, r1 = ((grid->after_row - 1) >> shift) + 1;
    uint64_t c0 = grid->first_column >> shift, c1 = ((grid->after_column - 1) >> shift) + 1;
    uint32_t rows = (uint32_t)(r1 - r0), columns = (uint32_t)(c1 - c0);
    uint32_t *pixels =
        weft_arena_alloc(grid->q->arena, (size_t)rows * columns * sizeof *pixels);
    if (grid->fill == ARRAYS_FILL_OWNER)
        start_mixer(&mixer, grid);
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t *row = pixels + (size_t)r * columns;
        if (r && grid->fill == ARRAYS_FILL_OWNER && same_owners(grid, r0 + r, r0 + r - 1))
            memcpy(row, row - columns, columns * sizeof *row);
        else
            fill_row(grid, &mixer, r0 + r, c0, c1, row);
    }
    struct weft_rect rect = { grid->x + (double)(c0 << shift) * grid->width,
                              grid->y + (double)(r0 << shift) * grid->height,
                              ldexp(columns * grid->width, (int)shift),
                              ldexp(rows * grid->height, (int)shift) };
    put_raster(grid, rect, columns, rows, pixels);
}

/* ---- Marks ---- */

static struct weft_mark *make_clickable(const struct arrays_grid *grid,
                                        struct weft_mark *mark, uint32_t owner,
                                        const char *title)
{
    if (!mark)
        return NULL;
    mark->title = title;
    if (owner != WEFT_NONE && grid->q->known) {
        mark->id = arrays_processor_id(owner);
        mark->action = (struct weft_action){ .kind = WEFT_ACTION_TOGGLE,
                                             .parameter = "lit",
                                             .id = mark->id };
    }
    return mark;
}

static const char *title_of(const struct arrays_grid *grid, uint64_t row, uint64_t column,
                            uint32_t owner)
{
    struct arrays_question *q = grid->q;
    const char *name = arrays_element_name(q, row, column);
    if (q->known)
        name =
            weft_arena_printf(q->arena, "%s · %s", name, arrays_processor_name(q, owner));
    const struct arrays_cells *cells = grid->circles     ? &grid->circle_cells
                                       : grid->cells.now ? &grid->cells
                                                         : NULL;
    if (!cells || cells->shift)
        return name;
    struct weft_reference_counts counts = arrays_cell(cells, row, column);
    const struct arrays_ramp *ramp = grid->circles ? &grid->circle_ramp : &grid->ramp;
    return arrays_counts_title(q, name, ramp->statistic, &counts);
}

/* Returns true if the owners' numbers have room, so that no pattern is needed to tell
   owners apart. */
static bool has_numbers(const struct arrays_grid *grid)
{
    return grid->numbers && !grid->circles
           && fmin(grid->width, grid->height) >= MIN_NUMBERED_SIDE;
}

static struct weft_paint paint_of(const struct arrays_grid *grid, uint64_t row,
                                  uint64_t column, uint32_t owner)
{
    const struct weft_theme *theme = grid->theme;
    bool mono = theme->name == WEFT_THEME_MONO;
    if (grid->fill == ARRAYS_FILL_NONE || (mono && grid->fill == ARRAYS_FILL_RAMP))
        return (struct weft_paint){ .fill = theme->panel };
    if (grid->fill == ARRAYS_FILL_RAMP)
        return (struct weft_paint){ .fill = arrays_ramp_color(
                                        &grid->ramp, value_of(grid, &grid->cells,
                                                              &grid->ramp, row, column)) };
    struct weft_swatch swatch = { .fill = theme->empty };
    if (owner != WEFT_NONE)
        swatch = weft_number_swatch(theme, owner);
    if (has_numbers(grid))
        return (struct weft_paint){ .fill = mono ? theme->panel : swatch.fill };
    struct weft_paint paint = { .fill = swatch.fill,
                                .hatch = swatch.hatch,
                                .stroke = swatch.hatch ? theme->text : 0 };
    float part = 0.45f;
    if (grid->circles)
        paint =
            (struct weft_paint){ .fill = weft_mix(&swatch.fill, &part, 1, theme->panel) };
    return paint;
}

static void draw_circle(struct arrays_grid *grid, uint64_t row, uint64_t column,
                        uint32_t owner, bool faint, const char *title)
{
    double side = fmin(grid->width, grid->height);
    double value = value_of(grid, &grid->circle_cells, &grid->circle_ramp, row, column);
    double size = arrays_circle(&grid->circle_ramp, value, side);
    if (size <= 0)
        return;
    const struct weft_theme *theme = grid->theme;
    weft_color color = theme->name == WEFT_THEME_MONO ? theme->text
                       : grid->circle_owner
                           ? arrays_owner_color(theme, owner)
                           : arrays_circle_color(&grid->color_ramp,
                                                 value_of(grid, &grid->color_cells,
                                                          &grid->color_ramp, row, column));
    struct weft_paint paint = { .fill = faint ? arrays_faint(theme, color) : color,
                                .stroke = theme->panel,
                                .stroke_width = side >= 16 ? 1 : 0 };
    struct weft_point at = { grid->x + ((double)column + 0.5) * grid->width,
                             grid->y + ((double)row + 0.5) * grid->height };
    make_clickable(grid,
                   weft_scene_glyph(grid->scene, WEFT_GLYPH_CIRCLE, at, size, 0, paint),
                   owner, title);
}

static void draw_number(struct arrays_grid *grid, struct weft_rect box, weft_color fill,
                        uint32_t owner)
{
    const char *text =
        owner == WEFT_NONE ? "?" : weft_arena_printf(grid->q->arena, "%u", owner);
    double size = fmin(WEFT_FONT_SIZE, box.height * 0.6);
    if (weft_text_width(WEFT_FONT_SANS, size, text) > box.width - 2)
        return;
    weft_scene_text(
        grid->scene,
        (struct weft_point){ box.x + box.width / 2, box.y + box.height / 2 + size * 0.36 },
        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, size, fill ? weft_ink(fill) : grid->theme->text,
        text);
}

static void draw_element(struct arrays_grid *grid, uint64_t row, uint64_t column)
{
    const struct weft_theme *theme = grid->theme;
    uint32_t owner = arrays_owner(grid->q, row, column);
    bool some_lit = grid->q->lit.n_ranges > 0;
    bool lit = some_lit && owner != WEFT_NONE && arrays_is_lit(grid->q, owner);
    struct weft_paint paint = paint_of(grid, row, column, owner);
    if (some_lit && !lit)
        paint.fill = arrays_faint(theme, paint.fill);
    double seam = fmin(grid->width, grid->height) >= WHOLE ? 1 : 0;
    struct weft_rect box = { grid->x + (double)column * grid->width,
                             grid->y + (double)row * grid->height, grid->width - seam,
                             grid->height - seam };
    const char *title = title_of(grid, row, column, owner);
    if (lit || paint.fill == theme->panel) {
        paint.stroke = lit ? theme->accent : theme->grid;
        paint.stroke_width = lit ? 2 : 1;
    }
    make_clickable(grid, weft_scene_rect(grid->scene, box, paint), owner, title);
    if (grid->circles)
        draw_circle(grid, row, column, owner, some_lit && !lit, title);
    else if (has_numbers(grid))
        draw_number(grid, box, paint.fill, owner);
}

void arrays_grid_draw(struct arrays_grid *grid)
{
    draw_labels(grid);
    if (grid->seen.width <= 0 || grid->seen.height <= 0)
        return;
    weft_scene_layer(grid->scene, "elements", grid->seen,
                     WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    bool mono = grid->theme->name == WEFT_THEME_MONO && grid->fill == ARRAYS_FILL_RAMP;
    if (!grid->marks && mono)
        draw_dither(grid);
    else if (!grid->marks && grid->fill != ARRAYS_FILL_NONE)
        draw_raster(grid);
    for (uint64_t r = grid->first_row; grid->marks && r < grid->after_row; r++)
        for (uint64_t c = grid->first_column; c < grid->after_column; c++)
            draw_element(grid, r, c);
}
