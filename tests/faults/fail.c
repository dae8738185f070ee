/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program, this library lets calls fail as a bad disk or a full memory would:
 *
 *     FAIL_CALL=write FAIL_AT=7 FAIL_ERRNO=28 LD_PRELOAD=... weft convert ...
 *
 * FAIL_CALL is a name of the table below, "malloc" or "mmap".  The call FAIL_AT fails, counted
 * from 1 over all threads, and with FAIL_ON=1 all later ones, too.  FAIL_SHORT=1: it does not
 * fail, but moves one byte only.  With FAIL_NAMED=1 there are no files without a name
 * (O_TMPFILE), as on older file systems.  FAIL_COUNT names a file that gets the number of calls.
 *
 * System calls are caught by a filter of the kernel (seccomp), so that those that the C library
 * makes itself are caught as well: the filter turns each into a signal whose handler makes the
 * call with a mark in the sixth argument, which the filter lets pass.  malloc and mmap, whose
 * arguments leave no room for a mark, are replaced by functions of that name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined __x86_64__ && !defined __aarch64__
# error "the registers of this processor are not known here"
#endif

enum { MARK = 0x57454654, MAX_NUMBERS = 3 };

static const struct watched {
    const char *name;
    int numbers[MAX_NUMBERS]; /* of system calls; -1: none */
} table[] = {
    { "read", { SYS_read, SYS_pread64, -1 } },
    { "write", { SYS_write, SYS_pwrite64, -1 } },
    { "open", { SYS_openat, -1, -1 } },
    { "rename",
      { SYS_renameat, SYS_renameat2,
#ifdef SYS_rename
        SYS_rename
#else
        -1
#endif
      } },
    { "link", { SYS_linkat, -1, -1 } },
    { "fsync", { SYS_fsync, SYS_fdatasync, -1 } },
    { "truncate", { SYS_ftruncate, SYS_fallocate, -1 } },
    { "seek", { SYS_lseek, -1, -1 } },
    { "lock", { SYS_flock, -1, -1 } },
};

static _Atomic long calls;
static long fail_at;
static int fail_errno;
static bool fails_on, is_short, names_only, armed, allocations, mappings;

/* Is it this call that fails? */
static bool fails(void)
{
    long n = atomic_fetch_add(&calls, 1) + 1;
    return fail_at && (n == fail_at || (fails_on && n > fail_at));
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* libdw 0.188 and others before do not look whether they got memory: of it nothing is promised. */
static bool is_careless(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "/libdw");
}

static bool refuses(const void *caller)
{
    if (!armed || !allocations || !fails() || is_careless(caller))
        return false;
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

__attribute__((visibility("default"))) void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (armed && mappings && fails()) {
        errno = fail_errno;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

__attribute__((visibility("default"))) void *
mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return mmap(address, size, protection, flags, fd, offset);
}

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    if (armed && names_only && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return openat(AT_FDCWD, path, flags, mode);
}

__attribute__((visibility("default"))) int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    return open(path, flags, mode);
}

/* Counters of events, by which threads wake one another, are memory: they do not fail. */
static bool is_counter(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && !(st.st_mode & S_IFMT);
}

static void caught(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    int saved = errno;
    (void)number;
#ifdef __x86_64__
    greg_t *r = at->uc_mcontext.gregs;
    long a[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9] };
#else
    unsigned long long *r = at->uc_mcontext.regs;
    long a[6] = { (long)r[0], (long)r[1], (long)r[2], (long)r[3], (long)r[4], (long)r[5] };
#endif
    bool moves = info->si_syscall == SYS_read || info->si_syscall == SYS_pread64
                 || info->si_syscall == SYS_write || info->si_syscall == SYS_pwrite64;
    /* What a program says about its failure is always heard. */
    bool now = !(info->si_syscall == SYS_write && a[0] == STDERR_FILENO)
               && !(moves && is_counter((int)a[0])) && fails();
    long result = -fail_errno;
    if (now && is_short && moves && a[2] > 1)
        a[2] = 1;
    if (!now || is_short) {
        result = syscall(info->si_syscall, a[0], a[1], a[2], a[3], a[4], (long)MARK);
        result = result < 0 ? -errno : result;
    }
#ifdef __x86_64__
    r[REG_RAX] = result;
#else
    r[0] = (unsigned long long)result;
#endif
    errno = saved;
}

static bool install(const struct watched *watched)
{
    struct sigaction action = { .sa_sigaction = caught,
                                .sa_flags = SA_SIGINFO | SA_NODEFER };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 4, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)watched->numbers[0], 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)watched->numbers[1], 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)watched->numbers[2], 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    return sigaction(SIGSYS, &action, NULL) == 0
           && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                      &program)
                  == 0;
}

static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("FAIL_COUNT");
    char text[24];
    fail_at = 0;
    fails_on = false;
    int fd = armed && path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    if (fd >= 0 && write(fd, text, (size_t)length) == length)
        close(fd);
}

/* Status 77 where the kernel has no such filters: then these tests cannot run. */
__attribute__((constructor)) static void arm(void)
{
    const char *call = getenv("FAIL_CALL");
    if (!call)
        return;
    fail_at = number_of("FAIL_AT", 0);
    fail_errno = (int)number_of("FAIL_ERRNO", EIO);
    fails_on = number_of("FAIL_ON", 0);
    is_short = number_of("FAIL_SHORT", 0);
    names_only = number_of("FAIL_NAMED", 0);
    allocations = strcmp(call, "malloc") == 0;
    mappings = strcmp(call, "mmap") == 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(call, table[i].name) == 0 && !install(&table[i]))
            _exit(77);
    armed = true;
}
