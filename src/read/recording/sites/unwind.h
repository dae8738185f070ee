/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the unwinding tables (DWARF call frame information) of a file, for sites.c. */
#ifndef WEFT_READ_RECORDING_UNWIND_H
#define WEFT_READ_RECORDING_UNWIND_H

#include <elfutils/libdwfl.h>

#include "read/recording/sites/sites.h"

/*
 * Set *FRAME to the rule for ADDRESS of MODULE, a file for x86-64; false if it is not,
 * or if the rule is unknown or too complex, and then *FRAME may be partly set.
 */
bool unwind_frame(Dwfl_Module *module, uint64_t address, struct sites_frame *frame);

#endif
