/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of system calls, run by the recorder and by the kernel: random ones on random calls. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "record/process/seccomp_filters.h"
#include "tests/random.h"
#include "tests/test.h"

/* A number that no system call has; filters let all others pass. */
enum { CALL = 4000, LENGTH = 40, ERRORS = 1023 };

static uint32_t error_number(void)
{
    return SECCOMP_RET_ERRNO | (1 + roll(ERRORS));
}

/* One of the instructions that filters are made of; LEFT follow that may be jumped over. */
static struct sock_filter any_instruction(uint32_t left)
{
    static const uint16_t jumps[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };

    switch (roll(5)) {
    case 0:
    case 1: return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4 * roll(16));
    case 2:
        return (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K,
                                            roll(5) * 0x01010101u);
    case 3:
        if (left > 0)
            return (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, roll(left));
        return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, error_number());
    default:
        return (struct sock_filter){ (uint16_t)(BPF_JMP | jumps[roll(4)] | BPF_K),
                                     (uint8_t)roll(left + 1), (uint8_t)roll(left + 1),
                                     roll(200) };
    }
}

/* A filter that answers CALL with an error number that says where it ended. */
static unsigned short any_filter(struct sock_filter *to)
{
    static const struct sock_filter head[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_filter *at = to + sizeof head / sizeof *head;

    memcpy(to, head, sizeof head);
    for (uint32_t left = roll(LENGTH); left > 0; left--)
        *at++ = any_instruction(left);
    /* Comparisons of what is left decide between two answers. */
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, roll(200), 1, 0);
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, error_number());
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, error_number());
    return (unsigned short)(at - to);
}

/* What the kernel makes of the call in a child that has the filter: its error number. */
static int ask_kernel(struct sock_fprog *program, const uint64_t arguments[6])
{
    int channel[2], error = 0, status;
    pid_t child;

    assert_int_equal(pipe(channel), 0);
    child = fork();
    if (child == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) != 0
            || syscall(CALL, arguments[0], arguments[1], arguments[2], arguments[3],
                       arguments[4], arguments[5])
                   != -1)
            _exit(1);
        error = errno;
        _exit(write(channel[1], &error, sizeof error) != sizeof error);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(channel[0], &error, sizeof error), sizeof error);
    close(channel[0]);
    close(channel[1]);
    return error;
}

static void test_as_the_kernel_does(void **state)
{
    struct sock_filter filter[LENGTH + 16];
    struct sock_fprog program = { 0, filter };

    (void)state;
#if !defined(__x86_64__)
    skip();
#endif
    for (int round = 0; round < 400; round++) {
        struct seccomp_data call = { .nr = CALL, .arch = AUDIT_ARCH_X86_64 };
        uint32_t result;
        program.len = any_filter(filter);
        for (int i = 0; i < 6; i++)
            call.args[i] =
                roll(3) == 0 ? roll(200) : (uint64_t)roll(UINT32_MAX) << roll(20);
        /* Where the call is made is not known here: it stays out of the filters' sight. */
        for (int i = 0; i < program.len; i++)
            if (filter[i].code == (BPF_LD | BPF_W | BPF_ABS)
                && (filter[i].k == 8 || filter[i].k == 12))
                filter[i].k += 16;
        result = weft_sandbox_run(&program, &call);
        assert_int_equal(result & SECCOMP_RET_ACTION_FULL, SECCOMP_RET_ERRNO);
        assert_int_equal(result & SECCOMP_RET_DATA,
                         ask_kernel(&program, (const uint64_t *)call.args));
    }
}

/* The kernel allows instructions that the recorder does not know: such a filter forbids all. */
static void test_unknown_instruction(void **state)
{
    struct sock_filter filter[] = { BPF_STMT(BPF_LD | BPF_IMM, 0),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    struct sock_fprog program = { 2, filter };

    (void)state;
    assert_int_equal(weft_sandbox_run(&program, &(struct seccomp_data){ .nr = SYS_read }),
                     SECCOMP_RET_KILL_PROCESS);
}

/* The strict mode lets nothing pass that is needed; a filter that lets all pass forbids none. */
static void test_needs(void **state)
{
    struct sock_filter all[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    struct sock_filter no_write[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    (void)state;
    weft_sandbox_filter(&(struct sock_fprog){ 1, all });
    for (int need = 0; need < WEFT_NEEDS; need++)
        assert_true(weft_sandbox_allows((enum weft_need)need));
    weft_sandbox_filter(&(struct sock_fprog){ 4, no_write });
    for (int need = 0; need < WEFT_NEEDS; need++)
        assert_int_equal(weft_sandbox_allows((enum weft_need)need),
                         need != WEFT_NEED_WRITE);
    weft_sandbox_filter(NULL);
    for (int need = 0; need < WEFT_NEEDS; need++)
        assert_false(weft_sandbox_allows((enum weft_need)need));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_kernel_does),
        cmocka_unit_test(test_unknown_instruction),
        cmocka_unit_test(test_needs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
