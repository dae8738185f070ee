/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for the functions that a compiler makes of a part of another one, by a file's
 * DWARF: "lambda at worker.cc:12" for what a lambda of C++ does, "main at heat.c:5" for the
 * body of an OpenMP construct in main() that its threads execute.
 */
#ifndef WEFT_READ_RECORDING_GENERATED_FUNCTIONS_H
#define WEFT_READ_RECORDING_GENERATED_FUNCTIONS_H

#include <elfutils/libdw.h>

/* The names of one module's functions, in a cache. */
struct generated;

/* Returns an empty cache; generated_free() frees it. */
struct generated *generated_new(void);
/* Frees GENERATED (may be NULL) and all names that it has returned. */
void generated_free(struct generated *generated);
/*
 * Returns the name of FUNCTION, the entry of a function or of an inlined call of one, if
 * the compiler made it of a part of another function; else NULL.  The first call for a
 * function costs a walk of the entries around it, for OpenMP of those of its unit.
 */
const char *generated_name(struct generated *generated, Dwarf_Die *function);
/*
 * Returns the name ("lambda at worker.cc:12") of the lambda that FUNCTION, or else the
 * class that it is a member of, has as the argument INDEX of its template (from 0, types
 * only), or that this type has as its own first argument, and so on; NULL if there is none.
 */
const char *generated_argument(struct generated *generated, Dwarf_Die *function,
                               uint32_t index);

#endif
