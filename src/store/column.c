/* SPDX-License-Identifier: Apache-2.0 */
#include "store/column.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t weft_checksum(const void *bytes, size_t size)
{
    return (uint32_t)XXH3_64bits(bytes, size);
}

unsigned weft_width_of(uint64_t value)
{
    return value == 0            ? 0
           : value <= UINT8_MAX  ? 1
           : value <= UINT16_MAX ? 2
           : value <= UINT32_MAX ? 4
                                 : 8;
}

size_t weft_pack(unsigned char *out, const uint64_t *values, size_t n, unsigned width)
{
    size_t size = weft_packed_size(n, width);
    if (size)
        memset(out + size - 8, 0, 8);
    switch (width) {
    case 1:
        for (size_t i = 0; i < n; i++)
            out[i] = (uint8_t)values[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            memcpy(out + 2 * i, &(uint16_t){ (uint16_t)values[i] }, 2);
        break;
    case 4:
        for (size_t i = 0; i < n; i++)
            memcpy(out + 4 * i, &(uint32_t){ (uint32_t)values[i] }, 4);
        break;
    case 8: memcpy(out, values, 8 * n); break;
    }
    return size;
}

void weft_unpack(const unsigned char *in, uint64_t *values, size_t n, unsigned width)
{
    in = __builtin_assume_aligned(in, 8);
    switch (width) {
    case 1:
        for (size_t i = 0; i < n; i++)
            values[i] = in[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            values[i] = ((const uint16_t *)(const void *)in)[i];
        break;
    case 4:
        for (size_t i = 0; i < n; i++)
            values[i] = ((const uint32_t *)(const void *)in)[i];
        break;
    case 8: memcpy(values, in, 8 * n); break;
    default: memset(values, 0, 8 * n); break;
    }
}

size_t weft_column_encode(unsigned char *out, const int64_t *values, size_t n)
{
    int64_t low = values[0], high = values[0];
    for (size_t i = 1; i < n; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    uint64_t rest[WEFT_BLOCK_ROWS];
    for (size_t i = 0; i < n; i++)
        rest[i] = (uint64_t)values[i] - (uint64_t)low;
    struct weft_column_header header = { low, weft_width_of((uint64_t)high - (uint64_t)low),
                                         0 };
    memcpy(out, &header, sizeof header);
    return sizeof header + weft_pack(out + sizeof header, rest, n, header.width);
}

size_t weft_column_encode_reals(unsigned char *out, const double *values, size_t n)
{
    int64_t whole[WEFT_BLOCK_ROWS];
    bool all_whole = true;
    for (size_t i = 0; i < n && all_whole; i++) {
        all_whole = values[i] > -9e15 && values[i] < 9e15;
        if (!all_whole)
            break;
        whole[i] = (int64_t)values[i];
        /* -0.0 would come back as 0.0. */
        all_whole = (double)whole[i] == values[i] && !(whole[i] == 0 && 1 / values[i] < 0);
    }
    if (all_whole) {
        size_t size = weft_column_encode(out, whole, n);
        struct weft_column_header header;
        memcpy(&header, out, sizeof header);
        if (header.width < 8) {
            header.kind = 2;
            memcpy(out, &header, sizeof header);
            return size;
        }
    }
    struct weft_column_header header = { 0, 8, 1 };
    memcpy(out, &header, sizeof header);
    memcpy(out + sizeof header, values, 8 * n);
    return sizeof header + 8 * n;
}

size_t weft_column_size(const unsigned char *in, size_t left, size_t n)
{
    struct weft_column_header header;
    if (left < sizeof header)
        return 0;
    memcpy(&header, in, sizeof header);
    if (header.width > 8 || (header.width & (header.width - 1)) || header.kind > 2)
        return 0;
    size_t size = sizeof header + weft_packed_size(n, header.width);
    return size <= left ? size : 0;
}

size_t weft_column_decode(const unsigned char *in, size_t left, int64_t *values, size_t n,
                          bool *reals)
{
    struct weft_column_header header;
    size_t size = weft_column_size(in, left, n);
    if (!size)
        return 0;
    memcpy(&header, in, sizeof header);
    uint64_t *bits = (uint64_t *)values;
    weft_unpack(in + sizeof header, bits, n, header.width);
    if (header.kind != 1)
        for (size_t i = 0; i < n; i++)
            bits[i] += (uint64_t)header.minimum;
    if (header.kind == 2)
        for (size_t i = 0; i < n; i++) {
            double real = (double)values[i];
            memcpy(&values[i], &real, sizeof real);
        }
    if (reals)
        *reals = header.kind != 0;
    return size;
}

int64_t weft_column_cell(const unsigned char *in, size_t row)
{
    struct weft_column_header header;
    memcpy(&header, in, sizeof header);
    uint64_t rest = 0;
    memcpy(&rest, in + sizeof header + row * header.width, header.width);
    return (int64_t)(rest + (uint64_t)header.minimum);
}
