/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cli/record_hooks.h"
#include "domains/messages/format/records.h"
#include "read/recording/join/join.h"
#include "read/recording/recorder_registry.h"

extern const struct join_family join_mpi;
extern const struct weft_recorder weft_recorder_mpi;

/* Is weft itself a rank of MPI?  Then so are others, which record theirs. */
static bool is_rank(void)
{
    static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK" };

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        if (getenv(ranks[i]))
            return true;
    return false;
}

static bool prepare(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err)
{
    const char *clocks = getenv(WEFT_MPI_CLOCKS_VARIABLE);

    (void)request, (void)file, (void)library, (void)err;
    if (is_rank() && !(clocks && *clocks))
        setenv(WEFT_MPI_CLOCKS_VARIABLE, WEFT_MPI_CLOCKS_BY_RANKS, 1);
    return true;
}

/* Returns true if a library of MPI was loaded: by a rank, not by what starts the ranks. */
static bool has_library(const struct image *image)
{
    for (size_t i = 0; i < image->maps.n_lines; i++)
        if (map_line_is_of(&image->maps.lines[i], "libmpi.so")
            || map_line_is_of(&image->maps.lines[i], "libmpich.so"))
            return true;
    return false;
}

static const struct weft_record_hooks hooks = { .prepare = prepare };

const struct weft_recorder weft_recorder_mpi = {
    .number = WEFT_FAMILY_MPI,
    .name = "mpi",
    .library = "libweft-record-mpi.so",
    .records = "calls of MPI, its messages and collective operations",
    .join = &join_mpi,
    .help =
        "Ranks of MPI are recorded by weft record --with mpi -- mpirun ..., as all that a program "
        "starts; or each by itself, on any host: mpirun ... weft record --with mpi --dir FOLDER "
        "-- PROGRAM. Then weft recover FOLDER makes one trace of what all wrote there, or, where "
        "the folders are on disks of their own, weft recover FOLDER FOLDER...",
    .hooks = &hooks,
    .misses = has_library,
    .hint =
        "the program is one of MPI: --with threads,mpi also shows its ranks and messages",
};
