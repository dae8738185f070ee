/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator that each thread tells of its cache before it uses it: to give something back
 * before that would be the end.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { THREADS = 4 };
struct cache {
    size_t freed;
};

static char memory[1 << 20] __attribute__((aligned(16)));
static size_t used;
static __thread struct cache *cache;

EXPORT void *malloc(size_t size)
{
    return memory + __atomic_fetch_add(&used, (size + 15) & ~(size_t)15, __ATOMIC_RELAXED);
}

EXPORT void *calloc(size_t n, size_t size)
{
    return malloc(n * size); /* the memory is clear, and used once */
}

EXPORT void *realloc(void *pointer, size_t size)
{
    void *larger = malloc(size);

    return pointer ? memmove(larger, pointer, size) : larger;
}

EXPORT void free(void *pointer)
{
    if (pointer)
        cache->freed++;
}

static void *run(void *unused)
{
    struct cache mine = { 0 };

    cache = &mine;
    free(malloc(10));
    return unused;
}

int main(void)
{
    struct cache mine = { 0 };
    pthread_t threads[THREADS];

    cache = &mine;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    (void)!write(1, "done\n", 5);
    _exit(0);
}
