/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of calls in which a thread sleeps, polls, reads, writes or waits for a child; and
 * of calls that end the process without running destructors.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "domains/threads/record/hook_helpers.h"

WEFT_EXPORT unsigned sleep(unsigned seconds)
{
    WEFT_CALL(unsigned, WEFT_CALL_SLEEP, WEFT_REAL(sleep)(seconds));
}

WEFT_EXPORT int usleep(useconds_t microseconds)
{
    WEFT_CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(usleep)(microseconds));
}

WEFT_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    WEFT_CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(nanosleep)(time, left));
}

WEFT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                struct timespec *left)
{
    WEFT_CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(clock_nanosleep)(clock, flags, time, left));
}

/* The functions that fortified programs call. */
int __poll_chk(struct pollfd *files, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *files, nfds_t n, const struct timespec *timeout,
                const sigset_t *mask, size_t room);
ssize_t __read_chk(int file, void *buffer, size_t size, size_t room);
ssize_t __recv_chk(int file, void *buffer, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int file, void *buffer, size_t size, size_t room, int flags,
                       __SOCKADDR_ARG address, socklen_t *length);

WEFT_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    WEFT_CALL(int, WEFT_CALL_SLEEP, WEFT_REAL(thrd_sleep)(time, left));
}

WEFT_EXPORT int __poll_chk(struct pollfd *files, nfds_t n, int timeout, size_t room)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(__poll_chk)(files, n, timeout, room));
}

WEFT_EXPORT int __ppoll_chk(struct pollfd *files, nfds_t n, const struct timespec *timeout,
                            const sigset_t *mask, size_t room)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(__ppoll_chk)(files, n, timeout, mask, room));
}

WEFT_EXPORT ssize_t __read_chk(int file, void *buffer, size_t size, size_t room)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(__read_chk)(file, buffer, size, room));
}

WEFT_EXPORT int poll(struct pollfd *files, nfds_t n, int timeout)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(poll)(files, n, timeout));
}

WEFT_EXPORT int ppoll(struct pollfd *files, nfds_t n, const struct timespec *timeout,
                      const sigset_t *mask)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(ppoll)(files, n, timeout, mask));
}

WEFT_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *error,
                       struct timeval *timeout)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(select)(n, in, out, error, timeout));
}

WEFT_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(epoll_wait)(epoll, events, n, timeout));
}

WEFT_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *error,
                        const struct timespec *timeout, const sigset_t *mask)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(pselect)(n, in, out, error, timeout, mask));
}

WEFT_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int n, int timeout,
                            const sigset_t *mask)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(epoll_pwait)(epoll, events, n, timeout, mask));
}

/* accept() waits without reading: recorded as a poll. */
WEFT_EXPORT int accept(int file, __SOCKADDR_ARG address, socklen_t *size)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(accept)(file, address, size));
}

WEFT_EXPORT int accept4(int file, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
    WEFT_CALL(int, WEFT_CALL_POLL, WEFT_REAL(accept4)(file, address, size, flags));
}

WEFT_EXPORT ssize_t read(int file, void *buffer, size_t size)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(read)(file, buffer, size));
}

WEFT_EXPORT ssize_t recv(int file, void *buffer, size_t size, int flags)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(recv)(file, buffer, size, flags));
}

WEFT_EXPORT ssize_t __recv_chk(int file, void *buffer, size_t size, size_t room, int flags)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ,
              WEFT_REAL(__recv_chk)(file, buffer, size, room, flags));
}

WEFT_EXPORT ssize_t recvmsg(int file, struct msghdr *message, int flags)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ, WEFT_REAL(recvmsg)(file, message, flags));
}

WEFT_EXPORT ssize_t recvfrom(int file, void *buffer, size_t size, int flags,
                             __SOCKADDR_ARG address, socklen_t *length)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ,
              WEFT_REAL(recvfrom)(file, buffer, size, flags, address, length));
}

WEFT_EXPORT ssize_t __recvfrom_chk(int file, void *buffer, size_t size, size_t room,
                                   int flags, __SOCKADDR_ARG address, socklen_t *length)
{
    WEFT_CALL(ssize_t, WEFT_CALL_READ,
              WEFT_REAL(__recvfrom_chk)(file, buffer, size, room, flags, address, length));
}

WEFT_EXPORT ssize_t write(int file, const void *buffer, size_t size)
{
    WEFT_CALL(ssize_t, WEFT_CALL_WRITE, WEFT_REAL(write)(file, buffer, size));
}

static void note_end(pid_t child, int signal)
{
    weft_log_put_word(weft_log_get(), weft_ticks(), WEFT_RECORD_CHILD_ENDED,
                      (uint32_t)signal, (uint64_t)child);
}

/* Record the end of a child that a wait returned; CHILD may be 0 or -1. */
static void note_status(pid_t child, const int *status)
{
    if (child > 0 && WIFSIGNALED(*status))
        note_end(child, WTERMSIG(*status));
    else if (child > 0 && WIFEXITED(*status))
        note_end(child, 0);
}

static void note_information(int result, const siginfo_t *status)
{
    if (result != 0 || status->si_pid <= 0)
        return;
    if (status->si_code == CLD_EXITED)
        note_end(status->si_pid, 0);
    else if (status->si_code == CLD_KILLED || status->si_code == CLD_DUMPED)
        note_end(status->si_pid, status->si_status);
}

/* If the program passes no status, one is requested all the same, to learn the signal. */
WEFT_EXPORT pid_t waitpid(pid_t child, int *status, int options)
{
    int unwanted, *to = status ? status : &unwanted;

    WEFT_CALL_AND(pid_t, WEFT_CALL_WAIT_CHILD, WEFT_REAL(waitpid)(child, to, options),
                  note_status(result_, to));
}

WEFT_EXPORT pid_t wait(int *status)
{
    int unwanted, *to = status ? status : &unwanted;

    WEFT_CALL_AND(pid_t, WEFT_CALL_WAIT_CHILD, WEFT_REAL(wait)(to),
                  note_status(result_, to));
}

WEFT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    int unwanted, *to = status ? status : &unwanted;

    WEFT_CALL_AND(pid_t, WEFT_CALL_WAIT_CHILD, WEFT_REAL(wait3)(to, options, usage),
                  note_status(result_, to));
}

WEFT_EXPORT pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    int unwanted, *to = status ? status : &unwanted;

    WEFT_CALL_AND(pid_t, WEFT_CALL_WAIT_CHILD, WEFT_REAL(wait4)(child, to, options, usage),
                  note_status(result_, to));
}

WEFT_EXPORT int waitid(idtype_t type, id_t child, siginfo_t *status, int options)
{
    siginfo_t unwanted, *to = status ? status : &unwanted;

    WEFT_CALL_AND(int, WEFT_CALL_WAIT_CHILD, WEFT_REAL(waitid)(type, child, to, options),
                  note_information(result_, to));
}

/*
 * A direct system call: a child of clone may call this before it has TLS, where resolving a
 * function or setting errno would crash it.
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
