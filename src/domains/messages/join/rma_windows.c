/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-sided transfers: links from the call that begins one to the call of the same process
 * that completes it.
 */
#include "domains/messages/join/mpi_join.h"

void mpi_add_window(struct mpi_join *mpi, const struct join_thread *thread, uint64_t handle,
                    uint64_t communicator)
{
    uint32_t member = mpi_find_member(mpi, thread, communicator);

    if (member == WEFT_NONE)
        return;
    mpi->windows = weft_grow(mpi->windows, &mpi->windows_capacity, mpi->n_windows + 1,
                             sizeof *mpi->windows);
    mpi->windows[mpi->n_windows] = (struct mpi_window){ member, WEFT_NONE };
    weft_id_map_put(&mpi->processes[thread->process].windows, handle,
                    (uint32_t)mpi->n_windows++);
}

uint32_t mpi_find_window(const struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle)
{
    uint32_t index = weft_id_map_get(&mpi->processes[thread->process].windows, handle);

    return index == WEFT_MAP_NONE || index == MPI_GONE ? WEFT_NONE : index;
}

/* Returns the link of a transfer, which begins at the target if the call gets. */
static struct weft_link link_of(const struct mpi_join *mpi, uint32_t call, uint32_t own,
                                uint32_t target, uint64_t entity, int64_t time)
{
    bool gets = mpi_calls[call].begins == MPI_BEGINS_GET;

    return (struct weft_link){ .type = mpi->types.transfer,
                               .value = WEFT_NONE,
                               .key = WEFT_NONE,
                               .from = gets ? target : own,
                               .to = gets ? own : target,
                               .begin = time,
                               .end = time,
                               .from_entity = gets ? WEFT_NO_ID : entity,
                               .to_entity = WEFT_NO_ID };
}

struct mpi_deed mpi_begin_transfer(struct mpi_join *mpi, const struct join_thread *thread,
                                   uint32_t call, uint32_t window, int32_t rank,
                                   int64_t bytes, uint64_t entity, int64_t time)
{
    struct mpi_deed deed = { .what = MPI_NOTHING, .call = call };
    uint32_t member = mpi->windows[window].member, index = mpi->free_transfer;
    uint32_t peer = mpi_peer(mpi, member, rank);
    uint32_t target = peer == WEFT_NONE ? WEFT_NONE : mpi_processor(mpi, peer);
    uint32_t own = mpi_processor(mpi, mpi->processes[thread->process].processor);

    if (target == WEFT_NONE || own == WEFT_NONE) {
        mpi->unknown_peers++;
        return deed;
    }
    if (index != WEFT_NONE) {
        mpi->free_transfer = mpi->transfers[index].next;
    } else {
        mpi->transfers = weft_grow(mpi->transfers, &mpi->transfers_capacity,
                                   mpi->n_transfers + 1, sizeof *mpi->transfers);
        index = (uint32_t)mpi->n_transfers++;
    }
    mpi->transfers[index] =
        (struct mpi_transfer){ .process = thread->process,
                               .window = window,
                               .next = mpi->windows[window].first,
                               .serial = ++mpi->serial,
                               .hidden = mpi->processes[thread->process].hidden,
                               .rank = rank,
                               .call = call,
                               .link = link_of(mpi, call, own, target, entity, time),
                               .bytes = bytes };
    mpi->windows[window].first = index;
    deed.what = MPI_TRANSFER;
    deed.index = index;
    deed.serial = mpi->serial;
    return deed;
}

static void put_transfer(struct mpi_join *mpi, const struct mpi_transfer *transfer,
                         uint64_t entity, int64_t time)
{
    const struct mpi_types *types = &mpi->types;
    uint32_t communicator =
        mpi->members[mpi->windows[transfer->window].member].communicator;
    struct weft_link link = transfer->link;
    struct weft_field_value fields[2] = {
        { types->transfer_bytes, { .integer = transfer->bytes } },
        { types->transfer_communicator,
          { .index = mpi_container(mpi, communicator, link.begin) } },
    };

    if (transfer->hidden || mpi->processes[transfer->process].hidden) {
        mpi->hidden++;
        return;
    }
    link.end = time;
    link.to_entity =
        mpi_calls[transfer->call].begins == MPI_BEGINS_GET ? entity : WEFT_NO_ID;
    weft_builder_link(mpi->join->builder, &link, fields, 2);
    if (mpi_calls[transfer->call].begins == MPI_BEGINS_EXCHANGE) {
        uint32_t from = link.from;
        link.from = link.to;
        link.to = from;
        link.from_entity = WEFT_NO_ID;
        link.to_entity = entity;
        weft_builder_link(mpi->join->builder, &link, fields, 2);
    }
}

/* Remove the transfer at *AT from its window's list, and free it. */
static void remove_at(struct mpi_join *mpi, uint32_t *at)
{
    uint32_t index = *at;
    struct mpi_transfer *transfer = &mpi->transfers[index];

    *at = transfer->next;
    transfer->serial = 0;
    transfer->next = mpi->free_transfer;
    mpi->free_transfer = index;
}

static void end_at(struct mpi_join *mpi, uint32_t *at, uint64_t entity, int64_t time)
{
    put_transfer(mpi, &mpi->transfers[*at], entity, time);
    remove_at(mpi, at);
}

/*
 * Returns the place of the deed's transfer in its window's list; NULL if it was completed
 * already.  Costs the number of the window's transfers.
 */
static uint32_t *place_of(struct mpi_join *mpi, const struct mpi_deed *deed)
{
    const struct mpi_transfer *transfer = &mpi->transfers[deed->index];
    uint32_t *at = &mpi->windows[transfer->window].first;

    if (transfer->serial != deed->serial)
        return NULL;
    while (*at != WEFT_NONE && *at != deed->index && join_may_look(mpi->join))
        at = &mpi->transfers[*at].next;
    return *at == deed->index ? at : NULL;
}

void mpi_end_transfer(struct mpi_join *mpi, const struct mpi_deed *deed, uint64_t entity,
                      int64_t time)
{
    uint32_t *at = place_of(mpi, deed);

    if (at)
        end_at(mpi, at, entity, time);
}

void mpi_drop_transfer(struct mpi_join *mpi, const struct mpi_deed *deed)
{
    uint32_t *at = place_of(mpi, deed);

    if (at)
        remove_at(mpi, at);
}

void mpi_end_transfers(struct mpi_join *mpi, uint32_t window, int32_t rank, uint64_t entity,
                       int64_t time)
{
    uint32_t *at = &mpi->windows[window].first;

    while (*at != WEFT_NONE)
        if (rank == WEFT_MPI_ANY || mpi->transfers[*at].rank == rank)
            end_at(mpi, at, entity, time);
        else if (!join_may_look(mpi->join))
            return;
        else
            at = &mpi->transfers[*at].next;
}
