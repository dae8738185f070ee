/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An error handler leaves the call of MPI that fails for good, on two ranks.  Then rank 0 sends
 * rank 1 ten messages of one integer from deeper in the stack than the call was, and three from
 * less deep.  By what it is left: as C++ by an exception, else by the argument,
 *
 *   jump    the C library's
 *   unseen  one without the C library
 *   deep    the same, and all that follows comes from deeper in the stack, MPI_Finalize, too
 */
#include <mpi.h>
#include <setjmp.h>
#include <string.h>

enum { A_PAGE = 4096 };

static int rank;
static jmp_buf out;
static void *out_unseen[5];
static const char *how;

static void leave(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
#ifdef __cplusplus
    throw 1;
#else
    if (strcmp(how, "jump") == 0)
        longjmp(out, 1);
    __builtin_longjmp(out_unseen, 1);
#endif
}

static __attribute__((noinline)) void fail(void)
{
    volatile char room[A_PAGE];
    MPI_Status status;

    room[0] = 0;
    MPI_Probe(77, 0, MPI_COMM_WORLD, &status); /* there is no such rank */
    room[1] = room[0];
}

static __attribute__((noinline)) void fail_and_go_on(void)
{
#ifdef __cplusplus
    try {
        fail();
    } catch (int) {
    }
#else
    if (strcmp(how, "jump") == 0 ? setjmp(out) == 0 : __builtin_setjmp(out_unseen) == 0)
        fail();
#endif
}

static __attribute__((noinline)) void pass(int n)
{
    int value = 0;

    for (int i = 0; i < n; i++)
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void pass_deep_in_the_stack(int n, int ends)
{
    volatile char room[16 * A_PAGE];

    room[0] = 0;
    pass(n);
    if (ends)
        MPI_Finalize();
    room[1] = room[0];
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;

    how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    fail_and_go_on();
    pass_deep_in_the_stack(10, strcmp(how, "deep") == 0);
    if (strcmp(how, "deep") != 0) {
        pass(3);
        MPI_Finalize();
    }
    return 0;
}
