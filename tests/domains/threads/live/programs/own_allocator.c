/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator that never uses memory again, and counts its calls: of the program, which are
 * those of sizes that nobody else asks for.
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 64 << 20, HEAD = 16, ASKED = 100 };

static char *room;
static size_t used;
static unsigned mallocs, frees;
unsigned own_calls(void);

void *malloc(size_t bytes)
{
    size_t at, whole = (bytes + HEAD + 15) & ~(size_t)15;

    if (!room)
        room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
    if (at + whole > ROOM)
        return NULL;
    *(size_t *)(void *)(room + at) = bytes;
    mallocs += bytes == ASKED;
    return room + at + HEAD;
}

void free(void *block)
{
    frees += block && *(size_t *)(void *)((char *)block - HEAD) == ASKED;
}

void *calloc(size_t n, size_t bytes)
{
    return malloc(n * bytes);
}

void *realloc(void *block, size_t bytes)
{
    void *copy = malloc(bytes);
    size_t before = block ? *(size_t *)(void *)((char *)block - HEAD) : 0;

    if (copy && block)
        memcpy(copy, block, before < bytes ? before : bytes);
    return copy;
}

unsigned own_calls(void)
{
    return mallocs * 1000 + frees;
}
