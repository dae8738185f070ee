/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for MassiveThreads: of what it documents, what weft_task.h uses, on threads. */
#ifndef WEFT_STANDIN_MYTH_H
#define WEFT_STANDIN_MYTH_H

#include <pthread.h>
#include <stdlib.h>

typedef pthread_t myth_thread_t;
typedef void *(*myth_func_t)(void *);

static inline int myth_init(void)
{
    return 1;
}

static inline myth_thread_t myth_create(myth_func_t function, void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        abort();
    return thread;
}

static inline int myth_join(myth_thread_t thread, void **result)
{
    return pthread_join(thread, result);
}

#endif
