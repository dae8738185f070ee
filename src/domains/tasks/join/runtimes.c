/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the OpenMP runtimes of a recorded program; some have no interface for tools. */
#include "domains/tasks/join/runtimes.h"

#include "domains/tasks/format/records.h"
#include "read/recording/join/join.h"

/* GCC's, which has no interface for tools, then LLVM's and its kin. */
static const char *const openmp[] = { "libgomp.so", "libomp.so", "libomp5.so",
                                      "libiomp5.so" };

/* Returns the index of the runtime that a line of the maps has; -1 if none. */
static int openmp_of(const struct map_line *line)
{
    for (size_t i = 0; i < sizeof openmp / sizeof *openmp; i++)
        if (map_line_is_of(line, openmp[i]))
            return (int)i;
    return -1;
}

/*
 * Returns a bit for each OpenMP runtime of a process.  Maps are copied at the program's
 * start, and when new code is seen.
 */
static unsigned runtimes_of(const struct image *image)
{
    unsigned runtimes = 0;

    for (size_t i = 0; i < image->maps.n_lines; i++)
        if (openmp_of(&image->maps.lines[i]) >= 0)
            runtimes |= 1u << openmp_of(&image->maps.lines[i]);
    return runtimes;
}

void omp_report_runtimes(struct join *join, const struct image *image)
{
    if ((image->header.families >> WEFT_FAMILY_OMP & 1) && runtimes_of(image) == 1)
        weft_builder_problem(join->builder, WEFT_WARNING, "unseen-openmp", 0,
                             "process %u ran on GCC's OpenMP, which tells nobody what it "
                             "does: of its tasks and regions nothing is recorded (weft "
                             "record runs the program that it starts on LLVM's, if that "
                             "has all that the program needs)",
                             image->header.pid);
}

bool omp_has_runtime(const struct image *image)
{
    return runtimes_of(image) != 0;
}
