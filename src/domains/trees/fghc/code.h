/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The abstract machine's instructions.  A clause is compiled (compile.c) to one run of them:
 *
 *     head     takes the goal's arguments apart, which are in the registers from 0 on.  When a
 *              part is an unbound variable, the variable is noted and the next parts are still
 *              tried, since one of them may rule the clause out
 *     guard    tests; the first that is false ends the clause.  When one waits for a
 *              variable, the next are still tried, likewise
 *     COMMIT   the clause is chosen: from here on the goal is being reduced
 *     body     "=" and ":=" first, then the calls from the last to the first: EXECUTE makes
 *              the first call the current goal without putting it on the stack
 *
 * An instruction is 8 bytes.  An operand is a register, a constant of the program, or, as a
 * part of a new term or as an argument, a fresh variable.
 */
#ifndef WEFT_FGHC_CODE_H
#define WEFT_FGHC_CODE_H

#include <stdint.h>

enum operation {
    /* head: a is a register, b the first of those that take the parts */
    OP_GET_CONSTANT, /* a, b operand */
    OP_GET_LIST,     /* a, b */
    OP_GET_STRUCT,   /* a, b; the functor follows */
    OP_GET_SAME,     /* a, b operands */
    /* guard */
    OP_TEST,          /* n: enum test, a operand */
    OP_SAME,          /* a, b operands: terms that are the same */
    OP_OTHER,         /* a, b operands: terms that differ */
    OP_OTHER_FUNCTOR, /* a, b operands: other atoms, or other names or arities */
    OP_COMPARE,       /* n: enum test, a, b operands */
    OP_FUNCTION,      /* function b of the registers from a on, where its results go */
    OP_NOT_NEXT,      /* the next test must fail */
    OP_FAIL,          /* the clause does not fit */
    /* guard and body: a := b (op) c; when b or c is not a number, go on N words later */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_POWER,
    OP_NOT,      /* the bits of c */
    OP_MOVE,     /* a := operand b */
    OP_CONSTANT, /* a := the word that follows */
    OP_NEW,      /* a := a fresh variable */
    OP_LIST,     /* a := [b|c] */
    OP_STRUCT,   /* a := a structure of n parts; its functor follows, then operands */
    OP_COMMIT,
    /* body; c: the call's place in program.calls */
    OP_UNIFY,   /* a = b */
    OP_CALL,    /* procedure b with n arguments, operands that follow */
    OP_BUILTIN, /* as CALL, of a process of the system */
    OP_EXECUTE, /* as CALL, and the end of the clause */
    OP_JUMP,    /* back by b + 65536 c words */
    OP_PROCEED, /* the end of the clause */
};

struct instruction {
    uint8_t op, n;
    uint16_t a, b, c;
};

enum {
    OPERANDS_A_WORD = 4,       /* of 16 bits, in the words that follow an instruction */
    OPERAND_CONSTANT = 0x8000, /* this bit: the rest is an index of a constant */
    OPERAND_NEW = 0xffff,      /* a fresh variable */
    MOST_REGISTERS = 0x7fff,   /* of a clause: what 15 bits can number */
    MOST_CONSTANTS = 0x7ffe, /* of a program: one more would be NOWHERE (compile_priv.h) */
    MOST_CALLS = 0xffff,     /* places in a program: what field c can number */
};

union word {
    struct instruction instruction;
    uint16_t operands[OPERANDS_A_WORD];
    uint64_t term;
};
_Static_assert(sizeof(union word) == 8, "a word of code is 8 bytes");

/* The number of words that N operands take. */
static inline uint32_t operand_words(uint32_t n)
{
    return (n + OPERANDS_A_WORD - 1) / OPERANDS_A_WORD;
}

#endif
