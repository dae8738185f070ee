/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that wait, as a program has them that is built to look at sizes (-D_FORTIFY_SOURCE), those
 * of sockets, and the sleep of C11: a thread each, whose wait is some 100 ms.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <threads.h>
#include <unistd.h>

enum { MILLISECONDS = 100 };
static const struct timespec time_of_wait = { 0, MILLISECONDS * 1000000L };
static volatile size_t one = 1; /* that the compiler knows nothing of */
static int ends[2], sockets[2], others[2], third[2], listening[2];

static void *in_read(void *unused)
{
    char bytes[8];

    if (read(ends[0], bytes, one) != 1)
        printf("nothing to read\n");
    return unused;
}

static void *in_poll(void *unused)
{
    struct pollfd none[2] = { { .fd = -1 }, { .fd = -1 } };

    poll(none, one, MILLISECONDS);
    return unused;
}

static void *in_ppoll(void *unused)
{
    struct pollfd none[2] = { { .fd = -1 }, { .fd = -1 } };

    ppoll(none, one, &time_of_wait, NULL);
    return unused;
}

static void *in_pselect(void *unused)
{
    pselect(0, NULL, NULL, NULL, &time_of_wait, NULL);
    return unused;
}

static void *in_epoll(void *unused)
{
    struct epoll_event event;
    int epoll = epoll_create1(0);

    epoll_pwait(epoll, &event, 1, MILLISECONDS, NULL);
    close(epoll);
    return unused;
}

static void *in_recv(void *unused)
{
    char bytes[8];

    if (recv(sockets[0], bytes, one, 0) != 1)
        printf("nothing to receive\n");
    return unused;
}

static void *in_from(void *unused)
{
    char bytes[8];

    if (recvfrom(third[0], bytes, one, 0, NULL, NULL) != 1)
        printf("nothing to receive from anybody\n");
    return unused;
}

static void *in_accept(void *unused)
{
    close(accept(listening[0], NULL, NULL));
    return unused;
}

static void *in_accept4(void *unused)
{
    close(accept4(listening[1], NULL, NULL, 0));
    return unused;
}

static void *in_message(void *unused)
{
    char byte;
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    if (recvmsg(others[0], &message, 0) != 1)
        printf("no message\n");
    return unused;
}

/* Sockets of the abstract namespace: their names are those that the system chose. */
static void listen_all(void)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };

    for (int i = 0; i < 2; i++) {
        listening[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(listening[i], (struct sockaddr *)&name, sizeof name.sun_family) != 0
            || listen(listening[i], 1) != 0)
            exit(1);
    }
}

static void connect_all(void)
{
    for (int i = 0; i < 2; i++) {
        struct sockaddr_un name;
        socklen_t size = sizeof name;
        int file = socket(AF_UNIX, SOCK_STREAM, 0);
        if (getsockname(listening[i], (struct sockaddr *)&name, &size) != 0
            || connect(file, (struct sockaddr *)&name, size) != 0)
            exit(1);
        close(file);
    }
}

static void *in_sleep(void *unused)
{
    thrd_sleep(&time_of_wait, NULL);
    return unused;
}

int main(void)
{
    void *(*const run[])(void *) = { in_read,    in_poll,   in_ppoll,  in_sleep,
                                     in_pselect, in_epoll,  in_recv,   in_from,
                                     in_message, in_accept, in_accept4 };
    enum { THREADS = sizeof run / sizeof *run };
    pthread_t threads[THREADS];

    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0
        || socketpair(AF_UNIX, SOCK_STREAM, 0, others) != 0
        || socketpair(AF_UNIX, SOCK_STREAM, 0, third) != 0)
        return 1;
    listen_all();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run[i], NULL);
    usleep(MILLISECONDS * 1000);
    if (write(ends[1], "", 1) != 1 || write(sockets[1], "", 1) != 1
        || write(others[1], "", 1) != 1 || write(third[1], "", 1) != 1)
        return 1;
    connect_all();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
