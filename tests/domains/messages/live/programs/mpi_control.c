/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What MPI_Pcontrol stops, on two ranks or more: rank 0 sends rank 1 messages of one integer, 10
 * that are recorded, 5 while the receiver has stopped, 3 while the sender has, one that is
 * received by a receive which was posted meanwhile, and 7 when both record again.  So 18 are shown
 * and 8 are not.
 */
#include <mpi.h>

static int rank;

static void pass(int n)
{
    int value = 0;

    for (int i = 0; i < n; i++)
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm copy;
    int value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pass(10);
    if (rank == 1)
        MPI_Pcontrol(0);
    pass(5);
    if (rank == 1)
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 100, MPI_COMM_WORLD, &request);
    MPI_Pcontrol(rank == 1);
    pass(3);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* it is known later all the same */
    MPI_Pcontrol(2);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 100, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pass(7);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
