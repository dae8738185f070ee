/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and flows of instructions, whose bytes and meaning are those of the manuals. */
#include "domains/arrays/record/x86_flow.h"
#include "tests/test.h"

static const struct known {
    const char *bytes;
    unsigned length;
    enum x86_flow flow;
    int64_t way; /* from behind the instruction to its target */
} all[] = {
    { "\x90", 1, X86_FLOW_NEXT, 0 },                         /* nop */
    { "\x48\x89\xe5", 3, X86_FLOW_NEXT, 0 },                 /* mov rbp, rsp */
    { "\x48\x8d\x3d\x10\x00\x00\x00", 7, X86_FLOW_NEXT, 0 }, /* lea rdi, [rip+16] */
    { "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, X86_FLOW_NEXT,
      0 },                                                   /* mov rax, imm64 */
    { "\x66\xc7\x44\x24\x08\x34\x12", 7, X86_FLOW_NEXT, 0 }, /* mov word [rsp+8], imm16 */
    { "\xf7\xc7\x01\x00\x00\x00", 6, X86_FLOW_NEXT, 0 },     /* test edi, 1 */
    { "\xf7\xdf", 2, X86_FLOW_NEXT, 0 },                     /* neg edi */
    { "\xf2\x0f\x58\x04\xc5\x00\x10\x00\x00", 9, X86_FLOW_NEXT,
      0 },                                               /* addsd xmm0, [rax*8+4096] */
    { "\x66\x0f\x3a\x0b\xc0\x09", 6, X86_FLOW_NEXT, 0 }, /* roundsd xmm0, xmm0, 9 */
    { "\xc5\xf8\x77", 3, X86_FLOW_NEXT, 0 },             /* vzeroupper */
    { "\xc4\xe3\x7d\x19\xc1\x01", 6, X86_FLOW_NEXT, 0 }, /* vextractf128 xmm1, ymm0, 1 */
    { "\x62\xf1\x7c\x48\x28\x48\x01", 7, X86_FLOW_NEXT, 0 }, /* vmovaps zmm1, [rax+64] */
    { "\xe8\x05\x00\x00\x00", 5, X86_FLOW_CALL, 5 },
    { "\xeb\xfe", 2, X86_FLOW_JUMP, -2 },
    { "\xe9\x00\x01\x00\x00", 5, X86_FLOW_JUMP, 256 },
    { "\x74\x10", 2, X86_FLOW_BRANCH, 16 },
    { "\x0f\x8c\xf0\xff\xff\xff", 6, X86_FLOW_BRANCH, -16 },
    { "\xff\xe0", 2, X86_FLOW_AWAY, 0 }, /* jmp rax */
    { "\xff\xd0", 2, X86_FLOW_NEXT, 0 }, /* call rax */
    { "\xc3", 1, X86_FLOW_END, 0 },
    { "\x0f\x0b", 2, X86_FLOW_END, 0 }, /* ud2 */
    { "\x06", 1, X86_FLOW_UNKNOWN, 0 }, /* none in 64 bits */
};

static void instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const uint8_t *code = (const uint8_t *)all[i].bytes;
        unsigned length;
        uintptr_t target;
        assert_int_equal(array_x86_flow(code, all[i].length, &length, &target),
                         all[i].flow);
        assert_int_equal(length, all[i].length);
        if (all[i].way != 0)
            assert_ptr_equal((void *)target,
                             (void *)((uintptr_t)(code + length) + (uintptr_t)all[i].way));
    }
}

/* An instruction of which the last byte is not known is not decoded. */
static void cut_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned length;
        uintptr_t target;
        assert_int_equal(array_x86_flow((const uint8_t *)all[i].bytes, all[i].length - 1,
                                        &length, &target),
                         X86_FLOW_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),
        cmocka_unit_test(cut_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
