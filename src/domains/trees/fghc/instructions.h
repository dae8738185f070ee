/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The abstract machine's instructions.  compile.c compiles a clause to one sequence of
 * them:
 *
 *     head     matches the goal's arguments, which are in the registers from 0 on, with
 *              the clause's head.  When a part is an unbound variable, the machine notes
 *              the variable and tries the next parts: one may rule the clause out
 *     guard    tests; the first that is false ends the clause.  When a test depends on an
 *              unbound variable, the next tests are still tried, likewise
 *     COMMIT   chooses the clause: from here on the goal is being reduced
 *     body     "=" and ":=" first, then the calls from the last to the first: EXECUTE makes
 *              the first call the current goal without putting it on the stack
 *
 * An instruction is 8 bytes.  An operand is a register, a constant of the program, or, in a
 * new term or as an argument of a call, a fresh variable.
 */
#ifndef WEFT_FGHC_INSTRUCTIONS_H
#define WEFT_FGHC_INSTRUCTIONS_H

#include <stdint.h>

/* The operations of the abstract machine; a, b, c and n are fields of struct instruction.
 * An operand is a register, a constant or OPERAND_NEW. */
enum operation {
    /* head: a is the register with the term that is matched.  LIST and STRUCT: b is the
     * first of the registers that get its parts */
    OP_GET_CONSTANT, /* with the constant in operand b */
    OP_GET_LIST,     /* with a list: b gets its head, b + 1 its tail */
    OP_GET_STRUCT,   /* with a structure, whose functor word follows */
    OP_GET_SAME,     /* with the term in operand b */
    /* guard */
    OP_TEST,          /* the type of operand a passes the enum test n */
    OP_SAME,          /* ==: operands a and b are the same term */
    OP_OTHER,         /* \==: they differ */
    OP_OTHER_FUNCTOR, /* \=: their principal functors, or constants, differ */
    OP_COMPARE,       /* the values of operands a and b pass the enum test n */
    OP_FUNCTION,      /* built-in function b on the registers from a on, also its results */
    OP_NOT_NEXT,      /* the test in the next word must fail */
    OP_FAIL,          /* the clause cannot be chosen */
    /* guard and body: register a := operand b (op) operand c.  If b or c is unbound or no
     * number, or c is a wrong one (such as a divisor 0): a body goes on n words after this
     * one; a guard fails, or waits for the unbound variable. */
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
    OP_NOT,      /* a := the complement of c's bits */
    OP_MOVE,     /* a := register or constant b */
    OP_CONSTANT, /* a := the word that follows */
    OP_NEW,      /* a := a fresh variable */
    OP_LIST,     /* a := [b|c] */
    OP_STRUCT,   /* a := a structure of n parts; its functor follows, then operands */
    OP_COMMIT,   /* the clause is chosen: its body follows */
    /* body; c: the call's index in program.calls */
    OP_UNIFY,   /* unify operands a and b, registers or constants */
    OP_CALL,    /* push the goal of procedure b with n arguments, operands that follow */
    OP_BUILTIN, /* like CALL, for built-in process b */
    OP_EXECUTE, /* like CALL; the call becomes the current goal: the end of the clause */
    OP_JUMP,    /* go on b + 65536 c words before this one */
    OP_PROCEED, /* the end of the clause */
};

/* An instruction of compiled code: enum operation says what the other fields mean. */
struct instruction {
    uint8_t op, n; /* op: enum operation */
    uint16_t a, b, c;
};

/* Operands of instructions, each of 16 bits, and limits that follow from their size. */
enum {
    OPERANDS_A_WORD = 4,       /* in each word of 8 bytes that follows an instruction */
    OPERAND_CONSTANT = 0x8000, /* this bit: the rest is an index in program.constants; else
                                * the operand is a register's number */
    OPERAND_NEW = 0xffff,      /* a fresh variable */
    MAX_REGISTERS = 0x7fff,    /* of a clause: 15 bits number them */
    MAX_CONSTANTS = 0x7ffe, /* of a program: the next would be NOWHERE (compile_priv.h) */
    MAX_CALLS = 0xffff,     /* goals in bodies of a program: 16 bits number them */
};

/* A word of compiled code: an instruction, or what follows one as enum operation says. */
union word {
    struct instruction instruction;
    uint16_t operands[OPERANDS_A_WORD];
    uint64_t term; /* a constant, or a functor word (term.h) */
};
_Static_assert(sizeof(union word) == 8, "a word of code is 8 bytes");

/* Returns the number of words of code that N operands behind an instruction take: four fit
 * into one. */
static inline uint32_t operand_words(uint32_t n)
{
    return (n + OPERANDS_A_WORD - 1) / OPERANDS_A_WORD;
}

#endif
