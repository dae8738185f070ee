/* SPDX-License-Identifier: Apache-2.0 */
#include "join_layout.h"

#include <string.h>

#define FIELD(of, name)                                                                    \
 {                                                                                         \
  offsetof(struct of, name), sizeof(((struct of *)0)->name)                                \
 }
#define SAMPLE(name)                                                                       \
 FIELD(weft_process_header, name.ticks), FIELD(weft_process_header, name.monotonic_ns),    \
     FIELD(weft_process_header, name.realtime_ns),                                         \
     FIELD(weft_process_header, name.error_ticks)

static const struct join_place head_fields[] = {
    FIELD(weft_log_head, magic),
    FIELD(weft_log_head, end),
    FIELD(weft_log_head, lost),
};

static const struct join_place piece_fields[] = {
    FIELD(weft_piece, magic), FIELD(weft_piece, kind),    FIELD(weft_piece, taken),
    FIELD(weft_piece, size),  FIELD(weft_piece, bytes),   FIELD(weft_piece, of),
    FIELD(weft_piece, base),  FIELD(weft_piece, drained), FIELD(weft_piece, ended),
};

static const struct join_place process_fields[] = {
    FIELD(weft_process_header, image),
    FIELD(weft_process_header, pid),
    FIELD(weft_process_header, parent_pid),
    FIELD(weft_process_header, forked_image),
    FIELD(weft_process_header, forked_pid),
    FIELD(weft_process_header, forked_thread),
    FIELD(weft_process_header, names_inherited),
    FIELD(weft_process_header, clock),
    FIELD(weft_process_header, host),
    FIELD(weft_process_header, boot),
    FIELD(weft_process_header, pid_namespace),
    FIELD(weft_process_header, families),
    FIELD(weft_process_header, exited),
    FIELD(weft_process_header, full),
    FIELD(weft_process_header, n_samples),
    SAMPLE(first),
    SAMPLE(last),
    SAMPLE(samples[0]),
    SAMPLE(samples[1]),
    FIELD(weft_process_header, lost),
    FIELD(weft_process_header, spent),
    FIELD(weft_process_header, event_cost),
    FIELD(weft_process_header, threads),
    FIELD(weft_process_header, command_bytes),
    FIELD(weft_process_header, command),
    FIELD(weft_process_header, program),
};

static const struct join_place thread_fields[] = {
    FIELD(weft_thread_header, magic),       FIELD(weft_thread_header, ordinal),
    FIELD(weft_thread_header, tid),         FIELD(weft_thread_header, handle),
    FIELD(weft_thread_header, first_ticks), FIELD(weft_thread_header, buffer),
    FIELD(weft_thread_header, begin),       FIELD(weft_thread_header, lost),
    FIELD(weft_thread_header, ended),
};

enum join_file_kind join_layout_kind(const struct join_file *file)
{
    const char *slash = strrchr(file->name, '/');

    return slash && slash[1] == 'l' ? LOG : FACTS;
}

struct headers {
    struct join_header *to;
    size_t n;
};

static void add_header(struct headers *headers, size_t at, const struct join_place *fields,
                       size_t n_fields)
{
    if (headers->n < JOIN_HEADERS_MAX)
        headers->to[headers->n++] = (struct join_header){ at, fields, n_fields };
}

/* The next piece from *AT on, whose place *AT becomes; NULL: there is none. */
static struct weft_piece *next_piece(struct join_file *file, size_t *at)
{
    for (; *at + sizeof(struct weft_piece) <= file->size; *at += WEFT_PIECE_ALIGN) {
        struct weft_piece *piece = (struct weft_piece *)(file->bytes + *at);
        if (piece->magic == WEFT_PIECE_MAGIC)
            return piece;
    }
    return NULL;
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

size_t join_layout_headers(struct join_file *file, struct join_header to[JOIN_HEADERS_MAX])
{
    struct headers headers = { to, 0 };
    const struct weft_piece *piece;

    add_header(&headers, 0, head_fields, COUNT(head_fields));
    for (size_t at = WEFT_PIECE_ALIGN; (piece = next_piece(file, &at));
         at += WEFT_PIECE_ALIGN) {
        size_t inner = at + sizeof *piece;
        add_header(&headers, at, piece_fields, COUNT(piece_fields));
        if (piece->kind == WEFT_PIECE_PROCESS)
            add_header(&headers, inner, process_fields, COUNT(process_fields));
        for (uint32_t i = 0; piece->kind == WEFT_PIECE_THREADS && i < piece->taken && i < 8;
             i++)
            add_header(&headers, inner + i * sizeof(struct weft_thread_header),
                       thread_fields, COUNT(thread_fields));
    }
    return headers.n;
}

static size_t add_words(struct join_file *file, size_t begin, size_t end,
                        struct join_words *words)
{
    if (begin >= end || end > file->size)
        return 0;
    *words = (struct join_words){ (uint64_t *)(file->bytes + begin),
                                  (end - begin) / sizeof(uint64_t), 0 };
    for (size_t i = 0; i < words->n; i += 1 + weft_record_words(words->at[i]))
        if (words->at[i] != 0)
            words->used = i + 1;
    return words->n > 0;
}

/* Buffers, and what was in them when they were full. */
size_t join_layout_words(struct join_file *file, struct join_words words[JOIN_WORDS_MAX])
{
    const struct weft_piece *piece;
    size_t n = 0;

    for (size_t at = WEFT_PIECE_ALIGN;
         n < JOIN_WORDS_MAX && (piece = next_piece(file, &at)); at += WEFT_PIECE_ALIGN) {
        size_t inner = at + sizeof *piece;
        if (piece->kind == WEFT_PIECE_BUFFER)
            n += add_words(file, inner + sizeof *piece,
                           inner + sizeof *piece + WEFT_LOG_BUFFER, &words[n]);
        else if (piece->kind == WEFT_PIECE_STREAM && piece->bytes <= file->size)
            n += add_words(file, inner, inner + piece->bytes / 8 * 8, &words[n]);
    }
    return n;
}

/* Text of a piece of maps; NULL: there is none. */
char *join_layout_maps(struct join_file *file, size_t *size)
{
    struct weft_piece *piece;

    for (size_t at = WEFT_PIECE_ALIGN; (piece = next_piece(file, &at));
         at += WEFT_PIECE_ALIGN)
        if (piece->kind == WEFT_PIECE_MAPS && piece->bytes > 0
            && piece->bytes <= file->size - at - sizeof *piece) {
            *size = piece->bytes;
            return (char *)(piece + 1);
        }
    return NULL;
}
