/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoders of films: film_video.c and film_webp.c, each a library of its own, which
 * film.c loads when it needs it (ffmpeg's libraries take long to load).
 */
#ifndef WEFT_DRAW_FILM_ENCODERS_H
#define WEFT_DRAW_FILM_ENCODERS_H

#include <stddef.h>

#include "draw/film.h"

/* An encoder; its state begins as NULL. */
struct weft_film_encoder {
    /* Sets *STATE, which `end` frees; false with *ERR, and nothing to free. */
    bool (*begin)(void **state, const char *format, FILE *stream,
                  struct weft_film_shape shape, struct weft_err *err);
    /* Adds a picture: rows of `stride` bytes of blue, green, red and unused ones. */
    bool (*add)(void *state, const unsigned char *pixels, size_t stride,
                struct weft_err *err);
    bool (*end)(void *state, bool whole, struct weft_err *err);
};

/* The encoder of such a library; film.c looks it up by this name. */
extern __attribute__((visibility("default")))
const struct weft_film_encoder weft_film_encoder;

#endif
