/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time in which MPI_Pcontrol has stopped the recording.  The process's calls are not
 * shown; its threads' tracks have the state "not recorded" instead, so that the time counts
 * neither as work nor as waiting.  In the thread that called MPI_Pcontrol the state lasts
 * from the end of that call to its next call that is shown; in the other threads it begins
 * with their first hidden call.
 */
#include <inttypes.h>

#include "domains/messages/join/mpi_join.h"

void mpi_show(struct mpi_join *mpi, const struct join_thread *thread, int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    int64_t shown_at = mpi->processes[thread->process].shown_at;

    if (!state->unrecorded)
        return;
    if (shown_at > state->hidden_at && shown_at < time)
        time = shown_at; /* another thread showed calls again meanwhile */
    (void)weft_builder_pop(mpi->join->builder, state->track, time, NULL);
    state->unrecorded = false;
}

void mpi_hide(struct mpi_join *mpi, const struct join_thread *thread, int64_t time)
{
    struct mpi_thread *state = &mpi->threads[thread->index];
    const struct mpi_process *process = &mpi->processes[thread->process];

    if (process->shown_at > state->hidden_at)
        mpi_show(mpi, thread, time);
    if (state->unrecorded || !process->hidden)
        return;
    if (mpi->unrecorded == WEFT_NONE)
        mpi->unrecorded = join_value_with_role(mpi->join, mpi->types.call, "not recorded",
                                               WEFT_ROLE_MEASURING);
    state->unrecorded = weft_builder_push(mpi->join->builder, mpi_call_track(mpi, thread),
                                          time, mpi->unrecorded, NULL, 0, NULL)
                        == WEFT_BUILD_OK;
    state->hidden_at = time;
}

/* Only a note, since the program asked for it. */
void mpi_report_hidden(const struct mpi_join *mpi)
{
    if (mpi->hidden > 0)
        weft_builder_problem(mpi->join->builder, WEFT_NOTE, "stopped-by-program", 0,
                             "%" PRIu64
                             " message%s sent or received while MPI_Pcontrol had "
                             "stopped the recording: %s not shown",
                             mpi->hidden, mpi->hidden == 1 ? " was" : "s were",
                             mpi->hidden == 1 ? "it is" : "they are");
}
