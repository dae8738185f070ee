/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clone() can make children that run in the memory and TLS of their parent, concurrently.
 * Such a child writes into its parent's log, which only one thread may write; the trace
 * says so.  To detect this at each event would cost a system call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <sched.h>
#include <stdarg.h>

#include "record/core/real_functions.h"
#include "record/log/log.h"
#include "record/process/process.h"

/* With CLONE_VFORK the parent is suspended while the child runs. */
static bool shares_storage(int flags)
{
    return (flags & CLONE_VM) != 0 && (flags & (CLONE_SETTLS | CLONE_VFORK)) == 0;
}

/* True if the next definition of clone is the C library's. */
static bool is_of_library = true;

/* Runs before there are threads, since it takes the loader's lock. */
__attribute__((constructor(102))) static void find_library(void)
{
    void *library = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

    if (!library)
        return;
    is_of_library = (void *)WEFT_REAL(clone) == dlsym(library, "clone");
    dlclose(library);
}

/*
 * The name clone is not reserved: another library of the program may define it with another
 * meaning.  It gets all arguments, and its whole result word is returned, not just an int.
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

    /* Like the C library's: read three words, whether they were given or not. */
    va_start(list, argument);
    for (int i = 0; i < 3; i++)
        words[i] = va_arg(list, void *);
    va_end(list);
    if (noted) /* before the child exists */
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_SHARER, 1);
    result = ((any *)(void *)WEFT_REAL(clone))(run, stack, flags, argument, words[0],
                                               words[1], words[2]);
    if (noted && (int)result < 0)
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_SHARER, 0);
    return result;
}
