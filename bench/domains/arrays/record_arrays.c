/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_arrays KIND SWEEPS: references to arrays of 4096 x 4096, for record_arrays.sh, which
 * compiles it with and without hooks.  KIND stencil: the mean of four neighbours, five references
 * a point; elimination: a row minus a multiple of another one, four a point.  Prints the
 * processor time of all sweeps in seconds, and how many references they made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weft/weft_array.h"

enum { SIDE = 4096 };

static double A[SIDE][SIDE], B[SIDE][SIDE];

static void relax(double (*to)[SIDE], double (*from)[SIDE])
{
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            to[i][j] =
                0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static void subtract_row(int pivot)
{
    for (int i = 0; i < SIDE; i++)
        if (i != pivot)
            for (int j = 0; j < SIDE; j++)
                A[i][j] -= B[i][pivot] * A[pivot][j];
}

int main(int argc, char **argv)
{
    int stencil = argc > 1 && strcmp(argv[1], "stencil") == 0;
    int sweeps = argc > 2 ? atoi(argv[2]) : 1;
    double side = stencil ? SIDE - 2 : SIDE, rows = stencil ? SIDE - 2 : SIDE - 1;
    struct timespec begin, end;

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            A[i][j] = B[i][j] = 1.0 / (1 + i + j);
    weft_array("A", 2, (const size_t[]){ SIDE, SIDE });
    weft_array_at(A, sizeof A[0][0]);
    weft_array("B", 2, (const size_t[]){ SIDE, SIDE });
    weft_array_at(B, sizeof B[0][0]);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int sweep = 0; sweep < sweeps; sweep++) {
        if (!stencil)
            subtract_row(sweep);
        else if (sweep % 2 == 0)
            relax(B, A);
        else
            relax(A, B);
        weft_array_step();
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%.4f %.0f\n",
           (double)(end.tv_sec - begin.tv_sec)
               + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
           sweeps * side * rows * (stencil ? 5 : 4));
    return A[SIDE / 2][SIDE / 2] == 0;
}
