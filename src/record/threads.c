/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: making, ending, joining, naming. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "record/process.h"
#include "record/real.h"
#include "record/thread_events.h"

void *weft_real_find(const char *name, const char *version)
{
    int saved = errno;
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

    if (!found)
        found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort(); /* the program calls a function that its C library does not have */
    errno = saved;
    return found;
}

static pthread_key_t end_key;
static int end_key_made;

/*
 * Runs when a thread ends.  Other keys' destructors may use locks: go last, as far as the
 * library repeats the round.
 */
static void thread_ends(void *rounds)
{
    uintptr_t round = (uintptr_t)rounds;

    if (round < 3) {
        pthread_setspecific(end_key, (void *)(round + 1));
    } else if (weft_self) {
        weft_threads_sample_cpu(); /* what it used since it last waited */
        weft_log_close(weft_self);
    }
}

void weft_threads_start(void)
{
    end_key_made = pthread_key_create(&end_key, thread_ends) == 0;
}

void weft_threads_sample_cpu(void)
{
    struct timespec used;

    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_CPU, 0, 1,
                     (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec, 0);
}

struct start {
    void *(*posix)(void *);
    thrd_start_t standard;
    void *argument;
    uint32_t ordinal;
};

static struct start thread_begins(struct start *start)
{
    struct start copy = *start;

    free(start);
    weft_log_open(copy.ordinal);
    if (end_key_made)
        pthread_setspecific(end_key, (void *)1);
    return copy;
}

static void *run_posix(void *argument)
{
    struct start start = thread_begins(argument);
    return start.posix(start.argument);
}

static int run_standard(void *argument)
{
    struct start start = thread_begins(argument);
    return start.standard(start.argument);
}

static struct start *prepare(void *argument, uint64_t site)
{
    struct start *start = weft_process_start() ? calloc(1, sizeof *start) : NULL;
    uint64_t ticks = weft_ticks();

    if (!start)
        return NULL;
    start->argument = argument;
    start->ordinal = weft_process_next_thread();
    weft_process_see(site);
    weft_log_put(weft_log_get(), ticks, WEFT_RECORD_CREATE, start->ordinal, 1, site, 0);
    return start;
}

WEFT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*run)(void *), void *argument)
{
    struct start *start = prepare(argument, WEFT_SITE);
    int result;

    if (!start)
        return WEFT_REAL(pthread_create)(thread, attributes, run, argument);
    start->posix = run;
    result = WEFT_REAL(pthread_create)(thread, attributes, run_posix, start);
    if (result != 0)
        free(start);
    return result;
}

WEFT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    struct start *start = prepare(argument, WEFT_SITE);
    int result;

    if (!start)
        return WEFT_REAL(thrd_create)(thread, run, argument);
    start->standard = run;
    result = WEFT_REAL(thrd_create)(thread, run_standard, start);
    if (result != thrd_success)
        free(start);
    return result;
}

static void join_begins(uint64_t handle, uint64_t site)
{
    weft_process_see(site);
    weft_threads_sample_cpu();
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_JOIN, 0, 2, handle, site);
}

static void join_ends(bool joined)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_JOINED, joined, 0, 0, 0);
}

#define JOIN(success, call)                                                                \
 do {                                                                                      \
  int result_;                                                                             \
  join_begins((uint64_t)thread, WEFT_SITE);                                                \
  result_ = call;                                                                          \
  join_ends(result_ == (success));                                                         \
  return result_;                                                                          \
 } while (0)

WEFT_EXPORT int pthread_join(pthread_t thread, void **value)
{
    JOIN(0, WEFT_REAL(pthread_join)(thread, value));
}

WEFT_EXPORT int pthread_timedjoin_np(pthread_t thread, void **value,
                                     const struct timespec *until)
{
    JOIN(0, WEFT_REAL(pthread_timedjoin_np)(thread, value, until));
}

WEFT_EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
                                     const struct timespec *until)
{
    JOIN(0, WEFT_REAL(pthread_clockjoin_np)(thread, value, clock, until));
}

WEFT_EXPORT int thrd_join(thrd_t thread, int *value)
{
    JOIN(thrd_success, WEFT_REAL(thrd_join)(thread, value));
}

static void name_self(const char *name)
{
    weft_log_put_text(weft_log_get(), weft_ticks(), WEFT_RECORD_THREAD, NULL, 0, name);
}

/*
 * A thread's own log is written by that thread only, so a name that one thread gives another
 * is kept in the log of the giver, with the handle of the other.
 */
WEFT_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = WEFT_REAL(pthread_setname_np)(thread, name);
    uint64_t handle = (uint64_t)thread;

    if (result == 0 && pthread_equal(thread, pthread_self()))
        name_self(name);
    else if (result == 0)
        weft_log_put_text(weft_log_get(), weft_ticks(), WEFT_RECORD_THREAD_OTHER, &handle,
                          1, name);
    return result;
}

WEFT_EXPORT int prctl(int option, ...)
{
    unsigned long words[4];
    va_list list;
    int result;

    /* As the library's own: takes four words, whether they were given or not. */
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    result = WEFT_REAL(prctl)(option, words[0], words[1], words[2], words[3]);
    if (result == 0 && option == PR_SET_NAME) {
        char name[17] = { 0 };
        memcpy(name, (const char *)words[0], strnlen((const char *)words[0], 15));
        name_self(name);
    }
    return result;
}
