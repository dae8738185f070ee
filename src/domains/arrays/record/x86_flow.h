/* SPDX-License-Identifier: Apache-2.0 */
/* The lengths of the instructions of x86-64, and where each may go on. */
#ifndef WEFT_RECORD_ARRAYS_X86_FLOW_H
#define WEFT_RECORD_ARRAYS_X86_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "record/core/core.h"

/* How the flow of control goes on behind an instruction. */
enum x86_flow {
    X86_FLOW_UNKNOWN, /* no instruction that is decoded here */
    X86_FLOW_NEXT,    /* with the next instruction; also behind an indirect call */
    X86_FLOW_CALL,    /* with the next instruction, after a call of `target` */
    X86_FLOW_JUMP,    /* at `target` */
    X86_FLOW_BRANCH,  /* at `target` or with the next instruction */
    X86_FLOW_AWAY,    /* at an address in a register or in memory */
    X86_FLOW_END,     /* not in this function: a return or a trap */
};

/*
 * Returns the flow behind the instruction at CODE, of which N bytes are readable, and sets
 * *LENGTH to its bytes and *TARGET to the address it jumps to or calls, if that is known.
 */
WEFT_HIDDEN enum x86_flow array_x86_flow(const uint8_t *code, size_t n, unsigned *length,
                                         uintptr_t *target);

#endif
