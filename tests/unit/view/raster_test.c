/* SPDX-License-Identifier: Apache-2.0 */
/* Rasters that are told by bands: their pixels, whole and cut by a layer. */
#include "tests/random.h"
#include "tests/test.h"

#include "view/scene.h"

enum { COLUMNS = 40, BANDS = 5, HIGHEST = 9, COLORS = 4, ROUNDS = 300 };

static uint8_t ends[BANDS][COLUMNS * COLORS];
static weft_color colors[BANDS][COLORS];
static uint32_t pixels[BANDS][COLUMNS * HIGHEST];
static struct weft_band bands[BANDS];

/* Fills a band with piles, or with lines that are alike or not; returns its height. */
static uint32_t roll_band(int i, int32_t top)
{
    struct weft_band *band = &bands[i];
    *band = (struct weft_band){ .top = top, .height = 1 + (uint32_t)roll(HIGHEST) };
    band->first = (uint32_t)roll(COLUMNS);
    band->columns = 1 + (uint32_t)roll(COLUMNS - band->first);
    if ((uint32_t)roll(2)) {
        band->ends = ends[i];
        band->colors = colors[i];
        band->n_colors = 1 + (uint32_t)roll(COLORS);
        for (uint32_t k = 0; k < band->n_colors; k++)
            colors[i][k] = 0xff000000u | (uint32_t)roll(1000);
        for (uint32_t c = 0; c < band->columns; c++)
            for (uint32_t k = 0, at = 0; k < band->n_colors; k++) {
                at += (uint32_t)roll(band->height - at + 1);
                ends[i][c * band->n_colors + k] = (uint8_t)at;
            }
    } else {
        band->alike = (uint32_t)roll(2);
        band->pixels = pixels[i];
        for (uint32_t k = 0; k < band->columns * band->height; k++)
            pixels[i][k] = (uint32_t)roll(3) ? 0xff000000u | k : 0;
    }
    return band->height;
}

/* The colour of one cell, by the definition of a band. */
static uint32_t cell(uint32_t row, uint32_t column)
{
    for (int i = 0; i < BANDS; i++) {
        const struct weft_band *band = &bands[i];
        uint32_t line = row - (uint32_t)band->top, c = column - band->first;
        if ((int32_t)row < band->top || line >= band->height || column < band->first
            || c >= band->columns)
            continue;
        if (!band->ends)
            return band->pixels[(band->alike ? 0 : line) * band->columns + c];
        for (uint32_t k = 0; k < band->n_colors; k++)
            if (band->height - 1 - line < band->ends[c * band->n_colors + k])
                return band->colors[k];
    }
    return 0;
}

static void bands_are_their_cells(void **unused)
{
    (void)unused;
    enum { CELL = 2 /* pixels */ };
    for (int round = 0; round < ROUNDS; round++) {
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        uint32_t rows = 0, *made;
        for (int i = 0; i < BANDS; i++)
            rows += (uint32_t)roll(3) + roll_band(i, (int32_t)rows);
        weft_scene_init(&scene, &arena, 200, 100, 0xffffffff);
        weft_scene_layer(&scene, "cells", (struct weft_rect){ 0, 20, 200, 30 }, 0);
        double y = 20.0 - (double)(uint32_t)roll(CELL * rows);
        struct weft_rect rect = { 0, y, 3.0 * COLUMNS, (double)CELL * rows };
        const struct weft_raster raster = {
            .columns = COLUMNS, .rows = rows, .bands = bands, .n_bands = BANDS
        };
        struct weft_mark *mark = weft_scene_raster(&scene, rect, &raster);
        uint32_t above = (uint32_t)((mark->box.y - y) / CELL);
        struct weft_raster cut = weft_raster_with_pixels(mark->raster, &made);
        assert_non_null(made);
        assert_true(above + cut.rows <= rows);
        for (uint32_t r = 0; r < cut.rows; r++)
            for (uint32_t c = 0; c < COLUMNS; c++)
                assert_int_equal(cut.pixels[r * COLUMNS + c], cell(above + r, c));
        free(made);
        weft_arena_free(&arena);
    }
}

static void pixels_stay_as_they_are(void **unused)
{
    (void)unused;
    static const uint32_t four[4] = { 1, 2, 3, 4 };
    const struct weft_raster raster = { .columns = 2, .rows = 2, .pixels = four };
    uint32_t *made;
    assert_ptr_equal(weft_raster_with_pixels(&raster, &made).pixels, four);
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_are_their_cells),
        cmocka_unit_test(pixels_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
