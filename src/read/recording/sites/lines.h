/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the source line of an address in a file's debugging information. */
#ifndef WEFT_READ_RECORDING_LINES_H
#define WEFT_READ_RECORDING_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Sets *FILE and *LINE (from 1) to the source line of an ADDRESS as libdwfl counts it in
 * MODULE, its bias included.  In an inlined function that is marked artificial (a wrapper),
 * they are those of its call.  Returns false, and sets nothing, if the line is unknown.
 * *FILE lives as long as MODULE.
 */
bool lines_find(Dwfl_Module *module, uint64_t address, const char **file, uint32_t *line);

#endif
