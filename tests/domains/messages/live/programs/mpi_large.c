/* SPDX-License-Identifier: Apache-2.0 */
/* An operation on two elements of a type that has 6 GiB, each of them the same 16 MiB. */
#include <mpi.h>
#include <stdlib.h>

int main(int n_arguments, char **arguments)
{
    enum { BLOCK = 1 << 24, BLOCKS = 384 };
    MPI_Datatype large;
    char *buffer = calloc(1, BLOCK);

    MPI_Init(&n_arguments, &arguments);
    MPI_Type_create_hvector(BLOCKS, BLOCK, 0, MPI_CHAR, &large);
    MPI_Type_commit(&large);
    MPI_Bcast(buffer, 2, large, 0, MPI_COMM_SELF);
    MPI_Type_free(&large);
    MPI_Finalize();
    free(buffer);
    return 0;
}
