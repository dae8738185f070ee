/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the C library that the program replaces, with one mutex around all: a recorder that
 * called them by name would record its own call, and call them for that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200000 };

/* By the recorder, too. */
#define SEEN __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long calls;

#define COUNTED(name, ...)                                                                 \
 do {                                                                                      \
  static __typeof__(&name) real_;                                                          \
  __typeof__(name(__VA_ARGS__)) result_;                                                   \
  if (!real_)                                                                              \
   real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                     \
  pthread_mutex_lock(&mutex);                                                              \
  calls++;                                                                                 \
  result_ = real_(__VA_ARGS__);                                                            \
  pthread_mutex_unlock(&mutex);                                                            \
  return result_;                                                                          \
 } while (0)

SEEN int clock_gettime(clockid_t clock, struct timespec *now)
{
    COUNTED(clock_gettime, clock, now);
}

SEEN int stat(const char *restrict path, struct stat *restrict status)
{
    COUNTED(stat, path, status);
}

SEEN int uname(struct utsname *system)
{
    COUNTED(uname, system);
}

SEEN int sigaltstack(const stack_t *restrict stack, stack_t *restrict before)
{
    COUNTED(sigaltstack, stack, before);
}

SEEN char *getcwd(char *path, size_t size)
{
    COUNTED(getcwd, path, size);
}

int main(void)
{
    struct timespec now;

    for (int i = 0; i < CALLS; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%ld calls\n", calls);
    return 0;
}
