/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/polling/x86_instruction.h"

#include <string.h>

struct decoder {
    const unsigned char *code;
    size_t n, at;
    bool bad; /* an instruction that is not decoded */
    bool rex, wide, operand_16, repeat, segment;
    uint8_t rex_r, rex_x, rex_b; /* 0 or 8 */
    struct x86_instruction *out;
};

static uint8_t next(struct decoder *d)
{
    if (d->at < d->n && d->at < X86_MAX_BYTES)
        return d->code[d->at++];
    d->bad = true;
    return 0;
}

/* Returns the number in the next SIZE bytes, 8 at most, with its sign. */
static int64_t number(struct decoder *d, unsigned size)
{
    uint64_t value = 0;
    unsigned bits = 8 * size;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)next(d) << (8 * i);
    if (bits < 64 && value >> (bits - 1))
        value |= ~UINT64_C(0) << bits;
    return (int64_t)value;
}

static void prefixes(struct decoder *d)
{
    uint8_t byte;

    for (;; d->at++) {
        byte = d->at < d->n ? d->code[d->at] : 0;
        if (byte == 0x66)
            d->operand_16 = true;
        else if (byte == 0xf3)
            d->repeat = true;
        else if (byte == 0x64 || byte == 0x65)
            d->segment = true;
        else if (byte != 0xf0 && byte != 0x2e && byte != 0x3e)
            break;
    }
    if ((byte & 0xf0) != 0x40)
        return;
    d->at++;
    d->rex = true;
    d->wide = byte & 8;
    d->rex_r = byte & 4 ? 8 : 0;
    d->rex_x = byte & 2 ? 8 : 0;
    d->rex_b = byte & 1 ? 8 : 0;
}

/* Returns a register of SIZE bytes; the high bytes (ah) are not decoded. */
static struct x86_operand in_register(struct decoder *d, unsigned number_of, unsigned size)
{
    if (size == 1 && !d->rex && number_of >= 4 && number_of < 8)
        d->bad = true;
    return (struct x86_operand){ .place = X86_IN_REGISTER, .reg = (uint8_t)number_of };
}

static struct x86_operand in_memory(struct decoder *d, unsigned mode, unsigned low)
{
    struct x86_operand operand = { .place = X86_IN_MEMORY,
                                   .base = (uint8_t)(low | d->rex_b),
                                   .index = X86_NO_REGISTER,
                                   .scale = 1 };

    if (low == 4) {
        uint8_t sib = next(d);
        unsigned index = (sib >> 3 & 7) | d->rex_x;
        operand.scale = (uint8_t)(1 << (sib >> 6));
        operand.index = index == 4 ? X86_NO_REGISTER : (uint8_t)index;
        operand.base = (uint8_t)((sib & 7) | d->rex_b);
        if ((sib & 7) == 5 && mode == 0) {
            operand.base = X86_NO_REGISTER;
            mode = 2;
        }
    } else if (low == 5 && mode == 0) {
        operand.base = X86_RIP;
        mode = 2;
    }
    operand.displacement = mode == 1 ? number(d, 1) : mode == 2 ? number(d, 4) : 0;
    if (d->segment) { /* the rest of the address does not matter: it is only read */
        operand.base = X86_SEGMENT;
        operand.index = X86_NO_REGISTER;
    }
    return operand;
}

/* Reads the ModRM byte: sets *RM to its operand, returns its other field. */
static unsigned mod_rm(struct decoder *d, unsigned size, struct x86_operand *rm)
{
    uint8_t byte = next(d);
    unsigned mode = byte >> 6, low = byte & 7;

    *rm = mode == 3 ? in_register(d, low | d->rex_b, size) : in_memory(d, mode, low);
    return byte >> 3 & 7;
}

/* Reads ModRM: RM is the operand that may be in memory, REG the other one. */
static void two_operands(struct decoder *d, unsigned size, unsigned reg_size,
                         struct x86_operand *rm, struct x86_operand *reg)
{
    unsigned field = mod_rm(d, size, rm);

    *reg = in_register(d, field | d->rex_r, reg_size);
}

static void immediate(struct decoder *d, unsigned size)
{
    d->out->from = (struct x86_operand){ .place = X86_IMMEDIATE };
    d->out->immediate = number(d, size < 4 ? size : 4);
}

static unsigned operand_size(const struct decoder *d, uint8_t opcode)
{
    return !(opcode & 1) ? 1 : d->wide ? 8 : d->operand_16 ? 2 : 4;
}

static void kind(struct decoder *d, enum x86_kind kind_of, unsigned size)
{
    d->out->kind = kind_of;
    d->out->size = (uint8_t)size;
}

/* Arithmetic in the first 64 opcodes. */
static void arithmetic(struct decoder *d, uint8_t opcode)
{
    unsigned size = operand_size(d, opcode), form = opcode & 7;

    kind(d, (enum x86_kind)(X86_ADD + (opcode >> 3)), size);
    if (form < 2) {
        two_operands(d, size, size, &d->out->to, &d->out->from);
    } else if (form < 4) {
        two_operands(d, size, size, &d->out->from, &d->out->to);
    } else if (form < 6) {
        d->out->to = in_register(d, X86_RAX, size);
        immediate(d, size);
    } else {
        d->bad = true;
    }
}

/* Opcodes f6 and f7, fe and ff, c0 to d3: the ModRM byte says which instruction it is. */
static void group(struct decoder *d, uint8_t opcode)
{
    static const enum x86_kind shifts[8] = {
        [4] = X86_SHIFT_LEFT, [5] = X86_SHIFT_RIGHT, [7] = X86_SHIFT_ARITHMETIC
    };
    unsigned size = operand_size(d, opcode), field = mod_rm(d, size, &d->out->to);

    if (opcode >= 0xfe) {
        kind(d, field == 0 ? X86_INCREMENT : X86_DECREMENT, size);
        d->bad |= field > 1;
    } else if (opcode >= 0xf6) {
        kind(d, field == 0 ? X86_TEST : field == 2 ? X86_NOT : X86_NEGATE, size);
        d->bad |= field == 1 || field > 3;
        if (field == 0)
            immediate(d, size);
    } else {
        kind(d, shifts[field], size);
        d->bad |= shifts[field] == X86_MOVE || opcode >= 0xd2; /* by rcx: not decoded */
        d->out->from = (struct x86_operand){ .place = X86_IMMEDIATE };
        d->out->immediate = opcode < 0xc2 ? number(d, 1) : 1;
    }
}

static void jump(struct decoder *d, enum x86_kind kind_of, uint8_t condition, unsigned size)
{
    d->bad |= d->operand_16;
    kind(d, kind_of, 8);
    d->out->condition = condition;
    d->out->immediate = number(d, size);
}

static void two_bytes(struct decoder *d)
{
    uint8_t opcode = next(d);
    unsigned size = operand_size(d, opcode), wide = operand_size(d, 1), field;

    if ((opcode & 0xf0) == 0x80) {
        jump(d, X86_JUMP_IF, opcode & 15, 4);
    } else if ((opcode & 0xf0) == 0x90) {
        kind(d, X86_SET, 1);
        d->out->condition = opcode & 15;
        (void)mod_rm(d, 1, &d->out->to);
    } else if ((opcode & 0xf0) == 0x40) {
        kind(d, X86_MOVE_IF, wide);
        d->out->condition = opcode & 15;
        two_operands(d, wide, wide, &d->out->from, &d->out->to);
    } else if (opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf) {
        kind(d, opcode < 0xb8 ? X86_ZERO_EXTEND : X86_SIGN_EXTEND, wide);
        d->out->from_size = opcode & 1 ? 2 : 1;
        two_operands(d, d->out->from_size, wide, &d->out->from, &d->out->to);
    } else if (opcode == 0xb0 || opcode == 0xb1) {
        kind(d, X86_COMPARE_EXCHANGE, size);
        two_operands(d, size, size, &d->out->to, &d->out->from);
    } else if (opcode == 0x1f || opcode == 0x1e) { /* nop, endbr64 */
        kind(d, X86_NOTHING, 8);
        d->bad |= d->wide;
        (void)mod_rm(d, 8, &d->out->to);
    } else if (opcode == 0xae) {
        kind(d, X86_NOTHING, 8);
        field = mod_rm(d, 8, &d->out->to);
        d->bad |= field < 5 || d->out->to.place != X86_IN_REGISTER || d->repeat;
    } else {
        d->bad = true;
    }
    if (d->out->kind == X86_NOTHING)
        d->out->to.place = X86_NONE;
}

static void move(struct decoder *d, uint8_t opcode)
{
    unsigned size = operand_size(d, opcode);

    kind(d, X86_MOVE, size);
    if (opcode == 0x88 || opcode == 0x89) {
        two_operands(d, size, size, &d->out->to, &d->out->from);
    } else if (opcode == 0x8a || opcode == 0x8b) {
        two_operands(d, size, size, &d->out->from, &d->out->to);
    } else if (opcode == 0xc6 || opcode == 0xc7) {
        d->bad |= mod_rm(d, size, &d->out->to) != 0;
        immediate(d, size);
    } else { /* b0 to bf */
        size = opcode < 0xb8 ? 1 : operand_size(d, 1);
        d->out->size = (uint8_t)size;
        d->out->to = in_register(d, (opcode & 7) | d->rex_b, size);
        d->out->from = (struct x86_operand){ .place = X86_IMMEDIATE };
        d->out->immediate = number(d, size);
    }
}

static void stack_and_flow(struct decoder *d, uint8_t opcode)
{
    if ((opcode & 0xf0) == 0x70) {
        jump(d, X86_JUMP_IF, opcode & 15, 1);
    } else if (opcode == 0xeb || opcode == 0xe9) {
        jump(d, X86_JUMP, 0, opcode == 0xeb ? 1 : 4);
    } else if (opcode == 0xe8) {
        jump(d, X86_CALL, 0, 4);
    } else if (opcode == 0xc3) {
        kind(d, X86_RETURN, 8);
    } else if (opcode == 0xc9) {
        kind(d, X86_LEAVE, 8);
    } else if (opcode == 0x90 && !d->rex_b) {
        kind(d, d->repeat ? X86_PAUSE : X86_NOTHING, 8);
    } else if (opcode >= 0x50 && opcode < 0x58 && !d->operand_16) {
        kind(d, X86_PUSH, 8);
        d->out->from = in_register(d, (opcode & 7) | d->rex_b, 8);
    } else if (opcode >= 0x58 && opcode < 0x60 && !d->operand_16) {
        kind(d, X86_POP, 8);
        d->out->to = in_register(d, (opcode & 7) | d->rex_b, 8);
    } else {
        d->bad = true;
    }
}

static void extensions(struct decoder *d, uint8_t opcode)
{
    unsigned size = operand_size(d, 1);

    if (opcode == 0x63) {
        kind(d, X86_SIGN_EXTEND, size);
        d->out->from_size = 4;
        two_operands(d, 4, size, &d->out->from, &d->out->to);
    } else if (opcode == 0x98) {
        kind(d, X86_SIGN_EXTEND, size);
        d->out->from_size = (uint8_t)(size / 2);
        d->out->to = d->out->from = in_register(d, X86_RAX, size);
    } else {
        kind(d, X86_SIGN_TO_RDX, size);
    }
}

static void one_byte(struct decoder *d, uint8_t opcode)
{
    unsigned size = operand_size(d, opcode), field;

    if (opcode < 0x40) {
        arithmetic(d, opcode);
    } else if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83) {
        field = mod_rm(d, size, &d->out->to);
        kind(d, (enum x86_kind)(X86_ADD + field), size);
        immediate(d, opcode == 0x83 ? 1 : size);
    } else if (opcode == 0x84 || opcode == 0x85) {
        kind(d, X86_TEST, size);
        two_operands(d, size, size, &d->out->to, &d->out->from);
    } else if (opcode == 0xa8 || opcode == 0xa9) {
        kind(d, X86_TEST, size);
        d->out->to = in_register(d, X86_RAX, size);
        immediate(d, size);
    } else if (opcode == 0x86 || opcode == 0x87) {
        kind(d, X86_EXCHANGE, size);
        two_operands(d, size, size, &d->out->to, &d->out->from);
    } else if (opcode == 0x8d) {
        kind(d, X86_ADDRESS, operand_size(d, 1));
        two_operands(d, 8, 8, &d->out->from, &d->out->to);
        d->bad |= d->out->from.place != X86_IN_MEMORY || d->segment;
    } else if ((opcode >= 0x88 && opcode < 0x8c) || opcode == 0xc6 || opcode == 0xc7
               || (opcode & 0xf0) == 0xb0) {
        move(d, opcode);
    } else if (opcode == 0xc0 || opcode == 0xc1 || (opcode & 0xfc) == 0xd0
               || (opcode & 0xfe) == 0xf6 || opcode >= 0xfe) {
        group(d, opcode);
    } else if (opcode == 0x63 || opcode == 0x98 || opcode == 0x99) {
        extensions(d, opcode);
    } else {
        stack_and_flow(d, opcode);
    }
}

bool x86_decode(const unsigned char *code, size_t n, struct x86_instruction *out)
{
    struct decoder d = { .code = code, .n = n, .out = out };
    uint8_t opcode;

    *out = (struct x86_instruction){ 0 };
    prefixes(&d);
    opcode = next(&d);
    if (opcode == 0x0f)
        two_bytes(&d);
    else
        one_byte(&d, opcode);
    out->length = (uint8_t)d.at;
    return !d.bad;
}
