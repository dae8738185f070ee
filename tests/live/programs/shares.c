/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that run for half a second each, or shares SECONDS: 60 % of it in sixty(),
 * 30 % in thirty(), both called by ninety(), and 10 % in ten(): the three do the same steps,
 * six, three and one part of them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { PART = 200000 };

static _Thread_local volatile uint64_t sink;

#define WORK(name, parts)                                                                  \
 __attribute__((noinline)) static void name(uint64_t n)                                    \
 {                                                                                         \
  uint64_t x = n;                                                                          \
  for (uint64_t i = 0; i < n * (parts); i++)                                               \
   x = x * 6364136223846793005u + 1442695040888963407u;                                    \
  sink = x;                                                                                \
 }

WORK(sixty, 6)
WORK(thirty, 3)
WORK(ten, 1)

__attribute__((noinline)) static void ninety(uint64_t n)
{
    sixty(n);
    thirty(n);
    sink++;
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *run(void *seconds)
{
    while (processor_seconds() < *(double *)seconds) {
        ninety(PART);
        ten(PART);
    }
    return NULL;
}

int main(int n, char **arguments)
{
    double seconds = n > 1 ? atof(arguments[1]) : 0.5;
    pthread_t thread;

    pthread_create(&thread, NULL, run, &seconds);
    run(&seconds);
    pthread_join(thread, NULL);
    return 0;
}
