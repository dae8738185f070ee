/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls of the recorder, all through syscall(): not interposed (UCX patches mmap
 * itself, and takes locks in it), no cancellation points, safe in signal handlers and in
 * forked children. errno belongs to the program: each function restores it and returns the
 * negative error number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/core/system.h"
#include "record/process/seccomp_filters.h"

static long keep_errno(int saved, long result)
{
    long answer = result < 0 ? -(long)errno : result;
    errno = saved;
    return answer;
}

static void *map(uint64_t size, int flags, long fd, uint64_t offset)
{
    return (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
}

long weft_sys_open_at(int folder, const char *path, int flags)
{
    int saved = errno;
    return keep_errno(saved, syscall(SYS_openat, folder, path, flags | O_CLOEXEC, 0600));
}

long weft_sys_open(const char *path, int flags)
{
    return weft_sandbox_allows(WEFT_NEED_OPEN) ? weft_sys_open_at(AT_FDCWD, path, flags)
                                               : -EPERM;
}

long weft_sys_read(long fd, void *bytes, uint64_t size)
{
    int saved = errno;
    return keep_errno(saved, syscall(SYS_read, fd, bytes, size));
}

long weft_sys_read_at(long fd, void *bytes, uint64_t size, uint64_t offset)
{
    int saved = errno;
    return keep_errno(saved, syscall(SYS_pread64, fd, bytes, size, offset));
}

bool weft_sys_is_file(int folder, const char *path)
{
    struct stat status;
    int saved = errno;
    long result = keep_errno(saved, syscall(SYS_newfstatat, folder, path, &status, 0));

    return result == 0 && S_ISREG(status.st_mode);
}

void weft_sys_make_folder(const char *path)
{
    int saved = errno;

    if (weft_sandbox_allows(WEFT_NEED_FOLDER))
        keep_errno(saved, syscall(SYS_mkdirat, AT_FDCWD, path, 0700));
}

uint32_t weft_sys_read_file(const char *path, char *to, uint32_t size)
{
    long fd = weft_sys_open(path, O_RDONLY);
    uint32_t length = 0;

    while (fd >= 0 && length < size - 1) {
        long n = weft_sys_read(fd, to + length, size - 1 - length);
        if (n <= 0)
            break;
        length += (uint32_t)n;
    }
    if (fd >= 0)
        weft_sys_close(fd);
    to[length] = 0;
    return length;
}

uint32_t weft_sys_read_link(const char *path, char *to, uint32_t size)
{
    int saved = errno;
    long n = 0;

    if (weft_sandbox_allows(WEFT_NEED_NAMES))
        n = keep_errno(saved, syscall(SYS_readlinkat, AT_FDCWD, path, to, size - 1));
    to[n > 0 ? n : 0] = 0;
    return n > 0 ? (uint32_t)n : 0;
}

uint32_t weft_sys_folder(char *to, uint32_t size)
{
    int saved = errno;
    long n = 0;

    if (weft_sandbox_allows(WEFT_NEED_NAMES))
        n = keep_errno(saved, syscall(SYS_getcwd, to, size));
    /* The kernel counts the NUL, too. */
    return n > 0 && to[0] == '/' ? (uint32_t)n - 1 : 0;
}

uint64_t weft_sys_inode(const char *path)
{
    struct stat status;
    int saved = errno;

    if (!weft_sandbox_allows(WEFT_NEED_STAT)
        || keep_errno(saved, syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0)) < 0)
        return 0;
    return status.st_ino;
}

void weft_sys_host_name(char *to, uint32_t size)
{
    struct utsname system;
    int saved = errno;
    uint32_t n = 0;

    if (weft_sandbox_allows(WEFT_NEED_NAMES)
        && keep_errno(saved, syscall(SYS_uname, &system)) == 0)
        for (; n + 1 < size && system.nodename[n]; n++)
            to[n] = system.nodename[n];
    to[n] = 0;
}

void weft_sys_close(long fd)
{
    int saved = errno;
    syscall(SYS_close, fd);
    errno = saved;
}

void weft_sys_remove(const char *path)
{
    int saved = errno;

    if (weft_sandbox_allows(WEFT_NEED_FOLDER))
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = saved;
}

long weft_sys_duplicate(long fd, int least)
{
    int saved = errno;
    return keep_errno(saved, syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least));
}

void weft_sys_keep_open(long fd, bool kept)
{
    int saved = errno;
    syscall(SYS_fcntl, fd, F_SETFD, kept ? 0 : FD_CLOEXEC);
    errno = saved;
}

uint32_t weft_sys_user(void)
{
    return weft_sandbox_allows(WEFT_NEED_HANDOVER) ? (uint32_t)syscall(SYS_geteuid) : 0;
}

static bool may(const char *path, int what, int as)
{
    int saved = errno;
    long result = keep_errno(saved, syscall(SYS_faccessat2, AT_FDCWD, path, what, as));

    if (result == -ENOSYS) /* Linux before 5.8 checks the real user only */
        result = keep_errno(saved, syscall(SYS_faccessat, AT_FDCWD, path, what));
    return result == 0;
}

bool weft_sys_may_write(const char *folder)
{
    return may(folder, W_OK | X_OK, AT_EACCESS);
}

bool weft_sys_may_read(const char *path)
{
    return may(path, R_OK, AT_EACCESS) && may(path, R_OK, 0);
}

bool weft_sys_identity(long fd, uint64_t *device, uint64_t *inode, uint64_t *names)
{
    struct stat status;
    int saved = errno;

    if (keep_errno(saved, syscall(SYS_fstat, fd, &status)) < 0)
        return false;
    *device = status.st_dev;
    *inode = status.st_ino;
    *names = status.st_nlink;
    return true;
}

/*
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ, which would kill the program: the signal is
 * blocked meanwhile, and the one caused here is taken back.  If the program has blocked it
 * itself, one may be pending already, which stays.
 */
struct sigxfsz_guard {
    uint64_t before; /* the mask of signals */
    bool was_pending;
};

static const uint64_t size_signal = UINT64_C(1) << (SIGXFSZ - 1);

static void guard_begin(struct sigxfsz_guard *guard)
{
    uint64_t pending = 0;

    guard->before = weft_sys_block_signals();
    if ((guard->before & size_signal) && weft_sandbox_allows(WEFT_NEED_PENDING))
        syscall(SYS_rt_sigpending, &pending, sizeof pending);
    guard->was_pending = (pending & size_signal) != 0;
}

static void guard_end(const struct sigxfsz_guard *guard, long error)
{
    struct timespec now = { 0, 0 };

    if (error == EFBIG && !guard->was_pending && weft_sandbox_allows(WEFT_NEED_PENDING))
        syscall(SYS_rt_sigtimedwait, &size_signal, NULL, &now, sizeof size_signal);
    weft_sys_restore_signals(guard->before);
}

static long write_all(long fd, const char *from, uint64_t size, int64_t offset)
{
    while (size > 0) {
        long n = syscall(SYS_pwrite64, fd, from, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -(long)errno : -ENOSPC;
        from += n;
        offset += n;
        size -= (uint64_t)n;
    }
    return 0;
}

long weft_sys_write_all(long fd, const void *bytes, uint64_t size, int64_t offset)
{
    struct sigxfsz_guard guard;
    int saved = errno;
    long result;

    guard_begin(&guard);
    result = write_all(fd, bytes, size, offset);
    guard_end(&guard, -result);
    errno = saved;
    return result;
}

/* Allocate a part of a file on the disk; returns 0 or the negative error number. */
static long reserve(long fd, uint64_t offset, uint64_t size)
{
    static const char zeros[4096];
    long result = 0;

    if (syscall(SYS_fallocate, fd, 0, offset, size) == 0)
        return 0;
    if (errno != EOPNOTSUPP)
        return -(long)errno;
    for (uint64_t at = 0; at < size && result == 0; at += sizeof zeros)
        result = write_all(fd, zeros, sizeof zeros, (int64_t)(offset + at));
    return result;
}

void *weft_sys_map_again(long fd, uint64_t offset, uint64_t size, int *error)
{
    int saved = errno;
    void *memory = map(size, MAP_SHARED, fd, offset);

    *error = memory == MAP_FAILED ? errno : 0;
    errno = saved;
    return *error ? NULL : memory;
}

void *weft_sys_map_file(long fd, uint64_t offset, uint64_t size, int *error)
{
    struct sigxfsz_guard guard;
    int saved = errno;

    guard_begin(&guard);
    *error = (int)-reserve(fd, offset, size);
    guard_end(&guard, *error);
    errno = saved;
    return *error ? NULL : weft_sys_map_again(fd, offset, size, error);
}

void *weft_sys_memory(uint64_t size)
{
    int saved = errno;
    void *memory = MAP_FAILED;

    if (weft_sandbox_allows(WEFT_NEED_MEMORY))
        memory = map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    return memory == MAP_FAILED ? NULL : memory;
}

void weft_sys_unmap(void *memory, uint64_t size)
{
    int saved = errno;

    if (weft_sandbox_allows(WEFT_NEED_UNMAP))
        syscall(SYS_munmap, memory, size);
    errno = saved;
}

long weft_sys_advise(void *memory, uint64_t size, int advice)
{
    int saved = errno;

    if (!weft_sandbox_allows(WEFT_NEED_ADVISE))
        return -EPERM;
    return keep_errno(saved, syscall(SYS_madvise, memory, size, advice));
}

uint64_t weft_sys_block_signals(void)
{
    uint64_t all = UINT64_MAX, before = 0;

    if (weft_sandbox_allows(WEFT_NEED_SIGNALS))
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    return before;
}

void weft_sys_restore_signals(uint64_t before)
{
    if (weft_sandbox_allows(WEFT_NEED_SIGNALS))
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

uint32_t weft_sys_thread_id(void)
{
    return weft_sandbox_allows(WEFT_NEED_THREAD_ID) ? (uint32_t)syscall(SYS_gettid) : 0;
}

char *weft_text_copy(char *to, const char *from)
{
    while (*from)
        *to++ = *from++;
    *to = 0;
    return to;
}

const char *weft_variable(const char *name)
{
    size_t size = strlen(name);

    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            return *entry + size + 1;
    return NULL;
}

char *weft_text_number(char *to, uint64_t number)
{
    char digits[24];
    int n = 0;

    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n > 0)
        *to++ = digits[--n];
    *to = 0;
    return to;
}

const char *weft_text_read(const char *from, uint64_t *number)
{
    *number = 0;
    if (*from < '0' || *from > '9')
        return NULL;
    for (; *from >= '0' && *from <= '9'; from++)
        *number = *number * 10 + (uint64_t)(*from - '0');
    return *from ? from + 1 : from;
}
