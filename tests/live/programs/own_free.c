/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator whose free() takes a lock, as many do.  Three threads, which do nothing. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t freeing = PTHREAD_MUTEX_INITIALIZER;
static char memory[1 << 20] __attribute__((aligned(16)));
static size_t used;
static long freed;

EXPORT void *malloc(size_t size)
{
    /* The size lies before, for realloc. */
    size_t *at = (size_t *)(memory
                            + __atomic_fetch_add(&used, (size + 31) & ~(size_t)15,
                                                 __ATOMIC_RELAXED));

    if ((char *)at + size + 16 > memory + sizeof memory)
        return NULL;
    *at = size;
    return (char *)at + 16;
}

EXPORT void *calloc(size_t n, size_t size)
{
    return malloc(n * size); /* the memory is clear, and used once */
}

EXPORT void free(void *pointer)
{
    if (!pointer)
        return;
    pthread_mutex_lock(&freeing);
    freed++;
    pthread_mutex_unlock(&freeing);
}

EXPORT void *realloc(void *pointer, size_t size)
{
    void *moved = malloc(size);

    if (pointer && moved) {
        size_t before = *(size_t *)((char *)pointer - 16);
        memcpy(moved, pointer, before < size ? before : size);
    }
    return moved;
}

static void *run(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
