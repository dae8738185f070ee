/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of all kinds around a ring of ranks, and on other communicators.  Every message is
 * received, but for one receive that is cancelled.
 */
#include <mpi.h>
#include <stdlib.h>

static int rank, size, left, right;
static int out[64], in[64];
static char space[65536];

/* Each mode of sending; receives are posted before, as a ready send asks for. */
static void modes(MPI_Comm comm)
{
    static int (*const sends[])(const void *, int, MPI_Datatype, int, int,
                                MPI_Comm) = { MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend };
    static int (*const isends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                 MPI_Request *) = { MPI_Isend, MPI_Ibsend, MPI_Issend,
                                                    MPI_Irsend };
    void *detached;
    int detached_size;

    MPI_Buffer_attach(space, sizeof space);
    for (int i = 0; i < 4; i++) {
        MPI_Request request, other;
        MPI_Irecv(in, 64, MPI_INT, left, i, comm, &request);
        MPI_Barrier(comm);
        sends[i](out, 1 + i, MPI_INT, right, i, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        MPI_Barrier(comm);
        isends[i](out, 10 + i, MPI_INT, right, 10 + i, comm, &other);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&detached, &detached_size);
}

/* Waits and tests of one, any, some and all; the receives complete in another order than that in
   which they were posted, and all are of one channel. */
static void waits(MPI_Comm comm)
{
    enum { N = 8 };
    MPI_Request requests[2 * N];
    MPI_Status statuses[2 * N];
    int index, flag, n, indices[2 * N];

    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < N; i++)
            MPI_Irecv(in + i, 1, MPI_INT, left, 1, comm, &requests[i]);
        for (int i = 0; i < N; i++)
            MPI_Isend(out + i, 1, MPI_INT, right, 1, comm, &requests[N + i]);
        switch (round) {
        case 0:
            for (int i = 2 * N; i-- > 0;)
                MPI_Wait(&requests[i], &statuses[0]);
            break;
        case 1: MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE); break;
        case 2:
            do
                MPI_Waitany(2 * N, requests, &index, MPI_STATUS_IGNORE);
            while (index != MPI_UNDEFINED);
            break;
        case 3:
            do
                MPI_Waitsome(2 * N, requests, &n, indices, statuses);
            while (n != MPI_UNDEFINED);
            break;
        case 4:
            do {
                MPI_Testany(2 * N, requests, &index, &flag, MPI_STATUS_IGNORE);
                MPI_Testsome(2 * N, requests, &n, indices, MPI_STATUSES_IGNORE);
            } while (n != MPI_UNDEFINED);
            break;
        default:
            for (int i = N; i-- > 0;)
                do
                    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                while (!flag);
            do
                MPI_Testall(2 * N, requests, &flag, MPI_STATUSES_IGNORE);
            while (!flag);
        }
    }
}

/* More requests than a hook keeps on its stack. */
static void many(MPI_Comm comm)
{
    enum { N = 500 };
    MPI_Request *requests = calloc(2 * N, sizeof *requests);
    int *there = calloc(N, sizeof *there);

    for (int i = 0; i < N; i++)
        MPI_Irecv(there + i, 1, MPI_INT, MPI_ANY_SOURCE, i % 3, comm, &requests[i]);
    for (int i = 0; i < N; i++)
        MPI_Isend(out, 1, MPI_INT, right, i % 3, comm, &requests[N + i]);
    MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(there);
}

static void probes(MPI_Comm comm)
{
    MPI_Request request, sends[4];
    MPI_Status status;
    MPI_Message message, second;
    int flag = 0;

    for (int i = 0; i < 4; i++)
        MPI_Isend(out, i, MPI_INT, right, 7, comm, &sends[i]);
    MPI_Probe(left, 7, comm, &status);
    /* The first is received after the second. */
    MPI_Mprobe(left, 7, comm, &message, &status);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &second, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 64, MPI_INT, &second, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 64, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        MPI_Iprobe(left, 7, comm, &flag, &status);
    MPI_Recv(in, 64, MPI_INT, left, 7, comm, MPI_STATUS_IGNORE);
    MPI_Recv(in, 64, MPI_INT, left, MPI_ANY_TAG, comm, &status);
    MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
    /* Nobody's. */
    MPI_Mprobe(MPI_PROC_NULL, 7, comm, &message, &status);
    MPI_Mrecv(in, 64, MPI_INT, &message, &status);
}

static void both_ways(MPI_Comm comm)
{
    MPI_Sendrecv(out, 3, MPI_INT, right, 1, in, 64, MPI_INT, left, 1, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 4, MPI_INT, right, 2, MPI_ANY_SOURCE, 2, comm,
                         MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 5, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 3, in, 64,
                 MPI_INT, rank > 0 ? rank - 1 : MPI_PROC_NULL, 3, comm, MPI_STATUS_IGNORE);
    MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, 3, comm);
    MPI_Recv(in, 5, MPI_INT, MPI_PROC_NULL, 3, comm, MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm)
{
    MPI_Request requests[3];

    MPI_Send_init(out, 6, MPI_INT, right, 4, comm, &requests[0]);
    MPI_Recv_init(in, 64, MPI_INT, left, 4, comm, &requests[1]);
    MPI_Ssend_init(out, 6, MPI_INT, MPI_PROC_NULL, 4, comm, &requests[2]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(3, requests);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Start(&requests[1]);
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

/* Stands before others that could get the same messages, and never gets one. */
static void cancelled(MPI_Comm comm)
{
    MPI_Request request, send;
    MPI_Status status;

    MPI_Irecv(in, 64, MPI_INT, left, 99, comm, &request);
    MPI_Isend(out, 7, MPI_INT, right, 5, comm, &send);
    MPI_Recv(in, 64, MPI_INT, left, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
static void version_4(MPI_Comm comm)
{
    MPI_Request requests[2];
    MPI_Count n = 6;

    MPI_Isendrecv(out, 3, MPI_INT, right, 1, in, 64, MPI_INT, left, 1, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (rank == 0 && size > 1)
        MPI_Send(out, 6, MPI_INT, right, 2, comm);
    if (rank == 1)
        MPI_Recv_c(in, n, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE);
    MPI_Psend_init(out, 4, 2, MPI_INT, right, 6, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 4, 2, MPI_INT, left, 6, comm, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Pready_range(0, 2, requests[0]);
        MPI_Pready(3, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
#endif

/* Messages and collectives in communicators of all origins. */
static void communicators(void)
{
    MPI_Comm half, copy, background, ring, between, merged, group, line, nothing;
    MPI_Group world, evens;
    MPI_Request request;
    int sizes[1] = { size }, periods[1] = { 1 }, keep[1] = { 1 }, me, n, every[1][3];
    int sum, one = 1;

    /* Backwards, so that ranks differ from those of the world. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &me);
    MPI_Comm_size(half, &n);
    MPI_Sendrecv(out, 1, MPI_INT, (me + 1) % n, 1, in, 64, MPI_INT, (me + n - 1) % n, 1,
                 half, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &nothing);
    if (nothing != MPI_COMM_NULL)
        MPI_Comm_free(&nothing);

    MPI_Comm_dup(half, &copy);
    MPI_Comm_set_name(copy, "copy of half");
    MPI_Sendrecv(out, 2, MPI_INT, (me + 1) % n, 1, in, 64, MPI_INT, (me + n - 1) % n, 1,
                 copy, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &background, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 2, MPI_INT, right, 1, in, 64, MPI_INT, left, 1, background,
                 MPI_STATUS_IGNORE);

    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    MPI_Cart_sub(ring, keep, &line);
    MPI_Barrier(line);

    /* Rank 0 of the evens talks to rank 0 of the odds. */
    if (size > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                             rank % 2 ? (size - 1) / 2 * 2 : size / 2 * 2 - 1, 3, &between);
        if (me == 0)
            MPI_Sendrecv(out, 9, MPI_INT, 0, 1, in, 64, MPI_INT, 0, 1, between,
                         MPI_STATUS_IGNORE);
        MPI_Intercomm_merge(between, rank % 2, &merged);
        MPI_Bcast(out, 3, MPI_INT, 0, merged);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&between);
    }

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    every[0][0] = 0;
    every[0][1] = size - 1;
    every[0][2] = 2;
    MPI_Group_range_incl(world, 1, every, &evens);
    if (rank % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, evens, 1, &group);
        MPI_Barrier(group);
        MPI_Comm_free(&group);
    }
    MPI_Comm_create(MPI_COMM_WORLD, evens, &group);
    if (group != MPI_COMM_NULL) {
        MPI_Barrier(group);
        MPI_Comm_free(&group);
    }
    MPI_Group_free(&evens);
    MPI_Group_free(&world);
    MPI_Sendrecv(out, 2, MPI_INT, 0, 1, in, 64, MPI_INT, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&background);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&line);
}

/* What is packed is sent as bytes. */
static void packed(MPI_Comm comm)
{
    char from[64], to[64];
    int at = 0, values[2] = { 1, 2 };

    MPI_Pack(values, 2, MPI_INT, from, sizeof from, &at, comm);
    MPI_Sendrecv(from, at, MPI_PACKED, right, 70, to, sizeof to, MPI_PACKED, left, 70, comm,
                 MPI_STATUS_IGNORE);
    at = 0;
    MPI_Unpack(to, sizeof to, &at, values, 2, MPI_INT, comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    modes(MPI_COMM_WORLD);
    waits(MPI_COMM_WORLD);
    many(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* what any rank may get must not meet what comes now */
    probes(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    both_ways(MPI_COMM_WORLD);
    persistent(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    cancelled(MPI_COMM_WORLD);
    packed(MPI_COMM_WORLD);
#if MPI_VERSION >= 4
    version_4(MPI_COMM_WORLD);
#endif
    communicators();
    MPI_Finalize();
    return 0;
}
