/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that MPI refuses, each with the class of its error and how often error handlers were
 * called for it; nine messages of which eight are too long; then five to itself.  A recording must change
 * none of these lines.  Where a library itself reads through NULL, or ends the program, its calls
 * are left out.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int handled;

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    handled++;
}

static void tell(const char *what, int result)
{
    int class = 0;

    MPI_Error_class(result, &class);
    printf("%s: class %d, handled %d\n", what, class, handled);
    handled = 0;
}
#define TRY(call) tell(#call, call)

static void requests_and_messages(void)
{
    MPI_Request two[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL }, own;
    MPI_Status status, statuses[2];
    int n, flag, list[2], value;

    TRY(MPI_Wait(NULL, &status));
    TRY(MPI_Test(NULL, &flag, &status));
    TRY(MPI_Test(two, NULL, &status));
    TRY(MPI_Waitall(2, NULL, statuses));
    TRY(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
    TRY(MPI_Waitall(200, NULL, MPI_STATUSES_IGNORE));
    TRY(MPI_Waitall(-1, two, statuses));
    TRY(MPI_Testall(2, NULL, &flag, statuses));
    TRY(MPI_Testall(2, two, NULL, statuses));
    TRY(MPI_Waitany(2, NULL, &n, &status));
    TRY(MPI_Waitany(2, two, NULL, &status));
    TRY(MPI_Testany(2, two, &n, NULL, &status));
    TRY(MPI_Testany(2, two, NULL, &flag, &status));
    TRY(MPI_Testany(2, NULL, &n, &flag, &status));
    TRY(MPI_Waitsome(2, two, NULL, list, statuses));
    TRY(MPI_Waitsome(2, NULL, &n, list, statuses));
    TRY(MPI_Testsome(2, NULL, &n, list, statuses));
    TRY(MPI_Testsome(2, two, NULL, list, statuses));
    TRY(MPI_Start(NULL));
    TRY(MPI_Startall(2, NULL));
    TRY(MPI_Request_free(NULL));
#ifndef OPEN_MPI
    TRY(MPI_Mrecv(&value, 1, MPI_INT, NULL, &status));
    TRY(MPI_Imrecv(&value, 1, MPI_INT, NULL, &own));
#endif
}

static void operations(void)
{
    int x = 0, y = 0, one[1] = { 1 }, none[1] = { 0 };
    MPI_Datatype type[1] = { MPI_INT };
    MPI_Comm null = MPI_COMM_NULL;

    TRY(MPI_Bcast(&x, 1, MPI_INT, 0, null));
    TRY(MPI_Bcast(&x, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF));
    TRY(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF));
    TRY(MPI_Send(&x, 2, MPI_INT, 0, -7, MPI_COMM_WORLD));
    TRY(MPI_Scatter(&x, 1, MPI_INT, &y, 1, MPI_INT, 0, null));
    TRY(MPI_Scatterv(&x, one, none, MPI_INT, &y, 1, MPI_INT, 0, null));
    TRY(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, &y, one, none, MPI_INT, null));
    TRY(MPI_Alltoallv(&x, one, none, MPI_INT, &y, one, none, MPI_INT, null));
    TRY(MPI_Alltoallw(&x, one, none, type, &y, one, none, type, null));
    TRY(MPI_Reduce_scatter(&x, &y, one, MPI_INT, MPI_SUM, null));
    TRY(MPI_Neighbor_alltoallv(&x, one, none, MPI_INT, &y, one, none, MPI_INT, null));
#ifdef OPEN_MPI
    TRY(MPI_Bcast(&x, 1, NULL, 0, MPI_COMM_SELF));
    TRY(MPI_Bcast(&x, 1, MPI_INT, 0, NULL));
    TRY(MPI_Scatterv(&x, NULL, NULL, MPI_INT, &y, 1, MPI_INT, 0, MPI_COMM_SELF));
    TRY(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, &y, NULL, NULL, MPI_INT, MPI_COMM_SELF));
    TRY(MPI_Alltoallv(&x, NULL, none, MPI_INT, &y, one, none, MPI_INT, MPI_COMM_SELF));
    TRY(MPI_Alltoallw(&x, NULL, none, type, &y, one, none, type, MPI_COMM_SELF));
    TRY(MPI_Alltoallw(&x, one, none, NULL, &y, one, none, type, MPI_COMM_SELF));
    TRY(MPI_Reduce_scatter(&x, &y, NULL, MPI_INT, MPI_SUM, MPI_COMM_SELF));
#else
    TRY(MPI_Bcast(&x, 1, 12345, 0, MPI_COMM_SELF));
    TRY(MPI_Bcast(&x, 1, MPI_COMM_WORLD, 0, MPI_COMM_SELF));
    TRY(MPI_Bcast(&x, 1, MPI_INT, 0, 12345));
    TRY(MPI_Bcast(&x, 1, MPI_INT, 0, MPI_INT));
    TRY(MPI_Reduce_scatter(&x, &y, one, MPI_INT, MPI_SUM, MPI_GROUP_EMPTY));
#endif
}

/* Messages of two numbers where there is room for one: they are gone all the same. */
static void too_long(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Request sends[7], own, two[2];
    MPI_Status status, statuses[2];
    int out[2] = { 0, 0 }, in[2], n, flag = 0, list[2], result = MPI_SUCCESS;

    for (int i = 0; i < 7; i++)
        MPI_Isend(out, 2, MPI_INT, 0, 5, comm, &sends[i]);
    TRY(MPI_Recv(in, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE));
    MPI_Irecv(in, 1, MPI_INT, 0, 5, comm, &own);
    TRY(MPI_Wait(&own, &status));
    MPI_Irecv(in, 1, MPI_INT, 0, 5, comm, &own);
    while (result == MPI_SUCCESS && !flag)
        result = MPI_Test(&own, &flag, MPI_STATUS_IGNORE);
    tell("MPI_Test", result);
    MPI_Irecv(in, 1, MPI_INT, 0, 5, comm, &two[0]);
    two[1] = MPI_REQUEST_NULL;
    TRY(MPI_Waitall(2, two, MPI_STATUSES_IGNORE));
    MPI_Irecv(in, 1, MPI_INT, 0, 5, comm, &own);
    TRY(MPI_Waitany(1, &own, &n, MPI_STATUS_IGNORE));
    MPI_Irecv(in, 1, MPI_INT, 0, 5, comm, &own);
    TRY(MPI_Waitsome(1, &own, &n, list, statuses));
    MPI_Irecv(in, 1, MPI_INT, 0, 5, comm, &own);
    for (result = MPI_SUCCESS, flag = 0; result == MPI_SUCCESS && !flag;)
        result = MPI_Testall(1, &own, &flag, statuses);
    tell("MPI_Testall", result);
    MPI_Waitall(7, sends, MPI_STATUSES_IGNORE);
    TRY(MPI_Sendrecv(out, 2, MPI_INT, 0, 5, in, 1, MPI_INT, 0, 5, comm, &status));
    TRY(MPI_Sendrecv(out, 2, MPI_INT, 0, 5, in, -1, MPI_INT, 0, 5, comm, &status));
    MPI_Send_init(out, 2, MPI_INT, 0, 5, comm, &two[0]);
    TRY(MPI_Startall(2, two)); /* none of them, since there is no second one */
    MPI_Start(&two[0]);
    MPI_Recv(in, 2, MPI_INT, 0, 5, comm, &status);
    MPI_Wait(&two[0], &status);
    MPI_Request_free(&two[0]);
}

static void ends(void)
{
    MPI_Comm world = MPI_COMM_WORLD;

    TRY(MPI_Comm_free(&world));
#ifndef OPEN_MPI
    TRY(MPI_Comm_free(NULL));
    TRY(MPI_Comm_disconnect(NULL));
    TRY(MPI_Win_free(NULL));
#endif
}

int main(int n_arguments, char **arguments)
{
    MPI_Errhandler handler;

    setbuf(stdout, NULL);
    MPI_Init(&n_arguments, &arguments);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    requests_and_messages();
    operations();
    too_long();
    ends();
    for (int i = 0; i < 5; i++) {
        MPI_Comm comm = i % 2 ? MPI_COMM_WORLD : MPI_COMM_SELF;
        MPI_Status status;
        int out = i, in = 0;
        MPI_Sendrecv(&out, 1, MPI_INT, 0, i, &in, 1, MPI_INT, 0, i, comm, &status);
    }
    handled = 0;
    MPI_Finalize();
    puts("ended");
    return 0;
}
