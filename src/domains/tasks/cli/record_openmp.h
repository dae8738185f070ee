/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds LLVM's OpenMP runtime, and the programs that need it to be recorded: it has the
 * tool interface (OMPT), GCC's libgomp has not.  LLVM's also exports libgomp's entry
 * points, so a program built by GCC runs on it if it is preloaded.
 */
#ifndef WEFT_CLI_CMD_RECORD_OPENMP_H
#define WEFT_CLI_CMD_RECORD_OPENMP_H

#include <stdbool.h>

#include "base/err.h"

/* Returns true if the executable at path PROGRAM, or the interpreter of a script, is linked
   directly with GCC's OpenMP runtime (libgomp), which lacks the interface for tools (OMPT):
   what it does cannot be recorded. */
bool record_openmp_is_blind(const char *program);
/* Returns the path of LLVM's OpenMP runtime, for LD_PRELOAD, which the caller frees.  NULL
   with WEFT_ERR_READ, whose text names the package to install, if there is none in the
   usual folders or its path has a space or colon. */
char *record_openmp_runtime(struct weft_err *err);

#endif
