/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for Qthreads: of what it documents, what weft_task.h uses, on threads.  A word is full
 * or empty: it is emptied by a fork that returns into it, and filled by the return.
 */
#ifndef WEFT_STANDIN_QTHREAD_H
#define WEFT_STANDIN_QTHREAD_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint64_t aligned_t;
typedef aligned_t (*qthread_f)(void *);
enum { QTHREAD_SUCCESS = 0 };

#define STANDIN_EMPTY UINT64_MAX
static pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t standin_filled = PTHREAD_COND_INITIALIZER;

struct standin_fork {
    qthread_f function;
    const void *argument;
    aligned_t *result;
};

static inline void *standin_call(void *call)
{
    struct standin_fork fork = *(struct standin_fork *)call;
    free(call);
    aligned_t result = fork.function((void *)fork.argument);
    pthread_mutex_lock(&standin_lock);
    *fork.result = result;
    pthread_cond_broadcast(&standin_filled);
    pthread_mutex_unlock(&standin_lock);
    return NULL;
}

static inline int qthread_initialize(void)
{
    return QTHREAD_SUCCESS;
}

static inline int qthread_fork(qthread_f function, const void *argument, aligned_t *result)
{
    pthread_t thread;
    struct standin_fork *call = (struct standin_fork *)malloc(sizeof *call);
    call->function = function;
    call->argument = argument;
    call->result = result;
    *result = STANDIN_EMPTY;
    if (pthread_create(&thread, NULL, standin_call, call) != 0)
        abort();
    return pthread_detach(thread);
}

static inline int qthread_readFF(aligned_t *out, const aligned_t *word)
{
    pthread_mutex_lock(&standin_lock);
    while (*word == STANDIN_EMPTY)
        pthread_cond_wait(&standin_filled, &standin_lock);
    if (out)
        *out = *word;
    pthread_mutex_unlock(&standin_lock);
    return QTHREAD_SUCCESS;
}

#endif
