/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows, files and threads.  On n ranks 8 transfers a rank: a put and a get between fences, a
 * put under a lock, a put and a get by request, an accumulate, and one that fetches and adds,
 * which goes both ways.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 200 };

static int rank, size;

static void windows(void)
{
    int out = 1, in = 0, *memory, right = (rank + 1) % size;
    MPI_Request request;
    MPI_Win window;

    MPI_Win_allocate(64 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Get(&in, 1, MPI_INT, right, 1, 1, MPI_INT, window);
    MPI_Put(&out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
    MPI_Put(&out, 1, MPI_INT, right, 2, 1, MPI_INT, window);
    MPI_Rput(&out, 1, MPI_INT, right, 3, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(&in, 1, MPI_INT, right, 4, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Accumulate(&out, 1, MPI_INT, right, 5, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(right, window);
    MPI_Fetch_and_op(&out, &in, MPI_INT, right, 6, MPI_SUM, window);
    MPI_Win_unlock(right, window);
    MPI_Win_free(&window);
}

static void files(void)
{
    int out = rank, in;
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, "mpi-file", MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset)(rank * (int)sizeof out), &out, 1, MPI_INT,
                          MPI_STATUS_IGNORE);
    MPI_File_read_at(file, (MPI_Offset)(rank * (int)sizeof out), &in, 1, MPI_INT,
                     MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

/* Each thread talks with its like on the next rank, with its own tag. */
static void *talk(void *argument)
{
    int tag = (int)(size_t)argument, out = 0, in;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request requests[2];
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    windows();
    files();
    for (int i = 0; i < THREADS; i++)
        if (provided == MPI_THREAD_MULTIPLE)
            pthread_create(&threads[i], NULL, talk, (void *)(size_t)i);
        else
            talk((void *)(size_t)i);
    for (int i = 0; i < THREADS && provided == MPI_THREAD_MULTIPLE; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
