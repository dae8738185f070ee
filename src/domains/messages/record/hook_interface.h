/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the preloaded library (hook_interface.c) and the libraries of hooks
 * (mpi_hook_macros.h).  MPI implementations differ in what a handle is, so there is one
 * library of hooks for each whose mpi.h was there when Weft was built, all from the same
 * sources.  hook_interface.c loads the one that the program needs.
 */
#ifndef WEFT_RECORD_MPI_HOOK_INTERFACE_H
#define WEFT_RECORD_MPI_HOOK_INTERFACE_H

#include "domains/messages/format/call_table.h"
#include "record/core/core.h"

/*
 * The frame address of the hook of the MPI call that the thread is in, or 0.  Calls that
 * MPI itself makes meanwhile are nested, and not recorded.
 */
WEFT_EXPORT extern __thread uintptr_t weft_mpi_inside
    __attribute__((tls_model("initial-exec")));
/*
 * Number of calls of MPI in the calling thread that were not recorded, since they came
 * inside its present call and seemed to be made by MPI itself; 0 at the begin of each call
 * of the program.
 */
WEFT_EXPORT extern __thread uint32_t weft_mpi_passed
    __attribute__((tls_model("initial-exec")));
/*
 * Records that the thread left its MPI call without a return (longjmp, exception, end of
 * the thread), and sets weft_mpi_inside to 0.  PASSED is how many later calls of the
 * program may have been taken for nested ones, and so were not recorded.
 */
WEFT_EXPORT void weft_mpi_left(uint32_t passed);

/*
 * Compares the clocks of hosts now, as when MPI begins; all ranks must call it
 * (weft/mpicl/binding.h does).  Calls weft_mpi_synchronize if a library of hooks has set
 * that, else has no effect.
 */
WEFT_EXPORT void weft_mpi_synchronize_v1(void);
/*
 * The function that weft_mpi_synchronize_v1 calls to compare the clocks of hosts; it has no
 * effect outside of MPI_Init to MPI_Finalize, and inside a call of MPI.  A library of hooks
 * sets it when it attaches; NULL before.
 */
WEFT_EXPORT extern void (*weft_mpi_synchronize)(void);

/* The file name of a library of hooks, without "openmpi.so" or "mpich.so" at its end. */
#define WEFT_MPI_LIBRARY "libweft-record-mpi-"

/*
 * The name of the function, a weft_mpi_attach_function, that each library of hooks exports.
 */
#define WEFT_MPI_ATTACH "weft_mpi_attach_v1"
/*
 * The function of a library of hooks that is called once, to attach them.  It finds MPI's
 * functions in LIBRARY, a handle of dlopen, and puts the hook of each function that is
 * there into HOOKS[WEFT_MPI_N_CALLS], by enum weft_mpi_call; others stay as they are,
 * NULL.  VERSION, the text of MPI_Get_library_version, must stay valid as long as the
 * process.  Returns false, with HOOKS as they were, if LIBRARY is another implementation
 * than the hooks were built for or lacks a function that they call, or if the preloaded
 * library refuses the hooks.
 */
typedef bool weft_mpi_attach_function(void *library, const char *version, void **hooks);

#endif
