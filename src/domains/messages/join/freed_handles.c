/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles that a call frees.  A handle means nothing from the beginning of the call
 * on, since another thread may get the same one for a new object while the call goes on.
 * If the call fails the handle means again what it did.  A handle that a callback frees
 * inside another call stays gone, even if that call fails.
 */
#include "domains/messages/join/mpi_join.h"

static struct weft_id_map *map_of(struct mpi_join *mpi, const struct join_thread *thread,
                                  bool is_window)
{
    struct mpi_process *process = &mpi->processes[thread->process];

    return is_window ? &process->windows : &process->members;
}

static void forget(struct mpi_join *mpi, const struct join_thread *thread,
                   const struct record *record, bool is_window)
{
    uint64_t handle = record->words[0];
    struct weft_id_map *map = map_of(mpi, thread, is_window);
    uint32_t index = weft_id_map_get(map, handle);

    if (index == WEFT_MAP_NONE || index == MPI_GONE)
        return;
    weft_id_map_put(map, handle, MPI_GONE);
    if (record->argument == 0)
        mpi->threads[thread->index].gone = (struct mpi_gone){ handle, index, is_window };
}

void mpi_forget_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                             const struct record *record)
{
    forget(mpi, thread, record, false);
}

void mpi_forget_window(struct mpi_join *mpi, const struct join_thread *thread,
                       const struct record *record)
{
    forget(mpi, thread, record, true);
}

void mpi_undo_free(struct mpi_join *mpi, const struct join_thread *thread)
{
    const struct mpi_gone *gone = &mpi->threads[thread->index].gone;
    struct weft_id_map *map = map_of(mpi, thread, gone->is_window);

    if (gone->index != WEFT_NONE && weft_id_map_get(map, gone->handle) == MPI_GONE)
        weft_id_map_put(map, gone->handle, gone->index);
}
