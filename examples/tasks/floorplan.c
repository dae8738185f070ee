/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest rectangle that holds N cells, each of which lies beside or below the one before it
 * and may be turned: branch and bound, a task for each way to lay down the next cell.  How many
 * tasks there are depends on how early a good plan is found.
 */
#include <string.h>

#include "tasks.h"

enum { MOST = 16, BOARD = 48 };

struct plan {
    int height, width; /* of what is laid down */
    int top[MOST], left[MOST], rows[MOST], columns[MOST];
    char taken[BOARD][BOARD];
};

static int cells[MOST][2], n_cells, best;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool lay_down(struct plan *plan, int cell, int top, int left, int turned)
{
    int rows = cells[cell][turned], columns = cells[cell][!turned];

    if (top + rows > BOARD || left + columns > BOARD)
        return false;
    for (int i = top; i < top + rows; i++)
        for (int j = left; j < left + columns; j++)
            if (plan->taken[i][j])
                return false;
    for (int i = top; i < top + rows; i++)
        memset(plan->taken[i] + left, 1, (size_t)columns);
    plan->top[cell] = top;
    plan->left[cell] = left;
    plan->rows[cell] = rows;
    plan->columns[cell] = columns;
    plan->height = larger(plan->height, top + rows);
    plan->width = larger(plan->width, left + columns);
    return true;
}

static int best_so_far(void)
{
    int area;

#pragma omp atomic read
    area = best;
    return area;
}

static void improve(int area)
{
#pragma omp critical(best_plan)
    if (area < best) {
#pragma omp atomic write
        best = area;
    }
}

/* Lay down the cell in one way, and all that follow in all. */
static void extend(const struct plan *plan, int cell, int way, bool tasks);

static void extend_all(const struct plan *plan, int cell, bool tasks)
{
    for (int way = 0; way < 4; way++) {
        if (!tasks) {
            extend(plan, cell, way, false);
            continue;
        }
        count_task();
#pragma omp task firstprivate(cell, way) shared(plan)
        extend(plan, cell, way, true);
    }
#pragma omp taskwait
}

static void extend(const struct plan *plan, int cell, int way, bool tasks)
{
    struct plan next = *plan;
    bool beside = way & 1;
    int last = cell - 1;
    int top = beside ? plan->top[last] : plan->top[last] + plan->rows[last];
    int left = beside ? plan->left[last] + plan->columns[last] : plan->left[last];

    if (!lay_down(&next, cell, top, left, way >> 1))
        return;
    if (next.height * next.width >= best_so_far())
        return;
    if (cell + 1 == n_cells)
        improve(next.height * next.width);
    else
        extend_all(&next, cell + 1, tasks);
}

static int search(bool tasks)
{
    struct plan plan = { 0 };

    best = BOARD * BOARD + 1;
    (void)lay_down(&plan, 0, 0, 0, 0);
    if (n_cells == 1)
        return plan.height * plan.width;
    extend_all(&plan, 1, tasks);
    return best;
}

int main(int argc, char **argv)
{
    int result = 0;

    n_cells = size_of(argc, argv, 8);
    if (n_cells < 1 || n_cells > MOST)
        return 2;
    for (int i = 0; i < n_cells; i++) {
        cells[i][0] = 1 + (int)(mix((uint64_t)(2 * i)) % 5);
        cells[i][1] = 1 + (int)(mix((uint64_t)(2 * i + 1)) % 5);
    }
#pragma omp parallel
#pragma omp single
    result = search(true);
    return report("floorplan", n_cells, result, result == search(false));
}
