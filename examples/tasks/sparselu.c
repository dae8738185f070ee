/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LU factors of a sparse matrix of blocks: one task creates all others, those of each step in two
 * rounds.  A block that was empty comes to be when something is subtracted from it.
 */
#include <math.h>
#include <string.h>

#include "tasks.h"

enum { B = 16, MOST = 64 }; /* rows of a block, blocks in a row */

typedef double block[B][B];

static void factor(block d)
{
    for (int k = 0; k < B; k++)
        for (int i = k + 1; i < B; i++) {
            d[i][k] /= d[k][k];
            for (int j = k + 1; j < B; j++)
                d[i][j] -= d[i][k] * d[k][j];
        }
}

/* A block to the right of the diagonal's. */
static void forward(block d, block right)
{
    for (int k = 0; k < B; k++)
        for (int i = k + 1; i < B; i++)
            for (int j = 0; j < B; j++)
                right[i][j] -= d[i][k] * right[k][j];
}

/* A block below it. */
static void divide(block d, block below)
{
    for (int i = 0; i < B; i++)
        for (int k = 0; k < B; k++) {
            below[i][k] /= d[k][k];
            for (int j = k + 1; j < B; j++)
                below[i][j] -= below[i][k] * d[k][j];
        }
}

static void subtract(block below, block right, block **inner)
{
    if (!*inner)
        *inner = calloc(1, sizeof **inner);
    if (!*inner)
        abort();
    for (int i = 0; i < B; i++)
        for (int k = 0; k < B; k++)
            for (int j = 0; j < B; j++)
                (**inner)[i][j] -= below[i][k] * right[k][j];
}

static bool is_there(int i, int j, int n)
{
    return i == j || abs(i - j) == 1 || mix((uint64_t)(i * n + j)) % 4 == 0;
}

static void fill(block *blocks[MOST][MOST], int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            blocks[i][j] = is_there(i, j, n) ? malloc(sizeof(block)) : NULL;
            for (int k = 0; blocks[i][j] && k < B * B; k++)
                (*blocks[i][j])[k / B][k % B] =
                    fraction((uint64_t)((i * n + j) * B * B + k))
                    + (i == j && k / B == k % B ? 4.0 * B * n : 0);
        }
}

static void decompose(block *blocks[MOST][MOST], int n)
{
    for (int k = 0; k < n; k++) {
        factor(*blocks[k][k]);
        for (int j = k + 1; j < n; j++) {
            if (blocks[k][j]) {
                count_task();
#pragma omp task firstprivate(k, j)
                forward(*blocks[k][k], *blocks[k][j]);
            }
            if (blocks[j][k]) {
                count_task();
#pragma omp task firstprivate(k, j)
                divide(*blocks[k][k], *blocks[j][k]);
            }
        }
#pragma omp taskwait
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) {
                if (!blocks[i][k] || !blocks[k][j])
                    continue;
                count_task();
#pragma omp task firstprivate(k, i, j)
                subtract(*blocks[i][k], *blocks[k][j], &blocks[i][j]);
            }
#pragma omp taskwait
    }
}

static void decompose_alone(block *blocks[MOST][MOST], int n)
{
    for (int k = 0; k < n; k++) {
        factor(*blocks[k][k]);
        for (int j = k + 1; j < n; j++) {
            if (blocks[k][j])
                forward(*blocks[k][k], *blocks[k][j]);
            if (blocks[j][k])
                divide(*blocks[k][k], *blocks[j][k]);
        }
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                if (blocks[i][k] && blocks[k][j])
                    subtract(*blocks[i][k], *blocks[k][j], &blocks[i][j]);
    }
}

int main(int argc, char **argv)
{
    static block *by_tasks[MOST][MOST], *alone[MOST][MOST];
    int n = size_of(argc, argv, 20);
    double worst = 0, sum = 0;

    if (n < 1 || n > MOST)
        return 2;
    fill(by_tasks, n);
    fill(alone, n);
#pragma omp parallel
#pragma omp single
    decompose(by_tasks, n);
    decompose_alone(alone, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (!by_tasks[i][j] != !alone[i][j])
                worst = 1;
            for (int k = 0; by_tasks[i][j] && alone[i][j] && k < B * B; k++) {
                double one = (*by_tasks[i][j])[k / B][k % B];
                worst = fmax(worst, fabs(one - (*alone[i][j])[k / B][k % B]));
                sum += one;
            }
            free(by_tasks[i][j]);
            free(alone[i][j]);
        }
    return report("sparselu", n, sum, worst == 0);
}
