/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses MPI by a session only: there is no MPI_COMM_WORLD.  Its ranks count. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
#if MPI_VERSION >= 4
    int one = 1, all = 0, rank;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, half;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "weft", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        printf("%d ranks\n", all);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
#else
    puts("no sessions");
#endif
    return 0;
}
