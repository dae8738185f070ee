/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: allocation that does not fail, and arenas.  Nothing here returns NULL: without
 * memory the program prints a message and exits with status 134.  A size that was read
 * from a file must first be checked against a limit.
 *
 * An arena hands out memory that is freed all at once.  Each frame, request and analysis
 * has its own.  An arena is used by one thread at a time.
 */
#ifndef WEFT_BASE_MEMORY_H
#define WEFT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * weft_alloc(), weft_realloc(): like malloc() and realloc(); weft_zalloc(): like calloc();
 * weft_strdup(): like strdup().  The caller frees the result by free().  They never return
 * NULL, even for 0 bytes (weft_realloc() then shrinks to 1 byte): without memory, or if
 * COUNT * SIZE overflows, the program ends with a message and status 134.
 */
void *weft_alloc(size_t size);
void *weft_zalloc(size_t count, size_t size);
void *weft_realloc(void *memory, size_t size);
char *weft_strdup(const char *text);
/*
 * Returns MEMORY, which a library allocated; if it is NULL, prints a message that SIZE
 * bytes, about as many as were asked for, are missing, and ends the program with status
 * 134.
 */
void *weft_or_end(void *memory, size_t size);
/*
 * Returns a stream that writes into memory and cannot seek (ftell() works), for
 * weft_text_end(), not fclose(), to close.  *TEXT and *SIZE are set only then, and must
 * stay valid until then.  Never NULL: the program ends when memory runs out.
 */
FILE *weft_text_begin(char **text, size_t *size);
/*
 * Closes a stream of weft_text_begin(), and sets its *TEXT to what was written, terminated
 * by a NUL, which the caller frees, and its *SIZE to the number of bytes before that NUL.
 */
void weft_text_end(FILE *stream);
/*
 * Returns a copy of the first LENGTH bytes of TEXT, which must have so many (a NUL does not
 * end it), with a NUL; the caller frees it.  Never NULL: without memory the program ends.
 */
char *weft_strndup(const char *text, size_t length);
/*
 * Returns the text that printf() would write, which the caller frees.  Never NULL: without
 * memory the program ends.
 */
char *weft_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Grows ARRAY (*CAPACITY elements of SIZE bytes, malloc'ed; NULL if *CAPACITY is 0) to
 * hold at least NEED elements, and sets *CAPACITY; returns the array, which may have
 * moved; never NULL if NEED is above 0.  No effect if it is large enough.  It grows by half
 * at least; new elements are uninitialised.  The caller frees it by free().
 */
void *weft_grow(void *array, size_t *capacity, size_t need, size_t size);

/*
 * Asks the system to back allocated memory of SIZE bytes with huge pages, if it has them:
 * faulting in 4 KiB pages costs more than writing them, and freeing a gigabyte of them at
 * exit takes 100 ms.  No effect below 16 MiB.
 */
void weft_large_pages(void *memory, size_t size);

/*
 * Memory that is handed out in pieces and freed all at once by weft_arena_free() or
 * weft_arena_reset().  A zeroed arena is empty.  One thread at a time.
 */
struct weft_arena {
    struct weft_arena_block *blocks; /* private: a list of malloc'ed blocks */
    size_t used; /* bytes handed out since the last reset, for limits and reports */
    /* limit on `used`, which a picture observes (view/scene.h), the arena itself does not;
       0: no limit */
    size_t most;
};

/*
 * weft_arena_alloc(), weft_arena_zalloc() (COUNT * SIZE zero bytes): return memory, aligned
 * to 16 bytes; weft_arena_strdup(), weft_arena_printf(): return a copy of a text, or what
 * printf() would write.  It lives until the arena is reset or freed.  They never return
 * NULL: without memory the program ends.
 */
void *weft_arena_alloc(struct weft_arena *arena, size_t size);
void *weft_arena_zalloc(struct weft_arena *arena, size_t count, size_t size);
char *weft_arena_strdup(struct weft_arena *arena, const char *text);
char *weft_arena_printf(struct weft_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Frees all that the arena handed out, but keeps its largest block of memory for reuse. */
void weft_arena_reset(struct weft_arena *arena);
/* Frees all memory of the arena, which is empty then and may be used again. */
void weft_arena_free(struct weft_arena *arena);

#endif
