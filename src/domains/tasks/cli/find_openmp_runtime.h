/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds LLVM's OpenMP runtime, and the programs that need it to be recorded: it has the
 * tool interface (OMPT), GCC's libgomp has not.  LLVM's also exports libgomp's entry
 * points, so a program built by GCC runs on it if it is preloaded; some of them it lacks,
 * or they do other than in libgomp.
 */
#ifndef WEFT_CLI_CMD_FIND_OPENMP_RUNTIME_H
#define WEFT_CLI_CMD_FIND_OPENMP_RUNTIME_H

#include <stdbool.h>

#include "base/err.h"

/* How a program uses GCC's OpenMP runtime, libgomp; record_openmp_use() makes it. */
struct record_openmp {
    bool used;    /* the program, or a library that it needs, is linked with libgomp */
    char *cannot; /* a phrase that names the first thing that it uses and LLVM's runtime
                     cannot do, heap; NULL if there is none */
    bool differs; /* it has ordered static loops, whose chunks LLVM's runtime may ignore */
};

/* Returns the path of LLVM's OpenMP runtime, for LD_PRELOAD, which the caller frees.  NULL
   with WEFT_ERR_READ, whose text names the package to install, if there is none in the
   usual folders or its path has a space or colon. */
char *record_openmp_runtime(struct weft_err *err);
/*
 * Returns what the executable at path PROGRAM, and the libraries that it is linked with,
 * use of libgomp; all false and NULL if none can be read.  RUNTIME is the path of LLVM's
 * runtime, or NULL; then only `used` is set.  The caller frees `cannot`.
 */
struct record_openmp record_openmp_use(const char *program, const char *runtime);

#endif
