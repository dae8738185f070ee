/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the dense parts of rows as few rasters: one raster of everything would be megabytes
 * of empty pixels.
 */
#include <stdlib.h>
#include <string.h>

#include "view/timeline/space_time_painter.h"

/* The filled columns of a row: first and last; first > last: none. */
struct extent {
    size_t first, last;
};

/* Returns true if anything is painted in column C; LINES: the height of the row. */
static bool is_filled(const struct painted_row *row, size_t c, size_t columns, size_t lines)
{
    if (row->ends)
        return row->ends[(c + 1) * row->n_colors - 1];
    /* The lowest cell of a pile is filled if any is. */
    return row->pixels[(row->alike ? 0 : lines - 1) * columns + c];
}

static struct extent extent_of(const struct painted_row *row, size_t columns, size_t lines)
{
    struct extent e = { 0, columns };
    if (!row->ends && !row->pixels)
        return (struct extent){ 1, 0 };
    while (e.first < columns && !is_filled(row, e.first, columns, lines))
        e.first++;
    if (e.first == columns)
        return (struct extent){ 1, 0 };
    for (e.last = columns - 1; !is_filled(row, e.last, columns, lines);)
        e.last--;
    return e;
}

/* Returns a copy, in the arena, of the columns of EXTENT; all but top and first are set. */
static struct weft_band make_band(struct st_picture *p, const struct painted_row *row,
                                  struct extent extent, size_t lines)
{
    size_t width = extent.last - extent.first + 1, copies = row->alike ? 1 : lines;
    struct weft_band band = { .height = (uint32_t)lines,
                              .columns = (uint32_t)width,
                              .n_colors = row->n_colors,
                              .alike = row->alike };
    if (row->ends) {
        uint8_t *ends = weft_arena_alloc(p->arena, width * row->n_colors);
        memcpy(ends, row->ends + extent.first * row->n_colors, width * row->n_colors);
        weft_color *colors =
            weft_arena_alloc(p->arena, row->n_colors * sizeof *row->colors);
        memcpy(colors, row->colors, row->n_colors * sizeof *row->colors);
        band.ends = ends;
        band.colors = colors;
        return band;
    }
    uint32_t *pixels = weft_arena_alloc(p->arena, copies * width * sizeof *pixels);
    for (size_t y = 0; y < copies; y++)
        memcpy(pixels + y * width, row->pixels + y * p->columns + extent.first,
               width * sizeof *pixels);
    band.pixels = pixels;
    return band;
}

/* Bands that are to become one raster; their `first` is a column of the plot. */
struct joined {
    struct weft_band *bands;
    size_t n;
    size_t top, bottom; /* lines of the plot, from top to before bottom */
    struct extent all;  /* of all bands */
    size_t filled;      /* cells in bands */
};

static void draw_joined(struct st_picture *p, struct joined *joined)
{
    size_t width = joined->all.last - joined->all.first + 1;
    for (size_t i = 0; i < joined->n; i++) {
        joined->bands[i].top -= (int32_t)joined->top;
        joined->bands[i].first -= (uint32_t)joined->all.first;
    }
    if (joined->n)
        weft_scene_raster(
            p->scene,
            (struct weft_rect){ p->frame.plot.x + (double)joined->all.first,
                                p->frame.plot.y + (double)joined->top, (double)width,
                                (double)(joined->bottom - joined->top) },
            &(struct weft_raster){ .columns = (uint32_t)width,
                                   .rows = (uint32_t)(joined->bottom - joined->top),
                                   .bands = joined->bands,
                                   .n_bands = joined->n });
    joined->bands += joined->n;
    joined->n = 0;
}

/* Neighbouring rows share a raster as long as it has few empty pixels. */
static void join(struct st_picture *p, struct joined *joined, struct lines lines,
                 struct extent extent, const struct painted_row *row)
{
    struct extent both = {
        extent.first < joined->all.first ? extent.first : joined->all.first,
        extent.last > joined->all.last ? extent.last : joined->all.last
    };
    size_t own = (extent.last - extent.first + 1) * (lines.bottom - lines.top);
    if (joined->n
        && (both.last - both.first + 1) * (lines.bottom - joined->top)
               > (joined->filled + own) * 5 / 4)
        draw_joined(p, joined);
    if (!joined->n) {
        joined->top = lines.top;
        joined->filled = 0;
        both = extent;
    }
    joined->all = both;
    joined->filled += own;
    joined->bottom = lines.bottom;
    struct weft_band *band = &joined->bands[joined->n++];
    *band = make_band(p, row, extent, lines.bottom - lines.top);
    band->top = (int32_t)lines.top;
    band->first = (uint32_t)extent.first;
}

void st_draw_painted(struct st_picture *p, struct painter *painter)
{
    bool goes_on = !weft_job_cancelled(p->request->job);
    struct joined joined = {
        .bands = weft_arena_zalloc(p->arena, p->rows.n, sizeof *joined.bands),
    };
    for (size_t i = 0; i < p->rows.n; i++) {
        struct painted_row *row = &painter->painted[i];
        struct lines lines = painter->lines[i];
        struct extent extent = extent_of(row, p->columns, lines.bottom - lines.top);
        if (goes_on && extent.first <= extent.last)
            join(p, &joined, lines, extent, row);
        free(row->ends);
        free(row->pixels);
    }
    draw_joined(p, &joined);
}
