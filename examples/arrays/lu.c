/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LU decomposition in blocks, without pivoting, a step for each column of blocks.
 *
 * By itself it says where its array is, and is compiled with hooks:
 *
 *     cc -O1 -g -fsanitize=thread -c lu.c
 *     cc lu.o -lweft-array -o lu
 *     weft record --with arrays -o lu.weft -- ./lu
 *
 * With -DANNOTATED each statement says what it reads and writes by TRACE; both count the same.
 */
#include <stdio.h>

#include "weft/weft_array.h"

enum { SIDE = 48, BLOCK = 8 };

static double A[SIDE][SIDE];

#ifdef ANNOTATED
static int now; /* step */
# define REFERS(row, column, i, j, operation) TRACE(now, row, column, i, i, j, j, operation)
# define STEP_DONE()                          now++
#else
# define REFERS(row, column, i, j, operation) (void)0
# define STEP_DONE()                          weft_array_step()
#endif

/* A[i][k] = A[i][k] / A[k][k] */
static void divide(int i, int k)
{
    A[i][k] = A[i][k] / A[k][k];
    REFERS(i, k, i, k, 0);
    REFERS(i, k, k, k, 0);
    REFERS(i, k, i, k, 1);
}

/* A[i][j] = A[i][j] - A[i][k] * A[k][j], for columns from FIRST to before AFTER */
static void subtract(int i, int k, int first, int after)
{
    for (int j = first; j < after; j++) {
        A[i][j] = A[i][j] - A[i][k] * A[k][j];
        REFERS(i, j, i, j, 0);
        REFERS(i, j, i, k, 0);
        REFERS(i, j, k, j, 0);
        REFERS(i, j, i, j, 1);
    }
}

/* The columns of a block, below the diagonal, too. */
static void factor_columns(int first)
{
    for (int k = first; k < first + BLOCK; k++)
        for (int i = k + 1; i < SIDE; i++) {
            divide(i, k);
            subtract(i, k, k + 1, first + BLOCK);
        }
}

/* The rows of the block, right of it. */
static void solve_rows(int first)
{
    for (int k = first; k < first + BLOCK; k++)
        for (int i = k + 1; i < first + BLOCK; i++)
            subtract(i, k, first + BLOCK, SIDE);
}

/* A block of the rest. */
static void update_block(int first, int row, int column)
{
    for (int i = row; i < row + BLOCK; i++)
        for (int k = first; k < first + BLOCK; k++)
            subtract(i, k, column, column + BLOCK);
}

static void decompose(void)
{
    for (int first = 0; first < SIDE; first += BLOCK) {
        factor_columns(first);
        solve_rows(first);
        for (int row = first + BLOCK; row < SIDE; row += BLOCK)
            for (int column = first + BLOCK; column < SIDE; column += BLOCK)
                update_block(first, row, column);
        STEP_DONE();
    }
}

int main(void)
{
    double product = 1;

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            A[i][j] = i == j ? 2 : 1.0 / (1 + i + j);
    weft_array("A", 2, (const size_t[]){ SIDE, SIDE });
#ifndef ANNOTATED
    weft_array_at(A, sizeof A[0][0]);
#endif
    decompose();
#ifndef ANNOTATED
    weft_array_at(NULL, 0); /* what follows is not recorded */
#endif
    for (int i = 0; i < SIDE; i++)
        product *= A[i][i];
    printf("determinant %.6g\n", product);
    return product > 0 ? 0 : 1;
}
