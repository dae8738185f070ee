/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the back ends (draw/draw.h) that draw/registry.c lists, and functions that
 * several of them share.
 */
#ifndef WEFT_DRAW_BACKENDS_H
#define WEFT_DRAW_BACKENDS_H

#include <cairo.h>

#include "base/json_writer.h"
#include "draw/draw.h"

/*
 * The back ends, one for each format (packed: that of weft_scene_pack(), for the page);
 * their functions are in the file of the name (pdf, eps, png: cairo.c).
 */
extern const struct weft_backend weft_backend_png;
extern const struct weft_backend weft_backend_svg;
extern const struct weft_backend weft_backend_pdf;
extern const struct weft_backend weft_backend_eps;
extern const struct weft_backend weft_backend_json; /* its name is "scene" */
extern const struct weft_backend weft_backend_packed;

/* Writes a scene as JSON (json.c).  Callbacks may keep large parts outside the text. */
struct weft_scene_writer {
    struct weft_json json; /* set by weft_scene_write() */
    struct weft_job *job;  /* writing ends early when it is cancelled; or NULL */
    /*
     * Stores the raster's pixels or bands elsewhere; returns the number that stands for
     * them in the text.  NULL: the pixels are written as text, in base64.
     */
    uint64_t (*keep_raster)(struct weft_scene_writer *writer,
                            const struct weft_raster *raster);
    /*
     * May store marks of LAYER from index FIRST of layer->marks on elsewhere and write one
     * value in their place, with writer->json.  Returns how many marks that were, or 0: the
     * mark FIRST is then written as text.  NULL: all are written as text.
     */
    size_t (*keep_rects)(struct weft_scene_writer *writer, const struct weft_layer *layer,
                         size_t first);
};
/*
 * Writes SCENE with WRITER, whose callbacks and job are set, to STREAM, as one JSON value
 * and a newline.  The caller checks the stream for errors.  If the job is cancelled, marks
 * are left out, and the text is valid JSON all the same.
 */
void weft_scene_write(struct weft_scene_writer *writer, const struct weft_scene *scene,
                      FILE *stream);
/*
 * Writes COUNT of PIXELS, 0xAARRGGBB, to OUT[4 * COUNT] as bytes red, green, blue, alpha,
 * not premultiplied.
 */
void weft_pixels_as_bytes(const uint32_t *pixels, size_t count, unsigned char *out);

/*
 * Draws a scene, its background first, on a Cairo context; a pixel of the scene is one unit
 * of the context's user space.  Stops early if JOB (may be NULL) is cancelled; the caller
 * checks that, and the context's status.
 */
void weft_cairo_play(cairo_t *cr, const struct weft_scene *scene, struct weft_job *job);
/*
 * Returns the colour of the hatch of PAINT, 40 % opaque: black on a fill that is not very
 * dark, else white; without a fill, black if the stroke is dark, else white.
 */
weft_color weft_hatch_ink(const struct weft_paint *paint);
/*
 * Returns a raster, not empty and with pixels, encoded as the *SIZE bytes of a PNG file,
 * which the caller frees; NULL if JOB, which may be NULL, is cancelled while a large
 * raster is encoded. For SVG.
 */
unsigned char *weft_raster_png(const struct weft_raster *raster, struct weft_job *job,
                               size_t *size);
/*
 * Returns false with WEFT_ERR_CANCELLED if JOB, that of a drawing, is cancelled; else, or
 * if JOB is NULL, true.  The job's progress becomes 0 of an unknown total.
 */
static inline bool weft_draw_goes_on(struct weft_job *job, struct weft_err *err)
{
    return weft_job_step(job, 0, 0, err);
}

#endif
