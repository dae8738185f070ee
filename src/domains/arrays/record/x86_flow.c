/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/record/x86_flow.h"

#include <stdbool.h>

enum { MAX_BYTES = 15 };

struct reader {
    const uint8_t *code;
    size_t n, at;
    bool bad, operand_16, address_32, wide;
    uint8_t modrm; /* the ModRM byte, if there is one */
};

static uint8_t next(struct reader *r)
{
    if (r->at < r->n && r->at < MAX_BYTES)
        return r->code[r->at++];
    r->bad = true;
    return 0;
}

static void skip(struct reader *r, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        (void)next(r);
}

/* Reads a distance of BYTES bytes; returns the address that many behind it. */
static uintptr_t distance(struct reader *r, unsigned bytes)
{
    uint32_t value = 0;
    int64_t by;

    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)next(r) << (8 * i);
    by = bytes == 1 ? (int8_t)value : (int32_t)value;
    return (uintptr_t)(r->code + r->at) + (uintptr_t)by;
}

/* Reads the ModRM byte, and what it says that follows. */
static void mod_rm(struct reader *r)
{
    uint8_t modrm = next(r);
    unsigned mode = modrm >> 6, low = modrm & 7;

    r->modrm = modrm;
    if (mode == 3)
        return;
    if (low == 4) {
        uint8_t sib = next(r);
        if ((sib & 7) == 5 && mode == 0)
            mode = 2;
    } else if (low == 5 && mode == 0) {
        mode = 2;
    }
    skip(r, mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

/* Bytes of an immediate that is as wide as the operands, 4 at most. */
static unsigned immediate_bytes(const struct reader *r)
{
    return r->operand_16 && !r->wide ? 2 : 4;
}

/* Instructions behind 0f, and of the first map of VEX and EVEX. */
static enum x86_flow second_map(struct reader *r, uint8_t opcode, uintptr_t *target)
{
    static const uint8_t alone[] = { 0x05, 0x06, 0x07, 0x08, 0x09, 0x0e, 0x30,
                                     0x31, 0x32, 0x33, 0x34, 0x35, 0x37, 0x77,
                                     0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa };

    if (opcode == 0x0b)
        return X86_FLOW_END; /* ud2 */
    if ((opcode & 0xf0) == 0x80) {
        *target = distance(r, 4);
        return X86_FLOW_BRANCH;
    }
    for (size_t i = 0; i < sizeof alone; i++)
        if (opcode == alone[i])
            return X86_FLOW_NEXT;
    if (opcode >= 0xc8 && opcode <= 0xcf)
        return X86_FLOW_NEXT;
    mod_rm(r);
    if ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xac
        || opcode == 0xba || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6)
        || opcode == 0x0f)
        skip(r, 1);
    return X86_FLOW_NEXT;
}

/* The second map, 0f38 and 0f3a, by their numbers in VEX and EVEX. */
static enum x86_flow mapped(struct reader *r, unsigned map, uint8_t opcode,
                            uintptr_t *target)
{
    if (map == 1)
        return second_map(r, opcode, target);
    r->bad |= map != 2 && map != 3 && map != 5 && map != 6;
    mod_rm(r);
    skip(r, map == 3);
    return X86_FLOW_NEXT;
}

/* Vector instructions with the prefixes VEX and EVEX, whose first byte was OPCODE. */
static enum x86_flow vector(struct reader *r, uint8_t opcode)
{
    uintptr_t none;
    unsigned map = 1;
    uint8_t byte = next(r);
    enum x86_flow flow;

    if (opcode == 0xc4) {
        map = byte & 31;
        skip(r, 1);
    } else if (opcode == 0x62) {
        map = byte & 7;
        skip(r, 2);
    }
    opcode = next(r);
    if (map == 1 && opcode == 0x77)
        return X86_FLOW_NEXT;
    r->bad |= map == 1 && (opcode & 0xf0) == 0x80;
    flow = mapped(r, map, opcode, &none);
    return flow;
}

static enum x86_flow group_ff(const struct reader *r)
{
    unsigned field = r->modrm >> 3 & 7;

    return field == 4 || field == 5 ? X86_FLOW_AWAY
           : field == 7             ? X86_FLOW_UNKNOWN
                                    : X86_FLOW_NEXT;
}

/* Opcodes from 0x80 on with a ModRM byte; returns false for any other. */
static bool with_mod_rm(struct reader *r, uint8_t opcode, enum x86_flow *flow)
{
    bool group = opcode == 0xf6 || opcode == 0xf7;

    if (!((opcode >= 0x80 && opcode <= 0x8f && opcode != 0x82) || (opcode & 0xfe) == 0xc0
          || (opcode & 0xfe) == 0xc6 || (opcode & 0xfc) == 0xd0 || (opcode & 0xf8) == 0xd8
          || group || opcode >= 0xfe))
        return false;
    mod_rm(r);
    if (opcode == 0x80 || opcode == 0x83 || (opcode & 0xfe) == 0xc0 || opcode == 0xc6
        || (opcode == 0xf6 && (r->modrm & 0x38) < 0x10))
        skip(r, 1);
    else if (opcode == 0x81 || opcode == 0xc7 || (group && (r->modrm & 0x38) < 0x10))
        skip(r, immediate_bytes(r));
    r->bad |= opcode == 0x8f && (r->modrm & 0x38) != 0;
    *flow = opcode == 0xff ? group_ff(r) : X86_FLOW_NEXT;
    return true;
}

/* Opcodes from 0x80 on without one. */
static enum x86_flow upper(struct reader *r, uint8_t opcode, uintptr_t *target)
{
    if (opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb) {
        *target = distance(r, opcode == 0xeb ? 1 : 4);
        return opcode == 0xe8 ? X86_FLOW_CALL : X86_FLOW_JUMP;
    }
    if ((opcode & 0xfc) == 0xe0) {
        *target = distance(r, 1);
        return X86_FLOW_BRANCH;
    }
    if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xcb || opcode == 0xcc
        || opcode == 0xcf || opcode == 0xf4) {
        skip(r, opcode == 0xc2 ? 2 : 0);
        return X86_FLOW_END;
    }
    if ((opcode & 0xfc) == 0xa0)
        skip(r, r->address_32 ? 4 : 8);
    else if (opcode == 0xa8 || (opcode & 0xf8) == 0xb0 || opcode == 0xcd
             || (opcode & 0xfc) == 0xe4)
        skip(r, 1);
    else if (opcode == 0xa9)
        skip(r, immediate_bytes(r));
    else if ((opcode & 0xf8) == 0xb8)
        skip(r, r->wide ? 8 : immediate_bytes(r));
    else if (opcode == 0xc8)
        skip(r, 3);
    else
        r->bad |= opcode == 0x82 || opcode == 0x9a || opcode == 0xce || opcode == 0xea
                  || (opcode >= 0xd4 && opcode <= 0xd6);
    return X86_FLOW_NEXT;
}

/* Opcodes below 0x80, without those of 0f and the prefixes. */
static enum x86_flow lower(struct reader *r, uint8_t opcode, uintptr_t *target)
{
    unsigned form = opcode & 7;

    if (opcode < 0x40) {
        r->bad |= form > 5;
        if (form < 4)
            mod_rm(r);
        else
            skip(r, form == 4 ? 1 : immediate_bytes(r));
    } else if (opcode >= 0x70) {
        *target = distance(r, 1);
        return X86_FLOW_BRANCH;
    } else if (opcode == 0x63 || opcode == 0x69 || opcode == 0x6b) {
        mod_rm(r);
        skip(r, opcode == 0x63 ? 0 : opcode == 0x6b ? 1 : immediate_bytes(r));
    } else if (opcode == 0x68 || opcode == 0x6a) {
        skip(r, opcode == 0x6a ? 1 : immediate_bytes(r));
    } else {
        r->bad |= opcode == 0x60 || opcode == 0x61;
    }
    return X86_FLOW_NEXT;
}

static uint8_t prefixes(struct reader *r)
{
    uint8_t byte = next(r);

    while (byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3
           || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26
           || (byte & 0xfe) == 0x64) {
        r->operand_16 |= byte == 0x66;
        r->address_32 |= byte == 0x67;
        byte = next(r);
    }
    if ((byte & 0xf0) == 0x40) {
        r->wide = byte & 8;
        byte = next(r);
    }
    return byte;
}

enum x86_flow array_x86_flow(const uint8_t *code, size_t n, unsigned *length,
                             uintptr_t *target)
{
    struct reader r = { .code = code, .n = n };
    uint8_t opcode = prefixes(&r);
    enum x86_flow flow = X86_FLOW_UNKNOWN;

    *target = 0;
    if (opcode == 0x0f) {
        opcode = next(&r);
        flow = opcode == 0x38   ? mapped(&r, 2, next(&r), target)
               : opcode == 0x3a ? mapped(&r, 3, next(&r), target)
                                : second_map(&r, opcode, target);
    } else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
        flow = vector(&r, opcode);
    } else if (opcode < 0x80) {
        flow = lower(&r, opcode, target);
    } else if (!with_mod_rm(&r, opcode, &flow)) {
        flow = upper(&r, opcode, target);
    }
    *length = (unsigned)r.at;
    return r.bad ? X86_FLOW_UNKNOWN : flow;
}
