/* SPDX-License-Identifier: Apache-2.0 */
/* Reports calls and communicators that were not recorded or not understood. */
#include <inttypes.h>
#include <string.h>

#include "domains/messages/join/mpi_join.h"

void mpi_report_unknown(const struct mpi_join *mpi)
{
    struct weft_builder *builder = mpi->join->builder;

    if (mpi->library && !*mpi->library)
        weft_builder_problem(
            builder, WEFT_WARNING, "no-mpi", 0,
            "the program called MPI, of which no library is loaded, and was "
            "told that the call failed: record it without --with mpi");
    else if (mpi->library)
        weft_builder_problem(builder, WEFT_WARNING, "unknown-mpi", 0,
                             "this build of weft does not record the calls of \"%.*s\"",
                             (int)strcspn(mpi->library, "\n,"), mpi->library);
    if (mpi->unseen > 0)
        weft_builder_problem(builder, WEFT_WARNING, "unseen-mpi", 0,
                             "%" PRIu64 " processes used MPI, and none of their calls was "
                             "seen: calls of functions that a program finds by dlsym "
                             "(Julia, Python's ctypes, plug-ins) are not recorded",
                             mpi->unseen);
    if (mpi->unknown_handles > 0)
        weft_builder_problem(builder, WEFT_WARNING, "unknown-communicator", 0,
                             "%" PRIu64 " calls name a communicator of which nothing is "
                             "known",
                             mpi->unknown_handles);
    if (mpi->worldless > 0)
        weft_builder_problem(
            builder, WEFT_WARNING, "no-world", 0,
            "%" PRIu64 " communicators are not known, nor what was sent and "
            "done in them: the processes have no rank in MPI_COMM_WORLD, as "
            "those that use MPI by sessions only",
            mpi->worldless);
    if (mpi->unknown_peers > 0)
        weft_builder_problem(builder, WEFT_WARNING, "unknown-peer", 0,
                             "%" PRIu64 " messages are to or from a process of another run "
                             "of MPI",
                             mpi->unknown_peers);
    if (mpi->failed_operations > 0)
        weft_builder_problem(builder, WEFT_WARNING, "failed-operation", 0,
                             "%" PRIu64 " calls of collective operations failed: where MPI "
                             "refused one of some processes only, their later ones in its "
                             "communicator are put together with others' earlier ones",
                             mpi->failed_operations);
    if (mpi->passed > 0)
        weft_builder_problem(builder, WEFT_WARNING, "passed-calls", 0,
                             "up to %" PRIu64 " calls of MPI are not recorded: they came "
                             "after one that the program had left by a jump which was not "
                             "seen, and seemed to be part of it",
                             mpi->passed);
}
