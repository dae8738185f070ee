/* SPDX-License-Identifier: Apache-2.0 */
/* What is encoded, Cairo's decoder (libpng) must read as the same pixels, of any size. */
#include <cairo.h>

#include "draw/png.h"
#include "tests/test.h"

struct picture {
    uint32_t width;
    unsigned channels;
    unsigned noise; /* 0: runs of one colour, which compress; else none do */
};

/* A hash of where the byte is, so that no two pictures need to be kept. */
static unsigned char byte_at(const struct picture *picture, uint32_t x, uint32_t y,
                             unsigned c)
{
    uint32_t place = picture->noise ? y * 40503u + x * 977u + c * 131u : (y / 7 + c) * 31u;
    place ^= place >> 15;
    place *= 2654435761u;
    return (unsigned char)(place >> 24);
}

static void row(const void *user, uint32_t y, unsigned char *out)
{
    const struct picture *picture = user;
    for (uint32_t x = 0; x < picture->width; x++)
        for (unsigned c = 0; c < picture->channels; c++)
            /* Opaque: Cairo multiplies colours with alpha, and rounds. */
            *out++ = c == 3 ? 255 : byte_at(picture, x, y, c);
}

struct reader {
    const unsigned char *bytes;
    size_t at, size;
};

static cairo_status_t feed(void *user, unsigned char *out, unsigned size)
{
    struct reader *reader = user;
    if (size > reader->size - reader->at)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(out, reader->bytes + reader->at, size);
    reader->at += size;
    return CAIRO_STATUS_SUCCESS;
}

static void check(uint32_t width, uint32_t height, bool alpha, unsigned noise,
                  struct weft_job *job)
{
    struct picture picture = { width, alpha ? 4 : 3, noise };
    size_t size;
    unsigned char *bytes = weft_png_encode(
        &(struct weft_png){ width, height, alpha, row, &picture, job }, &size);
    struct reader reader = { bytes, 0, size };
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(feed, &reader);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    assert_int_equal(reader.at, size); /* nothing follows the end */
    assert_int_equal(cairo_image_surface_get_width(surface), width);
    assert_int_equal(cairo_image_surface_get_height(surface), height);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t pixel, wanted = 0;
            memcpy(&pixel, data + y * stride + 4 * (size_t)x, 4);
            for (unsigned c = 0; c < 3; c++)
                wanted = wanted << 8 | byte_at(&picture, x, y, c);
            assert_int_equal(pixel & 0xffffff, wanted);
        }
    cairo_surface_destroy(surface);
    free(bytes);
}

static void test_pixels_come_back(void **state)
{
    (void)state;
    static const uint32_t sides[] = { 1, 2, 3, 17, 256, 1001 };
    for (size_t w = 0; w < sizeof sides / sizeof *sides; w++)
        for (size_t h = 0; h < sizeof sides / sizeof *sides; h++)
            for (unsigned kind = 0; kind < 4; kind++)
                check(sides[w], sides[h], kind & 1, kind >> 1, NULL);
}

/* Pictures that are compressed at once and in steps, below and above the limit between. */
static void test_pixels_come_back_to_who_may_leave(void **state)
{
    (void)state;
    struct weft_job job = { 0 };
    for (unsigned kind = 0; kind < 4; kind++) {
        check(31, 17, kind & 1, kind >> 1, &job);
        check(2003, 2100, kind & 1, kind >> 1, &job);
    }
}

static void leave_in_the_middle(struct weft_job *job, void *user)
{
    int *rows = user;
    if (++*rows == 1000)
        atomic_store(&job->cancelled, true);
}

static void test_who_leaves_ends_the_work(void **state)
{
    (void)state;
    int rows = 0;
    struct weft_job job = { .progress = leave_in_the_middle, .user = &rows };
    struct picture picture = { 3000, 3, 1 };
    size_t size;
    assert_null(weft_png_encode(
        &(struct weft_png){ 3000, 3000, false, row, &picture, &job }, &size));
    assert_int_equal(rows, 1000); /* no row is made after that */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels_come_back),
        cmocka_unit_test(test_pixels_come_back_to_who_may_leave),
        cmocka_unit_test(test_who_leaves_ends_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
