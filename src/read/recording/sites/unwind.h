/* SPDX-License-Identifier: Apache-2.0 */
/* The unwinding tables of a file, for sites.c. */
#ifndef WEFT_READ_RECORDING_UNWIND_H
#define WEFT_READ_RECORDING_UNWIND_H

#include <elfutils/libdwfl.h>

#include "read/recording/sites/sites.h"

/* The frame at ADDRESS, as the file's own tables count; false: not known or not simple. */
bool unwind_frame(Dwfl_Module *module, uint64_t address, struct sites_frame *frame);

#endif
