/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/record/x86_operands.h"

/* An instruction, taken apart. */
struct parts {
    const uint8_t *code;
    unsigned length, at;
    uint8_t rex;    /* bits: 1 base, 2 index, 4 register, 8 wide */
    bool has_rex;   /* else registers 4 to 7 of a byte are ah, ch, dh and bh */
    uint8_t prefix; /* 0x66, 0xf2 or 0xf3, or 0 */
    unsigned map;   /* 0, or 1 to 3 behind 0f, 0f38, 0f3a */
    bool vex;
    uint8_t third; /* the register that only VEX names */
    uint8_t opcode;
    uint8_t field, low; /* of ModRM, without the bits of REX */
    uint8_t reg, rm;    /* numbers of registers; X86_MEMORY for rm */
    struct x86_memory memory;
};

static uint8_t next(struct parts *p)
{
    return p->at < p->length ? p->code[p->at++] : 0;
}

static int64_t next_distance(struct parts *p, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)next(p) << (8 * i);
    return bytes == 1 ? (int8_t)value : (int32_t)value;
}

static void read_mod_rm(struct parts *p)
{
    uint8_t modrm = next(p), mode = modrm >> 6;
    struct x86_memory *memory = &p->memory;

    p->field = modrm >> 3 & 7;
    p->low = modrm & 7;
    p->reg = (uint8_t)(p->field | (p->rex & 4) << 1);
    p->rm = (uint8_t)(p->low | (p->rex & 1) << 3);
    if (mode == 3)
        return;
    *memory = (struct x86_memory){ .base = p->rm, .index = X86_NOWHERE };
    if (p->low == 4) {
        uint8_t sib = next(p);
        uint8_t index = (uint8_t)((sib >> 3 & 7) | (p->rex & 2) << 2);
        memory->base = (uint8_t)((sib & 7) | (p->rex & 1) << 3);
        memory->index = index == 4 ? X86_NOWHERE : index;
        if ((sib & 7) == 5 && mode == 0) {
            memory->base = X86_NOWHERE;
            memory->fixed = memory->index == X86_NOWHERE;
            mode = 2;
        }
    } else if (p->low == 5 && mode == 0) {
        memory->base = X86_NOWHERE;
        memory->fixed = true;
        memory->distance = (int64_t)(uintptr_t)(p->code + p->length);
        mode = 2;
    }
    memory->distance += mode == 1   ? next_distance(p, 1)
                        : mode == 2 ? next_distance(p, 4)
                                    : 0;
    p->rm = X86_MEMORY;
}

/* Reads the bytes of a VEX prefix behind its first one. */
static void read_vex(struct parts *p, bool is_long)
{
    static const uint8_t prefix[4] = { 0, 0x66, 0xf3, 0xf2 };
    uint8_t byte = next(p);

    p->vex = true;
    p->map = 1;
    p->rex = byte & 0x80 ? 0 : 4;
    if (is_long) {
        p->map = byte & 31;
        p->rex = (uint8_t)(~byte >> 5 & 7); /* inverted: register, index, base */
        byte = next(p);
        p->rex |= byte & 0x80 ? 8 : 0;
    }
    p->third = (uint8_t)(~byte >> 3 & 15);
    p->prefix = prefix[byte & 3];
    p->opcode = next(p);
}

static void read_opcode(struct parts *p)
{
    uint8_t byte = next(p);

    while (byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3
           || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26
           || (byte & 0xfe) == 0x64) {
        if (byte == 0xf2 || byte == 0xf3 || (byte == 0x66 && p->prefix == 0))
            p->prefix = byte;
        byte = next(p);
    }
    if (byte == 0xc5 || byte == 0xc4) {
        read_vex(p, byte == 0xc4);
        return;
    }
    if ((byte & 0xf0) == 0x40) {
        p->rex = byte & 15;
        p->has_rex = true;
        byte = next(p);
    }
    if (byte == 0x0f) {
        byte = next(p);
        p->map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
        if (p->map > 1)
            byte = next(p);
    }
    p->opcode = byte;
}

static struct x86_operation nothing(void)
{
    return (struct x86_operation){ .compute = X86_NOTHING,
                                   .inputs = { X86_NOWHERE, X86_NOWHERE, X86_NOWHERE },
                                   .outputs = { X86_NOWHERE, X86_NOWHERE } };
}

/* TO becomes a value of A and B. */
static struct x86_operation value(const struct parts *p, uint8_t to, uint8_t a, uint8_t b)
{
    struct x86_operation o = nothing();

    o.compute = X86_VALUE;
    o.outputs[0] = to;
    o.inputs[0] = a;
    o.inputs[1] = b;
    o.memory = p->memory;
    return o;
}

static struct x86_operation copy(const struct parts *p, uint8_t to, uint8_t from)
{
    struct x86_operation o = value(p, to, from, X86_NOWHERE);

    o.is_wide_copy = true;
    return o;
}

/* TO becomes a value of A and B, and the flags tell of it. */
static struct x86_operation sum(const struct parts *p, uint8_t to, uint8_t a, uint8_t b)
{
    struct x86_operation o = value(p, to, a, b);

    o.sets_flags = true;
    return o;
}

/* ---- The first map ---- */

/* The eight operations of arithmetic, by number: add or adc sbb and sub xor cmp. */
static struct x86_operation arithmetic(const struct parts *p, unsigned number, uint8_t to,
                                       uint8_t from)
{
    struct x86_operation o;

    if (number == 7)
        return sum(p, X86_NOWHERE, to, from);
    if ((number == 6 || number == 5) && to == from && p->opcode & 1)
        return sum(p, to, X86_NOWHERE, X86_NOWHERE);
    o = sum(p, to, to, from);
    if (number == 4 && from == X86_NOWHERE)
        o.compute = X86_WRAP; /* a remainder of a power of 2 */
    return o;
}

static struct x86_operation group_f6(const struct parts *p)
{
    struct x86_operation o;

    if (p->field < 2)
        return sum(p, X86_NOWHERE, p->rm, X86_NOWHERE);
    if (p->field == 2)
        return copy(p, p->rm, p->rm);
    if (p->field == 3)
        return sum(p, p->rm, p->rm, X86_NOWHERE);
    o = value(p, X86_RAX, X86_RAX, p->rm);
    o.compute = X86_WRAP;
    if (p->opcode == 0xf6) /* all of it is in ax */
        return o;
    o.outputs[1] = X86_RDX;
    if (p->field > 5)
        o.inputs[2] = X86_RDX;
    return o;
}

/* The high byte of a register is named by a number of its own. */
static bool is_high_byte(const struct parts *p, uint8_t number)
{
    return !p->has_rex && number >= 4 && number < 8;
}

static uint8_t byte_register(const struct parts *p, uint8_t number)
{
    return is_high_byte(p, number) ? number - 4 : number;
}

/* Like copy(), but the register TO may be a high byte, which leaves the rest of it. */
static struct x86_operation copy_byte(const struct parts *p, uint8_t to, uint8_t from)
{
    uint8_t whole = byte_register(p, to);

    from = byte_register(p, from);
    return is_high_byte(p, to) ? value(p, whole, whole, from) : copy(p, to, from);
}

static struct x86_operation group_ff(const struct parts *p)
{
    struct x86_operation o = nothing();

    if (p->field < 2)
        return sum(p, p->rm, p->rm, X86_NOWHERE);
    o.moves_stack = p->field == 6;
    return o;
}

static bool is_between(uint8_t opcode, uint8_t low, uint8_t high)
{
    return opcode >= low && opcode <= high;
}

/* Opcodes without a ModRM byte; returns false for any other. */
static bool without_mod_rm(const struct parts *p, struct x86_operation *o)
{
    uint8_t low = (uint8_t)((p->opcode & 7) | (p->rex & 1) << 3);

    *o = nothing();
    if (p->opcode < 0x40 && (p->opcode & 7) >= 4) {
        *o = arithmetic(p, p->opcode >> 3, X86_RAX, X86_NOWHERE);
    } else if (is_between(p->opcode, 0x50, 0x5f)) {
        if (p->opcode >= 0x58)
            *o = copy(p, low, X86_NOWHERE);
        o->moves_stack = true;
    } else if (p->opcode == 0x68 || p->opcode == 0x6a || p->opcode == 0xc9) {
        *o = p->opcode == 0xc9 ? copy(p, X86_RBP, X86_NOWHERE) : nothing();
        o->moves_stack = true;
    } else if (is_between(p->opcode, 0xb0, 0xb7)) {
        *o = copy_byte(p, low, X86_NOWHERE);
    } else if (is_between(p->opcode, 0xb8, 0xbf)) {
        *o = copy(p, low, X86_NOWHERE);
    } else if (p->opcode == 0x98) {
        *o = copy(p, X86_RAX, X86_RAX);
    } else if (p->opcode == 0x99) {
        *o = copy(p, X86_RDX, X86_RAX);
    } else if (p->opcode == 0xa8 || p->opcode == 0xa9) {
        *o = sum(p, X86_NOWHERE, X86_RAX, X86_NOWHERE);
    } else if (!(is_between(p->opcode, 0x70, 0x7f) || (p->opcode == 0x90 && low == 0)
                 || is_between(p->opcode, 0xc2, 0xc3) || is_between(p->opcode, 0xe0, 0xef)
                 || is_between(p->opcode, 0xf4, 0xf5) || p->opcode >= 0xf8
                 || p->opcode == 0xcc)
               || p->opcode >= 0xfe) {
        return false;
    }
    return true;
}

static struct x86_operation shift(const struct parts *p)
{
    bool by_register = p->opcode == 0xd2 || p->opcode == 0xd3;
    struct x86_operation o = sum(p, p->rm, p->rm, by_register ? X86_RCX : X86_NOWHERE);

    if (p->field != 4) /* to the right, or around */
        o.compute = X86_WRAP;
    return o;
}

/* Operations on bytes that write all of the byte; returns false for any other. */
static bool is_byte_copy(const struct parts *p, struct x86_operation *o)
{
    if (p->opcode == 0x8a)
        *o = copy_byte(p, p->reg, p->rm);
    else if (p->opcode == 0x88)
        *o = copy_byte(p, p->rm, p->reg);
    else if (p->opcode == 0xc6)
        *o = copy_byte(p, p->rm, X86_NOWHERE);
    return p->opcode == 0x8a || p->opcode == 0x88 || p->opcode == 0xc6;
}

static bool has_byte_operands(uint8_t opcode)
{
    return (opcode & 1) == 0
           && (opcode < 0x40 || opcode == 0x80 || opcode == 0x84 || opcode == 0xc0
               || opcode >= 0xd0);
}

static struct x86_operation first_map(struct parts *p)
{
    struct x86_operation o;

    if (without_mod_rm(p, &o))
        return o;
    read_mod_rm(p);
    if (is_byte_copy(p, &o))
        return o;
    if (has_byte_operands(p->opcode)) {
        p->reg = byte_register(p, p->reg);
        p->rm = byte_register(p, p->rm);
    }
    switch (p->opcode) {
    case 0x63:
    case 0x8b: return copy(p, p->reg, p->rm);
    case 0x69:
    case 0x6b: return sum(p, p->reg, p->rm, X86_NOWHERE);
    case 0x80:
    case 0x81:
    case 0x83: return arithmetic(p, p->field, p->rm, X86_NOWHERE);
    case 0x84:
    case 0x85: return sum(p, X86_NOWHERE, p->reg, p->rm);
    case 0x89: return copy(p, p->rm, p->reg);
    case 0x8d: return value(p, p->reg, p->memory.base, p->memory.index);
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return shift(p);
    case 0xc7: return copy(p, p->rm, X86_NOWHERE);
    case 0xf6:
    case 0xf7: return group_f6(p);
    case 0xfe:
    case 0xff: return group_ff(p);
    default: break;
    }
    if (p->opcode < 0x40)
        return p->opcode & 2 ? arithmetic(p, p->opcode >> 3, p->reg, p->rm)
                             : arithmetic(p, p->opcode >> 3, p->rm, p->reg);
    o.compute = X86_UNKNOWN;
    return o;
}

/* ---- Behind 0f ---- */

static uint8_t vector(uint8_t number)
{
    return number == X86_MEMORY ? number : (uint8_t)(X86_VECTOR + number);
}

/* Operations of map 1 on general registers; returns false for any other. */
static bool general(const struct parts *p, struct x86_operation *o)
{
    *o = nothing();
    if (p->vex
        && (is_between(p->opcode, 0x40, 0x4f) || is_between(p->opcode, 0x90, 0x9f))) {
        o->compute = X86_UNKNOWN; /* masks of AVX-512 */
    } else if (is_between(p->opcode, 0x40, 0x4f)) {
        *o = value(p, p->reg, p->reg, p->rm);
        o->compute = X86_WRAP;
    } else if (is_between(p->opcode, 0x90, 0x9f)) {
        *o = value(p, byte_register(p, p->rm), X86_FLAGS, X86_NOWHERE);
        o->compute = X86_TRUTH;
    } else if (p->opcode == 0xaf) {
        *o = sum(p, p->reg, p->reg, p->rm);
    } else if (p->opcode == 0xb6 || p->opcode == 0xbe) {
        *o = copy(p, p->reg, byte_register(p, p->rm));
    } else if (p->opcode == 0xb7 || p->opcode == 0xbf) {
        *o = copy(p, p->reg, p->rm);
    } else if (!(is_between(p->opcode, 0x18, 0x1f) || is_between(p->opcode, 0x80, 0x8f)
                 || p->opcode == 0x0b || p->opcode == 0x0d || p->opcode == 0x77)) {
        return false;
    }
    return true;
}

/* Operations of map 1 between vector and general registers, and stores of vectors. */
static bool crossing(const struct parts *p, struct x86_operation *o)
{
    uint8_t reg = vector(p->reg), rm = vector(p->rm);

    switch (p->opcode) {
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2b:
    case 0x7f:
    case 0xe7: *o = copy(p, rm, reg); return true;
    case 0xd6: *o = copy(p, rm, reg); return true;
    case 0xc3: *o = copy(p, p->rm, p->reg); return true;
    case 0xf7: o->compute = X86_UNKNOWN; return true; /* stores bytes at rdi */
    case 0x2a: *o = copy(p, reg, p->rm); return true;
    case 0x2c:
    case 0x2d: *o = copy(p, p->reg, rm); return true;
    case 0x2e:
    case 0x2f: *o = sum(p, X86_NOWHERE, reg, rm); return true;
    case 0x50:
    case 0xd7: *o = copy(p, p->reg, rm); return true;
    case 0x6e: *o = copy(p, reg, p->rm); return true;
    case 0x7e: *o = p->prefix == 0xf3 ? copy(p, reg, rm) : copy(p, p->rm, reg); return true;
    default: return false;
    }
}

/* Vector operations of which the output has nothing but what is in rm. */
static bool is_unary(const struct parts *p)
{
    static const uint8_t opcodes[] = { 0x10, 0x28, 0x51, 0x52, 0x53, 0x5a,
                                       0x5b, 0x6f, 0x70, 0xe6, 0xf0 };

    for (unsigned i = 0; i < sizeof opcodes; i++)
        if (p->opcode == opcodes[i])
            return true;
    return (p->opcode == 0x12 && (p->prefix == 0xf2 || p->prefix == 0xf3))
           || (p->opcode == 0x16 && p->prefix == 0xf3);
}

static struct x86_operation vectors(const struct parts *p)
{
    uint8_t reg = vector(p->reg), rm = vector(p->rm);
    uint8_t first = p->vex ? vector(p->third) : reg;
    bool differs = p->opcode == 0x57 || p->opcode == 0xef
                   || is_between(p->opcode, 0xf8, 0xfb) || p->opcode == 0x5c;
    struct x86_operation o;

    if (is_between(p->opcode, 0x71, 0x73)) /* shifts by a constant */
        return value(p, p->vex ? first : rm, rm, X86_NOWHERE);
    if (p->opcode == 0xc4) {
        o = value(p, reg, first, p->rm);
    } else if (p->opcode == 0xc5) {
        o = value(p, p->reg, rm, X86_NOWHERE);
    } else {
        o = differs && first == rm ? copy(p, reg, X86_NOWHERE) : value(p, reg, first, rm);
    }
    return o;
}

static struct x86_operation unknown(void)
{
    struct x86_operation o = nothing();

    o.compute = X86_UNKNOWN;
    return o;
}

/* Operations of map 0f38: vectors.  Masked stores, gathers, and most on general registers
   are not decoded. */
static struct x86_operation second_map(const struct parts *p)
{
    uint8_t reg = vector(p->reg), rm = vector(p->rm), opcode = p->opcode;
    struct x86_operation o = value(p, reg, p->vex ? vector(p->third) : reg, rm);

    if (opcode >= 0xf0 || opcode == 0x2e || opcode == 0x2f || opcode == 0x8e
        || is_between(opcode, 0x90, 0x93))
        return unknown();
    if (opcode == 0x17 || (p->vex && is_between(opcode, 0x0e, 0x0f)))
        return sum(p, X86_NOWHERE, reg, rm); /* a test */
    if (is_between(opcode, 0x96, 0xbf))
        o.inputs[2] = reg;
    if (!p->vex && (opcode == 0x10 || opcode == 0x14 || opcode == 0x15))
        o.inputs[2] = X86_VECTOR; /* a blend by xmm0 */
    if (is_between(opcode, 0x18, 0x1e) || is_between(opcode, 0x20, 0x25) || opcode == 0x2a
        || is_between(opcode, 0x30, 0x35) || opcode == 0x41
        || is_between(opcode, 0x58, 0x5a) || is_between(opcode, 0x78, 0x79)
        || opcode == 0x13 || opcode == 0xdb)
        return copy(p, reg, rm);
    return o;
}

/* Operations of map 0f3a: vectors, the last byte is a constant.  Comparisons of texts are
   not decoded. */
static struct x86_operation third_map(const struct parts *p)
{
    uint8_t reg = vector(p->reg), rm = vector(p->rm), opcode = p->opcode;
    struct x86_operation o = value(p, reg, p->vex ? vector(p->third) : reg, rm);

    if (opcode >= 0xf0 || is_between(opcode, 0x30, 0x33) || is_between(opcode, 0x60, 0x63))
        return unknown();
    if (is_between(opcode, 0x14, 0x17))
        return copy(p, p->rm, reg);
    if (opcode == 0x19 || opcode == 0x39 || opcode == 0x1d)
        return copy(p, rm, reg);
    if (opcode == 0x20 || opcode == 0x22)
        o.inputs[1] = p->rm;
    /* Blends, and FMA4: the last byte names a third input. */
    if (is_between(opcode, 0x4a, 0x4c)
        || (p->vex && is_between(opcode, 0x5c, 0x7f) && (opcode & 0x0c) >= 8))
        o.inputs[2] = vector(p->code[p->length - 1] >> 4);
    if (is_between(opcode, 0x08, 0x09) || opcode == 0xdf
        || (p->vex && (opcode < 0x02 || is_between(opcode, 0x04, 0x05))))
        return copy(p, reg, rm);
    return o;
}

struct x86_operation array_x86_operation(const uint8_t *code, unsigned length)
{
    struct parts p = { .code = code, .length = length };
    struct x86_operation o = nothing();

    read_opcode(&p);
    if (p.map == 0 && (p.opcode == 0x62 || is_between(p.opcode, 0xd8, 0xdf)))
        o.compute = X86_UNKNOWN;
    else if (p.map == 0)
        o = first_map(&p);
    if (p.map == 0 || (p.map == 1 && p.opcode == 0x77))
        return o;
    read_mod_rm(&p);
    if (p.map > 3) {
        o.compute = X86_UNKNOWN;
    } else if (p.map > 1) {
        o = p.map == 2 ? second_map(&p) : third_map(&p);
    } else if (!general(&p, &o) && !crossing(&p, &o)) {
        if (p.opcode < 0x10 || is_between(p.opcode, 0x20, 0x27)
            || is_between(p.opcode, 0x30, 0x3f) || is_between(p.opcode, 0xa0, 0xc1)
            || is_between(p.opcode, 0xc7, 0xcf))
            o.compute = X86_UNKNOWN;
        else
            o = is_unary(&p) ? copy(&p, vector(p.reg), vector(p.rm)) : vectors(&p);
    }
    return o;
}
