/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations under a request's handle.  Libraries give one handle to several requests that
 * are complete from the beginning (small sends), and one thread may get a handle again
 * before another thread has recorded the wait that ended its first request.  So a handle
 * has a list of requests, of which the oldest completes first.
 */
#include "domains/messages/join/mpi_join.h"

#define EMPTY (WEFT_MAP_NONE - 1) /* maps cannot remove keys */

static uint32_t first_of(const struct weft_id_map *map, uint64_t handle)
{
    uint32_t first = weft_id_map_get(map, handle);

    return first == WEFT_MAP_NONE || first == EMPTY ? WEFT_NONE : first;
}

static struct mpi_process *process_of(struct mpi_join *mpi,
                                      const struct join_thread *thread)
{
    return &mpi->processes[thread->process];
}

void mpi_begin_request(struct mpi_join *mpi, const struct join_thread *thread,
                       uint64_t handle, const struct mpi_deed *deed)
{
    enum mpi_begins begins = mpi_calls[deed->call].begins;
    struct weft_id_map *map = &process_of(mpi, thread)->requests;
    uint32_t index = mpi->free_request, *last, first = first_of(map, handle);

    if (deed->what == MPI_NOTHING)
        return;
    if (index != WEFT_NONE) {
        mpi->free_request = mpi->requests[index].next;
    } else {
        mpi->requests = weft_grow(mpi->requests, &mpi->requests_capacity,
                                  mpi->n_requests + 1, sizeof *mpi->requests);
        index = (uint32_t)mpi->n_requests++;
    }
    mpi->requests[index] = (struct mpi_request){ .next = WEFT_NONE, .deed = *deed };
    mpi->requests[index].persistent =
        begins == MPI_BEGINS_LATER || begins == MPI_BEGINS_PARTS
        || (begins >= MPI_BEGINS_ONE_TO_ALL_LATER && begins <= MPI_BEGINS_NEIGHBORS_LATER);
    mpi->requests[index].active = !mpi->requests[index].persistent;
    if (first == WEFT_NONE) {
        weft_id_map_put(map, handle, index);
        return;
    }
    for (last = &first; *last != WEFT_NONE && join_may_look(mpi->join);
         last = &mpi->requests[*last].next)
        ;
    mpi->requests[index].next = *last;
    *last = index;
}

/* Remove and free the oldest request of the handle. */
static void remove_first(struct mpi_join *mpi, struct weft_id_map *map, uint64_t handle,
                         uint32_t index)
{
    uint32_t next = mpi->requests[index].next;

    weft_id_map_put(map, handle, next == WEFT_NONE ? EMPTY : next);
    mpi->requests[index].next = mpi->free_request;
    mpi->free_request = index;
}

static enum mpi_matching matching_of(const struct mpi_deed *deed)
{
    return mpi_calls[deed->call].begins == MPI_BEGINS_PARTS ? MPI_PARTS : MPI_WHOLE;
}

uint64_t mpi_start_request(struct mpi_join *mpi, const struct join_thread *thread,
                           uint64_t handle, int64_t time)
{
    uint32_t index = first_of(&process_of(mpi, thread)->requests, handle);
    struct mpi_deed *deed = index == WEFT_NONE ? NULL : &mpi->requests[index].deed;

    if (!deed || !mpi->requests[index].persistent)
        return WEFT_NO_ID;
    mpi->requests[index].active = true;
    if (deed->what == MPI_SEND)
        mpi_send(mpi, deed->member, deed->peer_and_tag, deed->bytes, matching_of(deed),
                 mpi->threads[thread->index].state, time);
    else if (deed->what == MPI_RECEIVE)
        deed->index = mpi_post(mpi, deed->member, deed->peer_and_tag, matching_of(deed));
    if (deed->what != MPI_COLLECTIVE)
        return WEFT_NO_ID;
    deed->takes_part = true;
    deed->event = mpi_operation(mpi, deed->member, deed->call, deed->peer_and_tag, time);
    mpi_begin_neighbors(mpi, deed, mpi->threads[thread->index].state, time);
    return deed->event;
}

uint64_t mpi_operation_of_request(const struct mpi_join *mpi,
                                  const struct join_thread *thread, uint64_t handle)
{
    uint32_t index = first_of(&mpi->processes[thread->process].requests, handle);
    const struct mpi_request *request = index == WEFT_NONE ? NULL : &mpi->requests[index];

    return request && request->active && request->deed.what == MPI_COLLECTIVE
               ? request->deed.event
               : WEFT_NO_ID;
}

/* End the operation of a completed or cancelled request. */
static void end_deed(struct mpi_join *mpi, const struct join_thread *thread,
                     const struct mpi_deed *deed, const struct record *record, int64_t time)
{
    uint64_t entity = mpi->threads[thread->index].state;
    bool cancelled = record->argument != 0;

    if (!cancelled)
        mpi_note_completed(mpi, thread, deed, record->words[1]);
    switch (deed->what) {
    case MPI_RECEIVE:
        if (cancelled)
            mpi_unpost(mpi, deed->index);
        else
            mpi_receive(mpi, deed->index, record->words[1], (int64_t)record->words[2],
                        entity, time);
        break;
    case MPI_SEND:
        if (cancelled)
            (void)mpi_send_cancelled(mpi, deed->member, deed->peer_and_tag,
                                     matching_of(deed));
        break;
    case MPI_COLLECTIVE: mpi_end_neighbors(mpi, deed, entity, time); break;
    case MPI_TRANSFER: mpi_end_transfer(mpi, deed, entity, time); break;
    default: break;
    }
}

void mpi_complete_request(struct mpi_join *mpi, const struct join_thread *thread,
                          const struct record *record, int64_t time)
{
    struct weft_id_map *map = &process_of(mpi, thread)->requests;
    uint32_t index = first_of(map, record->words[0]);
    struct mpi_deed deed;

    /* Unknown: a request of MPI_PROC_NULL, or of no communication. */
    if (index == WEFT_NONE || !mpi->requests[index].active)
        return;
    deed = mpi->requests[index].deed;
    if (mpi->requests[index].persistent)
        mpi->requests[index].active = false;
    else
        remove_first(mpi, map, record->words[0], index);
    end_deed(mpi, thread, &deed, record, time);
}

void mpi_free_request(struct mpi_join *mpi, const struct join_thread *thread,
                      uint64_t handle)
{
    struct weft_id_map *map = &process_of(mpi, thread)->requests;
    uint32_t index = first_of(map, handle);

    if (index == WEFT_NONE)
        return;
    if (mpi->requests[index].active && mpi->requests[index].deed.what == MPI_RECEIVE)
        mpi_unpost(mpi, mpi->requests[index].deed.index);
    remove_first(mpi, map, handle, index);
}

void mpi_match_message(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record)
{
    uint32_t member = mpi_find_member(mpi, thread, record->words[2]);

    if (member != WEFT_NONE)
        weft_id_map_put(&process_of(mpi, thread)->messages, record->words[0],
                        mpi_post(mpi, member, record->words[1], MPI_WHOLE));
}

uint32_t mpi_take_message(struct mpi_join *mpi, const struct join_thread *thread,
                          uint64_t handle)
{
    struct weft_id_map *map = &process_of(mpi, thread)->messages;
    uint32_t receive = first_of(map, handle);

    if (receive != WEFT_NONE)
        weft_id_map_put(map, handle, EMPTY);
    return receive;
}
