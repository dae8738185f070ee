/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back ends: each writes a scene (view/scene.h), the marks of a picture, in one file
 * format such as PNG, and has a line in draw/registry.c.
 */
#ifndef WEFT_DRAW_DRAW_H
#define WEFT_DRAW_DRAW_H

#include <stdio.h>

#include "base/progress_and_cancel.h"
#include "view/scene.h"

/* A back end: writes a scene in one file format. */
struct weft_backend {
    const char *name; /* "png": the name of the format, and the ending of file names */
    bool is_text;     /* a text format: goes to standard output if no file is named */
    /*
     * Writes SCENE to STREAM, which stays open and is not flushed.  Returns false with
     * WEFT_ERR_WRITE, or WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled, which it may
     * notice a second later.  Part of the file may have been written then.
     */
    bool (*draw)(const struct weft_scene *scene, FILE *stream, struct weft_job *job,
                 struct weft_err *err);
};

/* weft_backends: all back ends; weft_n_backends: their number. */
extern const struct weft_backend *const weft_backends[];
extern const size_t weft_n_backends;

/* Returns the back end with the name NAME ("png"); NULL if there is none. */
const struct weft_backend *weft_backend_find(const char *name);

/*
 * Returns SCENE as *SIZE bytes, which the caller frees; never NULL.  They are the JSON of
 * weft_scene_write(), and behind it in binary the pixels and long runs of rectangles, as
 * packed.c describes.
 */
char *weft_scene_pack(const struct weft_scene *scene, size_t *size);

#endif
