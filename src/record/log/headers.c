/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of a process image and its threads, in the log. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

#include "record/core/system.h"
#include "record/log/headers.h"

enum {
    PROCESS_PIECE = WEFT_PIECE_ALIGN,
    FIRST_TABLE = WEFT_PIECE_ALIGN, /* most processes have few threads */
};

_Static_assert(sizeof(struct weft_piece) + sizeof(struct weft_process_header)
                   <= PROCESS_PIECE,
               "a process's header fits its piece");

static void seal(struct weft_piece *piece)
{
    __atomic_store_n(&piece->magic, WEFT_PIECE_MAGIC, __ATOMIC_RELEASE);
}

static void begin_table(struct weft_piece *table, uint64_t size, uint64_t process)
{
    table->kind = WEFT_PIECE_THREADS;
    table->size = size;
    table->bytes = size - sizeof *table;
    table->of = process;
    seal(table);
}

int weft_headers_make(struct weft_headers *headers, struct weft_file *file)
{
    int error;
    struct weft_piece *piece =
        weft_file_map(file, PROCESS_PIECE + FIRST_TABLE, &headers->offset, &error);

    headers->process = NULL;
    headers->threads = NULL;
    if (!piece)
        return error;
    piece->kind = WEFT_PIECE_PROCESS;
    piece->size = PROCESS_PIECE;
    piece->bytes = sizeof(struct weft_process_header);
    headers->process = (struct weft_process_header *)(piece + 1);
    headers->threads = (struct weft_piece *)((char *)piece + PROCESS_PIECE);
    begin_table(headers->threads, FIRST_TABLE, headers->offset);
    return 0;
}

void weft_headers_seal(struct weft_headers *headers)
{
    seal((struct weft_piece *)headers->process - 1);
}

static uint32_t capacity_of(const struct weft_piece *table)
{
    return (uint32_t)(table->bytes / sizeof(struct weft_thread_header));
}

/* Add a table of threads.  If another thread was faster, this table stays unused. */
static bool add_table(struct weft_headers *headers, struct weft_file *file,
                      struct weft_piece *full, int *error)
{
    uint64_t offset;
    struct weft_piece *table = weft_file_map(file, WEFT_THREADS_PIECE, &offset, error);

    if (!table)
        return false;
    begin_table(table, WEFT_THREADS_PIECE, headers->offset);
    (void)__atomic_compare_exchange_n(&headers->threads, &full, table, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return true;
}

struct weft_thread_header *weft_headers_thread(struct weft_headers *headers,
                                               struct weft_file *file,
                                               struct weft_piece **table, int *error)
{
    for (;;) {
        struct weft_piece *at = __atomic_load_n(&headers->threads, __ATOMIC_ACQUIRE);
        uint32_t index = __atomic_fetch_add(&at->taken, 1, __ATOMIC_RELAXED);
        if (index < capacity_of(at)) {
            *table = at;
            return (struct weft_thread_header *)(at + 1) + index;
        }
        if (!add_table(headers, file, at, error))
            return NULL;
    }
}

void weft_headers_thread_ended(struct weft_piece *table)
{
    uint64_t ended = __atomic_add_fetch(&table->ended, 1, __ATOMIC_ACQ_REL);

    /* It stays mapped, for threads that still read it; the file keeps the contents. */
    if (ended == capacity_of(table))
        weft_sys_advise(table, table->size, MADV_DONTNEED);
}
