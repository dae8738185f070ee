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

/* The greatest size of an encoded column, in bytes, with its header. */
enum { WEFT_COLUMN_MAX = sizeof(struct weft_column_header) + 8 * WEFT_BLOCK_ROWS };

/* Returns the checksum of SIZE bytes, as of a block: the low 32 bits of XXH3's 64. */
uint32_t weft_checksum(const void *bytes, size_t size);

/* Returns the fewest of 0, 1, 2, 4, 8 bytes that hold VALUE. */
unsigned weft_width_of(uint64_t value);

/*
 * Writes the low WIDTH bytes (0, 1, 2, 4 or 8) of each of N VALUES, padded with zeros to a
 * multiple of 8.  Returns the bytes written, weft_packed_size(), for which OUT has room.
 */
size_t weft_pack(unsigned char *out, const uint64_t *values, size_t n, unsigned width);
/*
 * Reads N values that weft_pack() wrote with the same N and WIDTH: weft_packed_size() bytes
 * at IN, which is aligned to 8.  WIDTH 0: they are 0.
 */
void weft_unpack(const unsigned char *in, uint64_t *values, size_t n, unsigned width);
/* Returns the bytes that N values of WIDTH bytes take, padded to a multiple of 8. */
static inline size_t weft_packed_size(size_t n, unsigned width)
{
    return (n * width + 7) & ~(size_t)7;
}

/*
 * Writes a column of N integers, 1 to WEFT_BLOCK_ROWS, with its header.  OUT has room for
 * WEFT_COLUMN_MAX bytes.  Returns the bytes written, a multiple of 8.
 */
size_t weft_column_encode(unsigned char *out, const int64_t *values, size_t n);
/*
 * Writes a column of N doubles, 1 to WEFT_BLOCK_ROWS, with its header: as integers if all
 * are whole, below 9 * 10^15 in size, not -0, and that is shorter.  OUT has room for
 * WEFT_COLUMN_MAX bytes.  Returns the bytes written, a multiple of 8.
 */
size_t weft_column_encode_reals(unsigned char *out, const double *values, size_t n);

/*
 * Decodes the column at IN, which is aligned to 8 and where LEFT bytes are readable, into N
 * integers (doubles: their bits); N is the number of rows that was encoded.  *REALS, unless
 * REALS is NULL, becomes true for doubles, else false.  Returns the bytes that the column
 * takes; 0, and VALUES and *REALS unchanged, if it is damaged or takes more than LEFT.
 */
size_t weft_column_decode(const unsigned char *in, size_t left, int64_t *values, size_t n,
                          bool *reals);

/*
 * Returns the bytes that the column of N cells at IN takes, header included; 0 if it is
 * damaged or takes more than LEFT, the bytes that are readable at IN.
 */
size_t weft_column_size(const unsigned char *in, size_t left, size_t n);
/*
 * Returns the integer in row ROW of the column at IN, which weft_column_size() has accepted
 * with an N above ROW.  It must be a column of weft_column_encode(), not one of doubles.
 */
int64_t weft_column_cell(const unsigned char *in, size_t row);

#endif
