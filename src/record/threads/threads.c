/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: making, ending, joining, naming. */
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "record/threads/threads.h"

struct start {
    void *(*posix)(void *);
    thrd_start_t standard;
    void *argument;
    uint32_t ordinal;
};

static struct start thread_begins(struct start *start)
{
    struct start copy = *start;

    /* First: free may be the program's own and take locks, which would open another log. */
    CORE.thread_begins(copy.ordinal);
    free(start);
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

static struct start *prepare(void *argument, uint64_t run, uint64_t site)
{
    struct start *start = CORE.process_start() ? calloc(1, sizeof *start) : NULL;
    uint64_t ticks = weft_ticks();
    uint64_t words[3];

    if (!start)
        return NULL;
    start->argument = argument;
    start->ordinal = CORE.thread_number();
    CORE.see(site);
    CORE.see(run);
    words[0] = start->ordinal;
    words[1] = site;
    words[2] = run;
    weft_log_put_words(weft_log_get(), ticks, WEFT_RECORD_CREATE, 0, words, 3);
    return start;
}

WEFT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*run)(void *), void *argument)
{
    struct start *start = prepare(argument, (uint64_t)(uintptr_t)run, WEFT_SITE);
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
    struct start *start = prepare(argument, (uint64_t)(uintptr_t)run, WEFT_SITE);
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
    uint64_t words[2] = { handle, site };

    CORE.see(site);
    CORE.processor_time();
    weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_JOIN, 0, words, 2);
}

static void join_ends(bool joined)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_JOINED, joined);
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

/*
 * A thread's own log is written by that thread only, so a name that one thread gives another
 * is kept in the log of the giver, with the handle of the other.
 */
WEFT_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = WEFT_REAL(pthread_setname_np)(thread, name);
    uint64_t handle = (uint64_t)thread;

    if (result == 0 && pthread_equal(thread, pthread_self()))
        CORE.thread_name(name);
    else if (result == 0)
        CORE.log_text(weft_ticks(), WEFT_RECORD_THREAD_OTHER, &handle, 1, name);
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
    /* A filter that is none asks only whether there can be one. */
    if (option == PR_SET_SECCOMP && (words[0] == SECCOMP_MODE_STRICT || words[1] != 0))
        CORE.filter(words[0] == SECCOMP_MODE_FILTER ? (const void *)words[1] : NULL);
    result = WEFT_REAL(prctl)(option, words[0], words[1], words[2], words[3]);
    if (result == 0 && option == PR_SET_NAME) {
        char name[17] = { 0 };
        memcpy(name, (const char *)words[0], strnlen((const char *)words[0], 15));
        CORE.thread_name(name);
    }
    return result;
}

static const struct weft_record_family family = {
    .number = WEFT_FAMILY_THREADS,
    .core_size = sizeof(struct weft_record_core),
};

__attribute__((constructor)) static void start(void)
{
    (void)CORE.join(&family);
}
