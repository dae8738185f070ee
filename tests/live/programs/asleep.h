/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting until another thread waits: the kernel says in which system call it sleeps, and with
 * which first argument.  So no schedule depends on how quick a machine is.  What is asked here
 * goes past the C library, and is not recorded.
 */
#ifndef WEFT_TESTS_LIVE_ASLEEP_H
#define WEFT_TESTS_LIVE_ASLEEP_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The calling thread's number, for those that wait for it. */
static inline int own_thread(void)
{
    return (int)syscall(SYS_gettid);
}

static inline void pause_unrecorded(long milliseconds)
{
    struct timespec pause = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

    syscall(SYS_nanosleep, &pause, (void *)0);
}

/* Is it in this call, with a first argument in these bounds?  -1: the kernel does not tell. */
static inline int is_asleep(int thread, long call, uintptr_t least, uintptr_t most)
{
    char path[64], text[256] = "";
    unsigned long argument;
    long file, n, number;

    snprintf(path, sizeof path, "/proc/%d/syscall", thread);
    file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    n = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    if (n < 0)
        return -1;
    return sscanf(text, "%ld %lx", &number, &argument) == 2 && number == call
           && argument >= least && argument <= most;
}

/* *THREAD: its number, 0 as long as it has not begun. */
static inline void wait_until_in(const int *thread, long call, uintptr_t least,
                                 uintptr_t most)
{
    int asleep = 0, number;

    while (asleep == 0) {
        number = __atomic_load_n(thread, __ATOMIC_ACQUIRE);
        asleep = number == 0 ? 0 : is_asleep(number, call, least, most);
        if (asleep == 0)
            pause_unrecorded(1);
    }
    if (asleep < 0)
        pause_unrecorded(500); /* the best that can be done */
}

/* Until the thread sleeps in this lock, condition, semaphore or barrier. */
static inline void wait_until_at(const int *thread, const void *object, size_t size)
{
    wait_until_in(thread, SYS_futex, (uintptr_t)object, (uintptr_t)object + size - 1);
}

#endif
