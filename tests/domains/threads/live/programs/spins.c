/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that spin until another one writes a flag, and threads that compute in loops that
 * are as small.  Each prints its name, and how long it had a processor in its loop, in
 * microseconds.  Compiled by every compiler and level of optimization (spins.sh).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPIN_MS = 400, LENGTH = 1 << 16 };

static atomic_int flag, word = 1;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static atomic_long tickets;
static volatile int plain;
static pthread_spinlock_t spin_lock;
static int array[LENGTH];
static uint32_t links[LENGTH];
static volatile long sink;
static atomic_long done_counts, compute_stop, own_lock;

static void relax(void)
{
    __asm__ __volatile__("pause" ::: "memory");
}

static long used_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

static void poll_flag(void)
{
    while (!atomic_load(&flag))
        ;
}

static void poll_with_pause(void)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        relax();
}

static void poll_volatile(void)
{
    while (!plain)
        ;
}

static void poll_pointer(void)
{
    atomic_int *volatile at = &flag;

    while (atomic_load(at) == 0)
        ;
}

static void test_and_set(void)
{
    while (atomic_flag_test_and_set(&taken))
        ;
    atomic_flag_clear(&taken);
}

static void compare_and_swap(void)
{
    int expected = 0;

    while (!atomic_compare_exchange_strong(&word, &expected, 1))
        expected = 0;
    atomic_store(&word, 0);
}

static void poll_ticket(void)
{
    long mine = 1;

    while (atomic_load(&tickets) != mine)
        relax();
}

static void poll_in_bounds(void) /* as runtimes do before they sleep */
{
    for (long i = 0; i < 1000000000L && !atomic_load(&flag); i++)
        relax();
}

static void lock_spinning(void)
{
    pthread_spin_lock(&spin_lock);
    pthread_spin_unlock(&spin_lock);
}

/* Loops that compute, each for as long as it takes to be told to stop. */
static void sum_array(void)
{
    long sum = 0;

    for (long pass = 0; !atomic_load(&compute_stop); pass++)
        for (int i = 0; i < LENGTH; i++)
            sum += array[i];
    sink = sum;
}

static void count_in_memory(void)
{
    while (!atomic_load(&compute_stop))
        sink = sink + 1;
}

static void count_atomically(void)
{
    while (!atomic_load(&compute_stop)) {
        long old = atomic_load(&done_counts);
        while (!atomic_compare_exchange_weak(&done_counts, &old, old + 1))
            ;
    }
}

static void follow_links(void)
{
    uint32_t at = 0;

    while (!atomic_load(&compute_stop))
        at = links[at];
    sink = at;
}

static void iterate(void)
{
    uint64_t x = 88172645463325252u;

    while (!atomic_load(&compute_stop)) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    sink = (long)x;
}

static void lock_without_rival(void) /* each lock is free: it never waits */
{
    while (!atomic_load(&compute_stop)) {
        while (atomic_exchange(&own_lock, 1))
            relax();
        sink = sink + 1;
        atomic_store(&own_lock, 0);
    }
}

static void search_array(void)
{
    int found = 0;

    while (!atomic_load(&compute_stop))
        for (int i = 0; i < LENGTH && array[i] != -1; i++)
            found = i;
    sink = found;
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {
    { "spin-flag", poll_flag },         { "spin-pause", poll_with_pause },
    { "spin-volatile", poll_volatile }, { "spin-pointer", poll_pointer },
    { "spin-tas", test_and_set },       { "spin-cas", compare_and_swap },
    { "spin-ticket", poll_ticket },     { "spin-bounded", poll_in_bounds },
    { "spin-lock", lock_spinning },     { "work-sum", sum_array },
    { "work-count", count_in_memory },  { "work-atomic", count_atomically },
    { "work-links", follow_links },     { "work-shifts", iterate },
    { "work-locks", lock_without_rival }, { "work-search", search_array },
};

static void *run(void *user)
{
    size_t i = *(size_t *)user;
    long from;

    pthread_setname_np(pthread_self(), kinds[i].name);
    from = used_us();
    kinds[i].run();
    printf("%s %ld\n", kinds[i].name, used_us() - from);
    return NULL;
}

/* Lets one thread go on after it had a processor for SPIN_MS. */
static void run_one(size_t i)
{
    struct timespec pause = { 0, 2000000 }, used;
    clockid_t clock;
    pthread_t thread;

    atomic_store(&flag, 0);
    plain = 0;
    atomic_store(&word, 1);
    atomic_store(&tickets, 0);
    atomic_store(&compute_stop, 0);
    (void)atomic_flag_test_and_set(&taken);
    pthread_spin_lock(&spin_lock);
    pthread_create(&thread, NULL, run, &i);
    pthread_getcpuclockid(thread, &clock);
    do {
        nanosleep(&pause, NULL);
        clock_gettime(clock, &used);
    } while (used.tv_sec == 0 && used.tv_nsec < SPIN_MS * 1000000L);
    atomic_store(&compute_stop, 1);
    atomic_store(&flag, 1);
    plain = 1;
    atomic_store(&word, 0);
    atomic_store(&tickets, 1);
    atomic_flag_clear(&taken);
    pthread_spin_unlock(&spin_lock);
    pthread_join(thread, NULL);
}

int main(int n, char **names)
{
    pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
    for (uint32_t i = 0; i < LENGTH; i++) {
        array[i] = (int)i * n;
        links[i] = (i * 5 + 1) % LENGTH;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n < 2 || strcmp(names[1], kinds[i].name) == 0)
            run_one(i);
    return 0;
}
