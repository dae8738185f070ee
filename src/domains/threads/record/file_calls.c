/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of further calls that read, write and sync files, or send to sockets: at a
 * position, from several buffers.  Functions with 64 in their names are those of programs
 * with long file offsets, which are the only ones here: the other names are aliases.
 */
#define _GNU_SOURCE
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "domains/threads/record/hook_helpers.h"

/* Defines the symbol NAME to be the function TARGET of this file. */
#define ALSO(name, target)                                                                 \
 WEFT_EXPORT extern __typeof__(target) also_##name __asm__(#name)                          \
     __attribute__((alias(#target)))

/* The functions that fortified programs call. */
ssize_t __pread64_chk(int file, void *buffer, size_t size, off64_t at, size_t room);

WEFT_EXPORT ssize_t pread64(int file, void *buffer, size_t size, off64_t at)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(pread64)(file, buffer, size, at));
}
ALSO(pread, pread64);

WEFT_EXPORT ssize_t __pread64_chk(int file, void *buffer, size_t size, off64_t at,
                                  size_t room)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ,
              WEFT_REAL(__pread64_chk)(file, buffer, size, at, room));
}
ALSO(__pread_chk, __pread64_chk);

WEFT_EXPORT ssize_t pwrite64(int file, const void *buffer, size_t size, off64_t at)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(pwrite64)(file, buffer, size, at));
}
ALSO(pwrite, pwrite64);

WEFT_EXPORT ssize_t readv(int file, const struct iovec *parts, int n)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(readv)(file, parts, n));
}

WEFT_EXPORT ssize_t writev(int file, const struct iovec *parts, int n)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(writev)(file, parts, n));
}

WEFT_EXPORT ssize_t preadv64(int file, const struct iovec *parts, int n, off64_t at)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(preadv64)(file, parts, n, at));
}
ALSO(preadv, preadv64);

WEFT_EXPORT ssize_t pwritev64(int file, const struct iovec *parts, int n, off64_t at)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(pwritev64)(file, parts, n, at));
}
ALSO(pwritev, pwritev64);

WEFT_EXPORT ssize_t send(int file, const void *buffer, size_t size, int flags)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(send)(file, buffer, size, flags));
}

WEFT_EXPORT ssize_t sendto(int file, const void *buffer, size_t size, int flags,
                           __CONST_SOCKADDR_ARG address, socklen_t length)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE,
              WEFT_REAL(sendto)(file, buffer, size, flags, address, length));
}

WEFT_EXPORT ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(sendmsg)(file, message, flags));
}

WEFT_EXPORT int fsync(int file)
{
    WEFT_CALL(int, WEFT_CALL_SYNC, WEFT_REAL(fsync)(file));
}

WEFT_EXPORT int fdatasync(int file)
{
    WEFT_CALL(int, WEFT_CALL_SYNC, WEFT_REAL(fdatasync)(file));
}
