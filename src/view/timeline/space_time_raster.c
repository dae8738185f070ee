/* SPDX-License-Identifier: Apache-2.0 */
/* Draws dense rows as few rasters: one raster of everything would be megabytes of empty
   pixels. */
#include <string.h>

#include "view/timeline/space_time.h"

/* The filled columns of a line of pixels: first and last; first > last: none. */
struct extent {
    size_t first, last;
};

static struct extent extent_of(const uint32_t *line, size_t columns)
{
    struct extent e = { 0, columns };
    while (e.first < columns && !line[e.first])
        e.first++;
    if (e.first == columns)
        return (struct extent){ 1, 0 };
    for (e.last = columns - 1; !line[e.last];)
        e.last--;
    return e;
}

/* Draws the pixels of the lines from TOP to BOTTOM, within their extent, as a raster. */
static void draw_lines(struct st_picture *p, const uint32_t *pixels, size_t top,
                       size_t bottom, struct extent e)
{
    size_t width = e.last - e.first + 1;
    pixels += top * p->columns;
    if (width < p->columns) {
        uint32_t *cut = weft_arena_alloc(p->arena, (bottom - top) * width * sizeof *cut);
        for (size_t y = 0; y < bottom - top; y++)
            memcpy(cut + y * width, pixels + y * p->columns + e.first, width * sizeof *cut);
        pixels = cut;
    }
    weft_scene_raster(
        p->scene,
        (struct weft_rect){ p->frame.plot.x + (double)e.first,
                            p->frame.plot.y + (double)top, (double)width,
                            (double)(bottom - top) },
        &(struct weft_raster){ (uint32_t)width, (uint32_t)(bottom - top), pixels, NULL });
}

/* Neighbouring lines share a raster as long as it has few empty pixels. */
void st_draw_raster(struct st_picture *p, const uint32_t *pixels, size_t height)
{
    size_t columns = p->columns, top = 0, filled = 0, bottom = 0;
    struct extent all = { 1, 0 };
    for (size_t y = 0; y < height; y++) {
        struct extent line = extent_of(pixels + y * columns, columns);
        if (line.first > line.last)
            continue;
        struct extent both = { line.first < all.first ? line.first : all.first,
                               line.last > all.last ? line.last : all.last };
        size_t own = line.last - line.first + 1;
        bool joins =
            filled
            && (both.last - both.first + 1) * (y + 1 - top) <= (filled + own) * 5 / 4;
        if (filled && !joins)
            draw_lines(p, pixels, top, bottom, all);
        if (!joins) {
            top = y;
            filled = 0;
            both = line;
        }
        all = both;
        filled += own;
        bottom = y + 1;
    }
    if (filled)
        draw_lines(p, pixels, top, bottom, all);
}
