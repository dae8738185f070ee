/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The families of recorders: what each records, and the number by which its records are told
 * from those of others.  A new family takes the next number here and a row in the table; the
 * layout of its records is a header of its own beside this one.
 */
#ifndef WEFT_FORMAT_RECORDING_FAMILIES_H
#define WEFT_FORMAT_RECORDING_FAMILIES_H

#include <stdbool.h>

enum weft_family {
    WEFT_FAMILY_CORE,     /* recording_layout.h */
    WEFT_FAMILY_THREADS,  /* recording_threads.h */
    WEFT_FAMILY_ANNOTATE, /* recording_annotate.h */
    WEFT_FAMILY_MPI,      /* recording_mpi.h */
    WEFT_FAMILY_OMP,      /* recording_omp.h */
    WEFT_FAMILY_ARRAYS,   /* recording_arrays.h */
    WEFT_FAMILIES,
    WEFT_FAMILIES_MOST = 16, /* what four bits of a record can say */
};

struct weft_family_row {
    enum weft_family number;
    const char *name;    /* as people write it: weft record --with NAME */
    const char *library; /* to be preloaded, in the folder of the core's */
    const char *records; /* what, for the help */
    bool by_default;
};

static const struct weft_family_row weft_family_table[] = {
    { WEFT_FAMILY_THREADS, "threads", "libweft-record-threads.so",
      "threads, locks and other things that they wait in, and calls that sleep", true },
    { WEFT_FAMILY_ANNOTATE, "annotations", "libweft-record-annotate.so",
      "what a program says of itself through weft.h", true },
    { WEFT_FAMILY_MPI, "mpi", "libweft-record-mpi.so",
      "calls of MPI, its messages and collective operations", false },
    { WEFT_FAMILY_OMP, "omp", "libweft-record-omp.so",
      "OpenMP's regions, tasks, loops, barriers and locks, and tasks of weft_task.h", false },
    { WEFT_FAMILY_ARRAYS, "arrays", "libweft-record-arrays.so",
      "references to arrays that a program says through weft_array.h; when it is named, all "
      "references of a program that is compiled with -fsanitize=thread and linked with "
      "-lweft-array",
      true },
};

#define WEFT_CORE_LIBRARY "libweft-record-core.so"

#endif
