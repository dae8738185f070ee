/* SPDX-License-Identifier: Apache-2.0 */
/* The pixels of a raster that is told by bands. */
#include "base/memory.h"
#include "view/scene.h"

/* Fills the pile of COLUMN, where it lies in the raster. */
static void fill_pile(const struct weft_raster *raster, const struct weft_band *band,
                      uint32_t column, uint32_t *pixels)
{
    int64_t below = (int64_t)band->top + band->height;
    const uint8_t *ends = band->ends + (size_t)column * band->n_colors;
    uint32_t at = 0;
    pixels += band->first + column;
    for (uint32_t k = 0; k < band->n_colors; k++)
        for (; at < ends[k]; at++) {
            int64_t row = below - 1 - at;
            if (row >= 0 && row < raster->rows && at < band->height)
                pixels[(size_t)row * raster->columns] = band->colors[k];
        }
}

static void fill_row(const struct weft_raster *raster, const struct weft_band *band,
                     uint32_t line, uint32_t *pixels)
{
    int64_t row = (int64_t)band->top + line;
    if (row < 0 || row >= raster->rows)
        return;
    const uint32_t *from = band->pixels + (band->alike ? 0 : (size_t)line * band->columns);
    uint32_t *to = pixels + (size_t)row * raster->columns + band->first;
    for (uint32_t c = 0; c < band->columns; c++)
        if (from[c])
            to[c] = from[c];
}

struct weft_raster weft_raster_with_pixels(const struct weft_raster *raster,
                                           uint32_t **made)
{
    *made = NULL;
    if (raster->pixels)
        return *raster;
    uint32_t *pixels =
        weft_zalloc((size_t)raster->rows * raster->columns + 1, sizeof *pixels);
    for (size_t i = 0; i < raster->n_bands; i++) {
        const struct weft_band *band = &raster->bands[i];
        if (band->ends)
            for (uint32_t c = 0; c < band->columns; c++)
                fill_pile(raster, band, c, pixels);
        else
            for (uint32_t line = 0; line < band->height; line++)
                fill_row(raster, band, line, pixels);
    }
    *made = pixels;
    return (struct weft_raster){ .columns = raster->columns,
                                 .rows = raster->rows,
                                 .pixels = pixels };
}
