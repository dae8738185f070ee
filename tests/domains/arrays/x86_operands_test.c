/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs and outputs of instructions, written down by hand from the manual (Intel 64 and IA-32
 * Architectures, volume 2); and all forms of ModRM and SIB, against a second reading of its
 * tables 2-2 and 2-3.
 */
#include <string.h>

#include "domains/arrays/record/x86_flow.h"
#include "domains/arrays/record/x86_operands.h"
#include "tests/test.h"

enum {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    R9,
    R12 = 12,
    R13,
    R15 = 15,
    X0,
    X1,
    X2,
    X3,
    X9 = X0 + 9,
    FL = X86_FLAGS,
    MEM = X86_MEMORY,
    NO = X86_NOWHERE,
};

/* ---- By hand ---- */

#define BYTES(...)                                                                         \
 (const uint8_t[]){ __VA_ARGS__ }, sizeof(const uint8_t[])                                 \
 {                                                                                         \
  __VA_ARGS__                                                                              \
 }
#define IN1(a)                                                                             \
 {                                                                                         \
  a, NO, NO                                                                                \
 }
#define IN2(a, b)                                                                          \
 {                                                                                         \
  a, b, NO                                                                                 \
 }
#define IN3(a, b, c)                                                                       \
 {                                                                                         \
  a, b, c                                                                                  \
 }
#define OUT1(a)                                                                            \
 {                                                                                         \
  a, NO                                                                                    \
 }
#define NONE                                                                               \
 {                                                                                         \
  NO, NO, NO                                                                               \
 }
#define NOOUT                                                                              \
 {                                                                                         \
  NO, NO                                                                                   \
 }
#define AT(b, d)                                                                           \
 {                                                                                         \
  .base = b, .index = NO, .distance = d                                                    \
 }
#define SUM   .sets_flags = true
#define STACK .moves_stack = true

struct known {
    const uint8_t *code;
    unsigned length;
    struct x86_operation is;
};

static const struct known all[] = {
    /* mov, movsxd, movzx, movsx, lea */
    { BYTES(0x48, 0x89, 0xd8), { X86_VALUE, IN1(RBX), OUT1(RAX) } },
    { BYTES(0x4c, 0x8b, 0xcb), { X86_VALUE, IN1(RBX), OUT1(R9) } },
    { BYTES(0x8b, 0x45, 0xf8), { X86_VALUE, IN1(MEM), OUT1(RAX), .memory = AT(RBP, -8) } },
    { BYTES(0x89, 0x44, 0x24, 0x08),
      { X86_VALUE, IN1(RAX), OUT1(MEM), .memory = AT(RSP, 8) } },
    { BYTES(0x48, 0x63, 0xd0), { X86_VALUE, IN1(RAX), OUT1(RDX) } },
    { BYTES(0x0f, 0xb7, 0xc1), { X86_VALUE, IN1(RCX), OUT1(RAX) } },
    { BYTES(0xb8, 1, 0, 0, 0), { X86_VALUE, NONE, OUT1(RAX) } },
    { BYTES(0x41, 0xb8, 1, 0, 0, 0), { X86_VALUE, NONE, OUT1(R8) } },
    { BYTES(0xc7, 0x45, 0xfc, 1, 0, 0, 0),
      { X86_VALUE, NONE, OUT1(MEM), .memory = AT(RBP, -4) } },
    { BYTES(0x48, 0x8d, 0x44, 0x8f, 0x10),
      { X86_VALUE, IN2(RDI, RCX), OUT1(RAX),
        .memory = { .base = RDI, .index = RCX, .distance = 16 } } },
    /* Bytes: without REX the numbers 4 to 7 are ah, ch, dh and bh. */
    { BYTES(0x0f, 0xb6, 0xc4), { X86_VALUE, IN1(RAX), OUT1(RAX) } }, /* movzx eax, ah */
    { BYTES(0x40, 0x0f, 0xb6, 0xc4), { X86_VALUE, IN1(RSP), OUT1(RAX) } }, /* .., spl */
    { BYTES(0x0f, 0xbe, 0xd7), { X86_VALUE, IN1(RBX), OUT1(RDX) } },     /* movsx edx, bh */
    { BYTES(0x88, 0xe1), { X86_VALUE, IN1(RAX), OUT1(RCX) } },           /* mov cl, ah */
    { BYTES(0x88, 0xc5), { X86_VALUE, IN2(RCX, RAX), OUT1(RCX) } },      /* mov ch, al */
    { BYTES(0x40, 0x88, 0xc5), { X86_VALUE, IN1(RAX), OUT1(RBP) } },     /* mov bpl, al */
    { BYTES(0x8a, 0xe3), { X86_VALUE, IN2(RAX, RBX), OUT1(RAX) } },      /* mov ah, bl */
    { BYTES(0xb4, 1), { X86_VALUE, IN1(RAX), OUT1(RAX) } },              /* mov ah, 1 */
    { BYTES(0x40, 0xb4, 1), { X86_VALUE, NONE, OUT1(RSP) } },            /* mov spl, 1 */
    { BYTES(0xf6, 0xc4, 4), { X86_VALUE, IN1(RAX), NOOUT, SUM } },       /* test ah, 4 */
    { BYTES(0x30, 0xe0), { X86_VALUE, IN2(RAX, RAX), OUT1(RAX), SUM } }, /* xor al, ah */
    /* Arithmetic; what is compared or tested is not written. */
    { BYTES(0x48, 0x01, 0xc2), { X86_VALUE, IN2(RDX, RAX), OUT1(RDX), SUM } },
    { BYTES(0x03, 0x06),
      { X86_VALUE, IN2(RAX, MEM), OUT1(RAX), SUM, .memory = AT(RSI, 0) } },
    { BYTES(0x29, 0x06),
      { X86_VALUE, IN2(MEM, RAX), OUT1(MEM), SUM, .memory = AT(RSI, 0) } },
    { BYTES(0x31, 0xc0), { X86_VALUE, NONE, OUT1(RAX), SUM } }, /* xor eax, eax: 0 */
    { BYTES(0x48, 0x29, 0xd2), { X86_VALUE, NONE, OUT1(RDX), SUM } },
    { BYTES(0x19, 0xc0), { X86_VALUE, IN2(RAX, RAX), OUT1(RAX), SUM } }, /* sbb */
    { BYTES(0x39, 0xc2), { X86_VALUE, IN2(RDX, RAX), NOOUT, SUM } },
    { BYTES(0x3d, 1, 0, 0, 0), { X86_VALUE, IN1(RAX), NOOUT, SUM } },
    { BYTES(0x83, 0xe0, 0x0f), { X86_WRAP, IN1(RAX), OUT1(RAX), SUM } }, /* and: % 16 */
    { BYTES(0x83, 0xc0, 0x01), { X86_VALUE, IN1(RAX), OUT1(RAX), SUM } },
    { BYTES(0x85, 0xd1), { X86_VALUE, IN2(RDX, RCX), NOOUT, SUM } },
    { BYTES(0xa8, 1), { X86_VALUE, IN1(RAX), NOOUT, SUM } },
    { BYTES(0x0f, 0xaf, 0xc3), { X86_VALUE, IN2(RAX, RBX), OUT1(RAX), SUM } },
    { BYTES(0x6b, 0xc3, 3), { X86_VALUE, IN1(RBX), OUT1(RAX), SUM } },
    { BYTES(0xf7, 0xd8), { X86_VALUE, IN1(RAX), OUT1(RAX), SUM } },
    { BYTES(0xf7, 0xd0), { X86_VALUE, IN1(RAX), OUT1(RAX) } },
    { BYTES(0xff, 0xc3), { X86_VALUE, IN1(RBX), OUT1(RBX), SUM } },
    { BYTES(0xc1, 0xe0, 2), { X86_VALUE, IN1(RAX), OUT1(RAX), SUM } },
    { BYTES(0xd1, 0xf8), { X86_WRAP, IN1(RAX), OUT1(RAX), SUM } },
    { BYTES(0xd3, 0xe0), { X86_VALUE, IN2(RAX, RCX), OUT1(RAX), SUM } }, /* shl eax, cl */
    { BYTES(0x99), { X86_VALUE, IN1(RAX), OUT1(RDX) } },
    /* One factor and one half of the product are in rax, the other half in rdx. */
    { BYTES(0xf7, 0xe1), { X86_WRAP, IN2(RAX, RCX), { RAX, RDX } } },
    { BYTES(0x48, 0xf7, 0xf9), { X86_WRAP, IN3(RAX, RCX, RDX), { RAX, RDX } } },
    { BYTES(0xf6, 0xe1), { X86_WRAP, IN2(RAX, RCX), OUT1(RAX) } }, /* mul cl: ax */
    { BYTES(0xf6, 0xf1), { X86_WRAP, IN2(RAX, RCX), OUT1(RAX) } }, /* div cl: ax */
    /* Selections and conditions */
    { BYTES(0x0f, 0x4c, 0xc2), { X86_WRAP, IN2(RAX, RDX), OUT1(RAX) } },
    { BYTES(0x0f, 0x9f, 0xc0), { X86_TRUTH, IN1(FL), OUT1(RAX) } },
    { BYTES(0x0f, 0x94, 0xc5), { X86_TRUTH, IN1(FL), OUT1(RCX) } }, /* sete ch */
    /* The stack */
    { BYTES(0x55), { X86_NOTHING, NONE, NOOUT, STACK } },
    { BYTES(0x41, 0x5c), { X86_VALUE, NONE, OUT1(R12), STACK } },
    { BYTES(0xc9), { X86_VALUE, NONE, OUT1(RBP), STACK } },
    { BYTES(0x6a, 1), { X86_NOTHING, NONE, NOOUT, STACK } },
    { BYTES(0xff, 0x36), { X86_NOTHING, NONE, NOOUT, STACK, .memory = { 0 } } },
    /* No operation */
    { BYTES(0x90), { X86_NOTHING, NONE, NOOUT } },
    { BYTES(0xf3, 0x90), { X86_NOTHING, NONE, NOOUT } },
    { BYTES(0x0f, 0x1f, 0x44, 0x00, 0x00), { X86_NOTHING, NONE, NOOUT } },
    { BYTES(0xf3, 0x0f, 0x1e, 0xfa), { X86_NOTHING, NONE, NOOUT } }, /* endbr64 */
    { BYTES(0xc5, 0xf8, 0x77), { X86_NOTHING, NONE, NOOUT } },       /* vzeroupper */
    /* Vectors: the old form writes its first operand, that of VEX names three. */
    { BYTES(0xf2, 0x0f, 0x10, 0x07),
      { X86_VALUE, IN1(MEM), OUT1(X0), .memory = AT(RDI, 0) } },
    { BYTES(0xf2, 0x0f, 0x11, 0x07),
      { X86_VALUE, IN1(X0), OUT1(MEM), .memory = AT(RDI, 0) } },
    { BYTES(0x0f, 0x28, 0xca), { X86_VALUE, IN1(X2), OUT1(X1) } },
    { BYTES(0x0f, 0x29, 0xca), { X86_VALUE, IN1(X1), OUT1(X2) } },
    { BYTES(0xf2, 0x0f, 0x58, 0xc1), { X86_VALUE, IN2(X0, X1), OUT1(X0) } },
    { BYTES(0x66, 0x45, 0x0f, 0xef, 0xc9), { X86_VALUE, NONE, OUT1(X9) } }, /* pxor: 0 */
    { BYTES(0x0f, 0x57, 0xc1), { X86_VALUE, IN2(X0, X1), OUT1(X0) } },
    { BYTES(0xc5, 0xf3, 0x58, 0xc2), { X86_VALUE, IN2(X1, X2), OUT1(X0) } },
    { BYTES(0xc5, 0x33, 0x58, 0xc2), { X86_VALUE, IN2(X9, X2), OUT1(X9 - 1) } },
    { BYTES(0xc4, 0xe2, 0xf1, 0xb8, 0xc2), { X86_VALUE, IN3(X1, X2, X0), OUT1(X0) } },
    { BYTES(0xc5, 0xf1, 0xef, 0xc1), { X86_VALUE, NONE, OUT1(X0) } }, /* x1 ^ x1 */
    { BYTES(0x66, 0x0f, 0x2e, 0xc1), { X86_VALUE, IN2(X0, X1), NOOUT, SUM } },
    { BYTES(0xf2, 0x48, 0x0f, 0x2a, 0xc1), { X86_VALUE, IN1(RCX), OUT1(X0) } },
    { BYTES(0xf2, 0x0f, 0x2c, 0xc1), { X86_VALUE, IN1(X1), OUT1(RAX) } },
    { BYTES(0x66, 0x48, 0x0f, 0x6e, 0xc8), { X86_VALUE, IN1(RAX), OUT1(X1) } },
    { BYTES(0x66, 0x48, 0x0f, 0x7e, 0xc8), { X86_VALUE, IN1(X1), OUT1(RAX) } },
    { BYTES(0xf3, 0x0f, 0x7e, 0xc8), { X86_VALUE, IN1(X0), OUT1(X1) } },
    { BYTES(0x66, 0x0f, 0xd6, 0x07),
      { X86_VALUE, IN1(X0), OUT1(MEM), .memory = AT(RDI, 0) } },
    { BYTES(0x66, 0x0f, 0x50, 0xc1), { X86_VALUE, IN1(X1), OUT1(RAX) } },
    { BYTES(0x66, 0x0f, 0x73, 0xd1, 8), { X86_VALUE, IN1(X1), OUT1(X1) } },
    { BYTES(0x66, 0x0f, 0xc4, 0xc1, 2), { X86_VALUE, IN2(X0, RCX), OUT1(X0) } },
    { BYTES(0x66, 0x0f, 0xc5, 0xc1, 2), { X86_VALUE, IN1(X1), OUT1(RAX) } },
    { BYTES(0x0f, 0xc6, 0xc1, 2), { X86_VALUE, IN2(X0, X1), OUT1(X0) } },
    { BYTES(0xf3, 0x0f, 0x16, 0xc1), { X86_VALUE, IN1(X1), OUT1(X0) } }, /* movshdup */
    { BYTES(0x0f, 0xc3, 0x07),                                           /* movnti */
      { X86_VALUE, IN1(RAX), OUT1(MEM), .memory = AT(RDI, 0) } },
    { BYTES(0x66, 0x0f, 0x38, 0x17, 0xc1), /* ptest */
      { X86_VALUE, IN2(X0, X1), NOOUT, SUM } },
    { BYTES(0x66, 0x0f, 0x38, 0x15, 0xca), /* blendvpd xmm1, xmm2, xmm0 */
      { X86_VALUE, IN3(X1, X2, X0), OUT1(X1) } },
    { BYTES(0xc4, 0xe3, 0x71, 0x4b, 0xc2, 0x30), /* vblendvpd xmm0, xmm1, xmm2, xmm3 */
      { X86_VALUE, IN3(X1, X2, X3), OUT1(X0) } },
    { BYTES(0xc4, 0xe3, 0xf1, 0x6b, 0xc2, 0x30), /* vfmaddsd xmm0, xmm1, xmm3, xmm2 */
      { X86_VALUE, IN3(X1, X2, X3), OUT1(X0) } },
    { BYTES(0xc4, 0xe2, 0x7d, 0x19, 0xc1), { X86_VALUE, IN1(X1), OUT1(X0) } },
    { BYTES(0xc4, 0xe3, 0x7d, 0x19, 0xc1, 1), { X86_VALUE, IN1(X0), OUT1(X1) } },
    { BYTES(0xc4, 0xe3, 0x75, 0x18, 0xc2, 1), { X86_VALUE, IN2(X1, X2), OUT1(X0) } },
    { BYTES(0xc4, 0xe3, 0xfd, 0x01, 0xc1, 0x4e), { X86_VALUE, IN1(X1), OUT1(X0) } },
    { BYTES(0x66, 0x0f, 0x3a, 0x16, 0xc8, 1), { X86_VALUE, IN1(X1), OUT1(RAX) } },
    { BYTES(0x66, 0x0f, 0x3a, 0x22, 0xc8, 1), { X86_VALUE, IN2(X1, RAX), OUT1(X1) } },
    { BYTES(0x66, 0x0f, 0x3a, 0x0b, 0xc1, 9), { X86_VALUE, IN2(X0, X1), OUT1(X0) } },
    { BYTES(0xc4, 0xe3, 0x79, 0x1d, 0x07, 0), /* vcvtps2ph [rdi], xmm0, 0 */
      { X86_VALUE, IN1(X0), OUT1(MEM), .memory = AT(RDI, 0) } },
    /* Not decoded: they may write anything. */
    { BYTES(0x87, 0xd8), { X86_UNKNOWN, NONE, NOOUT } },             /* xchg eax, ebx */
    { BYTES(0x49, 0x90), { X86_UNKNOWN, NONE, NOOUT } },             /* xchg rax, r8 */
    { BYTES(0xf3, 0x48, 0xab), { X86_UNKNOWN, NONE, NOOUT } },       /* rep stosq */
    { BYTES(0x0f, 0xb1, 0x0f), { X86_UNKNOWN, NONE, NOOUT } },       /* cmpxchg */
    { BYTES(0x0f, 0x05), { X86_UNKNOWN, NONE, NOOUT } },             /* syscall */
    { BYTES(0xd9, 0x00), { X86_UNKNOWN, NONE, NOOUT } },             /* fld */
    { BYTES(0x0f, 0xa2), { X86_UNKNOWN, NONE, NOOUT } },             /* cpuid */
    { BYTES(0x0f, 0xf7, 0xc1), { X86_UNKNOWN, NONE, NOOUT } },       /* maskmovq */
    { BYTES(0xc5, 0xfb, 0x92, 0xc8), { X86_UNKNOWN, NONE, NOOUT } }, /* kmovd k1, eax */
    { BYTES(0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x0f),
      { X86_UNKNOWN, NONE, NOOUT } },                                      /* vgather */
    { BYTES(0xc4, 0xe2, 0x71, 0x2e, 0x07), { X86_UNKNOWN, NONE, NOOUT } }, /* vmaskmov */
    { BYTES(0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc1), { X86_UNKNOWN, NONE, NOOUT } },
    { BYTES(0x66, 0x0f, 0x3a, 0x63, 0xc1, 0),
      { X86_UNKNOWN, NONE, NOOUT } }, /* pcmpistri */
};

static bool is_used(const struct x86_operation *o)
{
    return o->inputs[0] == MEM || o->inputs[1] == MEM || o->inputs[2] == MEM
           || o->outputs[0] == MEM;
}

/* Inputs may stand in any order; NOWHERE may stand between. */
static void compare_inputs(const uint8_t *got, const uint8_t *expected, const char *where)
{
    bool found[3] = { false };
    for (int i = 0; i < 3; i++) {
        bool is_there = false;
        for (int k = 0; k < 3 && !is_there; k++)
            if (!found[k] && got[k] == expected[i])
                found[k] = is_there = true;
        if (!is_there)
            fail_msg("%s: inputs %x %x %x, not %x %x %x", where, got[0], got[1], got[2],
                     expected[0], expected[1], expected[2]);
    }
}

static void instructions_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct known *known = &all[i];
        struct x86_operation got = array_x86_operation(known->code, known->length);
        const struct x86_operation *is = &known->is;
        unsigned length;
        uintptr_t target;
        char where[60] = "";
        for (unsigned k = 0; k < known->length; k++)
            sprintf(where + strlen(where), "%02x ", known->code[k]);
        if (known->code[0] != 0x62)
            (void)array_x86_flow(known->code, known->length, &length, &target);
        if (got.compute != is->compute)
            fail_msg("%s: computes %d, not %d", where, got.compute, is->compute);
        if (is->compute == X86_UNKNOWN)
            continue;
        compare_inputs(got.inputs, is->inputs, where);
        if (memcmp(got.outputs, is->outputs, sizeof got.outputs) != 0)
            fail_msg("%s: outputs %x %x", where, got.outputs[0], got.outputs[1]);
        if (got.sets_flags != is->sets_flags || got.moves_stack != is->moves_stack)
            fail_msg("%s: flags %d, stack %d", where, got.sets_flags, got.moves_stack);
        if (is_used(&got)
            && (got.memory.base != is->memory.base || got.memory.index != is->memory.index
                || got.memory.fixed != is->memory.fixed
                || got.memory.distance != is->memory.distance))
            fail_msg("%s: memory %x %x %d %ld", where, got.memory.base, got.memory.index,
                     got.memory.fixed, (long)got.memory.distance);
    }
}

/* ---- All of ModRM and SIB ---- */

/* An address by the tables, from scratch: their rows and columns as cases. */
struct form {
    uint8_t reg, rm; /* MEM for memory */
    struct x86_memory memory;
    unsigned after; /* bytes behind ModRM */
    bool by_rip;
};

static struct form form_of(uint8_t rex, uint8_t modrm, uint8_t sib)
{
    const bool r = rex & 4, x = rex & 2, b = rex & 1;
    unsigned mod = modrm / 64, low = modrm % 8, displacement = 0;
    struct form form = { .reg = (uint8_t)(modrm / 8 % 8 + (r ? 8 : 0)), .rm = MEM };
    struct x86_memory *at = &form.memory;
    if (mod == 3) {
        form.rm = (uint8_t)(low + (b ? 8 : 0));
        return form;
    }
    at->base = at->index = NO;
    switch (mod) {
    case 1: displacement = 1; break;
    case 2: displacement = 4; break;
    default: break;
    }
    if (low == 4) { /* [--][--]: a SIB byte follows */
        unsigned base = sib % 8, index = sib / 8 % 8 + (x ? 8 : 0);
        form.after = 1;
        if (index != 4) /* none: rsp is no index, r12 is */
            at->index = (uint8_t)index;
        if (base == 5 && mod == 0)
            displacement = 4; /* [*]: no base, also with REX.B */
        else
            at->base = (uint8_t)(base + (b ? 8 : 0));
    } else if (low == 5 && mod == 0) { /* in 64 bits, from the next instruction on */
        displacement = 4;
        form.by_rip = true;
    } else {
        at->base = (uint8_t)(low + (b ? 8 : 0));
    }
    at->fixed = at->base == NO && at->index == NO;
    form.after += displacement;
    at->distance = displacement == 1 ? -0x12 : displacement == 4 ? -0x12345679 : 0;
    return form;
}

/* Writes a load by 8b (mov) of the form; returns its length. */
static unsigned write_load(uint8_t *code, int rex, uint8_t modrm, uint8_t sib,
                           const struct form *form)
{
    unsigned n = 0, sibs = modrm / 64 != 3 && modrm % 8 == 4;
    if (rex >= 0)
        code[n++] = (uint8_t)(0x40 + rex);
    code[n++] = 0x8b;
    code[n++] = modrm;
    if (sibs)
        code[n++] = sib;
    for (unsigned i = 0; i < form->after - sibs; i++) {
        static const uint8_t low[4] = { 0x87, 0xa9, 0xcb, 0xed }; /* -0x12345679 */
        code[n++] = form->after - sibs == 1 ? 0xee : low[i];
    }
    return n;
}

static void check_form(int rex, uint8_t modrm, uint8_t sib)
{
    uint8_t code[16] = { 0 };
    struct form form = form_of(rex < 0 ? 0 : (uint8_t)rex, modrm, sib);
    unsigned length = write_load(code, rex, modrm, sib, &form), found;
    struct x86_operation got = array_x86_operation(code, length);
    uintptr_t target;
    if (form.by_rip)
        form.memory.distance += (int64_t)(uintptr_t)(code + length);
    assert_int_equal(array_x86_flow(code, length, &found, &target), X86_FLOW_NEXT);
    assert_int_equal(found, length);
    assert_int_equal(got.compute, X86_VALUE);
    assert_int_equal(got.outputs[0], form.reg);
    assert_int_equal(got.inputs[0], form.rm);
    if (form.rm != MEM)
        return;
    assert_int_equal(got.memory.base, form.memory.base);
    assert_int_equal(got.memory.index, form.memory.index);
    assert_int_equal(got.memory.fixed, form.memory.fixed);
    assert_int_equal(got.memory.distance, form.memory.distance);
}

static void all_forms_of_addresses(void **state)
{
    (void)state;
    for (int rex = -1; rex < 16; rex++)
        for (unsigned modrm = 0; modrm < 256; modrm++)
            for (unsigned sib = 0; sib < 256; sib++)
                check_form(rex, (uint8_t)modrm, (uint8_t)sib);
}

/* Any bytes are decoded without reading behind them, and name registers that there are. */
static void any_bytes(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < 1000000; i++) {
        uint8_t bytes[15];
        unsigned length = 1 + i % 15;
        for (unsigned k = 0; k < sizeof bytes; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(seed >> 56);
        }
        uint8_t *exact = malloc(length);
        memcpy(exact, bytes, length);
        struct x86_operation got = array_x86_operation(exact, length);
        for (int k = 0; k < 3; k++)
            assert_true(got.inputs[k] < X86_REGISTERS || got.inputs[k] >= MEM);
        for (int k = 0; k < 2; k++)
            assert_true(got.outputs[k] < X86_REGISTERS || got.outputs[k] >= MEM);
        assert_true(got.outputs[1] != MEM);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_by_hand),
        cmocka_unit_test(all_forms_of_addresses),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
