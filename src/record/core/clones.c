/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clone() makes children that run in the memory and with the thread-local storage of their
 * parent, at the same time.  What such a child does goes into its parent's log, in which only one
 * may write: the trace says so.  To ask at each event who calls would cost a system call.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>

#include "record/core/log.h"
#include "record/core/process.h"
#include "record/core/real.h"

/* While a child of vfork's kind runs its parent does not. */
static bool shares_storage(int flags)
{
    return (flags & CLONE_VM) != 0 && (flags & (CLONE_SETTLS | CLONE_VFORK)) == 0;
}

WEFT_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    bool noted = shares_storage(flags) && weft_process_can_note(weft_process_caller());
    void *words[3];
    va_list list;
    int result;

    /* As the library's own: takes three words, whether they were given or not. */
    va_start(list, argument);
    for (int i = 0; i < 3; i++)
        words[i] = va_arg(list, void *);
    va_end(list);
    if (noted) /* before there are two */
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_SHARER, 1);
    result = WEFT_REAL(clone)(run, stack, flags, argument, words[0], words[1], words[2]);
    if (noted && result < 0)
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_SHARER, 0);
    return result;
}
