/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of longjmp and its kin, for the families that interpose them.  A file that includes
 * this must undefine _FORTIFY_SOURCE first, which redirects one of these names to another.
 */
#ifndef WEFT_RECORD_LONGJMP_HOOKS_H
#define WEFT_RECORD_LONGJMP_HOOKS_H

#include <setjmp.h>

#include "record/core/real_functions.h"
#include "record/log/log.h"

/* The longjmp of fortified programs; the C library declares it only for them. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag environment[1], int value);

/*
 * Returns the stack pointer that a longjmp to ENVIRONMENT (from setjmp) restores; 0 if it
 * is unknown on this platform.
 */
static inline uintptr_t weft_jump_target(const struct __jmp_buf_tag *environment)
{
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__ILP32__)
    /* glibc stores it XORed with a secret in the thread control block, and rotated. */
    enum { STACK_POINTER = 6, ROTATED = 17, SECRET = 0x30 };
    uint64_t kept = (uint64_t)environment->__jmpbuf[STACK_POINTER], secret;

    __asm__("movq %%fs:%c1, %0" : "=r"(secret) : "i"(SECRET));
    return (uintptr_t)((kept >> ROTATED | kept << (64 - ROTATED)) ^ secret);
#else
    (void)environment;
    return 0;
#endif
}

/*
 * Call before the calling thread jumps to stack pointer TARGET (weft_jump_target()): if the
 * jump leaves all hooks (the recorder's functions around calls of the program) that are
 * using the thread's log, sets its `busy` to 0.  TARGET must not be 0 (unknown).
 */
static inline void weft_jump_heals(uintptr_t target)
{
    struct weft_log *log = weft_record_self;

    if (log && log->busy != 0)
        weft_log_heal(log, target);
}

/*
 * WEFT_INTERPOSE_JUMPS(): defines a hook for each longjmp function of the C library, in the
 * library that uses the macro once; WEFT_INTERPOSE_JUMP(): for the function NAME alone.  A
 * hook calls SEE(environment), a function or macro of the library that gets a pointer to
 * the struct __jmp_buf_tag, then the original function.
 */
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
