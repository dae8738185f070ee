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

#include "base/job.h"

struct weft_png {
    uint32_t width, height; /* in pixels, not 0 */
    bool has_alpha;
    /*
     * Writes row Y, from 0 at the top, to OUT: 3 bytes a pixel (red, green, blue), or 4
     * with alpha, not premultiplied.  Called for each row in order, with `user`.
     */
    void (*row)(const void *user, uint32_t y, unsigned char *out);
    const void *user;
    struct weft_job *job; /* may cancel the encoding, or NULL */
};

/*
 * Returns the bytes of the file, *SIZE of them, which the caller frees; NULL if the job was
 * cancelled.  With a job, a large picture is compressed row by row, which takes up to twice
 * as long, so that cancelling takes effect within some milliseconds.
 */
unsigned char *weft_png_encode(const struct weft_png *png, size_t *size);

#endif
