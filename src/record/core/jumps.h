/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the families that interpose the C library's jumps know of them.  Who includes this has
 * undefined _FORTIFY_SOURCE: with it one of the names of jumps stands for another.
 */
#ifndef WEFT_RECORD_JUMPS_H
#define WEFT_RECORD_JUMPS_H

#include <setjmp.h>

#include "record/log/log.h"
#include "record/core/real.h"

/* What fortified programs call; declared only for them. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag environment[1], int value);

/* The stack pointer that a jump goes to; 0: not known here. */
static inline uintptr_t weft_jump_target(const struct __jmp_buf_tag *environment)
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

/* The thread goes on at TARGET: a record that it was writing stays a hole. */
static inline void weft_jump_heals(uintptr_t target)
{
    struct weft_log *log = weft_record_self;

    if (log && log->busy != 0)
        weft_log_heal(log, target);
}

/* All of them: SEE(environment) is called before each. */
#define WEFT_INTERPOSE_JUMPS(see)                                                          \
 WEFT_INTERPOSE_JUMP(longjmp, see)                                                         \
 WEFT_INTERPOSE_JUMP(_longjmp, see)                                                        \
 WEFT_INTERPOSE_JUMP(siglongjmp, see)                                                      \
 WEFT_INTERPOSE_JUMP(__longjmp_chk, see)
#define WEFT_INTERPOSE_JUMP(name, see)                                                     \
 WEFT_EXPORT _Noreturn void name(struct __jmp_buf_tag environment[1], int value)           \
 {                                                                                         \
  see(environment);                                                                        \
  WEFT_REAL(name)(environment, value);                                                     \
  __builtin_unreachable();                                                                 \
 }

#endif
