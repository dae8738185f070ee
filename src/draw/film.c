/* SPDX-License-Identifier: Apache-2.0 */
#include "draw/film.h"

#include <cairo.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/installed_file.h"
#include "base/memory.h"
#include "draw/backends.h"
#include "draw/film_encoders.h"

enum { MOST_OF_VIDEO = 8190, MOST_OF_WEBP = 16383 }; /* pixels of a side */

struct weft_film {
    const struct weft_film_encoder *encoder;
    void *state;
    void *library; /* dlopen()'s */
    cairo_surface_t *surface;
};

static const struct format {
    const char *name;
    bool is_video;
} formats[] = { { "mp4", true }, { "mkv", true }, { "webm", true }, { "webp", false } };

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static bool is_right(const struct format *format, const char *name,
                     struct weft_film_shape shape, struct weft_err *err)
{
    if (!format)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad format '%s' (right: mp4, mkv, webm, webp)", name);
    if (format->is_video && (shape.width % 2 || shape.height % 2))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad size %dx%d: width and height of a video are even",
                         shape.width, shape.height);
    int most = format->is_video ? MOST_OF_VIDEO : MOST_OF_WEBP;
    return (shape.width <= most && shape.height <= most)
           || weft_fail(err, WEFT_ERR_USAGE,
                        "bad size %dx%d: width and height of %s are at most %d pixels",
                        shape.width, shape.height, name, most);
}

/* Loads the library with the encoder; it lies where those of recorders do. */
static bool load_encoder(struct weft_film *film, const struct format *format,
                         struct weft_err *err)
{
    static const char *const folders[] = { "../draw", "../lib", "../lib/*", "../lib64",
                                           "." };
    const char *name = format->is_video ? "libweft-film-video.so" : "libweft-film-webp.so";
    char *path = weft_find_installed(folders, sizeof folders / sizeof *folders, name);
    if (!path)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "this weft cannot write %s: it was built without %s", format->name,
                         format->is_video ? "ffmpeg's libraries (libavcodec-dev, "
                                            "libavformat-dev, libswscale-dev)"
                                          : "libwebp (libwebp-dev)");
    film->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    film->encoder = film->library ? dlsym(film->library, "weft_film_encoder") : NULL;
    return film->encoder
           || weft_fail(err, WEFT_ERR_READ, "%s cannot be loaded: %s", name, dlerror());
}

/* The libraries stay loaded: ffmpeg's have threads. */
static void free_film(struct weft_film *film)
{
    if (film->surface)
        cairo_surface_destroy(film->surface);
    free(film);
}

struct weft_film *weft_film_begin(const char *format, FILE *stream,
                                  struct weft_film_shape shape, struct weft_err *err)
{
    const struct format *found = find_format(format);
    if (!is_right(found, format, shape, err))
        return NULL;
    struct weft_film *film = weft_zalloc(1, sizeof *film);
    if (!load_encoder(film, found, err)
        || !film->encoder->begin(&film->state, format, stream, shape, err)) {
        free_film(film);
        return NULL;
    }
    film->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, shape.width, shape.height);
    return film;
}

bool weft_film_add(struct weft_film *film, const struct weft_scene *scene,
                   struct weft_job *job, struct weft_err *err)
{
    cairo_t *cr = cairo_create(film->surface);
    weft_cairo_play(cr, scene, job);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_flush(film->surface);
    if (!weft_draw_goes_on(job, err))
        return false;
    if (status != CAIRO_STATUS_SUCCESS)
        return weft_fail(err, WEFT_ERR_WRITE, "cairo: %s", cairo_status_to_string(status));
    return film->encoder->add(film->state, cairo_image_surface_get_data(film->surface),
                              (size_t)cairo_image_surface_get_stride(film->surface), err);
}

bool weft_film_end(struct weft_film *film, bool whole, struct weft_err *err)
{
    bool ok = film->encoder->end(film->state, whole, err);
    free_film(film);
    return ok;
}
