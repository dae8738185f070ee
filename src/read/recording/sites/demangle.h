/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names of functions and types of C++ and Rust. */
#ifndef WEFT_READ_RECORDING_DEMANGLE_H
#define WEFT_READ_RECORDING_DEMANGLE_H

#include <stdbool.h>

/*
 * Returns the readable name of a mangled SYMBOL of C++ or Rust; the caller frees it.
 * PARAMETERS: the name has the types of the function's parameters.  NULL if SYMBOL is not
 * mangled, or its name exceeds 64 KiB.
 */
char *demangle(const char *symbol, bool parameters);

#endif
