/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clone() makes children that run in the memory and with the thread-local storage of their
 * parent, at the same time.  What such a child does goes into its parent's log, in which only one
 * may write: the trace says so.  To ask at each event who calls would cost a system call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <sched.h>
#include <stdarg.h>

#include "record/log/log.h"
#include "record/process/process.h"
#include "record/core/real.h"

/* While a child of vfork's kind runs its parent does not. */
static bool shares_storage(int flags)
{
    return (flags & CLONE_VM) != 0 && (flags & (CLONE_SETTLS | CLONE_VFORK)) == 0;
}

/* Is the next function of this name the C library's? */
static bool is_of_library = true;

/* Before there are threads, for it takes the loader's lock. */
__attribute__((constructor(102))) static void find_library(void)
{
    void *library = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

    if (!library)
        return;
    is_of_library = (void *)WEFT_REAL(clone) == dlsym(library, "clone");
    dlclose(library);
}

/*
 * The name is not reserved: a library of the program's may have another function of it, which
 * comes before the C library's.  That one gets what it is given, and its whole word goes back, of
 * which an int would be the half.
 */
WEFT_EXPORT long weft_clone(int (*run)(void *), void *stack, int flags, void *argument,
                            ...) __asm__("clone");

WEFT_EXPORT long weft_clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    typedef long any(int (*)(void *), void *, int, void *, ...);
    bool noted = shares_storage(flags) && is_of_library
                 && weft_process_can_note(weft_process_caller());
    void *words[3];
    va_list list;
    long result;

    /* As the library's own: takes three words, whether they were given or not. */
    va_start(list, argument);
    for (int i = 0; i < 3; i++)
        words[i] = va_arg(list, void *);
    va_end(list);
    if (noted) /* before there are two */
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_SHARER, 1);
    result = ((any *)(void *)WEFT_REAL(clone))(run, stack, flags, argument, words[0],
                                               words[1], words[2]);
    if (noted && (int)result < 0)
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_SHARER, 0);
    return result;
}
