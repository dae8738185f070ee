/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the back ends (draw/draw.h) that draw/registry.c lists, and functions that
 * several of them share.
 */
#ifndef WEFT_DRAW_BACKENDS_H
#define WEFT_DRAW_BACKENDS_H

#include <cairo.h>

#include "base/json.h"
#include "draw/draw.h"

extern const struct weft_backend weft_backend_png;
extern const struct weft_backend weft_backend_svg;
extern const struct weft_backend weft_backend_pdf;
extern const struct weft_backend weft_backend_eps;
extern const struct weft_backend weft_backend_json;
extern const struct weft_backend weft_backend_packed;

/* Writes a scene as JSON.  Callbacks may keep large parts outside the text. */
struct weft_scene_writer {
    struct weft_json json;
    struct weft_job *job; /* writing ends early when it is cancelled; or NULL */
    /*
     * Stores the raster's pixels elsewhere; returns the number that stands for them in the
     * text.  NULL: they are written as text, in base64.
     */
    uint64_t (*keep_raster)(struct weft_scene_writer *writer,
                            const struct weft_raster *raster);
    /*
     * Stores some marks of LAYER from index FIRST on elsewhere and writes one value in
     * their place; returns how many marks, 0 if it stores none.  NULL: all are written as
     * text.
     */
    size_t (*keep_rects)(struct weft_scene_writer *writer, const struct weft_layer *layer,
                         size_t first);
};
/*
 * Writes SCENE with WRITER, whose callbacks and job are set, to STREAM.  The caller checks
 * the stream for errors, and the job, with which the text ends early.
 */
void weft_scene_write(struct weft_scene_writer *writer, const struct weft_scene *scene,
                      FILE *stream);
/*
 * Writes COUNT pixels from index FIRST on, row by row, to OUT[4 * COUNT] as bytes red,
 * green, blue, alpha, not premultiplied.
 */
void weft_raster_bytes(const struct weft_raster *raster, size_t first, size_t count,
                       unsigned char *out);

/*
 * Draws a scene, its background first, on a Cairo context, one unit of the context a
 * pixel.  Stops early if JOB (may be NULL) is cancelled; the caller checks that, and the
 * context's status.
 */
void weft_cairo_play(cairo_t *cr, const struct weft_scene *scene, struct weft_job *job);
/*
 * Returns the colour of a hatch, 40 % opaque: black or white, whichever contrasts with the
 * fill; without a fill, black if the stroke is dark, else white.
 */
weft_color weft_hatch_ink(const struct weft_paint *paint);
/*
 * Returns a raster encoded as the *SIZE bytes of a PNG file, which the caller frees; NULL
 * if JOB, which may be NULL, is cancelled.  For SVG.
 */
unsigned char *weft_raster_png(const struct weft_raster *raster, struct weft_job *job,
                               size_t *size);
/*
 * Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled, else true.  It
 * is the job of a drawing: its progress becomes 0 of an unknown total.
 */
static inline bool weft_draw_goes_on(struct weft_job *job, struct weft_err *err)
{
    return weft_job_step(job, 0, 0, err);
}

#endif
