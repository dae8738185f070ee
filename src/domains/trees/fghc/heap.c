/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap: one range of reserved addresses, cut into chunks.  A PE allocates terms in a
 * chunk of its own.  Freed chunks are used before fresh ones, so physical memory does not
 * exceed the most chunks that were in use at one time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "domains/trees/fghc/machine_priv.h"

bool heap_open(struct heap *heap, uint64_t bytes, unsigned pes, struct weft_err *err)
{
    /* Chunks beyond the limit, which PEs may take before they reach a safe point. */
    size_t least = 6 * (size_t)pes + 32;
    heap->most = bytes / CHUNK > least ? bytes / CHUNK : least;
    heap->n_chunks = heap->most + least;
    heap->mapped = heap->n_chunks * CHUNK;
    heap->base = mmap(NULL, heap->mapped, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (heap->base == MAP_FAILED) {
        heap->base = NULL;
        return weft_fail_errno(err, WEFT_ERR_LIMIT, "cannot reserve %llu MB for terms",
                               (unsigned long long)(bytes >> 20));
    }
    /* Huge pages save page faults; a kernel without them refuses, which is harmless. */
    (void)madvise(heap->base, heap->mapped, MADV_HUGEPAGE);
    heap->spaces = weft_zalloc(heap->n_chunks, sizeof *heap->spaces);
    heap->free = weft_alloc(heap->n_chunks * sizeof *heap->free);
    heap->space = 1;
    pthread_mutex_init(&heap->lock, NULL);
    return true;
}

void heap_close(struct heap *heap)
{
    if (heap->base) {
        munmap(heap->base, heap->mapped);
        pthread_mutex_destroy(&heap->lock);
    }
    for (size_t i = 0; i < heap->n_beyond; i++)
        free(heap->beyond[i]);
    free(heap->beyond);
    free(heap->spaces);
    free(heap->free);
}

char *heap_chunk(struct machine *machine)
{
    struct heap *heap = &machine->heap;
    char *chunk = NULL;
    pthread_mutex_lock(&heap->lock);
    if (heap->n_free || heap->n_fresh < heap->n_chunks) {
        size_t index = heap->n_free ? heap->free[--heap->n_free] : heap->n_fresh++;
        heap->spaces[index] = heap->space;
        chunk = heap->base + index * CHUNK;
        heap->used++;
    }
    bool much = heap->used >= heap->trigger;
    pthread_mutex_unlock(&heap->lock);
    if (much)
        call_for(machine, ATTENTION_COLLECT);
    return chunk;
}

char *heap_beyond(struct heap *heap)
{
    char *chunk = weft_alloc(CHUNK);
    pthread_mutex_lock(&heap->lock);
    heap->beyond = weft_grow(heap->beyond, &heap->beyond_capacity, heap->n_beyond + 1,
                             sizeof *heap->beyond);
    heap->beyond[heap->n_beyond++] = chunk;
    pthread_mutex_unlock(&heap->lock);
    return chunk;
}

term *heap_alloc_chunk(struct pe *pe, size_t words)
{
    WEFT_REQUIRE(words * sizeof(term) <= CHUNK, "a term of %zu words", words);
    pe->free = heap_chunk(pe->machine);
    if (!pe->free) { /* the run ends, but this reduction still needs its memory */
        stop_with(pe->machine, WEFT_ERR_LIMIT, 0,
                  "the run needs more memory than it may have");
        pe->free = heap_beyond(&pe->machine->heap);
    }
    pe->limit = pe->free + CHUNK;
    return heap_alloc(pe, words);
}

term heap_string(struct pe *pe, const char *bytes, size_t length)
{
    size_t words = term_string_words(length);
    term *at = heap_alloc(pe, words);
    at[words - 1] = 0; /* also the NUL behind the bytes */
    at[0] = term_small((int64_t)length);
    memcpy(at + 1, bytes, length);
    return term_of(at, TERM_STRING);
}

term heap_integer(struct pe *pe, int64_t value)
{
    if (pe->machine->options.int32)
        value = (int32_t)(uint32_t)(uint64_t)value;
    if (term_fits(value))
        return term_small(value);
    term *box = heap_alloc(pe, BOX_WORDS);
    box[0] = (term)value;
    box[1] = term_small(0);
    return term_of(box, TERM_BOX);
}
