/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of processors, and distances against searching the graphs that they are defined by. */
#include "domains/messages/model/processor_order.h"
#include "model/network_distance.h"
#include "tests/test.h"

/* ---- Orders ---- */

static void check_permutation(const struct weft_order *order)
{
    for (uint32_t q = 0; q < order->n; q++) {
        assert_true(order->position[q] < order->n);
        assert_int_equal(order->processor[order->position[q]], q);
    }
}

static unsigned bits_between(uint32_t a, uint32_t b)
{
    unsigned n = 0;
    for (uint32_t bit = 1; bit; bit <<= 1)
        n += (a & bit) != (b & bit);
    return n;
}

static void test_natural_and_gray(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_order order;
    for (uint32_t n = 1; n <= 70; n++) {
        assert_true(weft_order_make(n, "natural", &order, &err));
        for (uint32_t q = 0; q < n; q++)
            assert_int_equal(order.position[q], q);
        weft_order_free(&order);
        bool power = n == 1 || n == 2 || n == 4 || n == 8 || n == 16 || n == 32 || n == 64;
        assert_int_equal(weft_order_has_gray(n), power);
        assert_int_equal(weft_order_make(n, "gray", &order, &err), power);
        if (power) {
            check_permutation(&order);
            for (uint32_t i = 0; i < n && n > 1; i++) /* round the end, too */
                assert_int_equal(
                    bits_between(order.processor[i], order.processor[(i + 1) % n]), 1);
        } else {
            assert_int_equal(err.code, WEFT_ERR_USAGE);
        }
        weft_order_free(&order);
    }
}

static void test_file(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_order order;
    /* 3 and 1 take the places that they want; 0, 2 and 4 get 1, 2 and 4 in this order. */
    assert_true(weft_order_make(
        5, "# a file\n\n  3 0  the master \r\n1\t3\n17 2 elsewhere\n", &order, &err));
    const uint32_t expected[] = { 3, 0, 2, 1, 4 };
    assert_memory_equal(order.processor, expected, sizeof expected);
    check_permutation(&order);
    assert_string_equal(order.names[3], "the master");
    assert_null(order.names[1]);
    weft_order_free(&order);
    assert_true(weft_order_make(3, "", &order, &err));
    assert_null(order.names);
    check_permutation(&order);
    weft_order_free(&order);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "0",           "0 x",      "x 1",     "0 5",   "0 -1",
        "1 1\n2 1",    "1 1\n1 2", "0 1name", "1.5 2", "0 99999999999999999999",
        "0 4294967296"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weft_err err = { 0 };
        struct weft_order order;
        assert_false(weft_order_make(5, bad[i], &order, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
        assert_non_null(strstr(err.message, "line"));
        weft_order_free(&order);
    }
}

/* ---- Distances ---- */

enum { MAX_PROCESSORS = 80 };

static uint8_t joined[MAX_PROCESSORS][MAX_PROCESSORS];
static uint32_t n_places;

static void join(uint32_t a, uint32_t b)
{
    joined[a][b] = joined[b][a] = 1;
}

/* Where a processor is on a grid: numbered along its rows, or down its columns. */
static uint32_t place(const struct weft_grid *grid, uint32_t q)
{
    return grid->by_column ? q % grid->rows * grid->columns + q / grid->rows : q;
}

static void make_graph(const struct weft_distance *d)
{
    uint32_t n = d->n, rows = d->grid.rows, columns = d->grid.columns;
    bool ring = d->kind == WEFT_DISTANCE_TORUS_2D;
    memset(joined, 0, sizeof joined);
    n_places = n;
    if (d->kind == WEFT_DISTANCE_MESH_2D || ring) {
        n_places = rows * columns;
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++) {
                if (c + 1 < columns || ring)
                    join(r * columns + c, r * columns + (c + 1) % columns);
                if (r + 1 < rows || ring)
                    join(r * columns + c, (r + 1) % rows * columns + c);
            }
        return;
    }
    if (d->kind == WEFT_DISTANCE_HAMMING)
        while (n_places & (n_places - 1)) /* all of the cube */
            n_places++;
    for (uint32_t a = 0; a < n_places; a++)
        for (uint32_t b = 0; b < n_places; b++)
            switch (d->kind) {
            case WEFT_DISTANCE_UNIT: join(a, b); break;
            case WEFT_DISTANCE_HAMMING:
                if (bits_between(a, b) == 1)
                    join(a, b);
                break;
            case WEFT_DISTANCE_TORUS_1D:
                if ((a + 1) % n == b)
                    join(a, b);
                break;
            case WEFT_DISTANCE_MESH_1D:
                if (a + 1 == b)
                    join(a, b);
                break;
            case WEFT_DISTANCE_BINARY_TREE:
                if (b == 2 * a + 1 || b == 2 * a + 2)
                    join(a, b);
                break;
            default:
                if (b >= 4 * a + 1 && b <= 4 * a + 4)
                    join(a, b);
            }
}

/* Steps from one place to all others, by searching in breadth. */
static void search(uint32_t from, uint32_t *steps)
{
    uint32_t queue[MAX_PROCESSORS], first = 0, after = 1;
    for (uint32_t i = 0; i < n_places; i++)
        steps[i] = UINT32_MAX;
    queue[0] = from;
    steps[from] = 0;
    for (; first < after; first++)
        for (uint32_t b = 0; b < n_places; b++)
            if (joined[queue[first]][b] && steps[b] == UINT32_MAX) {
                steps[b] = steps[queue[first]] + 1;
                queue[after++] = b;
            }
}

static void check_distances(const struct weft_distance *d)
{
    bool grid = d->kind == WEFT_DISTANCE_MESH_2D || d->kind == WEFT_DISTANCE_TORUS_2D;
    uint32_t steps[MAX_PROCESSORS];
    make_graph(d);
    for (uint32_t a = 0; a < d->n; a++) {
        search(grid ? place(&d->grid, a) : a, steps);
        for (uint32_t b = 0; b < d->n; b++) {
            assert_int_equal(weft_distance_of(d, a, b),
                             steps[grid ? place(&d->grid, b) : b]);
            assert_true(weft_distance_of(d, a, b) <= weft_distance_most(d));
        }
    }
}

static void test_distances(void **state)
{
    (void)state;
    static const char *const aspects[] = { "auto", "1:1", "1:2", "3:1", "8x10", "40x2" };
    struct weft_err err;
    for (uint32_t n = 1; n <= 40; n++)
        for (unsigned kind = 0; kind < WEFT_DISTANCE_KINDS; kind++)
            for (size_t i = 0; i < 2 * sizeof aspects / sizeof *aspects; i++) {
                struct weft_distance d = { .kind = kind, .n = n };
                assert_true(weft_grid_parse(n, aspects[i / 2], i % 2, &d.grid, &err));
                assert_true(d.grid.rows * d.grid.columns >= n);
                if (d.grid.rows * d.grid.columns <= MAX_PROCESSORS)
                    check_distances(&d);
            }
}

static void test_grids(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        const char *aspect;
        uint32_t rows, columns;
    } good[] = {
        { 16, "auto", 4, 4 }, { 8, "auto", 2, 4 }, { 7, "auto", 3, 3 },
        { 12, "auto", 3, 4 }, { 1, "auto", 1, 1 }, { 512, "auto", 16, 32 },
        { 16, "2x8", 2, 8 },  { 10, "4x3", 4, 3 }, { 16, "1:4", 2, 8 },
        { 16, "1:1", 4, 4 },
    };
    static const char *const bad[] = {
        "",    "4",    "4x",   "x4",    "4x3",           "0x5",
        "5x0", "4 x4", "4x4x", "-4x-4", "99999999999x9", "4;4",
        "0:1"
    };
    struct weft_grid grid;
    struct weft_err err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(weft_grid_parse(good[i].n, good[i].aspect, false, &grid, &err));
        assert_int_equal(grid.rows, good[i].rows);
        assert_int_equal(grid.columns, good[i].columns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(weft_grid_parse(16, bad[i], false, &grid, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(weft_distance_find("unit"), WEFT_DISTANCE_UNIT);
    assert_int_equal(weft_distance_find("torus-2d"), WEFT_DISTANCE_TORUS_2D);
    assert_int_equal(weft_distance_find("quadtree"), WEFT_DISTANCE_QUADTREE);
    assert_int_equal(weft_distance_find("torus"), WEFT_DISTANCE_KINDS);
    assert_int_equal(weft_distance_find(""), WEFT_DISTANCE_KINDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_natural_and_gray),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
