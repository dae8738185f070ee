/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the system on terms: functor, arg, vectors and strings, the order of terms.
 * The ones that say so may stand in guards, where their results are matched; in bodies they
 * are processes that wait for their inputs.
 */
#ifndef WEFT_FGHC_FUNCTIONS_H
#define WEFT_FGHC_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The index of a function, or -1. */
int function_find(const char *name, uint32_t arity, bool in_guard);
const char *function_name(int function);
uint32_t function_arity(int function);
/* Bits of the arguments that it waits for, and of those that it gives values; the arguments
 * that are neither are parts of what it makes. */
uint32_t function_inputs(int function);
uint32_t function_outputs(int function);

enum { MOST_FUNCTION_ARITY = 8 };

#endif
