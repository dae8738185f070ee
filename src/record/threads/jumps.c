/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumps: a signal handler may leave a hook, or a call that waits, for good.  What the thread
 * was in below the place where it goes on is over.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* with it one of these names stands for another */
#include <setjmp.h>

#include "record/threads/threads.h"

/* What fortified programs call; declared only for them. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag environment[1], int value);

/* The stack pointer that a jump goes to; 0: not known here. */
static uintptr_t target_of(const struct __jmp_buf_tag *environment)
{
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__ILP32__)
    /* The library keeps it rotated, and mixed with a secret of the thread's control block. */
    enum { STACK_POINTER = 6, ROTATED = 17, SECRET = 0x30 };
    uint64_t kept = (uint64_t)environment->__jmpbuf[STACK_POINTER], secret;

    __asm__("movq %%fs:%c1, %0" : "=r"(secret) : "i"(SECRET));
    return (uintptr_t)((kept >> ROTATED | kept << (64 - ROTATED)) ^ secret);
#else
    (void)environment;
    return 0;
#endif
}

static void jumps(const struct __jmp_buf_tag *environment)
{
    struct weft_log *log = weft_record_self;
    uintptr_t target = target_of(environment);

    if (log && target && log->busy != 0)
        weft_log_heal(log, target);
    if (log && target)
        weft_waiting_jumps(target);
}

#define JUMP(name)                                                                         \
 WEFT_EXPORT _Noreturn void name(struct __jmp_buf_tag environment[1], int value)           \
 {                                                                                         \
  jumps(environment);                                                                      \
  WEFT_REAL(name)(environment, value);                                                     \
  __builtin_unreachable();                                                                 \
 }

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
