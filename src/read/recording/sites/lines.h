/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source text, by the debugging information of a file. */
#ifndef WEFT_READ_RECORDING_LINES_H
#define WEFT_READ_RECORDING_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Find the file and line of an address of MODULE.  For an inlined function that is marked
 * artificial (a wrapper), they are those of its call.  Returns false if unknown.  The text
 * lives as long as the module.
 */
bool lines_find(Dwfl_Module *module, uint64_t address, const char **file, uint32_t *line);

#endif
