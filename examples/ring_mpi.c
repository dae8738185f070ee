/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of processes: each works for a while, the higher its rank the longer, passes a token
 * on, and all meet at the end of the round.  Those that have less to do wait for the others.
 *
 *     mpicc -g -o ring_mpi examples/ring_mpi.c && weft record -- mpirun -n 4 ./ring_mpi
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 20, WORK = 200000 };

static double work(int amount)
{
    double sum = 0;
    for (int i = 1; i <= amount; i++)
        sum += sin(i) / i;
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    double token = 0, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        double mine = work(WORK * (rank + 1));
        int next = (rank + 1) % size, before = (rank + size - 1) % size;
        MPI_Sendrecv_replace(&token, 1, MPI_DOUBLE, next, 0, before, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        token += mine;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&token, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d processes, %d rounds: %.6f\n", size, ROUNDS, total);
    MPI_Finalize();
    return 0;
}
