/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a function's frame, by the unwinding tables of a loaded file. */
#ifndef WEFT_RECORD_FRAME_SIZE_H
#define WEFT_RECORD_FRAME_SIZE_H

#include "record/core/core.h"

/*
 * Returns how many bytes the stack pointer at the instruction ADDRESS lies below what it is
 * for the caller after the function has returned.  TABLE is the search table of the file
 * with that code (.eh_frame_hdr), as the loader has it.  Returns 0 if the tables do not
 * tell, as for functions that keep a frame pointer, or are in a form that compilers for
 * x86-64 do not write.  It reads memory only.
 */
WEFT_HIDDEN uint64_t weft_frame_size(const void *table, uint64_t address);

#endif
