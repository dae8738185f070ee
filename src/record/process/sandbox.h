/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of system calls (seccomp).  A program that gives itself one does not know what the
 * recorder needs, and many filters kill for a call that they do not know.  So each filter is
 * looked at before it is installed: it is a small program of the kernel's, and is run here on
 * each call that the recorder makes.  What it does not let pass is not called any more; memory
 * and room in the log for some while are taken before.
 */
#ifndef WEFT_RECORD_SANDBOX_H
#define WEFT_RECORD_SANDBOX_H

#include "record/core/core.h"

/* The system calls of the recorder after its start. */
enum weft_need {
    WEFT_NEED_OPEN, /* and read, close, fcntl */
    WEFT_NEED_STAT,
    WEFT_NEED_FSTAT,
    WEFT_NEED_WRITE,
    WEFT_NEED_ROOM, /* fallocate */
    WEFT_NEED_MAP_FILE,
    WEFT_NEED_MEMORY,
    WEFT_NEED_UNMAP,
    WEFT_NEED_ADVISE,
    WEFT_NEED_SIGNALS, /* rt_sigprocmask */
    WEFT_NEED_PENDING, /* rt_sigpending, rt_sigtimedwait */
    WEFT_NEED_THREAD_ID,
    WEFT_NEED_PROCESS_ID,
    WEFT_NEED_PROCESSOR_TIME,
    WEFT_NEED_ROBUST_LIST,  /* set_robust_list, which the C library calls for each thread */
    WEFT_NEED_SIGNAL_STACK, /* sigaltstack: families see it in the core's table */
    WEFT_NEED_NAMES,        /* uname, readlinkat, getcwd */
    WEFT_NEED_FOLDER,       /* mkdirat, unlinkat */
    WEFT_NEED_HANDOVER,     /* geteuid, faccessat2, fcntl */
    WEFT_NEED_PROGRAMS,     /* openat, newfstatat, pread64 */
    WEFT_NEED_COUNTERS,     /* perf_event_open, ioctl */
    WEFT_NEED_STORAGE,      /* arch_prctl */
    WEFT_NEED_RESIDENT,     /* mincore */
    WEFT_NEEDS,
};

/* May this be called?  Of the core's table, so that families may ask, too. */
static inline bool weft_sandbox_allows(enum weft_need need)
{
    return (__atomic_load_n(&weft_record_core_v1.forbidden, __ATOMIC_RELAXED) >> need & 1)
           == 0;
}
/* The process is about to get this filter: struct sock_fprog, or NULL for the strict mode. */
WEFT_HIDDEN void weft_sandbox_filter(const void *program);
/* It has it; or it was REFUSED, and what was FORBIDDEN before is so again. */
WEFT_HIDDEN void weft_sandbox_filter_ends(const void *program, bool refused,
                                          uint32_t forbidden);
/* Filters stay when a program is executed: what they forbid, as bits by need, and the same as
   the program before has handed it over.  False: nothing can be recorded with what is left. */
WEFT_HIDDEN uint32_t weft_sandbox_forbidden(void);
WEFT_HIDDEN bool weft_sandbox_inherit(uint32_t forbidden);
/* What a filter makes of a call: SECCOMP_RET_..., with its data. */
WEFT_HIDDEN uint32_t weft_sandbox_run(const void *program, const void *call);

#endif
