/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the unwinding tables (DWARF call frame information) of a file, for sites.c. */
#ifndef WEFT_READ_RECORDING_UNWIND_H
#define WEFT_READ_RECORDING_UNWIND_H

#include <elfutils/libdwfl.h>

#include "read/recording/sites/sites.h"

/*
 * Sets *FRAME to the rule to unwind the function at ADDRESS, with the stack and frame
 * pointers that it has at that instruction.  ADDRESS is one of the ELF file of MODULE,
 * without the bias of libdwfl.  Returns false if the file is not for x86-64, or the rule is
 * unknown or too complex; then *FRAME may be partly set.
 */
bool unwind_frame(Dwfl_Module *module, uint64_t address, struct sites_frame *frame);

#endif
