/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write_row_blocks.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/column.h"

enum { MAX_COLUMNS = 4 };

void weft_row_blocks_begin(struct weft_row_blocks *out, struct weft_writer *writer)
{
    *out = (struct weft_row_blocks){ .writer = writer };
    out->begin = weft_writer_append(writer, NULL, 0);
    out->scratch =
        weft_alloc(sizeof(struct weft_rows_header) + MAX_COLUMNS * WEFT_COLUMN_MAX);
}

void weft_row_blocks_add(struct weft_row_blocks *out, struct weft_file_block entry,
                         int64_t columns[][WEFT_BLOCK_ROWS], size_t n_columns, size_t n,
                         uint32_t form)
{
    WEFT_REQUIRE(n_columns <= MAX_COLUMNS && n && n <= WEFT_BLOCK_ROWS, "%zu rows", n);
    struct weft_rows_header header = { (uint16_t)n, (uint16_t)n_columns, form };
    memcpy(out->scratch, &header, sizeof header);
    size_t size = sizeof header;
    for (size_t c = 0; c < n_columns; c++)
        size += weft_column_encode(out->scratch + size, columns[c], n);
    entry.n = (uint16_t)n;
    entry.offset = weft_writer_append(out->writer, out->scratch, size);
    entry.checksum = weft_checksum(out->scratch, size);
    out->blocks = weft_grow(out->blocks, &out->capacity, out->n + 1, sizeof *out->blocks);
    out->blocks[out->n++] = entry;
}

struct weft_file_section weft_write_table(struct weft_writer *writer, const void *bytes,
                                          size_t size)
{
    uint64_t at = weft_writer_append(writer, bytes, size);
    return (struct weft_file_section){ at, size, size ? XXH3_64bits(bytes, size) : 0 };
}

void weft_row_blocks_end(struct weft_row_blocks *out, struct weft_file_section *rows,
                         struct weft_file_section *directory)
{
    /* Each block has a checksum of its own in the directory. */
    *rows = (struct weft_file_section){ out->begin,
                                        weft_writer_offset(out->writer) - out->begin, 0 };
    *directory = weft_write_table(out->writer, out->blocks, out->n * sizeof *out->blocks);
    free(out->blocks);
    free(out->scratch);
}
