/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names of functions and types of C++ and Rust. */
#ifndef WEFT_READ_RECORDING_DEMANGLE_H
#define WEFT_READ_RECORDING_DEMANGLE_H

#include <stdbool.h>

/*
 * Returns the name of a mangled SYMBOL, with the types of PARAMETERS if requested; the
 * caller frees it.  NULL if SYMBOL is not mangled, or its name exceeds 64 KiB.
 */
char *demangle(const char *symbol, bool parameters);

#endif
