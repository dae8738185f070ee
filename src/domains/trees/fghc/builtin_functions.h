/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the built-in functions on terms: functor, arg, vectors and strings, the order
 * of terms.  Some may stand in guards, where their results are matched with patterns; in a
 * body a function is a built-in process that waits for its inputs.
 */
#ifndef WEFT_FGHC_BUILTIN_FUNCTIONS_H
#define WEFT_FGHC_BUILTIN_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the index of the built-in function NAME with ARITY arguments (inputs and results)
 * that may stand in a guard (if IN_GUARD) or in a body (if not); -1 if there is none.  The
 * name of a function called with the module generic begins with "generic:". */
int function_find(const char *name, uint32_t arity, bool in_guard);
/* Returns the name of a built-in function, a constant string; FUNCTION is an index that
 * function_find() returned. */
const char *function_name(int function);
/* Returns the number of arguments, inputs and results together, of a built-in function;
 * FUNCTION is an index that function_find() returned. */
uint32_t function_arity(int function);
/* Returns the arguments that must be bound before a built-in function runs: bit i is
 * argument i, from 0.  Other arguments that are no results may be unbound: the function
 * waits for them only if it needs them.  FUNCTION is an index from function_find(). */
uint32_t function_inputs(int function);
/* Returns the arguments that get the results of a built-in function: bit i is argument i,
 * from 0.  FUNCTION is an index from function_find(). */
uint32_t function_outputs(int function);

enum { MAX_FUNCTION_ARITY = 8 }; /* arguments of a built-in function, at most */

#endif
