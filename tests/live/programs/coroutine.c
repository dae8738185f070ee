/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread with much storage of its own, and below its stack, behind a page that must not be
 * touched, the stack of a coroutine, which waits high up in it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { COROUTINE = 1 << 16, GUARD = 4096, STACK = 1 << 20 };
static __thread volatile char own[1 << 16];
static ucontext_t thread_place, coroutine_place;

static void wait(void)
{
    usleep(1000);
    swapcontext(&coroutine_place, &thread_place);
}

static void *run(void *stack)
{
    own[sizeof own / 2] = 1;
    getcontext(&coroutine_place);
    coroutine_place.uc_stack.ss_sp = stack;
    coroutine_place.uc_stack.ss_size = COROUTINE;
    makecontext(&coroutine_place, wait, 0);
    swapcontext(&thread_place, &coroutine_place);
    printf("the coroutine has waited\n");
    return NULL;
}

int main(void)
{
    char *memory = mmap(NULL, COROUTINE + GUARD + STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;

    mprotect(memory + COROUTINE, GUARD, PROT_NONE);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory + COROUTINE + GUARD, STACK);
    pthread_create(&thread, &attributes, run, memory);
    pthread_join(thread, NULL);
    return 0;
}
