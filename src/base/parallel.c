/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * One thread pool for the process.  Threads are a resource of the process, like its heap,
 * and no result depends on it.
 */
enum { MAX_THREADS = 64 }; /* one picture has too little work for more */

static struct {
    pthread_mutex_t busy; /* held by the caller whose work the helpers share */
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t start, finish;
    unsigned helpers; /* threads that were started */
    unsigned wanted;  /* so many helpers, the first ones, share this work */
    unsigned running; /* helpers that have begun and not ended */
    bool open;        /* more of them may begin */
    unsigned long generation;
    void (*work)(void *, size_t);
    void *user;
    size_t count, grain;
    atomic_size_t next;
} pool = {
    .busy = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .start = PTHREAD_COND_INITIALIZER,
    .finish = PTHREAD_COND_INITIALIZER,
};

/* Returns WEFT_THREADS, or 0 if it is not set to a number above 0. */
static unsigned asked_width(void)
{
    const char *text = getenv("WEFT_THREADS");
    long n = text ? strtol(text, NULL, 10) : 0;
    return n < 1 ? 0 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

unsigned weft_parallel_width(void)
{
    unsigned asked = asked_width();
    if (asked)
        return asked;
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static void run_shares(void)
{
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&pool.next, pool.grain, memory_order_relaxed);
        if (i >= pool.count)
            return;
        size_t end = pool.count - i < pool.grain ? pool.count : i + pool.grain;
        for (; i < end; i++)
            pool.work(pool.user, i);
    }
}

static void *helper(void *number)
{
    unsigned self = (unsigned)(uintptr_t)number;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.generation == seen)
            pthread_cond_wait(&pool.start, &pool.lock);
        seen = pool.generation;
        if (self >= pool.wanted || !pool.open)
            continue;
        pool.running++;
        pthread_mutex_unlock(&pool.lock);
        run_shares();
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.finish);
    }
    return NULL;
}

/* Starts missing helpers; if the system has no more threads, there are fewer. */
static void start_helpers(unsigned wanted)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (pool.helpers < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, helper, (void *)(uintptr_t)pool.helpers)
            != 0)
            break;
        pool.helpers++;
    }
    pthread_attr_destroy(&attributes);
}

void weft_parallel(size_t count, size_t grain, void (*work)(void *user, size_t i),
                   void *user)
{
    if (grain == 0)
        grain = 1;
    unsigned wanted = weft_parallel_width() - 1;
    if (count <= grain || !wanted || pthread_mutex_trylock(&pool.busy) != 0) {
        for (size_t i = 0; i < count; i++)
            work(user, i);
        return;
    }
    pthread_mutex_lock(&pool.lock);
    start_helpers(wanted);
    pool.wanted = wanted < pool.helpers ? wanted : pool.helpers;
    pool.work = work;
    pool.user = user;
    pool.count = count;
    pool.grain = grain;
    atomic_store(&pool.next, 0);
    pool.open = true;
    pool.generation++;
    pthread_cond_broadcast(&pool.start);
    pthread_mutex_unlock(&pool.lock);
    run_shares();
    pthread_mutex_lock(&pool.lock);
    /*
     * A helper that has not begun has nothing left to do, and is not waited for: on a busy
     * machine it comes late, and until version 2.41 glibc may lose a wakeup if several
     * threads wait (its bug 25847).  Only one thread at a time waits for `finish`.
     */
    pool.open = false;
    while (pool.running)
        pthread_cond_wait(&pool.finish, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.busy);
}
