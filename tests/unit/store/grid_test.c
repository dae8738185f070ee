/* SPDX-License-Identifier: Apache-2.0 */
/* Grids: every cell comes back, whatever the numbers are, and damage is found. */
#include "base/memory.h"
#include "store/integer_grid.h"
#include "tests/random.h"
#include "tests/small_store.h"

/* A column of some character: constant, small, rising, wild, mostly small with a few large. */
static int64_t a_cell(unsigned character, size_t row)
{
    switch (character) {
    case 0: return 0;
    case 1: return -7;
    case 2: return (int64_t)roll(200);
    case 3: return (int64_t)(1000000 + 3 * row + roll(2));
    case 4: return (int64_t)roll(0);
    case 5: return roll(20) ? (int64_t)roll(250) : (int64_t)roll(1ull << 50);
    case 6: return roll(2) ? INT64_MIN : INT64_MAX;
    case 7: return roll(40) ? -1 : (int64_t)roll(70000);
    case 8: return (int64_t)(UINT64_C(1) << roll(63)) - 1;
    default: return (int64_t)roll(3) - 1;
    }
}
enum { CHARACTERS = 10 };

static void cells_come_back(void **state)
{
    (void)state;
    int64_t(*cells)[WEFT_BLOCK_ROWS] = weft_alloc(WEFT_GRID_COLUMNS * sizeof *cells);
    unsigned char *block = weft_alloc(WEFT_GRID_MAX);
    for (int round = 0; round < 3000; round++) {
        size_t n = round % 5 ? 1 + roll(WEFT_BLOCK_ROWS) : WEFT_BLOCK_ROWS;
        size_t columns = roll(WEFT_GRID_COLUMNS + 1);
        for (size_t c = 0; c < columns; c++) {
            unsigned character = (unsigned)roll(CHARACTERS);
            for (size_t i = 0; i < n; i++)
                cells[c][i] = a_cell(character, i);
        }
        size_t size = weft_grid_encode(block, cells, columns, n);
        assert_true(size <= WEFT_GRID_MAX && size % 8 == 0);
        assert_true(weft_grid_fits(block, size));
        /* The bytes alone, so that a sanitizer sees what is read behind them. */
        unsigned char *exact = weft_alloc(size);
        memcpy(exact, block, size);
        assert_int_equal(weft_grid_block_rows(exact), n);
        for (size_t c = 0; c < columns; c++)
            for (size_t i = 0; i < n; i++)
                assert_int_equal(weft_grid_cell(exact, c, i), cells[c][i]);
        for (size_t c = 0; c <= columns; c++) {
            size_t asked =
                roll(WEFT_BLOCK_ROWS + 1); /* of rows that are not there, zeros */
            int64_t column[WEFT_BLOCK_ROWS];
            weft_grid_column(exact, c, asked, column);
            for (size_t i = 0; i < asked; i++)
                assert_int_equal(column[i], c < columns && i < n ? cells[c][i] : 0);
        }
        assert_int_equal(weft_grid_cell(exact, columns, 0), 0);
        assert_int_equal(weft_grid_cell(exact, 0, n), 0);
        free(exact);
    }
    free(block);
    free(cells);
}

/* Whatever a block holds, when it fits, cells lie within it (for sanitizers). */
static void any_block_that_fits_can_be_asked(void **state)
{
    (void)state;
    int64_t(*cells)[WEFT_BLOCK_ROWS] = weft_alloc(WEFT_GRID_COLUMNS * sizeof *cells);
    unsigned char *block = weft_alloc(WEFT_GRID_MAX);
    unsigned fitting = 0;
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + roll(60), columns = 1 + roll(6);
        for (size_t c = 0; c < columns; c++)
            for (size_t i = 0; i < n; i++)
                cells[c][i] = a_cell((unsigned)roll(CHARACTERS), i);
        size_t size = weft_grid_encode(block, cells, columns, n);
        for (uint64_t left = 1 + roll(3); left; left--)
            block[roll(8 + 16 * columns)] = (unsigned char)roll(256);
        size = roll(4) ? size : roll(size);
        unsigned char *exact = weft_alloc(size + 1);
        memcpy(exact, block, size);
        bool fits = weft_grid_fits(exact, size);
        fitting += fits;
        for (size_t c = 0; fits && c < WEFT_GRID_COLUMNS; c++)
            for (size_t i = 0; i < WEFT_BLOCK_ROWS; i++)
                (void)weft_grid_cell(exact, c, i);
        for (size_t c = 0; fits && c < WEFT_GRID_COLUMNS; c++) {
            int64_t column[WEFT_BLOCK_ROWS];
            weft_grid_column(exact, c, WEFT_BLOCK_ROWS, column);
            for (size_t i = 0; i < WEFT_BLOCK_ROWS; i++)
                assert_int_equal(column[i], weft_grid_cell(exact, c, i));
        }
        free(exact);
    }
    assert_true(fitting > 1000);
    free(block);
    free(cells);
}

enum { ROWS = 1000 };

static void rows_are_kept_and_checked(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-grid-test.XXXXXX";
    struct weft_err err;
    struct weft_builder *b = small_store_begin(path);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t cells[] = { i * i, -i, 5 };
        weft_builder_grid_row(b, WEFT_GRID_DAG_NODES, cells, i < 300 ? 2 : 3);
        if (i % 3 == 0)
            weft_builder_grid_row(b, WEFT_GRID_DAG_DETAILS, &i, 1);
    }
    assert_true(weft_builder_finish(b, NULL, &err));
    uint64_t offset = 0;
    for (int damaged = 0; damaged < 2; damaged++) {
        struct weft_trace *trace = weft_trace_open(path, &err);
        assert_non_null(trace);
        const struct weft_source *source = weft_trace_source(trace);
        assert_int_equal(source->ops->grid_rows(source, WEFT_GRID_DAG_NODES), ROWS);
        assert_int_equal(source->ops->grid_rows(source, WEFT_GRID_DAG_DETAILS), 334);
        assert_int_equal(source->ops->grid_rows(source, WEFT_GRID_DAG_LAYOUT), 0);
        assert_null(source->ops->grid_block(source, WEFT_GRID_DAG_NODES, 4));
        for (int64_t i = 0; i < ROWS; i++) {
            const unsigned char *block = source->ops->grid_block(
                source, WEFT_GRID_DAG_NODES, (uint64_t)i / WEFT_BLOCK_ROWS);
            size_t row = (size_t)i % WEFT_BLOCK_ROWS;
            if (damaged && i / WEFT_BLOCK_ROWS == 1) {
                assert_null(block);
                continue;
            }
            assert_int_equal(weft_grid_cell(block, 0, row), i * i);
            assert_int_equal(weft_grid_cell(block, 1, row), -i);
            assert_int_equal(weft_grid_cell(block, 2, row), i < 300 ? 0 : 5);
        }
        struct weft_damage damage[4];
        assert_int_equal(source->ops->damage(source, 0, damage, 4), damaged);
        if (damaged) {
            assert_int_equal(damage[0].what, WEFT_DAMAGED_GRID);
            assert_int_equal(damage[0].offset, offset);
            assert_int_equal(weft_trace_verify(trace, NULL), 1);
        } else {
            /* Where the second block lies, for the next round. */
            const unsigned char *first =
                source->ops->grid_block(source, WEFT_GRID_DAG_NODES, 0);
            const unsigned char *second =
                source->ops->grid_block(source, WEFT_GRID_DAG_NODES, 1);
            FILE *file = fopen(path, "r+b");
            offset = WEFT_STORE_HEADER_SIZE + (uint64_t)(second - first);
            fseek(file, (long)offset + 40, SEEK_SET);
            putc(second[40] ^ 1, file);
            fclose(file);
        }
        weft_trace_close(trace);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_back),
        cmocka_unit_test(any_block_that_fits_can_be_asked),
        cmocka_unit_test(rows_are_kept_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
