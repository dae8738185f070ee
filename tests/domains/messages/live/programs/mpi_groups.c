/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two ranks.  "threads": two threads of each make communicators of the same group at the same time,
 * told apart by their tags, and send a message in each.  "callbacks": an attribute has its own
 * communicator, which callbacks duplicate and free; MPICH gives a handle that was freed so to the
 * next duplicate, whose ranks are turned round, and in which a message is sent.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, key;
static MPI_Group all;

static void pass(int from, int own, int bytes, MPI_Comm comm)
{
    char text[1000] = { 0 };

    if (own == from)
        MPI_Send(text, bytes, MPI_BYTE, !from, 0, comm);
    else
        MPI_Recv(text, sizeof text, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE);
}

static void *make_and_pass(void *argument)
{
    enum { ROUNDS = 40, TAG = 10, PAUSE = 500 };
    int number = *(int *)argument;
    MPI_Comm made;

    for (int i = 0; i < ROUNDS; i++) {
        if ((i + number + rank) % 3 == 0)
            usleep(PAUSE);
        MPI_Comm_create_group(MPI_COMM_WORLD, all, TAG + number, &made);
        pass(0, rank, number ? 500 : 10, made);
        MPI_Comm_free(&made);
    }
    return NULL;
}

static void threads(void)
{
    int numbers[2] = { 0, 1 };
    pthread_t other;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    pthread_create(&other, NULL, make_and_pass, &numbers[1]);
    make_and_pass(&numbers[0]);
    pthread_join(other, NULL);
    MPI_Group_free(&all);
}

static int copy(MPI_Comm of, int number, void *extra, void *in, void *out, int *wanted)
{
    MPI_Comm *own = malloc(sizeof *own);

    (void)of, (void)number, (void)extra;
    MPI_Comm_dup(*(MPI_Comm *)in, own);
    *(void **)out = own;
    *wanted = 1;
    return MPI_SUCCESS;
}

static int destroy(MPI_Comm of, int number, void *own, void *extra)
{
    (void)of, (void)number, (void)extra;
    MPI_Comm_free(own);
    free(own);
    return MPI_SUCCESS;
}

/* A duplicate of the world that has a communicator of its own, with ranks in the order of KEYS. */
static MPI_Comm with_own(int keys)
{
    MPI_Comm outer, *own = malloc(sizeof *own);

    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    MPI_Comm_split(MPI_COMM_WORLD, 0, keys, own);
    MPI_Comm_set_attr(outer, key, own);
    return outer;
}

static void callbacks(void)
{
    MPI_Comm turned, straight, between, duplicate, *own;
    int there, number;

    MPI_Comm_create_keyval(copy, destroy, &key, NULL);
    turned = with_own(-rank);
    straight = with_own(rank);
    MPI_Comm_free(&straight);
    MPI_Comm_dup(MPI_COMM_WORLD, &between);
    MPI_Comm_dup(turned, &duplicate);
    MPI_Comm_get_attr(duplicate, key, &own, &there);
    MPI_Comm_rank(*own, &number);
    pass(0, number, 7, *own);
    MPI_Comm_free(&duplicate);
    MPI_Comm_free(&between);
    MPI_Comm_free(&turned);
    MPI_Comm_free_keyval(&key);
}

int main(int n_arguments, char **arguments)
{
    int provided;

    MPI_Init_thread(&n_arguments, &arguments, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(arguments[1], "callbacks") == 0)
        callbacks();
    else if (provided == MPI_THREAD_MULTIPLE)
        threads();
    MPI_Finalize();
    return 0;
}
