/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat flows through a plate, whose rows are dealt out to the ranks.  Each step a rank sends its
 * outer rows to its neighbours, computes the rows that need none of theirs, and then the outer
 * ones; every tenth step all ask for the largest change.  The mistake: rank 1 got three times as
 * many rows as the others, who wait for it, neighbours first, all at the reduction.
 *
 *   mpicc -g -O1 -o stencil_mpi stencil_mpi.c -lm
 *   weft record --with mpi -o stencil.weft -- mpirun -n 4 ./stencil_mpi
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 2048, ROWS = 60, STEPS = 200, REPORT = 10, UP = 1, DOWN = 2 };

static int rank, ranks;

/* Rows of this rank: rank 1 has three shares. */
static int own_rows(void)
{
    return ranks > 1 && rank == 1 ? 3 * ROWS : ROWS;
}

/* New values of rows [first, after) from the old ones; the largest change. */
static double compute(double *now, const double *old, int first, int after)
{
    double most = 0;

    for (int row = first; row < after; row++)
        for (int k = 1; k < COLUMNS - 1; k++) {
            const double *at = old + (size_t)row * COLUMNS + k;
            double value = (at[-1] + at[1] + at[-COLUMNS] + at[COLUMNS]) / 4;
            most = fmax(most, fabs(value - *at));
            now[(size_t)row * COLUMNS + k] = value;
        }
    return most;
}

/* Begin to exchange the outer rows with the neighbours; rows 0 and ROWS + 1 are theirs. */
static void exchange(double *plate, int rows, MPI_Request requests[4])
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;

    MPI_Irecv(plate, COLUMNS, MPI_DOUBLE, above, DOWN, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(plate + (size_t)(rows + 1) * COLUMNS, COLUMNS, MPI_DOUBLE, below, UP,
              MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(plate + COLUMNS, COLUMNS, MPI_DOUBLE, above, UP, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(plate + (size_t)rows * COLUMNS, COLUMNS, MPI_DOUBLE, below, DOWN,
              MPI_COMM_WORLD, &requests[3]);
}

static double step(double *now, double *old, int rows)
{
    MPI_Request requests[4];
    double inner, upper, lower;

    exchange(old, rows, requests);
    inner = compute(now, old, 2, rows);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    upper = compute(now, old, 1, 2);
    lower = compute(now, old, rows, rows + 1);
    return fmax(inner, fmax(upper, lower));
}

int main(int argc, char **argv)
{
    double *plates[2], most = 0, change = 0;
    int rows;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rows = own_rows();
    for (int i = 0; i < 2; i++) {
        plates[i] = calloc((size_t)(rows + 2) * COLUMNS, sizeof **plates);
        if (!plates[i])
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (rank == 0) /* the upper edge is hot */
            for (int k = 0; k < COLUMNS; k++)
                plates[i][k] = 100;
    }
    for (int i = 0; i < STEPS; i++) {
        most = step(plates[(i + 1) % 2], plates[i % 2], rows);
        if (i % REPORT == REPORT - 1)
            MPI_Allreduce(&most, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("largest change of the last step: %.4f\n", change);
    free(plates[0]);
    free(plates[1]);
    MPI_Finalize();
    return 0;
}
