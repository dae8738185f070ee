/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the values that a function reads go: which of its writes store them, or what was
 * computed from them, and which branches they decide.  The values are followed through
 * registers, the stack frame, and memory at fixed addresses.
 *
 * A value that is said to go somewhere does so on some way through the code.  Not all are
 * found: through other memory, and instructions that are not decoded, values are lost.
 */
#ifndef WEFT_RECORD_ARRAYS_CODE_VALUES_H
#define WEFT_RECORD_ARRAYS_CODE_VALUES_H

#include "domains/arrays/record/code_blocks.h"

/* Follows the values of all reads of BLOCKS; KIND tells hooks.  Returns false if there is
   not enough memory; all values are then lost. */
WEFT_HIDDEN bool code_follow_values(struct code_blocks *blocks, code_hook_kind *kind);

/* Fills `chosen` with the writes of which the value of READ decides whether an iteration of
   its loop executes them. */
WEFT_HIDDEN void code_find_chosen(struct code_blocks *blocks, uint32_t read);

/* Returns true if what READ reads is stored by WRITE, as it is or as part of a result. */
static inline bool code_stores(const struct code_blocks *blocks, uint32_t read,
                               uint32_t write)
{
    return blocks->stores[read][write / 64] >> write % 64 & 1;
}

#endif
