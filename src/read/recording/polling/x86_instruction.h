/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the instructions of x86-64 that loops which poll memory are made of: moves,
 * integer arithmetic, compares, jumps, direct calls, pause, and atomic exchanges.
 */
#ifndef WEFT_READ_RECORDING_X86_INSTRUCTION_H
#define WEFT_READ_RECORDING_X86_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest instruction of x86-64, in bytes. */
enum { X86_MAX_BYTES = 15 };

/* Numbers of registers as in instructions: rax 0, rcx 1, rdx 2, ... */
enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_REGISTERS = 16 };
/* In place of a register in an address. */
enum { X86_NO_REGISTER = 16, X86_RIP = 17, X86_SEGMENT = 18 };

enum x86_kind {
    X86_MOVE,        /* to = from */
    X86_ZERO_EXTEND, /* to = from, of `from_size` bytes */
    X86_SIGN_EXTEND, /* likewise */
    X86_ADDRESS,     /* lea: to = address of from */
    X86_ADD,         /* the next eight are numbered as in instructions: to = to + from */
    X86_OR,
    X86_ADD_CARRY,
    X86_SUB_BORROW,
    X86_AND,
    X86_SUB,
    X86_XOR,
    X86_COMPARE, /* sets the flags of to - from */
    X86_TEST,    /* sets the flags of to & from */
    X86_INCREMENT,
    X86_DECREMENT,
    X86_NOT,
    X86_NEGATE,
    X86_SHIFT_LEFT,
    X86_SHIFT_RIGHT,
    X86_SHIFT_ARITHMETIC,
    X86_SIGN_TO_RDX, /* cdq, cqo */
    X86_SET,         /* to = condition */
    X86_MOVE_IF,     /* if condition: to = from */
    X86_JUMP_IF,     /* to address `immediate` */
    X86_JUMP,
    X86_CALL,
    X86_RETURN,
    X86_PUSH, /* from */
    X86_POP,  /* to */
    X86_LEAVE,
    X86_EXCHANGE,         /* to and from change places */
    X86_COMPARE_EXCHANGE, /* if rax = to: to = from; else rax = to */
    X86_PAUSE,
    X86_NOTHING, /* and fences */
};

enum x86_place { X86_NONE, X86_IN_REGISTER, X86_IN_MEMORY, X86_IMMEDIATE };

struct x86_operand {
    enum x86_place place;
    uint8_t reg; /* X86_IN_REGISTER: its number */
    /* X86_IN_MEMORY: at base + index * scale + displacement.  The base X86_RIP is the
       address of the next instruction, X86_SEGMENT that of a thread's own memory */
    uint8_t base, index, scale;
    int64_t displacement;
};

struct x86_instruction {
    enum x86_kind kind;
    uint8_t length;    /* bytes */
    uint8_t size;      /* of the operands, in bytes: 1, 2, 4 or 8 */
    uint8_t from_size; /* of `from`, if extended */
    uint8_t condition; /* as in instructions: 4 is equal, 5 not equal */
    struct x86_operand to, from;
    int64_t immediate; /* of X86_IMMEDIATE; of jumps: bytes from the next instruction */
};

/*
 * Decodes the instruction at CODE, of which N bytes are known, into *OUT.  Returns false
 * for any other instruction than those above, and if N is too little.
 */
bool x86_decode(const unsigned char *code, size_t n, struct x86_instruction *out);

#endif
