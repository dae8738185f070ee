/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory.  Small allocations never return NULL: a program that cannot get a few kilobytes can do
 * nothing useful either, so it says so and ends, with status 134.  A size that was read from a
 * file is checked against a limit by its reader before it comes here.
 *
 * An arena hands out memory that is freed all at once: one for each frame, request and
 * analysis.  An arena is used by one thread at a time.
 */
#ifndef WEFT_BASE_MEMORY_H
#define WEFT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void *weft_alloc(size_t size); /* uninitialised */
void *weft_zalloc(size_t count,
                  size_t size); /* zeroed; aborts when count * size overflows */
void *weft_realloc(void *memory, size_t size);
char *weft_strdup(const char *text);
/* MEMORY, SIZE bytes or so that a library was asked for; NULL ends the program in the same way. */
void *weft_or_end(void *memory, size_t size);
/*
 * Write a text into memory: *TEXT (to be freed) and *SIZE are set at the end.  As the others,
 * ends the program when there is no memory for it.
 */
FILE *weft_text_begin(char **text, size_t *size);
void weft_text_end(FILE *stream);
char *weft_strndup(const char *text, size_t length);
char *weft_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make ARRAY (of *CAPACITY elements of SIZE bytes) hold at least NEED elements; returns the
 * array, moved perhaps.  Growth is geometric, new elements are uninitialised.
 */
void *weft_grow(void *array, size_t *capacity, size_t need, size_t size);

/*
 * Have the system keep the whole pages of such memory in large ones, where it offers them: pages
 * of 4 KiB each cost more than what is written to them, and a process that ends gives back a
 * gigabyte of them in 100 ms.  Without effect on small memory.
 */
void weft_large_pages(void *memory, size_t size);

struct weft_arena {
    struct weft_arena_block *blocks;
    size_t used; /* bytes handed out since the last reset, for limits and reports */
    size_t most; /* of them, where a picture ends (view/scene.h); 0: no limit */
};

void *weft_arena_alloc(struct weft_arena *arena, size_t size); /* 16-byte aligned */
void *weft_arena_zalloc(struct weft_arena *arena, size_t count, size_t size);
char *weft_arena_strdup(struct weft_arena *arena, const char *text);
char *weft_arena_printf(struct weft_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void weft_arena_reset(struct weft_arena *arena); /* forgets all, keeps the largest block */
void weft_arena_free(
    struct weft_arena *arena); /* gives all back; a zeroed arena is empty */

#endif
