/* SPDX-License-Identifier: Apache-2.0 */
/* Runs filters of system calls: programs of the classic BPF. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
# include <asm/prctl.h>
#endif

#include "record/log/headers.h"
#include "record/log/log_slow_paths.h"
#include "record/log/pool.h"
#include "record/maps/readable_memory.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"

enum {
    PLACES = 32,        /* threads that may still begin in such a sandbox */
    RESERVE = 32 << 20, /* bytes of the log reserved before a sandbox */
    RESERVE_MIN = 1 << 20,
};

#if defined(__x86_64__)
# define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
# define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
# define ARCHITECTURE 0
#endif

/* The recorder's calls, with the arguments that a filter may test. */
static const struct {
    enum weft_need need;
    int number;
    uint64_t arguments[6];
} calls[] = {
    { WEFT_NEED_OPEN, SYS_openat, { 0, 0, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600 } },
    { WEFT_NEED_OPEN, SYS_read, { 900, 0, 4096 } },
    { WEFT_NEED_OPEN, SYS_close, { 900 } },
    { WEFT_NEED_OPEN, SYS_fcntl, { 900, F_DUPFD_CLOEXEC, 900 } },
    { WEFT_NEED_STAT, SYS_newfstatat, { (uint64_t)AT_FDCWD } },
    { WEFT_NEED_FSTAT, SYS_fstat, { 900 } },
    { WEFT_NEED_WRITE, SYS_pwrite64, { 900, 0, 4096, 4096 } },
    { WEFT_NEED_ROOM, SYS_fallocate, { 900, 0, 4096, 4096 } },
    { WEFT_NEED_MAP_FILE, SYS_mmap, { 0, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, 900 } },
    { WEFT_NEED_MEMORY,
      SYS_mmap,
      { 0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX } },
    { WEFT_NEED_UNMAP, SYS_munmap, { 0, 65536 } },
    { WEFT_NEED_ADVISE, SYS_madvise, { 0, 65536, MADV_WIPEONFORK } },
    { WEFT_NEED_ADVISE, SYS_madvise, { 0, 65536, MADV_DONTFORK } },
    { WEFT_NEED_ADVISE, SYS_madvise, { 0, 65536, MADV_DONTNEED } },
    { WEFT_NEED_SIGNALS, SYS_rt_sigprocmask, { 0 } },
    { WEFT_NEED_PENDING, SYS_rt_sigpending, { 0 } },
    { WEFT_NEED_PENDING, SYS_rt_sigtimedwait, { 0 } },
    { WEFT_NEED_THREAD_ID, SYS_gettid, { 0 } },
    { WEFT_NEED_PROCESS_ID, SYS_getpid, { 0 } },
    { WEFT_NEED_PROCESS_ID, SYS_getppid, { 0 } },
    { WEFT_NEED_PROCESSOR_TIME, SYS_clock_gettime, { CLOCK_THREAD_CPUTIME_ID } },
    { WEFT_NEED_ROBUST_LIST, SYS_set_robust_list, { 0, sizeof(struct robust_list_head) } },
    { WEFT_NEED_SIGNAL_STACK, SYS_sigaltstack, { 0 } },
    { WEFT_NEED_NAMES, SYS_uname, { 0 } },
    { WEFT_NEED_NAMES, SYS_readlinkat, { (uint64_t)AT_FDCWD, 0, 0, 640 } },
    { WEFT_NEED_NAMES, SYS_getcwd, { 0, 240 } },
    { WEFT_NEED_FOLDER, SYS_mkdirat, { (uint64_t)AT_FDCWD, 0, 0700 } },
    { WEFT_NEED_FOLDER, SYS_unlinkat, { (uint64_t)AT_FDCWD } },
    { WEFT_NEED_HANDOVER, SYS_geteuid, { 0 } },
    { WEFT_NEED_HANDOVER, SYS_fcntl, { 900, F_SETFD, FD_CLOEXEC } },
    { WEFT_NEED_HANDOVER,
      SYS_faccessat2,
      { (uint64_t)AT_FDCWD, 0, W_OK | X_OK, AT_EACCESS } },
    { WEFT_NEED_HANDOVER, SYS_faccessat2, { (uint64_t)AT_FDCWD, 0, R_OK, AT_EACCESS } },
    { WEFT_NEED_HANDOVER, SYS_faccessat2, { (uint64_t)AT_FDCWD, 0, R_OK, 0 } },
    { WEFT_NEED_PROGRAMS,
      SYS_openat,
      { (uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY } },
    { WEFT_NEED_PROGRAMS, SYS_newfstatat, { (uint64_t)AT_FDCWD } },
    { WEFT_NEED_PROGRAMS, SYS_pread64, { 900, 0, 2048, 4096 } },
    { WEFT_NEED_PROGRAMS, SYS_close, { 900 } },
    { WEFT_NEED_COUNTERS,
      SYS_perf_event_open,
      { 0, 0, UINT64_MAX, UINT64_MAX, PERF_FLAG_FD_CLOEXEC } },
    { WEFT_NEED_COUNTERS, SYS_ioctl, { 900, PERF_EVENT_IOC_ID } },
    { WEFT_NEED_COUNTERS, SYS_read, { 900, 0, 56 } },
    { WEFT_NEED_COUNTERS, SYS_fcntl, { 900, F_DUPFD_CLOEXEC, 800 } },
    { WEFT_NEED_COUNTERS, SYS_close, { 900 } },
#if defined(__x86_64__)
    { WEFT_NEED_STORAGE, SYS_arch_prctl, { ARCH_GET_FS } },
#endif
    { WEFT_NEED_RESIDENT, SYS_mincore, { 0, 4096 } },
    { WEFT_NEED_USAGE, SYS_getrusage, { RUSAGE_THREAD } },
    { WEFT_NEED_USAGE, SYS_getdents64, { 900, 0, 2048 } },
};

/* Without these calls, buffers must come from a reserve taken before. */
static const uint32_t for_buffers = 1u << WEFT_NEED_FSTAT | 1u << WEFT_NEED_WRITE
                                    | 1u << WEFT_NEED_ROOM | 1u << WEFT_NEED_MAP_FILE
                                    | 1u << WEFT_NEED_MEMORY | 1u << WEFT_NEED_ADVISE;

/* Returns the word at offset AT of the call, 0 beyond its end. */
static uint32_t word_of(const struct seccomp_data *call, uint32_t at)
{
    uint32_t word = 0;

    if (at <= sizeof *call - sizeof word)
        memcpy(&word, (const char *)call + at, sizeof word);
    return word;
}

static bool jumps(const struct sock_filter *jump, uint32_t word)
{
    switch (BPF_OP(jump->code)) {
    case BPF_JEQ: return word == jump->k;
    case BPF_JGT: return word > jump->k;
    case BPF_JGE: return word >= jump->k;
    default: return (word & jump->k) != 0; /* BPF_JSET */
    }
}

uint32_t weft_sandbox_run(const void *program, const void *call)
{
    const struct sock_fprog *filter = program;
    uint32_t word = 0, at = 0;

    /* It ends: jumps only lead forward. */
    while (at < filter->len) {
        const struct sock_filter *one = &filter->filter[at++];
        switch (one->code) {
        case BPF_LD | BPF_W | BPF_ABS: word = word_of(call, one->k); break;
        case BPF_ALU | BPF_AND | BPF_K: word &= one->k; break;
        case BPF_JMP | BPF_JA: at += one->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGT | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K: at += jumps(one, word) ? one->jt : one->jf; break;
        case BPF_RET | BPF_K: return one->k;
        default: return SECCOMP_RET_KILL_PROCESS;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

static uint32_t forbidden_by(const void *program)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct seccomp_data call = { .nr = calls[i].number,
                                     .arch = ARCHITECTURE,
                                     .instruction_pointer = (uint64_t)(uintptr_t)syscall };
        uint32_t action = SECCOMP_RET_KILL_PROCESS;
        memcpy(call.args, calls[i].arguments, sizeof call.args);
        if (program && ARCHITECTURE != 0)
            action = weft_sandbox_run(program, &call) & SECCOMP_RET_ACTION_FULL;
        if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG)
            bits |= 1u << calls[i].need;
    }
    return bits;
}

static void forbid(uint32_t bits)
{
    /* Never reset: filters cannot be removed. */
    __atomic_fetch_or(&weft_record_core_v1.forbidden, bits, __ATOMIC_RELAXED);
    if (!weft_sandbox_allows(WEFT_NEED_SIGNAL_STACK))
        __atomic_store_n(&weft_record_core_v1.without_signal_stack, 1, __ATOMIC_RELAXED);
}

/* Returns false if the kernel will not be able to read the filter, and so refuse it. */
static bool can_be_read(const struct sock_fprog *program)
{
    enum { PAGE = 4096 };
    uintptr_t at, end;

    if (!weft_sandbox_allows(WEFT_NEED_SIGNALS))
        return true;
    if (!weft_readable_word((uintptr_t)program)
        || !weft_readable_word((uintptr_t)&program->filter))
        return false;
    at = (uintptr_t)program->filter;
    end = at + program->len * sizeof *program->filter;
    for (; at < end; at = at / PAGE * PAGE + PAGE)
        if (!weft_readable_word(at))
            return false;
    return end == (uintptr_t)program->filter || weft_readable_word(end - sizeof(uint64_t));
}

void weft_sandbox_filter(const void *program)
{
    uint32_t bits;

    if (program && !can_be_read(program))
        return;
    bits = forbidden_by(program);
    weft_process_forked();
    if (weft_process.state == WEFT_RECORDED && (bits & for_buffers)
        && !weft_process.file.reserve) {
        weft_pool_prepare(PLACES);
        for (uint64_t size = RESERVE; size >= RESERVE_MIN; size /= 2)
            if (weft_file_reserve(&weft_process.file, size))
                break;
    }
    forbid(bits);
}

void weft_sandbox_filter_ends(const void *program, bool refused, uint32_t before)
{
    if (refused) {
        __atomic_store_n(&weft_record_core_v1.forbidden, before, __ATOMIC_RELAXED);
        __atomic_store_n(&weft_record_core_v1.without_signal_stack,
                         !weft_sandbox_allows(WEFT_NEED_SIGNAL_STACK), __ATOMIC_RELAXED);
    } else if (!program) {
        weft_log_stop();
    }
}

uint32_t weft_sandbox_forbidden(void)
{
    return __atomic_load_n(&weft_record_core_v1.forbidden, __ATOMIC_RELAXED);
}

bool weft_sandbox_inherit(uint32_t bits)
{
    forbid(bits);
    return (bits & for_buffers) == 0;
}

#if defined(__x86_64__)
/*
 * syscall(), for programs that install a filter by it.  All other calls go to the kernel as
 * in the C library's syscall(), with the same registers: some return twice or on another
 * stack.
 */
WEFT_HIDDEN long weft_sandbox_seccomp(long operation, long flags, const void *program);
WEFT_HIDDEN long weft_sandbox_error(long error);

static long seccomp(long operation, long flags, const void *program)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_seccomp), "D"(operation), "S"(flags), "d"(program)
                     : "rcx", "r11", "memory");
    return result;
}

/* Make the call; returns the kernel's answer, an error as a negative number. */
long weft_sandbox_seccomp(long operation, long flags, const void *program)
{
    bool strict = operation == SECCOMP_SET_MODE_STRICT;
    uint32_t before = weft_sandbox_forbidden();
    long result;

    /* With a NULL filter the program only asks whether filters are supported. */
    if (!strict && (operation != SECCOMP_SET_MODE_FILTER || !program))
        return seccomp(operation, flags, program);
    weft_sandbox_filter(strict ? NULL : program);
    result = seccomp(operation, flags, program);
    /* A positive result is a descriptor, or the id of a thread that refused the filter. */
    weft_sandbox_filter_ends(
        strict ? NULL : program,
        result < 0 || (result > 0 && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)), before);
    return result;
}

long weft_sandbox_error(long error)
{
    errno = (int)-error;
    return -1;
}

__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    cmpq $317, %rdi\n" /* SYS_seccomp */
        "    jne 1f\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call weft_sandbox_seccomp\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp 3f\n"
        "1:  movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        "3:  cmpq $-4095, %rax\n"
        "    jae 2f\n"
        "    ret\n"
        "2:  movq %rax, %rdi\n"
        "    jmp weft_sandbox_error\n"
        "    .cfi_endproc\n"
        ".size syscall, .-syscall\n");
#endif
