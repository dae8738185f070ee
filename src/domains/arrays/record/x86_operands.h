/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs and outputs of instructions of x86-64, in order to follow a value. */
#ifndef WEFT_RECORD_ARRAYS_X86_OPERANDS_H
#define WEFT_RECORD_ARRAYS_X86_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/core.h"

/* Where a value may be: general registers by their numbers, vector registers, flags. */
enum {
    X86_RAX = 0,
    X86_RCX = 1,
    X86_RDX = 2,
    X86_RSP = 4,
    X86_RBP = 5,
    X86_RSI = 6,
    X86_RDI = 7,
    X86_VECTOR = 16, /* xmm0; 15 others follow */
    X86_FLAGS = 32,
    X86_REGISTERS,
    X86_MEMORY = 0xfe, /* what `memory` says */
    X86_NOWHERE = 0xff,
};

/* How the values that an operation reads become those that it writes. */
enum x86_compute {
    X86_UNKNOWN, /* not decoded: it may write anything */
    X86_NOTHING, /* it writes no value that is followed */
    X86_VALUE,   /* a value of its inputs: arithmetic, a selection, or a copy */
    X86_TRUTH,   /* whether a condition of the flags holds */
    X86_WRAP,    /* as X86_VALUE, but neighbours may not stay neighbours: a remainder */
};

struct x86_memory {
    uint8_t base, index; /* registers, or X86_NOWHERE */
    bool fixed;          /* neither: DISTANCE is the address */
    int64_t distance;
};

struct x86_operation {
    enum x86_compute compute;
    uint8_t inputs[3], outputs[2]; /* or X86_NOWHERE */
    bool sets_flags;               /* by its inputs */
    bool moves_stack;              /* it changes rsp */
    bool is_wide_copy;             /* it writes all of its output, with one of its inputs */
    struct x86_memory memory;      /* if an input or output is X86_MEMORY */
};

/* Returns what the instruction of LENGTH bytes at CODE does. */
WEFT_HIDDEN struct x86_operation array_x86_operation(const uint8_t *code, unsigned length);

#endif
