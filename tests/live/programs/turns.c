/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads whose time is known: two that share a processor, one that holds a mutex while a
 * rival has its processor, one that waits for a page of memory; and a process that is
 * stopped.  Prints "NAME RAN LIVED" in nanoseconds for the threads that only spin,
 * "mutex READY HELD", and "page WAITED" and "stopped WAITED".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, WAIT_US = 300000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int processors[2]; /* two that this process may use; or one, twice */
static volatile int done;

static long long clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void be(const char *name, int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    pthread_setname_np(pthread_self(), name);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/* Spins until the thread has run for so long. */
static void spin(long long ns)
{
    long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void *share(void *name)
{
    long long begin = clock_ns(CLOCK_MONOTONIC), ran;

    be(name, processors[0]);
    spin(200LL * MS);
    ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    printf("%s %lld %lld\n", (char *)name, ran, clock_ns(CLOCK_MONOTONIC) - begin);
    return NULL;
}

static void *hold(void *unused)
{
    long long begin, ran, held;

    (void)unused;
    be("holder", processors[0]);
    pthread_mutex_lock(&mutex);
    begin = clock_ns(CLOCK_MONOTONIC);
    ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    spin(200LL * MS);
    ran = clock_ns(CLOCK_THREAD_CPUTIME_ID) - ran;
    held = clock_ns(CLOCK_MONOTONIC) - begin;
    pthread_mutex_unlock(&mutex);
    printf("mutex %lld %lld\n", held - ran, held);
    done = 1;
    return NULL;
}

static void *rival(void *unused)
{
    (void)unused;
    be("rival", processors[0]);
    while (!done)
        ;
    return NULL;
}

/* ---- A page that comes late ---- */

static int faults;
static char *page;

static void *wait_for_page(void *unused)
{
    long long begin = clock_ns(CLOCK_MONOTONIC);

    (void)unused;
    be("page", processors[1]);
    *(volatile char *)page = 1;
    printf("page %lld\n", clock_ns(CLOCK_MONOTONIC) - begin);
    return NULL;
}

static void page_comes_late(void)
{
    long size = sysconf(_SC_PAGESIZE);
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
    struct uffdio_zeropage zero = { 0 };
    pthread_t thread;

    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0);
    range.range.start = zero.range.start = (unsigned long)page;
    range.range.len = zero.range.len = (unsigned long)size;
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0
        || ioctl(faults, UFFDIO_REGISTER, &range) != 0)
        return;
    pthread_create(&thread, NULL, wait_for_page, NULL);
    usleep(WAIT_US);
    ioctl(faults, UFFDIO_ZEROPAGE, &zero);
    pthread_join(thread, NULL);
}

/* ---- A process that is stopped ---- */

static void stop_child(void)
{
    pid_t child = fork();
    long long begin;
    int status;

    if (child == 0) {
        prctl(PR_SET_NAME, "stopped");
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, &status, WUNTRACED);
    begin = clock_ns(CLOCK_MONOTONIC);
    usleep(WAIT_US);
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    printf("stopped %lld\n", clock_ns(CLOCK_MONOTONIC) - begin);
}

static void find_processors(void)
{
    cpu_set_t set;
    int n = 0;

    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &set))
            processors[n++] = i;
    if (n == 1)
        processors[1] = processors[0];
}

int main(void)
{
    pthread_t threads[2];

    find_processors();
    pthread_create(&threads[0], NULL, share, (void *)"pair-a");
    pthread_create(&threads[1], NULL, share, (void *)"pair-b");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&threads[0], NULL, rival, NULL);
    pthread_create(&threads[1], NULL, hold, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    page_comes_late();
    fflush(stdout);
    stop_child();
    return 0;
}
