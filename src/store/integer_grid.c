/* SPDX-License-Identifier: Apache-2.0 */
#include "store/integer_grid.h"

#include "base/binary_search.h"
#include "base/err.h"

/* Returns the mask of a rest of WIDTH bytes. */
static uint64_t mask_of(unsigned width)
{
    return width ? UINT64_MAX >> (64 - 8 * width) : 0;
}

static unsigned bytes_of(uint64_t value)
{
    return value ? (unsigned)(64 - __builtin_clzll(value) + 7) / 8 : 0;
}

struct plan {
    struct weft_grid_column column;
    size_t size;                     /* of its rests, long ones included */
    uint64_t rests[WEFT_BLOCK_ROWS]; /* not yet cut to the width */
};

/* Chooses the width with which N rests take least space, some of them perhaps long. */
static void plan_width(struct plan *plan, size_t n)
{
    size_t with[9] = { 0 }; /* rests by how many bytes they need */
    for (size_t i = 0; i < n; i++)
        with[bytes_of(plan->rests[i])]++;
    size_t longer = 0;
    plan->size = SIZE_MAX;
    for (unsigned width = 9; width-- > 0;) {
        size_t size = n * width + longer * WEFT_GRID_LONG;
        if (size <= plan->size) {
            plan->size = size;
            plan->column.width = (uint8_t)width;
            plan->column.n_long = (uint16_t)longer;
        }
        longer += with[width];
    }
}

static void plan_column(struct plan *plan, const int64_t *cells, size_t n, uint64_t slope)
{
    int64_t low = cells[0];
    for (size_t i = 1; i < n; i++) {
        int64_t level = (int64_t)((uint64_t)cells[i] - slope * i);
        low = level < low ? level : low;
    }
    plan->column = (struct weft_grid_column){ .minimum = low, .slope = (uint8_t)slope };
    for (size_t i = 0; i < n; i++)
        plan->rests[i] = (uint64_t)cells[i] - slope * i - (uint64_t)low;
    plan_width(plan, n);
}

static size_t put_rests(unsigned char *out, const struct plan *plan, size_t n)
{
    unsigned width = plan->column.width;
    uint64_t mask = mask_of(width);
    unsigned char *rows = out + n * width, *rests = rows + 2 * plan->column.n_long;
    for (size_t i = 0; i < n; i++) {
        uint64_t rest = plan->rests[i];
        if (rest > mask) {
            memcpy(rows, &(uint16_t){ (uint16_t)i }, 2);
            memcpy(rests, &rest, 8);
            rows += 2;
            rests += 8;
            rest = mask;
        }
        memcpy(out + i * width, &rest, width);
    }
    return plan->size;
}

size_t weft_grid_encode(unsigned char *out, int64_t (*cells)[WEFT_BLOCK_ROWS],
                        size_t n_columns, size_t n)
{
    WEFT_REQUIRE(n && n <= WEFT_BLOCK_ROWS && n_columns <= WEFT_GRID_COLUMNS,
                 "%zu rows of %zu columns", n, n_columns);
    for (bool zero = true; n_columns && zero; n_columns -= zero)
        for (size_t i = 0; i < n && zero; i++)
            zero = cells[n_columns - 1][i] == 0;
    struct weft_grid_header header = { (uint16_t)n, (uint16_t)n_columns, 0 };
    memcpy(out, &header, sizeof header);
    size_t at = sizeof header + n_columns * sizeof(struct weft_grid_column);
    for (size_t c = 0; c < n_columns; c++) {
        struct plan flat, sloped, *best = &flat;
        plan_column(&flat, cells[c], n, 0);
        if (flat.column.width || flat.column.n_long) {
            plan_column(&sloped, cells[c], n, 1);
            best = sloped.size < flat.size ? &sloped : &flat;
        }
        best->column.offset = (uint32_t)at;
        memcpy(out + sizeof header + c * sizeof best->column, &best->column,
               sizeof best->column);
        at += put_rests(out + at, best, n);
    }
    size_t size = (at + 7) / 8 * 8 + 8;
    memset(out + at, 0, size - at);
    return size;
}

bool weft_grid_fits(const unsigned char *block, size_t size)
{
    struct weft_grid_header header;
    if (size < sizeof header)
        return false;
    memcpy(&header, block, sizeof header);
    struct weft_grid_column column;
    if (header.n > WEFT_BLOCK_ROWS || header.n_columns > WEFT_GRID_COLUMNS
        || size - sizeof header < header.n_columns * sizeof column)
        return false;
    for (size_t c = 0; c < header.n_columns; c++) {
        memcpy(&column, block + sizeof header + c * sizeof column, sizeof column);
        size_t need =
            (size_t)header.n * column.width + (size_t)column.n_long * WEFT_GRID_LONG + 8;
        if (column.width > 8 || column.slope > 1 || column.n_long > header.n
            || column.offset > size || need > size - column.offset)
            return false;
    }
    return true;
}

uint64_t weft_grid_long(const unsigned char *block, const struct weft_grid_column *column,
                        size_t n_rows, size_t row, uint64_t rest)
{
    if (rest != mask_of(column->width))
        return rest;
    const unsigned char *rows = block + column->offset + n_rows * column->width;
    uint16_t at;
    size_t i =
        WEFT_FIRST(k, 0, (size_t)column->n_long, (memcpy(&at, rows + 2 * k, 2), at >= row));
    if (i == column->n_long || (memcpy(&at, rows + 2 * i, 2), at != row))
        return rest;
    memcpy(&rest, rows + 2 * (size_t)column->n_long + 8 * i, 8);
    return rest;
}

void weft_grid_column(const unsigned char *block, size_t column, size_t n, int64_t *out)
{
    struct weft_grid_header header;
    struct weft_grid_column at;
    memcpy(&header, block, sizeof header);
    memset(out, 0, n * sizeof *out);
    if (column >= header.n_columns)
        return;
    memcpy(&at, block + sizeof header + column * sizeof at, sizeof at);
    const unsigned char *rests = block + at.offset;
    uint64_t mask = at.width ? UINT64_MAX >> (64 - 8 * at.width) : 0;
    for (size_t row = 0; row < n && row < header.n; row++) {
        uint64_t rest = 0;
        if (at.width)
            memcpy(&rest, rests + row * at.width, sizeof rest);
        rest &= mask;
        if (at.n_long)
            rest = weft_grid_long(block, &at, header.n, row, rest);
        out[row] = (int64_t)((uint64_t)at.minimum + at.slope * (uint64_t)row + rest);
    }
}
