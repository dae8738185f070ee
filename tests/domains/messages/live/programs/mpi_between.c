/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI_Reduce_scatter between groups: one rank against all others.  The counts are as many as the
 * caller's own group has ranks, and end where the memory does.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int n_arguments, char **arguments)
{
    enum { PAGE = 4096, ALL = 12 };
    int out[ALL] = { 0 }, in[ALL], rank, own, first, *counts;
    MPI_Comm half, between;
    char *memory;

    MPI_Init(&n_arguments, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank == 0;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 1 : 0, 7, &between);
    MPI_Comm_size(between, &own);
    memory =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + PAGE, PAGE, PROT_NONE);
    counts = (int *)(void *)(memory + PAGE) - own;
    for (int i = 0; i < own; i++)
        counts[i] = ALL / own;
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, between);
    MPI_Finalize();
    return 0;
}
