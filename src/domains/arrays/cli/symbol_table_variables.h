/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the variables of a program from its symbol table, without running it. */
#ifndef WEFT_READ_RECORDING_SYMBOL_TABLE_VARIABLES_H
#define WEFT_READ_RECORDING_SYMBOL_TABLE_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/* A variable of the program with a fixed address. */
struct weft_variable {
    char *name;       /* symbol name, as in the file (not demangled) */
    uint64_t address; /* as linked: without the load address */
    uint64_t bytes;   /* the symbol's size */
};

/*
 * Lists in *VARIABLES all variables with a fixed address (not thread-local ones) and a size
 * in the ELF file at PATH (a program or a library), including static ones, and returns
 * their number; 0, and *VARIABLES is NULL, if it cannot be read, is not an ELF file or has
 * no such symbols.  weft_variables_free() frees them.
 */
size_t weft_recording_variables(const char *path, struct weft_variable **variables);
/* Frees VARIABLES[N] and their names; NULL with N 0 is fine. */
void weft_variables_free(struct weft_variable *variables, size_t n);

#endif
