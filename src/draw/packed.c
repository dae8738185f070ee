/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed scenes, for a page that shows many a second: the text of json.c, with pixels and
 * long runs of rectangles in binary behind it.
 *
 *     "weftscn2"  8 bytes
 *     length of the text, 4 bytes; the text, padded with spaces to a multiple of 8 from the
 *     file's start; then the parts, each at a multiple of 8
 *
 * All numbers are little-endian.  The text refers to a part by its OFFSET from the end of
 * the text:
 *
 *     ["raster", x, y, w, h, columns, rows, OFFSET, {}]    columns * rows * 4 bytes, RGBA
 *     ["bands", x, y, w, h, columns, rows, n, OFFSET, {}]  a raster as n bands (struct
 *         weft_band), each 7 words of 4 bytes: top (signed), height, first, columns, number
 *         of colours (0: it has pixels), number of lines (1: all are alike), and where its
 *         data begin, from OFFSET: the colours (RGBA bytes) and the ends, a byte each; or
 *         the pixels (RGBA bytes), lines * columns.  Data begin at multiples of 4
 *     ["rects", n, OFFSET, {}]   n rectangles: n times x, y, w, h (float); n fills and n
 *         strokes (RGBA bytes); n times the low and the high half of the id; n bytes of
 *         hatch, n of stroke width in quarters of a pixel
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "draw/backends.h"

enum { MIN_RUN_RECTS = 32 }; /* rectangles: a shorter run is as fast in the text */

struct binary_part {
    const struct weft_raster *raster;
    const struct weft_mark *rects;
    size_t n, offset, size;
};

struct packer {
    /* first, so that its callbacks find the packer around it */
    struct weft_scene_writer writer;
    struct binary_part *parts;
    size_t n, capacity, offset;
};

enum { BAND_WORDS = 7 };

static size_t lines_of(const struct weft_band *band)
{
    return band->ends ? 0 : band->alike ? 1 : band->height;
}

/* Returns the bytes of the data of a band: a multiple of 4. */
static size_t size_of_band(const struct weft_band *band)
{
    if (band->ends)
        return 4 * band->n_colors + ((size_t)band->columns * band->n_colors + 3) / 4 * 4;
    return 4 * lines_of(band) * band->columns;
}

static size_t size_of_raster(const struct weft_raster *raster)
{
    size_t size = raster->n_bands * BAND_WORDS * 4;
    if (raster->pixels)
        return 4 * (size_t)raster->columns * raster->rows;
    for (size_t i = 0; i < raster->n_bands; i++)
        size += size_of_band(&raster->bands[i]);
    return size;
}

static void write_bands(const struct weft_raster *raster, unsigned char *out)
{
    uint32_t *words = (uint32_t *)(void *)out;
    size_t at = raster->n_bands * BAND_WORDS * 4;
    for (size_t i = 0; i < raster->n_bands; i++) {
        const struct weft_band *band = &raster->bands[i];
        const uint32_t head[BAND_WORDS] = { (uint32_t)band->top,
                                            band->height,
                                            band->first,
                                            band->columns,
                                            band->ends ? band->n_colors : 0,
                                            (uint32_t)lines_of(band),
                                            (uint32_t)at };
        memcpy(words + i * BAND_WORDS, head, sizeof head);
        if (band->ends) {
            size_t n = (size_t)band->columns * band->n_colors;
            weft_pixels_as_bytes(band->colors, band->n_colors, out + at);
            memcpy(out + at + 4 * band->n_colors, band->ends, n);
            memset(out + at + 4 * band->n_colors + n, 0, -n % 4);
        } else {
            weft_pixels_as_bytes(band->pixels, lines_of(band) * band->columns, out + at);
        }
        at += size_of_band(band);
    }
}

static void write_raster(const struct weft_raster *raster, unsigned char *out)
{
    if (raster->pixels)
        weft_pixels_as_bytes(raster->pixels, (size_t)raster->columns * raster->rows, out);
    else
        write_bands(raster, out);
}

static size_t add_part(struct packer *packer, struct binary_part part)
{
    packer->parts =
        weft_grow(packer->parts, &packer->capacity, packer->n + 1, sizeof *packer->parts);
    part.offset = packer->offset;
    packer->parts[packer->n++] = part;
    packer->offset += (part.size + 7) / 8 * 8;
    return part.offset;
}

static uint64_t keep_raster(struct weft_scene_writer *writer,
                            const struct weft_raster *raster)
{
    return add_part(
        (struct packer *)writer,
        (struct binary_part){ .raster = raster, .size = size_of_raster(raster) });
}

static bool is_plain(const struct weft_mark *mark)
{
    return mark->kind == WEFT_MARK_RECT && !mark->title && !mark->paint.dash
           && mark->action.kind == WEFT_ACTION_NONE && mark->twice.kind == WEFT_ACTION_NONE;
}

static size_t size_of_rects(size_t n)
{
    return n * (4 * sizeof(float) + 4 + 4 + 8 + 2);
}

static size_t keep_rects(struct weft_scene_writer *writer, const struct weft_layer *layer,
                         size_t first)
{
    size_t n = 0;
    while (first + n < layer->n_marks && is_plain(&layer->marks[first + n]))
        n++;
    if (n < MIN_RUN_RECTS)
        return 0;
    size_t offset =
        add_part((struct packer *)writer,
                 (struct binary_part){
                     .rects = layer->marks + first, .n = n, .size = size_of_rects(n) });
    struct weft_json *json = &writer->json;
    weft_json_array(json, NULL);
    weft_json_text(json, NULL, "rects");
    weft_json_unsigned(json, NULL, n);
    weft_json_unsigned(json, NULL, offset);
    weft_json_object(json, NULL);
    weft_json_close(json);
    weft_json_close(json);
    return n;
}

static uint32_t bytes_of(weft_color color)
{
    return (color & 0xff00ff00u) | (color >> 16 & 0xff) | (color & 0xff) << 16;
}

static void write_rects(const struct binary_part *part, unsigned char *out)
{
    size_t n = part->n;
    float *boxes = (float *)(void *)out;
    uint32_t *fills = (uint32_t *)(void *)(boxes + 4 * n), *strokes = fills + n;
    uint32_t *ids = strokes + n;
    unsigned char *hatches = (unsigned char *)(ids + 2 * n), *widths = hatches + n;
    for (size_t i = 0; i < n; i++) {
        const struct weft_mark *mark = &part->rects[i];
        const struct weft_paint *paint = &mark->paint;
        boxes[4 * i] = (float)mark->box.x;
        boxes[4 * i + 1] = (float)mark->box.y;
        boxes[4 * i + 2] = (float)mark->box.width;
        boxes[4 * i + 3] = (float)mark->box.height;
        fills[i] = bytes_of(paint->fill);
        strokes[i] = bytes_of(paint->stroke);
        ids[2 * i] = (uint32_t)mark->id;
        ids[2 * i + 1] = (uint32_t)(mark->id >> 32);
        hatches[i] = (unsigned char)paint->hatch;
        float quarters = paint->stroke >> 24 ? paint->stroke_width * 4 : 0;
        widths[i] = (unsigned char)(quarters < 255 ? quarters : 255);
    }
}

char *weft_scene_pack(const struct weft_scene *scene, size_t *size)
{
    struct packer packer = { .writer = { .keep_raster = keep_raster,
                                         .keep_rects = keep_rects } };
    char *text;
    size_t length;
    FILE *stream = weft_text_begin(&text, &length);
    weft_scene_write(&packer.writer, scene, stream);
    weft_text_end(stream);
    size_t start = (12 + length + 7) / 8 * 8, padded = start - 12;
    *size = start + packer.offset;
    unsigned char *out = weft_alloc(*size);
    memcpy(out, "weftscn2", 8);
    for (int i = 0; i < 4; i++)
        out[8 + i] = (unsigned char)(padded >> 8 * i);
    memcpy(out + 12, text, length);
    memset(out + 12 + length, ' ', padded - length);
    for (size_t i = 0; i < packer.n; i++) {
        const struct binary_part *part = &packer.parts[i];
        if (part->raster)
            write_raster(part->raster, out + start + part->offset);
        else
            write_rects(part, out + start + part->offset);
        size_t end = part->offset + part->size;
        memset(out + start + end, 0, (part->size + 7) / 8 * 8 - part->size);
    }
    free(text);
    free(packer.parts);
    return (char *)out;
}

static bool draw_packed(const struct weft_scene *scene, FILE *out, struct weft_job *job,
                        struct weft_err *err)
{
    if (!weft_draw_goes_on(job, err))
        return false;
    size_t size;
    char *bytes = weft_scene_pack(scene, &size);
    fwrite(bytes, 1, size, out);
    free(bytes);
    return !ferror(out) || weft_fail(err, WEFT_ERR_WRITE, "cannot write the picture");
}

const struct weft_backend weft_backend_packed = { "packed", false, draw_packed };
