/* SPDX-License-Identifier: Apache-2.0 */
/* The back ends that registry.c lists, and what those of them that use Cairo share. */
#ifndef WEFT_DRAW_BACKENDS_H
#define WEFT_DRAW_BACKENDS_H

#include <cairo.h>

#include "draw/draw.h"

extern const struct weft_backend weft_backend_png;
extern const struct weft_backend weft_backend_svg;
extern const struct weft_backend weft_backend_pdf;
extern const struct weft_backend weft_backend_eps;
extern const struct weft_backend weft_backend_json;
extern const struct weft_backend weft_backend_packed;

/* Play a scene on a Cairo context, pixel for pixel of its coordinates. */
void weft_cairo_play(cairo_t *cr, const struct weft_scene *scene);
/* The colour of a hatch that shows on a fill: black or white, half transparent. */
weft_color weft_hatch_ink(weft_color fill);
/* For cairo_*_create_for_stream: USER is a FILE. */
cairo_status_t weft_cairo_write(void *user, const unsigned char *bytes, unsigned size);
/* Encode a raster as PNG bytes (malloc'ed; free them).  For SVG. */
unsigned char *weft_raster_png(const struct weft_raster *raster, size_t *size);

#endif
