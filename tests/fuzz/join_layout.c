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

static const struct join_place process_fields[] = {
    FIELD(weft_process_header, pid),
    FIELD(weft_process_header, image),
    FIELD(weft_process_header, parent_pid),
    FIELD(weft_process_header, forked_pid),
    FIELD(weft_process_header, forked_image),
    FIELD(weft_process_header, names_inherited),
    FIELD(weft_process_header, forked_thread),
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
    FIELD(weft_process_header, threads),
    FIELD(weft_process_header, command_bytes),
    FIELD(weft_process_header, command),
    FIELD(weft_process_header, program),
};

static const struct join_place thread_fields[] = {
    FIELD(weft_thread_header, ordinal), FIELD(weft_thread_header, tid),
    FIELD(weft_thread_header, handle),  FIELD(weft_thread_header, first_ticks),
    FIELD(weft_thread_header, buffer),  FIELD(weft_thread_header, begin),
    FIELD(weft_thread_header, lost),    FIELD(weft_thread_header, ended),
};

static const struct join_place piece_fields[] = {
    FIELD(weft_piece, kind),    FIELD(weft_piece, taken), FIELD(weft_piece, size),
    FIELD(weft_piece, bytes),   FIELD(weft_piece, of),    FIELD(weft_piece, base),
    FIELD(weft_piece, drained), FIELD(weft_piece, ended),
};

static const struct join_place log_fields[] = {
    FIELD(weft_log_head, end),
    FIELD(weft_log_head, lost),
};

#define FIELDS(of) of, sizeof of / sizeof *of

static const char *short_name(const struct join_file *file)
{
    const char *slash = strrchr(file->name, '/');

    return slash ? slash + 1 : file->name;
}

enum join_file_kind join_layout_kind(const struct join_file *file)
{
    return short_name(file)[0] == 'l' ? LOG : FACTS;
}

/* The piece at *OFFSET or behind it, which *OFFSET then is; NULL: there is none. */
static struct weft_piece *next_piece(const struct join_file *file, size_t *offset)
{
    for (; *offset + sizeof(struct weft_piece) <= file->size; *offset += WEFT_PIECE_ALIGN) {
        struct weft_piece *piece = (struct weft_piece *)(file->bytes + *offset);
        if (piece->magic == WEFT_PIECE_MAGIC)
            return piece;
    }
    return NULL;
}

/* Of the log, of its pieces, and of the processes and threads in these, as many as there is room. */
size_t join_layout_headers(const struct join_file *file,
                           struct join_header headers[JOIN_HEADERS_MOST])
{
    const struct weft_piece *piece;
    size_t n = 0;

    if (file->size < sizeof(struct weft_log_head))
        return 0;
    headers[n++] = (struct join_header){ 0, FIELDS(log_fields) };
    for (size_t offset = WEFT_PIECE_ALIGN; (piece = next_piece(file, &offset)) != NULL;
         offset += WEFT_PIECE_ALIGN) {
        size_t inside = offset + sizeof *piece;
        if (n == JOIN_HEADERS_MOST)
            break;
        headers[n++] = (struct join_header){ offset, FIELDS(piece_fields) };
        if (piece->kind == WEFT_PIECE_PROCESS && n < JOIN_HEADERS_MOST)
            headers[n++] = (struct join_header){ inside, FIELDS(process_fields) };
        for (uint32_t i = 0;
             piece->kind == WEFT_PIECE_THREADS && i < piece->taken && n < JOIN_HEADERS_MOST;
             i++)
            headers[n++] =
                (struct join_header){ inside + i * sizeof(struct weft_thread_header),
                                      FIELDS(thread_fields) };
    }
    return n;
}

static size_t add_words(struct join_file *file, size_t begin, size_t size,
                        struct join_words *words)
{
    if (begin >= file->size)
        return 0;
    size = size < file->size - begin ? size : file->size - begin;
    *words = (struct join_words){ (uint64_t *)(file->bytes + begin),
                                  size / sizeof(uint64_t), 0 };
    for (size_t i = 0; i < words->n; i += 1 + weft_record_words(words->at[i]))
        if (words->at[i] != 0)
            words->used = i + 1;
    return words->n > 0;
}

/* What is in buffers, and what was drained. */
size_t join_layout_words(struct join_file *file, struct join_words words[JOIN_WORDS_MOST])
{
    const struct weft_piece *piece;
    size_t n = 0;

    if (join_layout_kind(file) != LOG)
        return 0;
    for (size_t offset = WEFT_PIECE_ALIGN;
         n < JOIN_WORDS_MOST && (piece = next_piece(file, &offset)) != NULL;
         offset += WEFT_PIECE_ALIGN) {
        if (piece->kind == WEFT_PIECE_BUFFER)
            n += add_words(file, offset + 2 * sizeof *piece, WEFT_LOG_BUFFER, &words[n]);
        else if (piece->kind == WEFT_PIECE_STREAM)
            n += add_words(file, offset + sizeof *piece, (size_t)piece->bytes, &words[n]);
    }
    return n;
}

size_t join_layout_text(const struct join_file *file, size_t *begin)
{
    const struct weft_piece *piece;

    *begin = strlen(WEFT_RECORDING_MAGIC);
    if (join_layout_kind(file) == FACTS)
        return file->size > *begin ? file->size - *begin : 0;
    for (size_t offset = WEFT_PIECE_ALIGN; (piece = next_piece(file, &offset)) != NULL;
         offset += WEFT_PIECE_ALIGN)
        if (piece->kind == WEFT_PIECE_MAPS) {
            *begin = offset + sizeof *piece;
            if (*begin >= file->size)
                return 0;
            return piece->bytes < file->size - *begin ? (size_t)piece->bytes
                                                      : file->size - *begin;
        }
    return 0;
}
