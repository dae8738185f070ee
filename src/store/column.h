/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of a block: up to WEFT_BLOCK_ROWS integers, minus their minimum, in as few bytes
 * each as the largest needs; or doubles as they are.  See format/store_layout.h.
 */
#ifndef WEFT_STORE_COLUMN_H
#define WEFT_STORE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/store_layout.h"

/* The greatest size of an encoded column. */
enum { WEFT_COLUMN_MAX = sizeof(struct weft_column_header) + 8 * WEFT_BLOCK_ROWS };

/* Returns the checksum of a block: the low half of XXH3. */
uint32_t weft_checksum(const void *bytes, size_t size);

/* Returns the fewest of 0, 1, 2, 4, 8 bytes that hold VALUE. */
unsigned weft_width_of(uint64_t value);

/* Writes VALUES, WIDTH bytes each, padded to 8; returns the bytes written. */
size_t weft_pack(unsigned char *out, const uint64_t *values, size_t n, unsigned width);
/* Reads what weft_pack() wrote: weft_packed_size() bytes at IN, which is aligned to 8. */
void weft_unpack(const unsigned char *in, uint64_t *values, size_t n, unsigned width);
static inline size_t weft_packed_size(size_t n, unsigned width)
{
    return (n * width + 7) & ~(size_t)7;
}

/* Write one column with its header; return the bytes written. */
size_t weft_column_encode(unsigned char *out, const int64_t *values, size_t n);
size_t weft_column_encode_reals(unsigned char *out, const double *values, size_t n);

/*
 * Decodes the column at IN, which is aligned to 8 and where LEFT bytes are readable, into N
 * integers (doubles: their bits).  *REALS, unless REALS is NULL, becomes true for doubles.
 * Returns the bytes that the column takes, or 0 if it is damaged.
 */
size_t weft_column_decode(const unsigned char *in, size_t left, int64_t *values, size_t n,
                          bool *reals);

/* Returns the bytes that the column of N cells at IN takes, or 0 if it is damaged. */
size_t weft_column_size(const unsigned char *in, size_t left, size_t n);
/* Reads one integer of a column that weft_column_size() accepted. */
int64_t weft_column_cell(const unsigned char *in, size_t row);

#endif
