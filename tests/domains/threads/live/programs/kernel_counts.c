/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads: "calls" does hardly anything but read from /dev/zero, for two seconds of
 * its processor time, and prints what the kernel says of that; "touches" writes to 5,000
 * new pages; "stays" to 3,000, and then waits until the program ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, BUFFER = 1 << 20 };

static pthread_barrier_t touched;
static char buffer[BUFFER];

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void touch(size_t pages)
{
    char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        _exit(1);
    madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        memory[i * PAGE] = 1;
}

static void *calls(void *user)
{
    struct rusage usage;
    int zero = open("/dev/zero", O_RDONLY);

    pthread_setname_np(pthread_self(), "calls");
    while (seconds() < 2)
        for (int i = 0; i < 20; i++)
            syscall(SYS_read, zero, buffer, BUFFER);
    getrusage(RUSAGE_THREAD, &usage);
    printf("%ld\n", usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec);
    return user;
}

static void *touches(void *user)
{
    pthread_setname_np(pthread_self(), "touches");
    touch(5000);
    return user;
}

static void *stays(void *user)
{
    pthread_setname_np(pthread_self(), "stays) 1 2");
    touch(3000);
    pthread_barrier_wait(&touched);
    pause();
    return user;
}

int main(void)
{
    pthread_t threads[3];

    pthread_barrier_init(&touched, NULL, 2);
    pthread_create(&threads[0], NULL, calls, NULL);
    pthread_create(&threads[1], NULL, touches, NULL);
    pthread_create(&threads[2], NULL, stays, NULL);
    pthread_barrier_wait(&touched);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
