/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes decoded instructions with values that are known or unknown, and keeps for each
 * value which of the values at the begin it follows from: its inputs.
 */
#ifndef WEFT_READ_RECORDING_POLLING_MACHINE_H
#define WEFT_READ_RECORDING_POLLING_MACHINE_H

#include "read/recording/polling/polling_loop.h"
#include "read/recording/polling/x86_instruction.h"

/* The flags of arithmetic but the one for decimals: carry, parity, zero, sign, overflow. */
enum { POLLING_FLAGS = 0x8c5 };

/*
 * Inputs: the registers at the begin by number, the flags, then what is read from the stack
 * before it is written.  The last one stands for what is written and not read.
 */
enum {
    POLLING_FLAGS_INPUT = X86_REGISTERS,
    POLLING_FIRST_STACK,
    POLLING_UNREAD = 31,
    POLLING_INPUTS = 32,
    MACHINE_MEMORY = POLLING_UNREAD - POLLING_FIRST_STACK,
};

/* In place of an input, for memory: none; one that has only a part of its bytes. */
enum { POLLING_NO_INPUT = -1, POLLING_OVERLAPS = -2 };

struct value {
    uint64_t bits;
    bool known;
    uint64_t mask; /* the bits that are known if not all are */
    bool counts;   /* it is one input, to which constants were added */
    uint32_t from; /* bits of the inputs it follows from */
};

struct memory { /* a place of the stack */
    uint64_t address;
    unsigned size; /* bytes */
    struct value value;
};

struct machine {
    const struct polling_state *start;
    uint64_t address; /* of the next instruction */
    struct value registers[X86_REGISTERS];
    struct value flags;
    struct memory written[MACHINE_MEMORY], read[MACHINE_MEMORY];
    unsigned n_written, n_read;
    unsigned steps;
    unsigned exchanges; /* atomic ones, of both kinds */
    bool swapped;       /* a compare-and-exchange was executed, and is held to fail */
    bool of_swap;       /* the flags are its result */
    unsigned reads;     /* of memory that it has not written */
    uint32_t addresses; /* inputs of all addresses that it used, and of what it exchanged */
    uint32_t decided;   /* inputs of the conditions of jumps that were known */
    bool paused;        /* a pause was executed ... */
    bool began_with_pause, after_pause; /* ... as the first, as the latest instruction */
    bool assumes; /* the flags fulfil the condition `assumed` on this way */
    uint8_t assumed;
};

enum machine_result {
    MACHINE_GOES_ON,
    MACHINE_UNDECIDED, /* a jump whose condition is unknown; `address` is behind it */
    MACHINE_FAILED,    /* it writes elsewhere, or goes on at an unknown address */
};

/* Sets *MACHINE to the state START, which must live as long. */
void machine_begin(struct machine *machine, const struct polling_state *start);
/* Executes INSTRUCTION, which is at machine->address, and goes to the next one. */
enum machine_result machine_step(struct machine *machine,
                                 const struct x86_instruction *instruction);
/* Returns true if FLAGS fulfil CONDITION, both as in instructions. */
bool machine_condition(uint64_t flags, unsigned condition);
/*
 * Returns the input that is exactly the memory of PLACE, POLLING_NO_INPUT, or
 * POLLING_OVERLAPS.
 */
int machine_input_at(const struct machine *machine, const struct memory *place);

#endif
