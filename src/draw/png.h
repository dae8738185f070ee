/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG files (ISO/IEC 15948): 8 bits a channel, not interlaced.  Rows are not filtered and
 * the compression is the fastest: pictures of traces are runs of the same colours and fine
 * noise, which filters make larger, and the user waits for them. 1920 x 1080 take about 40
 * ms.
 */
#ifndef WEFT_DRAW_PNG_H
#define WEFT_DRAW_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress_and_cancel.h"

/* A picture to be encoded; the caller sets it. */
struct weft_png {
    uint32_t width, height; /* in pixels, not 0 */
    bool has_alpha;         /* a pixel has four bytes, the last is alpha; else three */
    /*
     * Writes row Y, from 0 at the top, to OUT: 3 bytes a pixel (red, green, blue), or 4
     * with alpha, not premultiplied.  Called for each row in order, with `user`.
     */
    void (*row)(const void *user, uint32_t y, unsigned char *out);
    const void *user;
    struct weft_job *job; /* may cancel the encoding of a large picture, or NULL */
};

/*
 * Returns the bytes of the file, *SIZE of them, which the caller frees.  With a job, a
 * picture of more than 12 MiB of pixels is compressed row by row, which takes up to twice
 * as long, so that cancelling takes effect within some milliseconds: it then returns NULL.
 * A smaller one is not cancelled.
 */
unsigned char *weft_png_encode(const struct weft_png *png, size_t *size);

#endif
