/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the clocks of hosts when MPI begins, when it ends, and when the program asks for
 * it: two comparisons give offset and drift.  The first rank of each host asks rank 0 for
 * its time 100 times; the answer with the shortest round trip counts, with half of that as
 * error.
 *
 * All ranks take part, so all must be recorded: the others would wait for ever for one that
 * is not.  That is certain if weft record was started for each rank, or the launcher hands
 * its environment on to all hosts, as MPICH's does and Open MPI's does not; else clocks are
 * not compared.  On one host, as the environment says, nothing is sent.  WEFT_MPI_CLOCKS=0
 * turns comparisons off, WEFT_MPI_CLOCKS=1 has all ranks compare.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/record/mpi_hook_macros.h"

enum { ROUNDS = 100, TAG = 1 };

/*
 * A communicator of rank 0 and the first rank of each host, apart from the program's
 * messages.
 */
static MPI_Comm own = MPI_COMM_NULL;

/* Returns the number in the first of these variables that is set, or -1. */
static long number_in(const char *const names[2])
{
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        if (text && *text)
            return strtol(text, NULL, 10);
    }
    return -1;
}

static bool is_wanted(int size)
{
    static const char *const local_size[] = { "OMPI_COMM_WORLD_LOCAL_SIZE",
                                              "MPI_LOCALNRANKS" };
    const char *said = getenv(WEFT_MPI_CLOCKS_VARIABLE);
    long here = number_in(local_size);
    bool by_ranks = said && strcmp(said, WEFT_MPI_CLOCKS_BY_RANKS) == 0;

    if (said && *said && !by_ranks)
        return *said != '0';
    return (by_ranks || getenv("MPI_LOCALNRANKS")) && here > 0 && here < size;
}

/* Returns true if this rank compares its clock on behalf of its host. */
static int is_first_of_host(void)
{
    static const char *const local_rank[] = { "OMPI_COMM_WORLD_LOCAL_RANK",
                                              "MPI_LOCALRANKID" };
    const char *said = getenv(WEFT_MPI_CLOCKS_VARIABLE);

    return (said && *said == '1') || number_in(local_rank) == 0;
}

/* Rank 0: answer one rank's requests for the time. */
static void answer(int rank)
{
    uint64_t time;

    for (int i = 0; i < ROUNDS; i++) {
        weft_mpi.recv(&time, sizeof time, MPI_BYTE, rank, TAG, own, MPI_STATUS_IGNORE);
        time = weft_ticks();
        weft_mpi.send(&time, sizeof time, MPI_BYTE, rank, TAG, own);
    }
}

static void ask(void)
{
    uint64_t best = UINT64_MAX, at = 0, theirs = 0;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin = weft_ticks(), time = 0, half;
        weft_mpi.send(&time, sizeof time, MPI_BYTE, 0, TAG, own);
        weft_mpi.recv(&time, sizeof time, MPI_BYTE, 0, TAG, own, MPI_STATUS_IGNORE);
        half = (weft_ticks() - begin + 1) / 2;
        if (half < best) {
            best = half;
            at = begin + half;
            theirs = time;
        }
    }
    WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_CLOCK, 0, at, theirs, best);
}

void weft_mpi_align_clocks(void)
{
    static bool is_made;
    int rank = 0, size = 0, first;

    weft_mpi.comm_rank(MPI_COMM_WORLD, &rank);
    weft_mpi.comm_size(MPI_COMM_WORLD, &size);
    if (!is_wanted(size))
        return;
    first = is_first_of_host();
    if (!is_made) {
        /* Collective: all ranks call it, also those that get MPI_COMM_NULL. */
        is_made = true;
        if (weft_mpi.comm_split(MPI_COMM_WORLD, rank == 0 || first ? 0 : MPI_UNDEFINED,
                                rank, &own)
            != MPI_SUCCESS)
            own = MPI_COMM_NULL;
    }
    if (own == MPI_COMM_NULL)
        return;
    weft_mpi.comm_size(own, &size);
    for (int i = 1; i < size && rank == 0; i++)
        answer(i);
    if (rank > 0)
        ask();
}
