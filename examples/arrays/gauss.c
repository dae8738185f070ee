/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian elimination with TRACE calls, as in figures 5.2 and 5.3 of S. T. Hackstadt and
 * A. D. Malony, "Data Distribution Visualization (DDV) for Performance Evaluation", CIS-TR-93-21,
 * whose loops are filled in here.  It is sequential, and says what would happen in parallel: who
 * owns an element computes for it.
 *
 *     weft record -o gauss.weft -- gauss
 *     weft render array-grid gauss.weft --set array=B --set distribution=gauss.hpf --set step=22
 *
 *     gauss            as the report: in the row additions, the element of the pivot's row is
 *                      named as the owner (the right hand side of the assignment)
 *     gauss strict     the element that is assigned is the owner: no write is ever remote
 *     gauss ... both   traces the augmentation M, too, a second array (gauss_both.hpf)
 *
 * A time step is one operation on a row: 55 forward, 45 back.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "weft/weft_array.h"

enum { MAX = 10 };

static double B[MAX][MAX], M[MAX][MAX], original[MAX][MAX];
static int Time;
static bool strict, both;
static int b, m; /* the arrays' numbers */

/* What the processor of the element (row, col) of the array WHOSE does with one of OF. */
static void refer(int whose, int row, int col, int of, int i, int j, int operation)
{
    const size_t owner[2] = { (size_t)row, (size_t)col };
    const size_t element[2] = { (size_t)i, (size_t)j };

    weft_array_reference(Time, whose, owner, of, element, element, operation);
}

/* Make the element (j, j) equal to 1. */
static void scale_row(int j)
{
    double c = 1.0 / B[j][j];

    for (int col = 0; col < MAX; col++) {
        /* scalar mult. the elements of row */
        B[j][col] = c * B[j][col];

        /* each owner reads a copy of B[j,j], reads its own copy of B[j,col], and writes it */
        TRACE(Time, j, col, j, j, j, j, 0);
        TRACE(Time, j, col, j, j, col, col, 0);
        TRACE(Time, j, col, j, j, col, col, 1);

        /* do the same to the augmentation */
        M[j][col] = c * M[j][col];
        if (both) {
            refer(m, j, col, b, j, j, 0);
            refer(m, j, col, m, j, col, 0);
            refer(m, j, col, m, j, col, 1);
        }
    }
    Time++;
}

/* Make the element (i, j) equal to 0, by the row j. */
static void subtract_row(int i, int j)
{
    double c = B[i][j];
    int owner = strict ? i : j;

    for (int col = 0; col < MAX; col++) {
        B[i][col] = B[i][col] - c * B[j][col];

        /* the owner reads a copy of B[i,j], both elements of the column, and writes one */
        TRACE(Time, owner, col, i, i, j, j, 0);
        TRACE(Time, owner, col, i, i, col, col, 0);
        TRACE(Time, owner, col, j, j, col, col, 0);
        TRACE(Time, owner, col, i, i, col, col, 1);

        M[i][col] = M[i][col] - c * M[j][col];
        if (both) {
            refer(m, owner, col, b, i, j, 0);
            refer(m, owner, col, m, i, col, 0);
            refer(m, owner, col, m, j, col, 0);
            refer(m, owner, col, m, i, col, 1);
        }
    }
    Time++;
}

static void eliminate(void)
{
    for (int j = 0; j < MAX; j++) {
        scale_row(j);
        for (int i = j + 1; i < MAX; i++)
            subtract_row(i, j);
    }
    for (int j = MAX - 1; j >= 0; j--)
        for (int i = j - 1; i >= 0; i--)
            subtract_row(i, j);
}

/* A matrix that needs no pivoting, and beside it the identity, which becomes its inverse. */
static void fill(void)
{
    for (int i = 0; i < MAX; i++)
        for (int j = 0; j < MAX; j++) {
            B[i][j] = i == j ? 2.0 * MAX : 1.0 / (1 + i + j);
            M[i][j] = i == j;
        }
    memcpy(original, B, sizeof B);
}

/* How far the product of the matrix and its inverse is from the identity. */
static double find_error(void)
{
    double error = 0;

    for (int i = 0; i < MAX; i++)
        for (int j = 0; j < MAX; j++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < MAX; k++)
                sum += original[i][k] * M[k][j];
            error = fmax(error, fabs(sum));
        }
    return error;
}

int main(int argc, char **argv)
{
    const size_t shape[2] = { MAX, MAX };
    double error;

    for (int i = 1; i < argc; i++) {
        strict = strict || strcmp(argv[i], "strict") == 0;
        both = both || strcmp(argv[i], "both") == 0;
    }
    fill();
    if (both)
        m = weft_array("M", 2, shape);
    b = weft_array("B", 2, shape); /* the last: TRACE speaks of it */
    eliminate();
    error = find_error();
    printf("%d steps, error %.1e\n", Time, error);
    return error < 1e-12 ? 0 : 1;
}
