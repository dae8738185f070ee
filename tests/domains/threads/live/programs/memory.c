/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates what memory.sh expects.  Each function that is named there allocates on one line,
 * and is not inlined; pointers go through `keep`, so that no call is left out.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))
static _Thread_local void *volatile keep; /* a shared one would give blocks of others */
#define GIVE(block)                                                                        \
 do {                                                                                      \
  keep = (block);                                                                          \
  return keep;                                                                             \
 } while (0)

KEPT static void *before_main(void)
{
    GIVE(malloc(11));
}
KEPT static void *in_handler(void)
{
    GIVE(malloc(22));
}
KEPT static void *large(void)
{
    GIVE(malloc(1000000));
}
KEPT static void *small(void)
{
    GIVE(malloc(10));
}
KEPT static void *leaked(void)
{
    GIVE(calloc(10, 7));
}
KEPT static void *grown(void *block, size_t bytes)
{
    GIVE(realloc(block, bytes));
}
KEPT static void *array(void *block, size_t n)
{
    GIVE(reallocarray(block, n, 8));
}
KEPT static void *aligned(void)
{
    GIVE(aligned_alloc(256, 512));
}
KEPT static void *older(void)
{
    GIVE(memalign(64, 100));
}
KEPT static void *refused(void)
{
    GIVE(malloc((size_t)1 << 60));
}
KEPT static void *of_thread(void)
{
    GIVE(malloc(33));
}
KEPT static void *in_child(void)
{
    GIVE(malloc(44));
}
KEPT static void *posix(void)
{
    void *block = NULL;
    if (posix_memalign(&block, 64, 200) != 0)
        return NULL;
    GIVE(block);
}
KEPT static void *mapped(size_t pages)
{
    GIVE(mmap(NULL, pages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
KEPT static void *remapped(void *old, size_t pages, size_t more)
{
    GIVE(mremap(old, pages * 4096, more * 4096, MREMAP_MAYMOVE));
}

__attribute__((constructor)) static void start(void)
{
    free(before_main());
}

static void handle(int signal)
{
    (void)signal;
    free(in_handler());
}

enum { THREADS = 4, BLOCKS = 1000 };

/* Half of the blocks are given back here, half by the thread that waits for this one. */
static void *run(void *argument)
{
    void **blocks = argument;

    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = of_thread();
        if (i % 2 == 1) {
            free(blocks[i]);
            blocks[i] = NULL;
        }
    }
    return NULL;
}

static void run_threads(void)
{
    static void *blocks[THREADS][BLOCKS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, blocks[i]) != 0)
            exit(1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < BLOCKS; k++)
            free(blocks[i][k]);
}

/* One child ends, one executes this program with an argument. */
static void fork_children(const char *program, void *block)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            free(block); /* the parent's: allocated before the child began */
            (void)in_child();
            if (i == 1)
                execl(program, program, "child", (char *)NULL);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

int main(int n_arguments, char **arguments)
{
    void *block = NULL, *words = NULL, *kept[10], *pages;

    if (n_arguments > 1) {
        (void)leaked();
        return 0;
    }
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    for (int i = 0; i < 10; i++)
        kept[i] = small();
    free(large());
    for (size_t bytes = 1; bytes <= 1 << 16; bytes *= 2)
        block = grown(block, bytes);
    for (size_t n = 1; n <= 100; n++)
        words = array(words, n);
    free(aligned());
    free(older());
    free(posix());
    (void)refused();
    (void)leaked();
    run_threads();
    fork_children(arguments[0], words);
    pages = mapped(10);
    munmap((char *)pages + 4 * 4096, 4096);
    pages = remapped(pages, 4, 20);
    munmap(pages, 20 * 4096);
    free(block);
    free(words);
    free(large());
    for (int i = 0; i < 10; i++)
        free(kept[i]);
    return 0;
}
