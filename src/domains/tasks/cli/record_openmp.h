/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP's runtimes: only some tell a tool what they do.  GCC's does not; LLVM's has its entries,
 * too, so a program that GCC has built runs on that when it is preloaded.
 */
#ifndef WEFT_CLI_CMD_RECORD_OPENMP_H
#define WEFT_CLI_CMD_RECORD_OPENMP_H

#include <stdbool.h>

#include "base/err.h"

/* Does the program at this path run on a runtime that tells nothing? */
bool record_openmp_is_blind(const char *program);
/* The path of LLVM's runtime; free it.  NULL with *err, which says what to install. */
char *record_openmp_runtime(struct weft_err *err);

#endif
