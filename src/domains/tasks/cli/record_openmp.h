/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP runtimes: LLVM's has the tool interface (OMPT), GCC's libgomp has not.  LLVM's
 * also exports libgomp's entry points, so a program built by GCC runs on it if it is
 * preloaded.
 */
#ifndef WEFT_CLI_CMD_RECORD_OPENMP_H
#define WEFT_CLI_CMD_RECORD_OPENMP_H

#include <stdbool.h>

#include "base/err.h"

/* Returns true if the executable at path PROGRAM uses an OpenMP runtime without OMPT. */
bool record_openmp_is_blind(const char *program);
/* Returns the path of LLVM's OpenMP runtime, which the caller frees.  NULL with *ERR, which
   names the package to install, if there is none. */
char *record_openmp_runtime(struct weft_err *err);

#endif
