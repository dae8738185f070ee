/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names of functions and types of C++ and Rust. */
#ifndef WEFT_READ_RECORDING_DEMANGLE_H
#define WEFT_READ_RECORDING_DEMANGLE_H

#include <stdbool.h>

/*
 * Returns the readable name of a mangled SYMBOL of C++ or Rust; the caller frees it.  With
 * PARAMETERS, names of functions, also those inside template arguments, have the types of
 * their parameters: "f(int)", else "f".  Returns NULL if SYMBOL is not a mangled name, or
 * the readable one exceeds 64 KiB.
 */
char *demangle(const char *symbol, bool parameters);

#endif
