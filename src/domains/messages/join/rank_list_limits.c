/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of the memory for lists of ranks.  A record of 40 bytes may claim a million
 * members, and another record copy them; programs stay far below.  Lists beyond the limit
 * are counted.
 */
#include <inttypes.h>

#include "domains/messages/join/mpi_join.h"

/*
 * Ranks in lists, 4 bytes each: enough for 300 communicators of 100,000 ranks of which one
 * process is recorded.  Each record adds 64.
 */
enum { MAX_RANKS = 1 << 25, RANKS_OF_A_RECORD = 64 };

bool mpi_has_room(struct mpi_join *mpi, uint64_t n)
{
    if (mpi->n_ranks + n > MAX_RANKS + RANKS_OF_A_RECORD * mpi->join->n_given) {
        mpi->lists_left_out++;
        return false;
    }
    mpi->n_ranks += n;
    return true;
}

static void report(const struct mpi_join *mpi, const char *kind, uint64_t n,
                   const char *what)
{
    if (n > 0)
        weft_builder_problem(mpi->join->builder, WEFT_WARNING, kind, 0, "%" PRIu64 " %s", n,
                             what);
}

void mpi_report_limits(const struct mpi_join *mpi)
{
    report(
        mpi, "left-out-members", mpi->lists_left_out,
        "lists of the members or neighbours of communicators are left out: they have more "
        "than 33,554,432 ranks in all, and 64 for each record");
    report(mpi, "left-out-parts", mpi->parts_left_out,
           "messages of operations between neighbours are left out: there are more than "
           "16,777,216 in all, and 256 for each record");
}
