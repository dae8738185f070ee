/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a program hands to the kernel can be read.  The kernel answers EFAULT when it
 * cannot; a recorder that looks at it first must not die of it.
 */
#ifndef WEFT_RECORD_READABLE_H
#define WEFT_RECORD_READABLE_H

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/core/core.h"

/*
 * Can the word at ADDRESS be read?  By a call that fails in any case: the kernel reads the set of
 * signals before it looks what to do with it, and there is nothing to do with it.  Keeps errno;
 * on x86-64 there need not be any.
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
 * A text up to its NUL, and a list of texts up to its NULL, as environments are; NULL: an empty
 * one.  They touch neither errno nor any other of the thread's own variables.  Where the kernel
 * may not be asked, or not without errno, the answer is that it can.
 */
WEFT_HIDDEN bool weft_readable_text(const char *text);
WEFT_HIDDEN bool weft_readable_texts(char *const *list);

#endif
