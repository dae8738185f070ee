/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi_worlds spawn: two ranks spawn two worlds of two, one after the other.  With each: rank 0
 * sends to both of its ranks, both send to rank 1 of the parents and to one another, and then all
 * four pass something on in a ring.  That is 10 messages of 4 bytes, and one operation of all
 * four; 20 messages in all.
 *
 * mpi_worlds connect: on four ranks, the even ones connect to the odd ones, and each pair sends a
 * message to and fro; one told the other the name of the port.  5 messages.
 */
#include <mpi.h>
#include <string.h>

static void pass_on(MPI_Comm all)
{
    int rank, size, value = 0, sum;

    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 3, (rank + size - 1) % size,
                         3, all, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
}

static void be_parent(MPI_Comm children, int rank)
{
    MPI_Comm all;
    int value = 0;

    for (int i = 0; i < 2; i++)
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, i, 5, children);
        else
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, children, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
    pass_on(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
}

static void be_child(MPI_Comm parent, int rank)
{
    MPI_Comm all;
    int value = 0;

    MPI_Recv(&value, 1, MPI_INT, 0, 5, parent, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1, 6, parent);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 9, 1 - rank, 9, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(parent, 1, &all);
    pass_on(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
}

static void spawn(const char *program, int rank)
{
    char *commands[2] = { (char *)program, (char *)program };
    char *arguments[] = { (char *)"child", NULL }, **both[2] = { arguments, arguments };
    const int one_each[2] = { 1, 1 };
    MPI_Info infos[2] = { MPI_INFO_NULL, MPI_INFO_NULL };
    MPI_Comm children;

    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    be_parent(children, rank);
    MPI_Comm_spawn_multiple(2, commands, both, one_each, infos, 0, MPI_COMM_WORLD,
                            &children, MPI_ERRCODES_IGNORE);
    be_parent(children, rank);
}

static void connect_halves(int rank)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, others;
    int mine, value = 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &mine);
    if (rank == 1) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    if (rank % 2 == 1)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &others);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &others);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, mine, 4, mine, 4, others, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&others);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        be_child(parent, rank);
    else if (argc > 1 && strcmp(argv[1], "spawn") == 0)
        spawn(argv[0], rank);
    else
        connect_halves(rank);
    MPI_Finalize();
    return 0;
}
