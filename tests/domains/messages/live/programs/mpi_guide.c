/* SPDX-License-Identifier: Apache-2.0 */
/* The program of appendix C of ParaGraph's guide, with its blanks filled in and a ring. */
#include <binding.h>
#include <mpi.h>
#include <mpiprof.h>

int main(int argc, char **argv)
{
    int k, myid, nprocs, ntasks = 3, work, token = 0, pair[2] = { 1, 2 };

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &myid);

    tracefiles("", "tracefile", 0);
    tracelevel(1, 1, 0);
    tracenode(100000, 0, 1);
    clocksync0();
    for (k = 0; k < ntasks; k++) {
        traceevent("entry", k, 0);
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (myid + 1) % nprocs, 7,
                             (myid + nprocs - 1) % nprocs, 7, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        work = 100 * (k + 1) + myid;
        traceevent("exit", k, 1, &work);
    }
    traceevent("label", 4, 5, "solve");
    tracedata(2, 7, "integer", 2, (char *)pair);
    MPI_Finalize();
    return 0;
}
