/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_mpi ROUNDS PAIRS: rank 0 prints the least and the median nanoseconds that a pair of
 * MPI_Send and MPI_Recv takes, by rounds of PAIRS.  Each rank sends to itself, so that a pair
 * costs what the calls cost, however many ranks share a processor.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int rounds, rank, out = 0, in;
    long pairs;
    double *took;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rounds = argc > 1 ? atoi(argv[1]) : 10;
    pairs = argc > 2 ? atol(argv[2]) : 100000;
    took = calloc((size_t)rounds, sizeof *took);
    for (int i = 0; i < rounds; i++) {
        double begin;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        for (long k = 0; k < pairs; k++) {
            MPI_Send(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
            MPI_Recv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        took[i] = (MPI_Wtime() - begin) * 1e9 / (double)pairs;
    }
    qsort(took, (size_t)rounds, sizeof *took, compare);
    if (rank == 0)
        printf("%.1f %.1f\n", took[0], took[rounds / 2]);
    free(took);
    MPI_Finalize();
    return 0;
}
