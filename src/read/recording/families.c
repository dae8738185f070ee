/* SPDX-License-Identifier: Apache-2.0 */
/* The families that can be joined.  To add one, add two lines here. */
#include "read/recording/join/join.h"

extern const struct join_family join_threads, join_annotations, join_mpi, join_omp,
    join_arrays;

const struct join_family *const join_families[] = {
    &join_threads, &join_annotations, &join_mpi, &join_omp, &join_arrays,
};
const size_t join_n_families = sizeof join_families / sizeof *join_families;
