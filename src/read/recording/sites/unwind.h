/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinding tables of a file, for sites.c. */
#ifndef WEFT_READ_RECORDING_UNWIND_H
#define WEFT_READ_RECORDING_UNWIND_H

#include <elfutils/libdwfl.h>

#include "read/recording/sites/sites.h"

/* Find the rule for ADDRESS of MODULE; returns false if unknown or complex. */
bool unwind_frame(Dwfl_Module *module, uint64_t address, struct sites_frame *frame);

#endif
