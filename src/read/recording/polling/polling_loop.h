/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves that a thread which was interrupted in its program polls memory: it is in a loop
 * that goes round without progress, until another thread writes what the loop reads.
 *
 * From the registers of the thread its code is executed, with values that are known
 * (because they follow from the registers) or unknown (read from memory).  A round is a way
 * that leads back to the same instruction.  It makes no progress if all registers have
 * their values again, or ones that follow from what was read in the round alone, and if
 * nothing is written but the same values to the own stack, or by an atomic exchange.  A
 * loop that counts, sums up or goes through an array changes a register or a variable on
 * its stack from its own value of the round before.
 */
#ifndef WEFT_READ_RECORDING_POLLING_LOOP_H
#define WEFT_READ_RECORDING_POLLING_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a thread of x86-64 when it was interrupted. */
struct polling_state {
    uint64_t address;       /* of its next instruction */
    uint64_t registers[16]; /* by their numbers in instructions: rax 0, rcx 1, ... */
    uint64_t flags;
    const unsigned char *stack; /* [stack_size] a copy of its stack from rsp on */
    size_t stack_size;
};

/* Copies at most N bytes of code at ADDRESS to TO; returns their number, 0 if unknown. */
typedef size_t polling_code(void *user, uint64_t address, unsigned char *to, size_t n);

enum polling {
    POLLING_NO,    /* no round without progress is known from there */
    POLLING_MAYBE, /* there is one, but nothing tells that the thread goes it */
    POLLING_YES,   /* there is one, and by its registers the thread is on its way round */
};

struct polling_round {
    /*
     * Bit i: register i has the same value after the round; bit 16: so have the flags.  The
     * others are read from memory in each round, or count in a loop with a pause.
     */
    uint32_t fixed;
};

/*
 * Says whether a thread in STATE polls memory, and sets *ROUND unless the result is
 * POLLING_NO.  CODE is asked with USER.  Costs up to some thousand steps of simple
 * instructions.
 */
enum polling polling_examine(const struct polling_state *state, polling_code *code,
                             void *user, struct polling_round *round);

#endif
