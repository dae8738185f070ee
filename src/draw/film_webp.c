/* SPDX-License-Identifier: Apache-2.0 */
/* Animated WebP, without loss, that goes on for ever. */
#include "draw/film_encoders.h"

#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "base/memory.h"

struct webp {
    FILE *stream;
    WebPAnimEncoder *encoder;
    WebPConfig config;
    struct weft_film_shape shape;
    long long n; /* pictures so far */
};

static bool fail(struct weft_err *err, const char *what)
{
    return weft_fail(err, WEFT_ERR_WRITE, "libwebp: %s", what);
}

static bool begin(void **state, const char *format, FILE *stream,
                  struct weft_film_shape shape, struct weft_err *err)
{
    enum { EFFORT = 2 }; /* of 9: films have many pictures */
    WebPAnimEncoderOptions options;
    struct webp *webp = weft_zalloc(1, sizeof *webp);
    (void)format;
    webp->stream = stream;
    webp->shape = shape;
    if (WebPConfigInit(&webp->config) && WebPConfigLosslessPreset(&webp->config, EFFORT)
        && WebPAnimEncoderOptionsInit(&options))
        webp->encoder = WebPAnimEncoderNew(shape.width, shape.height, &options);
    *state = webp;
    if (webp->encoder)
        return true;
    free(webp);
    return fail(err, "the encoder does not begin");
}

/* Returns the time of picture N, in ms. */
static int time_of(const struct webp *webp, long long n)
{
    return (int)(n * 1000 / webp->shape.rate);
}

static bool add(void *state, const unsigned char *pixels, size_t stride,
                struct weft_err *err)
{
    struct webp *webp = state;
    WebPPicture picture;
    if (!WebPPictureInit(&picture))
        return fail(err, "another version than that of the headers");
    picture.use_argb = 1;
    picture.width = webp->shape.width;
    picture.height = webp->shape.height;
    bool ok = WebPPictureImportBGRX(&picture, pixels, (int)stride)
              && WebPAnimEncoderAdd(webp->encoder, &picture, time_of(webp, webp->n++),
                                    &webp->config);
    WebPPictureFree(&picture);
    return ok || fail(err, WebPAnimEncoderGetError(webp->encoder));
}

static bool end(void *state, bool whole, struct weft_err *err)
{
    struct webp *webp = state;
    WebPData data;
    bool ok = true;
    WebPDataInit(&data);
    if (whole)
        ok = (WebPAnimEncoderAdd(webp->encoder, NULL, time_of(webp, webp->n), NULL)
              && WebPAnimEncoderAssemble(webp->encoder, &data))
             || fail(err, WebPAnimEncoderGetError(webp->encoder));
    if (ok && whole && fwrite(data.bytes, 1, data.size, webp->stream) != data.size)
        ok = weft_fail(err, WEFT_ERR_WRITE, "the film could not be written");
    WebPDataClear(&data);
    WebPAnimEncoderDelete(webp->encoder);
    free(webp);
    return ok;
}

const struct weft_film_encoder weft_film_encoder = { begin, add, end };
