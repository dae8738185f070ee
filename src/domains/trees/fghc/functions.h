/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the built-in functions on terms: functor, arg, vectors and strings, the order
 * of terms.  Some may stand in guards, where their results are matched with patterns; in a
 * body a function is a built-in process that waits for its inputs.
 */
#ifndef WEFT_FGHC_FUNCTIONS_H
#define WEFT_FGHC_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the index of the built-in function that may stand in a guard (IN_GUARD) or in a
 * body; -1 if there is none. */
int function_find(const char *name, uint32_t arity, bool in_guard);
const char *function_name(int function);
uint32_t function_arity(int function);
/* Return a bit mask of a function's arguments: those that must be bound before it runs, or
 * those that get the results.  The others may be unbound: the function waits for them only
 * if it needs to. */
uint32_t function_inputs(int function);
uint32_t function_outputs(int function);

enum { MAX_FUNCTION_ARITY = 8 };

#endif
