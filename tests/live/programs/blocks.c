/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread for each call that may block: each is named after its call, waits in it for about
 * 300 ms, which it measures, and does nothing else.  Prints "NAME NANOSECONDS".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

enum { WAIT_US = 300000, FULL = 1 << 20 };

/* A pair of descriptors for a thread: [0] is the thread's, [1] main's. */
struct ends {
    int of[2];
};

static int set, queue, word, work;
static char lock_path[64], fifo_path[64];
static char filler[FULL];

static void make_pipe(struct ends *ends)
{
    if (pipe(ends->of) != 0)
        abort();
}

/* The thread writes; the pipe is full. */
static void make_full_pipe(struct ends *ends)
{
    int pipes[2];

    if (pipe(pipes) != 0)
        abort();
    ends->of[0] = pipes[1];
    ends->of[1] = pipes[0];
    fcntl(pipes[1], F_SETFL, O_NONBLOCK);
    while (write(pipes[1], filler, 4096) > 0)
        ;
    fcntl(pipes[1], F_SETFL, 0);
}

static void make_sockets(struct ends *ends)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends->of) != 0)
        abort();
}

static void make_full_sockets(struct ends *ends)
{
    make_sockets(ends);
    fcntl(ends->of[0], F_SETFL, O_NONBLOCK);
    while (write(ends->of[0], filler, sizeof filler) > 0)
        ;
    fcntl(ends->of[0], F_SETFL, 0);
}

static void let_write(struct ends *ends)
{
    if (write(ends->of[1], "12345678\n", 9) != 9)
        abort();
}

static void let_read(struct ends *ends)
{
    fcntl(ends->of[1], F_SETFL, O_NONBLOCK);
    while (read(ends->of[1], filler, sizeof filler) > 0)
        ;
}

static void do_fgets(struct ends *ends)
{
    char line[16];

    if (!fgets(line, sizeof line, fdopen(ends->of[0], "r")))
        abort();
}

static void do_fread(struct ends *ends)
{
    char bytes[4];

    if (fread(bytes, 1, 4, fdopen(ends->of[0], "r")) != 4)
        abort();
}

static void do_readv(struct ends *ends)
{
    char bytes[4];
    struct iovec vector = { bytes, 4 };

    if (readv(ends->of[0], &vector, 1) != 4)
        abort();
}

static void do_splice(struct ends *ends)
{
    int other[2];

    if (pipe(other) != 0 || splice(ends->of[0], NULL, other[1], NULL, 9, 0) <= 0)
        abort();
}

static void do_printf(struct ends *ends)
{
    FILE *out = fdopen(ends->of[0], "w");

    fprintf(out, "%4096d\n", 1);
    fflush(out);
}

static void do_writev(struct ends *ends)
{
    struct iovec vector = { filler, 4096 };

    if (writev(ends->of[0], &vector, 1) <= 0)
        abort();
}

static void do_send(struct ends *ends)
{
    if (send(ends->of[0], filler, 4096, 0) <= 0)
        abort();
}

static void do_sendmsg(struct ends *ends)
{
    struct iovec vector = { filler, 4096 };
    struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

    if (sendmsg(ends->of[0], &message, 0) <= 0)
        abort();
}

static void do_recvmsg(struct ends *ends)
{
    char bytes[16];
    struct iovec vector = { bytes, sizeof bytes };
    struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

    if (recvmsg(ends->of[0], &message, 0) <= 0)
        abort();
}

static void make_event(struct ends *ends)
{
    ends->of[0] = ends->of[1] = eventfd(0, 0);
}

static void do_eventfd(struct ends *ends)
{
    uint64_t value;

    if (eventfd_read(ends->of[0], &value) != 0)
        abort();
}

static void let_event(struct ends *ends)
{
    eventfd_write(ends->of[1], 1);
}

static void make_lock(struct ends *ends)
{
    ends->of[1] = open(lock_path, O_RDWR | O_CREAT, 0600);
    flock(ends->of[1], LOCK_EX);
}

static void do_flock(struct ends *ends)
{
    ends->of[0] = open(lock_path, O_RDWR);
    flock(ends->of[0], LOCK_EX);
}

static void let_close(struct ends *ends)
{
    close(ends->of[1]);
}

static void make_semaphores(struct ends *ends)
{
    ends->of[0] = set = semget(IPC_PRIVATE, 1, 0600);
}

static void do_semop(struct ends *ends)
{
    struct sembuf down = { 0, -1, 0 };

    semop(ends->of[0], &down, 1);
}

static void let_semop(struct ends *ends)
{
    struct sembuf up = { 0, 1, 0 };

    semop(ends->of[0], &up, 1);
}

struct message {
    long type;
    char text[8];
};

static void make_queue(struct ends *ends)
{
    ends->of[0] = queue = msgget(IPC_PRIVATE, 0600);
}

static void do_msgrcv(struct ends *ends)
{
    struct message message;

    if (msgrcv(ends->of[0], &message, sizeof message.text, 0, 0) < 0)
        abort();
}

static void let_message(struct ends *ends)
{
    struct message message = { 1, "hello" };

    msgsnd(ends->of[0], &message, sizeof message.text, 0);
}

static void make_fifo(struct ends *ends)
{
    ends->of[0] = mkfifo(fifo_path, 0600);
}

static void do_open(struct ends *ends)
{
    ends->of[0] = open(fifo_path, O_RDONLY);
}

static void let_fifo(struct ends *ends)
{
    ends->of[1] = open(fifo_path, O_WRONLY);
}

static void do_poll(struct ends *ends)
{
    struct pollfd entry = { ends->of[0], POLLIN, 0 };

    poll(&entry, 1, -1);
}

static void do_select(struct ends *ends)
{
    fd_set in;

    FD_ZERO(&in);
    FD_SET(ends->of[0], &in);
    select(ends->of[0] + 1, &in, NULL, NULL, NULL);
}

static void do_epoll(struct ends *ends)
{
    int poller = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN };

    epoll_ctl(poller, EPOLL_CTL_ADD, ends->of[0], &event);
    epoll_wait(poller, &event, 1, -1);
}

static void do_nothing(struct ends *ends)
{
    (void)ends;
}

static void do_sleep(struct ends *ends)
{
    (void)ends;
    usleep(WAIT_US);
}

static void do_futex(struct ends *ends)
{
    (void)ends;
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void let_futex(struct ends *ends)
{
    (void)ends;
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* As Go's runtime names the function in which a worker waits until there is work. */
void find_work(void) __asm__("runtime.findRunnable");
__attribute__((noinline)) void find_work(void)
{
    while (__atomic_load_n(&work, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &work, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void do_idle(struct ends *ends)
{
    (void)ends;
    find_work();
}

static void let_work(struct ends *ends)
{
    (void)ends;
    __atomic_store_n(&work, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &work, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void do_system(struct ends *ends)
{
    (void)ends;
    if (system("sleep 0.3") != 0)
        abort();
}

static void do_pclose(struct ends *ends)
{
    (void)ends;
    pclose(popen("sleep 0.3", "r"));
}

static const struct {
    const char *name;
    void (*make)(struct ends *), (*block)(struct ends *), (*release)(struct ends *);
} calls[] = {
    { "fgets", make_pipe, do_fgets, let_write },
    { "fread", make_pipe, do_fread, let_write },
    { "readv", make_pipe, do_readv, let_write },
    { "splice", make_pipe, do_splice, let_write },
    { "fprintf", make_full_pipe, do_printf, let_read },
    { "writev", make_full_pipe, do_writev, let_read },
    { "send", make_full_sockets, do_send, let_read },
    { "sendmsg", make_full_sockets, do_sendmsg, let_read },
    { "recvmsg", make_sockets, do_recvmsg, let_write },
    { "eventfd", make_event, do_eventfd, let_event },
    { "flock", make_lock, do_flock, let_close },
    { "semop", make_semaphores, do_semop, let_semop },
    { "msgrcv", make_queue, do_msgrcv, let_message },
    { "open", make_fifo, do_open, let_fifo },
    { "poll", make_pipe, do_poll, let_write },
    { "select", make_pipe, do_select, let_write },
    { "epoll", make_pipe, do_epoll, let_write },
    { "usleep", do_nothing, do_sleep, do_nothing },
    { "futex", do_nothing, do_futex, let_futex },
    { "idle", do_nothing, do_idle, let_work },
    { "system", do_nothing, do_system, do_nothing },
    { "pclose", do_nothing, do_pclose, do_nothing },
};
enum { N = sizeof calls / sizeof *calls };

struct waiter {
    struct ends ends;
    long long waited;
    int call;
    pthread_t thread;
};

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *wait_in_call(void *user)
{
    struct waiter *waiter = user;
    long long begin;

    pthread_setname_np(pthread_self(), calls[waiter->call].name);
    begin = now();
    calls[waiter->call].block(&waiter->ends);
    waiter->waited = now() - begin;
    return NULL;
}

int main(void)
{
    static struct waiter waiters[N];

    snprintf(lock_path, sizeof lock_path, "lock-%d", (int)getpid());
    snprintf(fifo_path, sizeof fifo_path, "fifo-%d", (int)getpid());
    for (int i = 0; i < N; i++) {
        waiters[i].call = i;
        calls[i].make(&waiters[i].ends);
    }
    for (int i = 0; i < N; i++)
        pthread_create(&waiters[i].thread, NULL, wait_in_call, &waiters[i]);
    usleep(WAIT_US);
    for (int i = 0; i < N; i++)
        calls[i].release(&waiters[i].ends);
    for (int i = 0; i < N; i++)
        pthread_join(waiters[i].thread, NULL);
    for (int i = 0; i < N; i++)
        printf("%s %lld\n", calls[i].name, waiters[i].waited);
    semctl(set, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    unlink(lock_path);
    unlink(fifo_path);
    return 0;
}
