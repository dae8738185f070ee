/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in which a thread sleeps or waits for the world: sleeping, polling, reading, writing,
 * waiting for a child.  And the calls that end the process without its destructors.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/threads/threads.h"

#define CALL(type, what, real)                                                             \
 do {                                                                                      \
  WEFT_WAITING;                                                                            \
  type result_;                                                                            \
  weft_call_begins(&waiting, what, WEFT_SITE, __builtin_frame_address(0));                 \
  result_ = real;                                                                          \
  weft_call_ends(&waiting);                                                                \
  return result_;                                                                          \
 } while (0)

WEFT_EXPORT unsigned sleep(unsigned seconds)
{
    CALL(unsigned, WEFT_CALL_SLEEP, WEFT_REAL(sleep)(seconds));
}

WEFT_EXPORT int usleep(useconds_t microseconds)
{
    CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(usleep)(microseconds));
}

WEFT_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(nanosleep)(time, left));
}

WEFT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                struct timespec *left)
{
    CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(clock_nanosleep)(clock, flags, time, left));
}

WEFT_EXPORT int poll(struct pollfd *files, nfds_t n, int timeout)
{
    CALL(int, WEFT_CALL_POLL, WEFT_REAL(poll)(files, n, timeout));
}

WEFT_EXPORT int ppoll(struct pollfd *files, nfds_t n, const struct timespec *timeout,
                      const sigset_t *mask)
{
    CALL(int, WEFT_CALL_POLL, WEFT_REAL(ppoll)(files, n, timeout, mask));
}

WEFT_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *error,
                       struct timeval *timeout)
{
    CALL(int, WEFT_CALL_POLL, WEFT_REAL(select)(n, in, out, error, timeout));
}

WEFT_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout)
{
    CALL(int, WEFT_CALL_POLL, WEFT_REAL(epoll_wait)(epoll, events, n, timeout));
}

WEFT_EXPORT ssize_t read(int file, void *buffer, size_t size)
{
    CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(read)(file, buffer, size));
}

WEFT_EXPORT ssize_t write(int file, const void *buffer, size_t size)
{
    CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(write)(file, buffer, size));
}

WEFT_EXPORT pid_t waitpid(pid_t child, int *status, int options)
{
    CALL(pid_t, WEFT_CALL_WAIT_CHILD, WEFT_REAL(waitpid)(child, status, options));
}

WEFT_EXPORT pid_t wait(int *status)
{
    CALL(pid_t, WEFT_CALL_WAIT_CHILD, WEFT_REAL(wait)(status));
}

/*
 * Straight to the kernel: a child of clone may call this before it has any thread-local
 * storage, where looking a function up or setting errno would kill it.
 */
static _Noreturn void leave(int status)
{
    CORE.process_finish();
    for (;;)
        syscall(SYS_exit_group, status);
}

WEFT_EXPORT _Noreturn void _exit(int status)
{
    leave(status);
}

WEFT_EXPORT _Noreturn void _Exit(int status)
{
    leave(status);
}
