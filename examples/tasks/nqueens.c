/* SPDX-License-Identifier: Apache-2.0 */
/* In how many ways N queens stand on a board of N x N: a task for each place in a row. */
#include <string.h>

#include "tasks.h"

enum { MOST = 16 };

static bool is_free(const char *columns, int row, int column)
{
    for (int i = 0; i < row; i++)
        if (columns[i] == column || columns[i] - column == row - i
            || column - columns[i] == row - i)
            return false;
    return true;
}

static long place(int n, int row, const char *columns)
{
    long found[MOST] = { 0 }, all = 0;

    if (row == n)
        return 1;
    for (int i = 0; i < n; i++) {
        if (!is_free(columns, row, i))
            continue;
        count_task();
#pragma omp task shared(found) firstprivate(i)
        {
            char next[MOST];
            memcpy(next, columns, (size_t)row);
            next[row] = (char)i;
            found[i] = place(n, row + 1, next);
        }
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        all += found[i];
    return all;
}

int main(int argc, char **argv)
{
    /* Sloane's A000170. */
    static const long known[MOST] = { 1,  1,   0,   0,    2,     10,    4,      40,
                                      92, 352, 724, 2680, 14200, 73712, 365596, 2279184 };
    int n = size_of(argc, argv, 9);
    char columns[MOST] = { 0 };
    long result = 0;

    if (n < 0 || n >= MOST)
        return 2;
#pragma omp parallel
#pragma omp single
    result = place(n, 0, columns);
    return report("nqueens", n, (double)result, result == known[n]);
}
