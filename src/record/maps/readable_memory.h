/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests whether memory that a program passes to the kernel can be read.  The kernel would
 * answer EFAULT; the recorder, which looks at the memory first, must not crash instead.
 */
#ifndef WEFT_RECORD_READABLE_MEMORY_H
#define WEFT_RECORD_READABLE_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/core/core.h"

/*
 * Returns true if the 8 bytes at ADDRESS can be read.  It makes a rt_sigprocmask call that
 * always fails: the kernel reads the signal set before it rejects HOW.  The caller asks
 * weft_sandbox_allows(WEFT_NEED_SIGNALS) first.  Keeps errno, and on x86-64 does not use
 * it.
 */
static inline bool weft_readable_word(uintptr_t address)
{
    enum { NO_SUCH_HOW = -1, SET = sizeof(uint64_t) };
#if defined(__x86_64__)
    register uint64_t size __asm__("r10") = SET;
    long result = SYS_rt_sigprocmask;

    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(NO_SUCH_HOW), "S"(address), "d"(NULL), "r"(size)
                     : "rcx", "r11", "memory");
    return result != -EFAULT;
#else
    int saved = errno;
    bool readable = syscall(SYS_rt_sigprocmask, NO_SUCH_HOW, address, NULL, SET) == 0
                    || errno != EFAULT;

    errno = saved;
    return readable;
#endif
}

/*
 * Returns true if TEXT, not NULL, can be read up to its NUL.  Uses neither errno nor other
 * thread-local storage; where a seccomp filter forbids the test, or it would need errno
 * (elsewhere than on x86-64), it is not made, and unreadable text crashes.
 */
WEFT_HIDDEN bool weft_readable_text(const char *text);
/*
 * Returns true if LIST, such as an environment, can be read up to its NULL, and each of its
 * texts up to its NUL; or if LIST is NULL.  Where weft_readable_text() can make no test, it
 * makes none, either.
 */
WEFT_HIDDEN bool weft_readable_texts(char *const *list);

#endif
