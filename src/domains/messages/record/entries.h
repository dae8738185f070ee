/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the library that is preloaded (entries.c) and those that know an implementation of
 * MPI (mpi.h): implementations differ in what a handle is, so there is one for each whose mpi.h
 * was there when Weft was built, all of the same sources, and entries.c loads the one that the
 * program needs.
 */
#ifndef WEFT_RECORD_MPI_ENTRIES_H
#define WEFT_RECORD_MPI_ENTRIES_H

#include "domains/messages/format/calls.h"
#include "record/core/core.h"

/*
 * The frame of the call of MPI that the thread is in, or 0.  Libraries of MPI call MPI
 * themselves, and what they call is not the program's.
 */
WEFT_EXPORT extern __thread uintptr_t weft_mpi_inside
    __attribute__((tls_model("initial-exec")));
/* Calls that were taken for MPI's own since then. */
WEFT_EXPORT extern __thread uint32_t weft_mpi_passed
    __attribute__((tls_model("initial-exec")));
/*
 * The thread is in that call no more, and it did not return.  PASSED: so many later ones may have
 * been taken for MPI's own, since nobody saw that it was left.
 */
WEFT_EXPORT void weft_mpi_left(uint32_t passed);

/*
 * What a program may call (weft/mpicl/binding.h does): compare the clocks of hosts now.  All ranks
 * do, as when MPI begins.  The other is what it calls, when there are hooks for the MPI that is
 * loaded.
 */
WEFT_EXPORT void weft_mpi_synchronize_v1(void);
WEFT_EXPORT extern void (*weft_mpi_synchronize)(void);

/* The library's name after this is "openmpi.so" or "mpich.so". */
#define WEFT_MPI_LIBRARY "libweft-record-mpi-"

/*
 * What each of these exports: find the functions of MPI in LIBRARY, a handle of the loader, and
 * put a hook for each that is there, by enum weft_mpi_call.  VERSION: what the library says of
 * itself, which is kept.  False: it is another MPI than the one that this was built for.
 */
#define WEFT_MPI_ATTACH "weft_mpi_attach_v1"
typedef bool weft_mpi_attach_function(void *library, const char *version, void **hooks);

#endif
