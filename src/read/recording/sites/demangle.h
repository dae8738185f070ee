/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions and types of C++ and Rust as people write them. */
#ifndef WEFT_READ_RECORDING_DEMANGLE_H
#define WEFT_READ_RECORDING_DEMANGLE_H

#include <stdbool.h>

/*
 * The name that SYMBOL stands for, with the types of PARAMETERS or without; the caller frees it.
 * NULL: it stands for none, or for one of more than 64 KiB.
 */
char *demangle(const char *symbol, bool parameters);

#endif
