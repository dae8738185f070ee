/* SPDX-License-Identifier: Apache-2.0 */
#include "model/network_distance.h"

#include <stdlib.h>
#include <string.h>

enum weft_distance_kind weft_distance_find(const char *name)
{
    const char *choice = WEFT_DISTANCE_CHOICES;
    for (unsigned kind = 0; kind < WEFT_DISTANCE_KINDS; kind++) {
        size_t length = strcspn(choice, "|");
        if (strlen(name) == length && memcmp(name, choice, length) == 0)
            return kind;
        choice += length + (choice[length] == '|');
    }
    return WEFT_DISTANCE_KINDS;
}

static uint32_t at_least(uint32_t n, uint32_t parts)
{
    return n / parts + (n % parts != 0);
}

static struct weft_grid squarest(uint32_t n)
{
    uint32_t side = 1, divisor = 1;
    while ((uint64_t)side * side < n)
        side++;
    for (uint32_t rows = 1; (uint64_t)rows * rows <= n; rows++)
        if (n % rows == 0)
            divisor = rows;
    /*
     * A grid without empty places is better than a square one, unless it is a narrow strip.
     */
    if (n && n / divisor <= 2 * divisor)
        return (struct weft_grid){ divisor, n / divisor, false };
    return (struct weft_grid){ at_least(n ? n : 1, side), side, false };
}

/* Returns the smallest grid with about ROWS rows for each COLUMNS columns. */
static struct weft_grid shaped(uint32_t n, uint64_t rows, uint64_t columns)
{
    struct weft_grid grid = { 1, 1, false };
    while ((uint64_t)grid.rows * grid.columns < n) {
        if (grid.rows * columns < grid.columns * rows)
            grid.rows++;
        else
            grid.columns++;
    }
    return grid;
}

bool weft_grid_parse(uint32_t n, const char *aspect, bool by_column, struct weft_grid *grid,
                     struct weft_err *err)
{
    enum { MAX_SIDE = 1000000 }; /* more rows or columns than any machine has processors */
    *grid = squarest(n);
    grid->by_column = by_column;
    if (strcmp(aspect, "auto") == 0)
        return true;
    char *end;
    unsigned long rows = strtoul(aspect, &end, 10), columns = 0;
    char between = *end;
    bool good = end != aspect && (between == 'x' || between == ':') && end[1] >= '0'
                && end[1] <= '9' && aspect[0] >= '0' && aspect[0] <= '9';
    if (good)
        columns = strtoul(end + 1, &end, 10);
    if (!good || *end || !rows || !columns || rows > MAX_SIDE || columns > MAX_SIDE)
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "'%.40s' is no shape of a mesh: ROWSxCOLUMNS, such as 4x8, a ratio "
            "such as 1:2, or auto",
            aspect);
    if (between == ':')
        *grid = shaped(n, rows, columns);
    else if (rows * columns < n)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "a mesh of %lux%lu has %lu places for %u processors", rows,
                         columns, rows * columns, n);
    else
        *grid = (struct weft_grid){ (uint32_t)rows, (uint32_t)columns, false };
    grid->by_column = by_column;
    return true;
}

struct weft_place_on_grid weft_grid_place(const struct weft_grid *grid, uint32_t processor)
{
    if (grid->by_column)
        return (struct weft_place_on_grid){ processor % grid->rows,
                                            processor / grid->rows };
    return (struct weft_place_on_grid){ processor / grid->columns,
                                        processor % grid->columns };
}

/* Returns the distance of two places on a line, or the shorter way round (RING). */
static uint32_t along(uint32_t a, uint32_t b, uint32_t length, bool ring)
{
    uint32_t way = a < b ? b - a : a - b;
    return ring && length - way < way ? length - way : way;
}

/*
 * Goes up from the later of the two until they meet: a parent has a lower number than its
 * child.
 */
static uint32_t in_tree(uint32_t a, uint32_t b, uint32_t children)
{
    uint32_t hops = 0;
    for (; a != b; hops++) {
        if (a > b)
            a = (a - 1) / children;
        else
            b = (b - 1) / children;
    }
    return hops;
}

uint32_t weft_distance_of(const struct weft_distance *distance, uint32_t a, uint32_t b)
{
    bool ring = distance->kind == WEFT_DISTANCE_TORUS_1D
                || distance->kind == WEFT_DISTANCE_TORUS_2D;
    switch (distance->kind) {
    case WEFT_DISTANCE_HAMMING: return (uint32_t)__builtin_popcount(a ^ b);
    case WEFT_DISTANCE_MESH_1D:
    case WEFT_DISTANCE_TORUS_1D: return along(a, b, distance->n, ring);
    case WEFT_DISTANCE_MESH_2D:
    case WEFT_DISTANCE_TORUS_2D: {
        struct weft_place_on_grid x = weft_grid_place(&distance->grid, a),
                                  y = weft_grid_place(&distance->grid, b);
        return along(x.row, y.row, distance->grid.rows, ring)
               + along(x.column, y.column, distance->grid.columns, ring);
    }
    case WEFT_DISTANCE_BINARY_TREE: return in_tree(a, b, 2);
    case WEFT_DISTANCE_QUADTREE: return in_tree(a, b, 4);
    case WEFT_DISTANCE_UNIT:
    case WEFT_DISTANCE_KINDS: break;
    }
    return a != b;
}

/* Returns the levels below the root of a tree of N nodes. */
static uint32_t depth_of(uint32_t n, uint32_t children)
{
    uint32_t depth = 0;
    for (uint32_t node = n ? n - 1 : 0; node; node = (node - 1) / children)
        depth++;
    return depth;
}

uint32_t weft_distance_most(const struct weft_distance *distance)
{
    const struct weft_grid *grid = &distance->grid;
    uint32_t n = distance->n, bits = 0;
    switch (distance->kind) {
    case WEFT_DISTANCE_HAMMING:
        for (uint32_t rest = n ? n - 1 : 0; rest; rest >>= 1)
            bits++;
        return bits;
    case WEFT_DISTANCE_MESH_1D: return n ? n - 1 : 0;
    case WEFT_DISTANCE_TORUS_1D: return n / 2;
    case WEFT_DISTANCE_MESH_2D: return grid->rows + grid->columns - 2;
    case WEFT_DISTANCE_TORUS_2D: return grid->rows / 2 + grid->columns / 2;
    case WEFT_DISTANCE_BINARY_TREE: return 2 * depth_of(n, 2);
    case WEFT_DISTANCE_QUADTREE: return 2 * depth_of(n, 4);
    case WEFT_DISTANCE_UNIT:
    case WEFT_DISTANCE_KINDS: break;
    }
    return n > 1;
}
