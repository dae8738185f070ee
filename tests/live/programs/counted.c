/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted SEED: threads and processes that do what chance says, and count it themselves.  At the
 * end, a line each: how many threads began, in all processes; and of each lock its name and how
 * often somebody had it.  Locks that are there for one use only are counted together.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t plain, checked, inheriting, adaptive, waited, ending, twice;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinning;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static sem_t semaphore;

enum {
    PLAIN,
    CHECKED,
    INHERITING,
    ADAPTIVE,
    WAITED,
    ENDING,
    TWICE,
    SHARED,
    SPINNING,
    OWN,
    LOCKS
};
static const char *const names[LOCKS] = { "plain",    "checked", "inheriting", "adaptive",
                                          "waited",   "ending",  "twice",      "shared",
                                          "spinning", "own" };
static pthread_mutex_t *const mutexes[] = { &plain, &checked, &inheriting, &adaptive };
static atomic_long had[LOCKS], threads = 1, running;

/* ---- Chance ---- */

static __thread uint32_t state;

static uint32_t roll(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

static struct timespec soon(clockid_t clock)
{
    const long second = 1000000000;
    struct timespec time;

    clock_gettime(clock, &time);
    time.tv_nsec += roll(200000);
    time.tv_sec += time.tv_nsec / second;
    time.tv_nsec %= second;
    return time;
}

/* ---- Locks ---- */

static void have_mutex(void)
{
    int which = (int)roll(4), result;
    struct timespec until;

    switch (roll(6)) {
    case 0: result = pthread_mutex_trylock(mutexes[which]); break;
    case 1:
        until = soon(CLOCK_REALTIME);
        result = pthread_mutex_timedlock(mutexes[which], &until);
        break;
    case 2:
        until = soon(CLOCK_MONOTONIC);
        result = pthread_mutex_clocklock(mutexes[which], CLOCK_MONOTONIC, &until);
        break;
    default: result = pthread_mutex_lock(mutexes[which]); break;
    }
    if (result != 0)
        return;
    had[which]++;
    if (roll(10) == 0)
        usleep(roll(100));
    pthread_mutex_unlock(mutexes[which]);
}

static void have_other(void)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    int which = SHARED + (int)roll(4);

    had[which < LOCKS ? which : TWICE]++;
    switch (which) {
    case SHARED:
        roll(2) ? pthread_rwlock_rdlock(&shared) : pthread_rwlock_wrlock(&shared);
        pthread_rwlock_unlock(&shared);
        break;
    case SPINNING:
        pthread_spin_lock(&spinning);
        pthread_spin_unlock(&spinning);
        break;
    case OWN:
        pthread_mutex_init(&own, NULL);
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
        pthread_mutex_destroy(&own);
        break;
    default:
        pthread_mutex_lock(&twice);
        pthread_mutex_lock(&twice);
        pthread_mutex_unlock(&twice);
        pthread_mutex_unlock(&twice);
        break;
    }
}

static void wait_or_wake(void)
{
    struct timespec until = soon(CLOCK_REALTIME);

    pthread_mutex_lock(&waited);
    had[WAITED]++;
    if (roll(2)) {
        pthread_cond_timedwait(&condition, &waited, &until);
        had[WAITED]++; /* again, after the wait */
    } else {
        pthread_cond_broadcast(&condition);
    }
    pthread_mutex_unlock(&waited);
}

static void post(int unused)
{
    int saved = errno;

    (void)unused;
    sem_post(&semaphore);
    errno = saved;
}

/* ---- Threads and processes ---- */

static void *run(void *seed);

static int begin(pthread_t *thread, bool detached)
{
    pthread_attr_t attributes;
    uint32_t seed = roll(1U << 24);
    int result;

    pthread_attr_init(&attributes);
    if (detached)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (seed % 3 == 0)
        pthread_attr_setstacksize(&attributes, 65536);
    running++;
    result = pthread_create(thread, &attributes, run, (void *)(uintptr_t)seed);
    pthread_attr_destroy(&attributes);
    result == 0 ? threads++ : running--;
    return result;
}

static void begin_some(void)
{
    pthread_t begun[4];
    int n = 0;

    if (roll(2)) {
        (void)begin(begun, true);
        return;
    }
    for (uint32_t i = roll(4); i > 0; i--)
        n += begin(&begun[n], false) == 0;
    while (n > 0)
        pthread_join(begun[--n], NULL);
}

static void start_process(void)
{
    static char name[] = "true";
    char *const arguments[] = { name, NULL };
    pid_t child = -1;
    int status;

    switch (roll(4)) {
    case 0:
        if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0)
            child = -1;
        break;
    case 1:
        if (system("exit 7") != 7 << 8)
            printf("a shell ends otherwise\n");
        threads++;
        return;
    case 2:
        child = fork();
        if (child == 0)
            _exit(4);
        break;
    default:
        child = fork();
        if (child == 0) {
            execv("/bin/true", arguments);
            _exit(5);
        }
        break;
    }
    if (child > 0) {
        threads++;
        waitpid(child, &status, 0);
    }
}

/* ---- All together ---- */

static void act(int n, bool begins)
{
    for (int i = 0; i < n; i++)
        switch (roll(20)) {
        case 0: post(0); break;
        case 1: sem_trywait(&semaphore); break;
        case 2: raise(SIGUSR1); break;
        case 3:
            if (roll(8) == 0)
                start_process();
            break;
        case 4:
        case 5:
            if (begins)
                begin_some();
            break;
        case 6:
        case 7: wait_or_wake(); break;
        case 8:
            if (!pthread_getspecific(key))
                pthread_setspecific(key, malloc(1));
            break;
        case 9:
        case 10:
        case 11:
        case 12: have_other(); break;
        default: have_mutex(); break;
        }
}

static void let_go(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void end_specific(void *memory)
{
    pthread_mutex_lock(&ending);
    had[ENDING]++;
    pthread_mutex_unlock(&ending);
    free(memory);
    running--;
}

static void *run(void *seed)
{
    state = (uint32_t)(uintptr_t)seed;
    if (!pthread_getspecific(key)) /* so that its destructor runs */
        pthread_setspecific(key, malloc(1));
    act(5 + (int)roll(30), roll(5) == 0);
    if (roll(10) == 0) {
        pthread_mutex_lock(&ending);
        had[ENDING]++;
        pthread_cleanup_push(let_go, &ending);
        if (roll(2))
            pthread_exit(NULL);
        pthread_cleanup_pop(1);
    }
    return NULL;
}

static void make_mutexes(void)
{
    pthread_mutex_t *const all[] = { &plain,  &checked, &inheriting, &adaptive,
                                     &waited, &ending,  &twice };
    pthread_mutexattr_t attributes;

    for (int i = 0; i <= TWICE; i++) {
        pthread_mutexattr_init(&attributes);
        if (i == CHECKED)
            pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
        if (i == INHERITING)
            pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
        if (i == ADAPTIVE)
            pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
        if (i == TWICE)
            pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(all[i], &attributes);
    }
}

int main(int n, char **arguments)
{
    state = n > 1 ? (uint32_t)atoi(arguments[1]) : 1;
    make_mutexes();
    pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 0);
    pthread_key_create(&key, end_specific);
    signal(SIGUSR1, post);
    act(300, true);
    while (running > 0) /* those that are detached */
        usleep(1000);
    printf("threads %ld\n", threads);
    for (int i = 0; i < LOCKS; i++)
        if (had[i] > 0)
            printf("%s %ld\n", names[i], had[i]);
    return 0;
}
