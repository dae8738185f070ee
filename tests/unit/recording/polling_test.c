/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that poll memory, and loops that do not: each is written in assembly below, and is
 * examined at its label "at" with registers that this test sets.
 */
#include "read/recording/polling/polling_loop.h"

#include <stdio.h>
#include <string.h>

#include "tests/test.h"

#ifdef __x86_64__

/* Code named NAME, which is only looked at: the label "at" is where the thread is. */
# define LOOP(name, text)                                                                  \
  __asm__(".pushsection .text\n.globl code_" #name "\n.globl at_" #name "\ncode_" #name    \
          ":\n" text "\nret\n.popsection\n");                                              \
  extern const unsigned char at_##name[]

/* Polls [rdi]; the thread has just read it. */
LOOP(flag, "1: movl (%rdi), %eax\nat_flag: testl %eax, %eax\nje 1b");
/* It is about to read it. */
LOOP(before, "at_before: movl (%rdi), %eax\ntestl %eax, %eax\nje at_before");
LOOP(pausing, "1: pause\nat_pausing: cmpl $0, (%rdi)\nje 1b");
LOOP(through, "1: movq 8(%rsp), %rax\nmovl (%rax), %eax\nmovl %eax, 4(%rsp)\nat_through: "
              "cmpl $0, 4(%rsp)\nje 1b");
LOOP(called, "1: call 2f\ntestl %eax, %eax\nje 1b\nret\n2: pushq %rbp\nmovq %rsp, %rbp\n"
             "at_called: movl (%rdi), %eax\npopq %rbp\nret");
LOOP(exchanging,
     "1: movl $1, %eax\nxchgb %al, (%rdi)\nat_exchanging: testb %al, %al\njne 1b");
LOOP(swapping, "1: xorl %eax, %eax\nlock cmpxchgl %ecx, (%rdi)\nat_swapping: jne 1b");
LOOP(bounded, "1: pause\nat_bounded: incl %ecx\ncmpl %ecx, %edx\nje 2f\nmovl (%rdi), %eax\n"
              "testl %eax, %eax\nje 1b\n2:");
/* Behind it are a thousand ways that do not come back. */
LOOP(
    ways,
    "1: pause\nat_ways: cmpl $0, (%rdi)\nje 1b\n3: cmpl $1, (%rdi)\nje 4f\nnop\n4: jmp 3b");
/* It counts: a success leads to the next round, and only al says that it was one. */
LOOP(successes,
     "1: movl (%rdi), %eax\nleal 1(%rax), %ecx\nlock cmpxchgl %ecx, (%rdi)\n"
     "sete %al\nat_successes: testb $1, %al\njne 2f\njmp 1b\n2: cmpl $0, (%rsi)\n"
     "je 1b");
/* Nothing says whether the exchange succeeded. */
LOOP(unasked, "1: movl (%rdi), %eax\nmovl $5, %ecx\nlock cmpxchgl %ecx, (%rdi)\n"
              "cmpl $0, (%rsi)\nat_unasked: je 1b");
LOOP(locking, "1: movl $1, %eax\nxchgl %eax, (%rdi)\nat_locking: testl %eax, %eax\njne 1b\n"
              "xorl %eax, %eax\nxchgl %eax, (%rdi)\ncmpl $0, (%rsi)\nje 1b");
/* The bounded loop without a pause counts, and may compute. */
LOOP(counting, "1: nop\nat_counting: incl %ecx\ncmpl %ecx, %edx\nje 2f\nmovl (%rdi), %eax\n"
               "testl %eax, %eax\nje 1b\n2:");
LOOP(array, "1: movl (%rdi), %eax\nat_array: addq $4, %rdi\ntestl %eax, %eax\nje 1b");
LOOP(sum, "1: addl (%rdi), %eax\nat_sum: testl %ecx, %ecx\nje 1b");
LOOP(list, "1: movq (%rdi), %rdi\nat_list: testq %rdi, %rdi\njne 1b");
LOOP(variable, "1: addl $1, 4(%rsp)\nat_variable: cmpl $9, 4(%rsp)\njne 1b");
/* By way of a register, which has another use in between. */
LOOP(carried,
     "1: movl 4(%rsp), %eax\nleal 1(%rax), %edx\nmovl %edx, 4(%rsp)\nxorl %edx, %edx\n"
     "at_carried: movl (%rdi), %eax\ntestl %eax, %eax\nje 1b");
LOOP(pushed,
     "1: popq %rax\nincq %rax\npushq %rax\nxorl %eax, %eax\nat_pushed: cmpl $0, (%rdi)\n"
     "je 1b");
LOOP(global, "1: movl (%rdi), %eax\nmovl %eax, (%rsi)\nat_global: testl %eax, %eax\nje 1b");
LOOP(atomic, "1: lock incl (%rdi)\nat_atomic: cmpl $0, (%rsi)\nje 1b");
LOOP(clock, "1: rdtsc\nat_clock: cmpl $0, (%rsi)\nje 1b");
LOOP(calling, "1: syscall\nat_calling: cmpl $0, (%rsi)\nje 1b");
LOOP(vectors, "1: paddd %xmm0, %xmm1\nat_vectors: cmpl $0, (%rsi)\nje 1b");
LOOP(product, "1: pause\nat_product: leal (%rcx,%rcx,2), %ecx\ncmpl $0, (%rdi)\nje 1b");
LOOP(chosen, "1: pause\nat_chosen: incl %ecx\ncmpl $0, (%rdi,%rcx,4)\nje 1b");
LOOP(nothing, "at_nothing: jmp at_nothing");

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };
enum { ZERO = 0x44, NOT_ZERO = 0 }; /* of a result 0 (its parity is even), of 1 */

static size_t read_code(void *user, uint64_t address, unsigned char *to, size_t n)
{
    uint64_t at = *(const uint64_t *)user;

    if (address - at > 100 && at - address > 100) /* where the test has no code */
        return 0;
    memcpy(to, (const void *)(uintptr_t)address, n);
    return n;
}

static uint64_t stack[8] = { 5, 6, 7, 8, 9, 10, 11, 12 };
static int other;

/* The result at AT with these values in rax, rcx and the flags. */
static enum polling examine(const unsigned char *at, uint64_t rax, uint64_t rcx,
                            uint64_t flags)
{
    struct polling_state state = { .address = (uint64_t)(uintptr_t)at,
                                   .flags = flags,
                                   .stack = (const unsigned char *)stack,
                                   .stack_size = sizeof stack };
    struct polling_round round = { 0 };

    state.registers[RAX] = rax;
    state.registers[RCX] = rcx;
    state.registers[RDX] = 1000;
    state.registers[RSP] = state.registers[RBP] = 0x7fff0000;
    state.registers[RDI] = (uint64_t)(uintptr_t)&other;
    state.registers[RSI] = (uint64_t)(uintptr_t)&other + 64;
    return polling_examine(&state, read_code, &state.address, &round);
}

static void test_polling(void **unused)
{
    (void)unused;
    assert_int_equal(examine(at_flag, 0, 7, ZERO), POLLING_YES);
    assert_int_equal(examine(at_before, 0, 7, ZERO), POLLING_YES);
    assert_int_equal(examine(at_pausing, 3, 7, ZERO), POLLING_YES);
    assert_int_equal(examine(at_through, 0, 7, ZERO), POLLING_YES);
    assert_int_equal(examine(at_exchanging, 1, 7, NOT_ZERO), POLLING_YES);
    assert_int_equal(examine(at_swapping, 1, 7, NOT_ZERO), POLLING_YES);
    assert_int_equal(examine(at_bounded, 0, 7, ZERO), POLLING_YES);
    assert_int_equal(examine(at_ways, 0, 7, ZERO), POLLING_YES);
}

extern const unsigned char code_called[];

/* Its frame pointer and the address behind the call are on the stack. */
static void test_in_a_call(void **unused)
{
    uint64_t before[2] = { stack[0], stack[1] };

    (void)unused;
    stack[0] = 0x7fff0000;
    assert_int_equal(code_called[0], 0xe8); /* its call, of 5 bytes */
    stack[1] = (uint64_t)(uintptr_t)(code_called + 5);
    assert_int_not_equal(examine(at_called, 0, 7, ZERO), POLLING_NO);
    memcpy(stack, before, sizeof before);
}

/* The thread leaves the loop, by the value that it has read. */
static void test_leaves(void **unused)
{
    (void)unused;
    assert_int_equal(examine(at_flag, 1, 7, NOT_ZERO), POLLING_NO);
    assert_int_equal(examine(at_exchanging, 0, 7, ZERO), POLLING_NO);
    assert_int_equal(examine(at_swapping, 0, 7, ZERO), POLLING_NO);
    /* It did not come from the end of the loop: the flags would be others. */
    assert_int_equal(examine(at_before, 1, 7, NOT_ZERO), POLLING_NO);
}

/* A thread that gets what it tries to get each time does not wait. */
static void test_success(void **unused)
{
    (void)unused;
    assert_int_equal(examine(at_successes, 1, 7, ZERO), POLLING_NO);
    assert_int_not_equal(examine(at_successes, 0, 7, ZERO), POLLING_YES);
    assert_int_not_equal(examine(at_unasked, 4, 5, ZERO), POLLING_YES);
    assert_int_equal(examine(at_locking, 0, 7, ZERO), POLLING_NO);
}

static void test_computing(void **unused)
{
    static const unsigned char *const loops[] = {
        at_counting, at_array,   at_sum,     at_list,   at_variable,
        at_carried,  at_pushed,  at_global,  at_atomic, at_clock,
        at_calling,  at_vectors, at_product, at_chosen, at_nothing,
    };

    (void)unused;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        for (uint64_t rax = 0; rax < 3; rax++)
            for (uint64_t rcx = 1; rcx < 4; rcx++)
                if (examine(loops[i], rax, rcx, ZERO) != POLLING_NO
                    || examine(loops[i], rax, rcx, NOT_ZERO) != POLLING_NO)
                    fail_msg("loop %zu polls", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polling),   cmocka_unit_test(test_in_a_call),
        cmocka_unit_test(test_leaves),    cmocka_unit_test(test_success),
        cmocka_unit_test(test_computing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("only code of x86-64 is examined");
    return 77;
}

#endif
