/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of functions that create, join and name threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "domains/threads/record/hook_helpers.h"
#include "record/maps/readable_memory.h"
#include "record/process/seccomp_filters.h"

extern void *__libc_stack_end; /* the base of the main thread's stack */

struct start {
    void *(*posix)(void *);
    thrd_start_t standard;
    void *argument;
    uint32_t ordinal;
    bool stopped; /* the creator has lost its clocks, so the new thread has none */
    size_t stack; /* bytes */
};

static uintptr_t page_size = 4096;

/*
 * Data for new threads until they have begun.  If more threads begin at once, the data are
 * allocated by calloc, which may be the program's own and use locks.
 */
enum { STARTS = 64 };
static struct start starts[STARTS];
static bool start_is_taken[STARTS];

static struct start *new_start(void)
{
    for (int i = 0; i < STARTS; i++)
        if (!__atomic_load_n(&start_is_taken[i], __ATOMIC_RELAXED)
            && !__atomic_test_and_set(&start_is_taken[i], __ATOMIC_ACQUIRE)) {
            starts[i] = (struct start){ 0 };
            return &starts[i];
        }
    return calloc(1, sizeof(struct start));
}

static void free_start(struct start *start)
{
    if (start >= starts && start < starts + STARTS)
        __atomic_clear(&start_is_taken[start - starts], __ATOMIC_RELEASE);
    else
        free(start);
}

/*
 * Returns the lowest address that surely belongs to the new thread's stack.  The size
 * counts from the end of the stack, where the thread's descriptor (less than a page) and
 * TLS lie.  Counted from FRAME, below both, it would reach below the stack, perhaps into
 * that of a coroutine.
 */
static const void *lowest(const void *frame, size_t size)
{
    uintptr_t descriptor = (uintptr_t)pthread_self();

    if (size < page_size || descriptor < size || descriptor < (uintptr_t)frame)
        return frame;
    return (const void *)(descriptor - size + page_size);
}

static struct start thread_begins(struct start *start, const void *frame)
{
    struct start copy = *start;

    /* First: free may be the program's own and take locks, which would open another log. */
    if (copy.stopped)
        CORE.filter_ends(NULL, false, 0);
    else
        CORE.thread_begins(copy.ordinal);
    weft_stack_is(lowest(frame, copy.stack), frame);
    free_start(start);
    return copy;
}

static void *run_posix(void *argument)
{
    struct start start = thread_begins(argument, __builtin_frame_address(0));
    return start.posix(start.argument);
}

static int run_standard(void *argument)
{
    struct start start = thread_begins(argument, __builtin_frame_address(0));
    return start.standard(start.argument);
}

/*
 * Returns true if the page of ADDRESS is in memory.  Reading any other page may block: with
 * userfaultfd the new thread itself may have to supply it, which cannot begin before.
 */
static bool is_resident(uintptr_t address)
{
    unsigned char resident = 0;
    int saved = errno;
    bool known =
        weft_sandbox_allows(WEFT_NEED_RESIDENT)
        && syscall(SYS_mincore, address / page_size * page_size, 1, &resident) == 0;

    errno = saved;
    return known && (resident & 1);
}

/*
 * Read up to WEFT_ARGUMENT_WORDS words that ARGUMENT points to, and return their number.
 * Runtimes start all threads with one function; the argument tells what a thread will run.
 */
__attribute__((no_sanitize("thread"))) static uint32_t
read_argument(const void *argument, uint64_t words[WEFT_ARGUMENT_WORDS])
{
    uintptr_t address = (uintptr_t)argument;
    uint32_t n = 0;

    if (address != 0 && address % sizeof(uint64_t) == 0)
        for (uintptr_t at = address; n < WEFT_ARGUMENT_WORDS; at += sizeof(uint64_t)) {
            /* Test the first word, and the first of each page. */
            if ((n == 0 || at % page_size == 0) && !is_resident(at))
                break;
            if (!weft_readable_word(at))
                break;
            words[n++] = *(const uint64_t *)at;
        }
    return n;
}

static struct start *prepare(void *argument, uint64_t run, uint64_t site, const void *frame)
{
    /* The new thread will have no clocks, either, even if it is not recorded. */
    bool stopped = weft_record_stopped_at != 0;
    struct start *start = stopped || CORE.process_start() ? new_start() : NULL;
    uint64_t ticks = weft_ticks();
    uint64_t words[3 + WEFT_ARGUMENT_WORDS];

    if (!start)
        return NULL;
    start->argument = argument;
    start->stopped = stopped;
    if (stopped) {
        weft_log_put(weft_log_get(), ticks, WEFT_RECORD_CREATE, 0); /* counted as lost */
        return start;
    }
    start->ordinal = CORE.thread_number();
    CORE.see(site);
    CORE.see(run);
    words[0] = start->ordinal;
    words[1] = site;
    words[2] = run;
    weft_stack_note(site, frame);
    weft_log_put_words(weft_log_get(), ticks, WEFT_RECORD_CREATE, 0, words,
                       3 + read_argument(argument, words + 3));
    return start;
}

/* Returns the stack size of a thread with these attributes (NULL: the default). */
static size_t stack_size(const pthread_attr_t *attributes)
{
    size_t size = 0;
    pthread_attr_t usual;

    if (attributes)
        pthread_attr_getstacksize(attributes, &size);
    else if (pthread_getattr_default_np(&usual) == 0) {
        pthread_attr_getstacksize(&usual, &size);
        pthread_attr_destroy(&usual);
    }
    return size;
}

WEFT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*run)(void *), void *argument)
{
    struct start *start =
        prepare(argument, (uint64_t)(uintptr_t)run, WEFT_SITE, __builtin_frame_address(0));
    int result;

    if (!start)
        return WEFT_REAL(pthread_create)(thread, attributes, run, argument);
    start->posix = run;
    start->stack = stack_size(attributes);
    result = WEFT_REAL(pthread_create)(thread, attributes, run_posix, start);
    if (result != 0)
        free_start(start);
    return result;
}

WEFT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    struct start *start =
        prepare(argument, (uint64_t)(uintptr_t)run, WEFT_SITE, __builtin_frame_address(0));
    int result;

    if (!start)
        return WEFT_REAL(thrd_create)(thread, run, argument);
    start->standard = run;
    start->stack = stack_size(NULL);
    result = WEFT_REAL(thrd_create)(thread, run_standard, start);
    if (result != thrd_success)
        free_start(start);
    return result;
}

#define JOIN(success, call)                                                                \
 do {                                                                                      \
  WEFT_WAITING;                                                                            \
  int result_;                                                                             \
  weft_join_begins(&waiting, (uint64_t)thread, WEFT_SITE, __builtin_frame_address(0));     \
  result_ = call;                                                                          \
  weft_join_ends(&waiting, result_ == (success));                                          \
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
 * A log is written only by its own thread, so a name for another thread goes into the
 * caller's log, with the handle of the other thread.
 */
WEFT_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = WEFT_REAL(pthread_setname_np)(thread, name);
    uint64_t handle = (uint64_t)thread;
    /* The kernel rejects names of more than 15 bytes; the trace shows them all the same. */
    bool is_name = result == 0 || result == ERANGE;

    if (is_name && pthread_equal(thread, pthread_self()))
        CORE.thread_name(name);
    else if (is_name)
        CORE.log_text(weft_ticks(), WEFT_RECORD_THREAD_OTHER, &handle, 1, name);
    return result;
}

WEFT_EXPORT int prctl(int option, ...)
{
    unsigned long words[4];
    const void *filter;
    uint32_t before;
    bool installs;
    va_list list;
    int result;

    /* Like the C library's: read four words, whether they were given or not. */
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    /* With a NULL filter the program only asks whether filters are supported. */
    installs = option == PR_SET_SECCOMP
               && (words[0] == SECCOMP_MODE_STRICT
                   || (words[0] == SECCOMP_MODE_FILTER && words[1] != 0));
    filter = words[0] == SECCOMP_MODE_FILTER ? (const void *)words[1] : NULL;
    before = CORE.forbidden;
    if (installs)
        CORE.filter(filter);
    /* PR_TSC_SIGSEGV makes rdtsc fatal: stop as under strict seccomp. */
    if (option == PR_SET_TSC && words[0] == PR_TSC_SIGSEGV)
        CORE.filter_ends(NULL, false, before);
    result = WEFT_REAL(prctl)(option, words[0], words[1], words[2], words[3]);
    if (installs)
        CORE.filter_ends(filter, result != 0, before);
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

/* Set the bounds of the main thread's stack, as far as it may grow. */
static void see_main_stack(void)
{
    enum { MIN_STACK = 1 << 20, MAX_STACK = 8 << 20 }; /* bytes; other mappings lie below */
    struct rlimit limit = { 0, 0 };
    size_t size = MAX_STACK;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < MAX_STACK)
        size = limit.rlim_cur < MIN_STACK ? MIN_STACK : (size_t)limit.rlim_cur;
    weft_stack_is((const char *)__libc_stack_end - size, __libc_stack_end);
}

__attribute__((constructor)) static void start(void)
{
    page_size = getauxval(AT_PAGESZ);
    see_main_stack();
    pthread_atfork(NULL, NULL, weft_stack_forked);
    (void)CORE.join(&family);
}
