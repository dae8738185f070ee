/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Films: pictures of one size after another, as a video (by ffmpeg's libraries) or as an
 * animated WebP; each needs libraries that Weft may have been built without.
 */
#ifndef WEFT_DRAW_FILM_H
#define WEFT_DRAW_FILM_H

#include <stdio.h>

#include "base/progress_and_cancel.h"
#include "view/scene.h"

struct weft_film;

/* The size of a film, and how many of its pictures are shown in a second. */
struct weft_film_shape {
    int width, height; /* pixels; of a video even numbers */
    int rate;
};

/*
 * Begins a film of FORMAT ("mp4", "mkv", "webm", "webp") in STREAM, which must be able to
 * seek and stays open.  The caller ends it by weft_film_end().  Returns NULL with
 * WEFT_ERR_USAGE for an unknown format, one that Weft was built without, or a size that the
 * format cannot have, and with WEFT_ERR_WRITE if the encoder does not begin.
 */
struct weft_film *weft_film_begin(const char *format, FILE *stream,
                                  struct weft_film_shape shape,
                                  struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Adds SCENE, which has the film's size, as the next picture.  Returns false with
 * WEFT_ERR_WRITE or, if JOB (may be NULL) is cancelled, WEFT_ERR_CANCELLED.
 */
bool weft_film_add(struct weft_film *film, const struct weft_scene *scene,
                   struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Frees FILM.  With WHOLE it writes what is missing first; then it returns false with
 * WEFT_ERR_WRITE if that fails.  Without, the stream's content is of no use.
 */
bool weft_film_end(struct weft_film *film, bool whole, struct weft_err *err);

#endif
