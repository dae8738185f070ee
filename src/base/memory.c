/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "base/memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"

enum {
    ARENA_BLOCK = 64 * 1024, /* bytes: hundreds of texts and marks for one call of malloc */
    ARENA_ALIGN = 16,        /* bytes: enough for every type of C, like malloc's */
};

struct weft_arena_block {
    struct weft_arena_block *next;
    size_t size; /* of data[] */
    size_t used;
    _Alignas(ARENA_ALIGN) unsigned char data[];
};

/*
 * Ends the program if MEMORY is NULL.  Without a core dump, since it is nobody's mistake,
 * but with the status of an abort.
 */
static void *or_end(void *memory, size_t count, size_t size)
{
    enum { STATUS = 134 /* doc/command-line.md */ };
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    if (memory)
        return memory;
    while (atomic_flag_test_and_set(&ending))
        pause(); /* another thread ends the process: print one message only */
    fprintf(stderr, "weft: out of memory (%zu x %zu bytes)\n", count, size);
    _exit(STATUS);
}

void *weft_or_end(void *memory, size_t size)
{
    return or_end(memory, 1, size);
}

void *weft_alloc(size_t size)
{
    return or_end(malloc(size ? size : 1), 1, size);
}

void *weft_zalloc(size_t count, size_t size)
{
    return or_end(calloc(count ? count : 1, size ? size : 1), count, size);
}

void *weft_realloc(void *memory, size_t size)
{
    return or_end(realloc(memory, size ? size : 1), 1, size);
}

/*
 * A text that is being written.  A stream of open_memstream() could not report a lack of
 * memory.
 */
struct text_stream {
    char *bytes;
    size_t size, capacity;
    char **to;
    size_t *to_size;
};

static ssize_t write_text(void *cookie, const char *bytes, size_t n)
{
    struct text_stream *text = cookie;
    text->bytes = weft_grow(text->bytes, &text->capacity, text->size + n + 1, 1);
    memcpy(text->bytes + text->size, bytes, n);
    text->size += n;
    return (ssize_t)n;
}

/* Supports only ftell. */
static int seek_text(void *cookie, off64_t *offset, int whence)
{
    const struct text_stream *text = cookie;
    if (whence != SEEK_CUR || *offset != 0)
        return -1;
    *offset = (off64_t)text->size;
    return 0;
}

static int close_text(void *cookie)
{
    struct text_stream *text = cookie;
    text->bytes = weft_grow(text->bytes, &text->capacity, text->size + 1, 1);
    text->bytes[text->size] = '\0';
    *text->to = text->bytes;
    *text->to_size = text->size;
    free(text);
    return 0;
}

FILE *weft_text_begin(char **to, size_t *size)
{
    static const cookie_io_functions_t functions = { .write = write_text,
                                                     .seek = seek_text,
                                                     .close = close_text };
    struct text_stream *text = weft_zalloc(1, sizeof *text);
    text->to = to;
    text->to_size = size;
    return or_end(fopencookie(text, "w", functions), 1, BUFSIZ);
}

void weft_text_end(FILE *stream)
{
    bool whole = !ferror(stream);
    whole &= fclose(stream) == 0;
    (void)or_end(whole ? (void *)"" : NULL, 1, BUFSIZ);
}

char *weft_strndup(const char *text, size_t length)
{
    char *copy = weft_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *weft_strdup(const char *text)
{
    return weft_strndup(text, strlen(text));
}

char *weft_asprintf(const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    WEFT_REQUIRE(length >= 0, "bad format string");
    char *text = weft_alloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    return text;
}

void *weft_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return array;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < need)
        wanted = need;
    /*
     * There may be a million such arrays, most with one element or two: begin with a cache
     * line.
     */
    size_t least = size > 8 ? 64 / size : 8;
    if (wanted < least)
        wanted = least;
    WEFT_REQUIRE(wanted <= SIZE_MAX / size, "array of %zu elements is too large", wanted);
    *capacity = wanted;
    return weft_realloc(array, wanted * size);
}

void weft_large_pages(void *memory, size_t size)
{
    enum { PAGE = 2 << 20, MIN_HUGE = 8 * PAGE };
    uintptr_t begin = ((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(uintptr_t)(PAGE - 1);
    if (size >= MIN_HUGE)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

static struct weft_arena_block *block_new(size_t size)
{
    struct weft_arena_block *block = weft_alloc(sizeof *block + size);
    weft_large_pages(block->data, size);
    block->next = NULL;
    block->size = size;
    block->used = 0;
    return block;
}

void *weft_arena_alloc(struct weft_arena *arena, size_t size)
{
    WEFT_REQUIRE(size <= SIZE_MAX / 2, "allocation of %zu bytes is too large", size);
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct weft_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        struct weft_arena_block *fresh = block_new(size > ARENA_BLOCK ? size : ARENA_BLOCK);
        fresh->next = block;
        arena->blocks = block = fresh;
    }
    void *memory = block->data + block->used;
    block->used += size;
    arena->used += size;
    return memory;
}

void *weft_arena_zalloc(struct weft_arena *arena, size_t count, size_t size)
{
    WEFT_REQUIRE(!size || count <= SIZE_MAX / 2 / size, "allocation is too large");
    void *memory = weft_arena_alloc(arena, count * size);
    memset(memory, 0, count * size);
    return memory;
}

char *weft_arena_strdup(struct weft_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(weft_arena_alloc(arena, size), text, size);
}

char *weft_arena_printf(struct weft_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    char few[256]; /* most texts fit, and need not be printed twice */
    int length = vsnprintf(few, sizeof few, fmt, args);
    va_end(args);
    WEFT_REQUIRE(length >= 0, "bad format string");
    char *text = weft_arena_alloc(arena, (size_t)length + 1);
    if ((size_t)length < sizeof few)
        memcpy(text, few, (size_t)length + 1);
    else
        vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    return text;
}

static void free_blocks(struct weft_arena_block *block)
{
    while (block) {
        struct weft_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void weft_arena_reset(struct weft_arena *arena)
{
    /* Keep the largest block, so that drawing the next frame needs no new pages. */
    struct weft_arena_block *kept = NULL;
    while (arena->blocks) {
        struct weft_arena_block *block = arena->blocks, *drop = block;
        arena->blocks = block->next;
        if (!kept || block->size > kept->size) {
            drop = kept;
            kept = block;
        }
        free(drop);
    }
    arena->used = 0;
    arena->blocks = kept;
    if (kept) {
        kept->next = NULL;
        kept->used = 0;
    }
}

void weft_arena_free(struct weft_arena *arena)
{
    free_blocks(arena->blocks);
    arena->blocks = NULL;
    arena->used = 0;
}
