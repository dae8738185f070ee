/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder asks of the kernel.  All through syscall(): not interposed, no points of
 * cancellation, safe in signal handlers and in forked children.  errno is the program's: each
 * function leaves it alone and returns the negative error number.
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

static long keep_errno(int saved, long result)
{
    long answer = result < 0 ? -(long)errno : result;
    errno = saved;
    return answer;
}

long weft_sys_open(const char *path, int flags)
{
    int saved = errno;
    return keep_errno(saved, syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600));
}

long weft_sys_read(long fd, void *bytes, uint64_t size)
{
    int saved = errno;
    return keep_errno(saved, syscall(SYS_read, fd, bytes, size));
}

void weft_sys_make_folder(const char *path)
{
    int saved = errno;
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
    long n = keep_errno(saved, syscall(SYS_readlinkat, AT_FDCWD, path, to, size - 1));

    to[n > 0 ? n : 0] = 0;
    return n > 0 ? (uint32_t)n : 0;
}

uint32_t weft_sys_folder(char *to, uint32_t size)
{
    int saved = errno;
    long n = keep_errno(saved, syscall(SYS_getcwd, to, size));

    /* The kernel counts the NUL, too. */
    return n > 0 && to[0] == '/' ? (uint32_t)n - 1 : 0;
}

uint64_t weft_sys_inode(const char *path)
{
    struct stat status;
    int saved = errno;

    if (keep_errno(saved, stat(path, &status)) < 0)
        return 0;
    return status.st_ino;
}

void weft_sys_host_name(char *to, uint32_t size)
{
    struct utsname system;
    int saved = errno;
    uint32_t n = 0;

    if (keep_errno(saved, uname(&system)) == 0)
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

/*
 * A limit on the size of files answers with a signal that would kill the program: the caller
 * has all signals blocked, and the one that we caused is taken back here.
 */
static void take_back_size_signal(bool was_pending)
{
    struct timespec now = { 0, 0 };
    uint64_t mask = UINT64_C(1) << (SIGXFSZ - 1);

    if (!was_pending)
        syscall(SYS_rt_sigtimedwait, &mask, NULL, &now, sizeof mask);
}

long weft_sys_write_all(long fd, const void *bytes, uint64_t size, int64_t offset)
{
    const char *from = bytes;
    int saved = errno;
    uint64_t pending = 0;
    long result = 0;

    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    while (size > 0) {
        long n = syscall(SYS_pwrite64, fd, from, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            result = n < 0 ? -(long)errno : -ENOSPC;
            break;
        }
        from += n;
        offset += n;
        size -= (uint64_t)n;
    }
    if (result == -EFBIG)
        take_back_size_signal((pending >> (SIGXFSZ - 1) & 1) != 0);
    errno = saved;
    return result;
}

void *weft_sys_map_new(const char *path, uint64_t size, int *error)
{
    int saved = errno;
    void *memory = NULL;
    uint64_t all = UINT64_MAX, before = 0, pending = 0;
    long fd = weft_sys_open(path, O_RDWR | O_CREAT | O_EXCL);

    *error = fd < 0 ? (int)-fd : 0;
    if (fd < 0)
        return NULL;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    /* Room on the disk now, or a store into the mapping would kill the program later. */
    if (syscall(SYS_fallocate, fd, 0, 0L, size) != 0) {
        *error = errno;
        if (*error == EFBIG)
            take_back_size_signal((pending >> (SIGXFSZ - 1) & 1) != 0);
        if (*error == EOPNOTSUPP && syscall(SYS_ftruncate, fd, size) == 0)
            *error = 0;
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    if (*error == 0) {
        memory =
            mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, (int)fd, 0);
        if (memory == MAP_FAILED) {
            memory = NULL;
            *error = errno;
        } else {
            madvise(memory, size, MADV_DONTFORK);
        }
    }
    weft_sys_close(fd);
    if (!memory)
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = saved;
    return memory;
}

char *weft_text_copy(char *to, const char *from)
{
    while (*from)
        *to++ = *from++;
    *to = 0;
    return to;
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
