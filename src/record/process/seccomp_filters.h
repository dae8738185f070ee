/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of system calls (seccomp).  A program that installs one does not know which calls
 * the recorder makes, and many filters kill for an unknown call.  So before a filter is
 * installed, its BPF program is run here on each call of the recorder.  Calls that it
 * forbids are not made any more; memory and room in the log are reserved beforehand.
 */
#ifndef WEFT_RECORD_SECCOMP_FILTERS_H
#define WEFT_RECORD_SECCOMP_FILTERS_H

#include "record/core/core.h"

/* Groups of system calls that the recorder makes after its start. */
enum weft_need {
    WEFT_NEED_OPEN,           /* openat, read, close, fcntl (F_DUPFD_CLOEXEC) */
    WEFT_NEED_STAT,           /* newfstatat, of a path */
    WEFT_NEED_FSTAT,          /* fstat, of a descriptor */
    WEFT_NEED_WRITE,          /* pwrite64 */
    WEFT_NEED_ROOM,           /* fallocate */
    WEFT_NEED_MAP_FILE,       /* mmap, shared, of a file */
    WEFT_NEED_MEMORY,         /* mmap, anonymous */
    WEFT_NEED_UNMAP,          /* munmap */
    WEFT_NEED_ADVISE,         /* madvise */
    WEFT_NEED_SIGNALS,        /* rt_sigprocmask */
    WEFT_NEED_PENDING,        /* rt_sigpending, rt_sigtimedwait */
    WEFT_NEED_THREAD_ID,      /* gettid */
    WEFT_NEED_PROCESS_ID,     /* getpid, getppid */
    WEFT_NEED_PROCESSOR_TIME, /* clock_gettime, of CLOCK_THREAD_CPUTIME_ID */
    WEFT_NEED_ROBUST_LIST,  /* set_robust_list, which the C library calls for each thread */
    WEFT_NEED_SIGNAL_STACK, /* sigaltstack: families see it in the core's table */
    WEFT_NEED_NAMES,        /* uname, readlinkat, getcwd */
    WEFT_NEED_FOLDER,       /* mkdirat, unlinkat */
    WEFT_NEED_HANDOVER,     /* geteuid, faccessat2, fcntl (F_SETFD) */
    WEFT_NEED_PROGRAMS,     /* openat, newfstatat, pread64, close */
    WEFT_NEED_COUNTERS,     /* perf_event_open, ioctl, read, fcntl, close */
    WEFT_NEED_STORAGE,      /* arch_prctl */
    WEFT_NEED_RESIDENT,     /* mincore */
    WEFT_NEED_USAGE,        /* getrusage, getdents64 */
    WEFT_NEEDS,             /* number of groups */
};

/*
 * Returns true if no filter of this process forbids the system calls of NEED.  Recorder
 * libraries other than the core may call it, too.
 */
static inline bool weft_sandbox_allows(enum weft_need need)
{
    return (__atomic_load_n(&weft_record_core_v1.forbidden, __ATOMIC_RELAXED) >> need & 1)
           == 0;
}
/*
 * Call before a seccomp filter is installed.  PROGRAM is its struct sock_fprog; NULL:
 * seccomp's strict mode.  Reserves memory and room in the log if the filter forbids calls
 * for them; calls that it forbids are not made any more.  A filter that cannot be read has
 * no effect: the kernel will refuse it.
 */
WEFT_HIDDEN void weft_sandbox_filter(const void *program);
/*
 * Call after the attempt to install a seccomp filter PROGRAM (NULL: strict mode).  REFUSED:
 * the kernel did not install it, and FORBIDDEN, from weft_sandbox_forbidden() before, is in
 * force again.  Else, in strict mode, the thread has lost its clocks: its events are lost.
 */
WEFT_HIDDEN void weft_sandbox_filter_ends(const void *program, bool refused,
                                          uint32_t forbidden);
/* Returns the calls that filters of this process forbid: bits 1 << enum weft_need. */
WEFT_HIDDEN uint32_t weft_sandbox_forbidden(void);
/*
 * Adds calls that are FORBIDDEN (bits 1 << enum weft_need) by filters of the program that
 * executed this one, since filters stay over exec.  Returns false if recording is
 * impossible with the calls that are left.
 */
WEFT_HIDDEN bool weft_sandbox_inherit(uint32_t forbidden);
/*
 * Runs a seccomp filter, PROGRAM (struct sock_fprog, readable), on a system call, CALL
 * (struct seccomp_data); returns SECCOMP_RET_... with its data.  It knows the instructions
 * that libseccomp and Chromium generate: load a word of the call, AND it with a mask, jump,
 * also by comparison with a constant, return a constant.  Any other instruction returns
 * SECCOMP_RET_KILL_PROCESS, so that the filter counts as forbidding the call.
 */
WEFT_HIDDEN uint32_t weft_sandbox_run(const void *program, const void *call);

#endif
