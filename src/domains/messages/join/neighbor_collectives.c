/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations between neighbours, which were recorded when the communicator was
 * made.  The parts that neighbours send each other are matched like messages, one operation
 * after the other, and written as links of their own type.
 */
#include "domains/messages/join/mpi_join.h"

enum { MAX_NEIGHBORS = 1 << 20 }; /* more are damage */

void mpi_set_neighbors(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record)
{
    uint32_t member = mpi_find_member(mpi, thread, record->words[0]);
    struct mpi_ranks *ranks;

    if (member == WEFT_NONE || record->argument > WEFT_MPI_FROM)
        return;
    ranks = &mpi->members[member].neighbors[record->argument];
    for (uint64_t i = 0;
         i < record->words[1] && i + 2 < record->n_words && ranks->n < MAX_NEIGHBORS; i++) {
        ranks->list =
            weft_grow(ranks->list, &ranks->capacity, ranks->n + 1, sizeof *ranks->list);
        ranks->list[ranks->n++] = (int32_t)record->words[2 + i];
    }
}

static bool is_of_neighbors(const struct mpi_deed *deed)
{
    return mpi_calls[deed->call].pattern == WEFT_ROLE_NEIGHBORS && deed->takes_part;
}

/*
 * Returns true if N more parts are within the limit, and counts them, here or as left out.
 * Once some are left out all later ones are: parts are matched in order, and would go to
 * those of other operations.
 */
static bool has_room(struct mpi_join *mpi, size_t n)
{
    enum { MAX_PARTS = 1 << 24, PARTS_OF_A_RECORD = 256 };
    bool room = mpi->parts_left_out == 0
                && mpi->n_parts + n <= MAX_PARTS + PARTS_OF_A_RECORD * mpi->join->n_given;

    if (room)
        mpi->n_parts += n;
    else
        mpi->parts_left_out += n;
    return room;
}

void mpi_begin_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                         int64_t time)
{
    const struct mpi_ranks *to = &mpi->members[deed->member].neighbors[WEFT_MPI_TO];

    if (!is_of_neighbors(deed) || !has_room(mpi, to->n))
        return;
    for (size_t i = 0; i < to->n; i++)
        mpi_send(mpi, deed->member, weft_mpi_peer_and_tag(to->list[i], 0), deed->bytes,
                 MPI_OF_NEIGHBORS, entity, time);
}

void mpi_end_neighbors(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                       int64_t time)
{
    const struct mpi_ranks *from = &mpi->members[deed->member].neighbors[WEFT_MPI_FROM];

    if (!is_of_neighbors(deed) || !has_room(mpi, from->n))
        return;
    for (size_t i = 0; i < from->n; i++) {
        uint64_t peer = weft_mpi_peer_and_tag(from->list[i], 0);
        mpi_receive(mpi, mpi_post(mpi, deed->member, peer, MPI_OF_NEIGHBORS), peer, 0,
                    entity, time);
    }
}
