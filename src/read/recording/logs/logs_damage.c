/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds missing parts of a log.  Nothing in it has a checksum; but its parts refer to each
 * other, and a recorder makes a part before any reference to it.  So the state after a kill
 * is consistent, and any inconsistency means that the file was cut, cleared or overwritten.
 */
#include "base/search.h"
#include "read/recording/logs/logs_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    /* Bytes reserved at first: a process's header, its first table, its first buffer. */
    FIRST_ROOM = 2 * WEFT_PIECE_ALIGN + WEFT_BUFFER_PIECE,
    /* Bytes that a thread may reserve at once: a buffer, or as many as the pool adds. */
    ROOM = WEFT_BUFFER_PIECE,
    ROOM_OF_MANY = 64 * WEFT_BUFFER_PIECE,
    /* The least reserve for later: buffers beside the one of a process's first thread. */
    KEPT_MIN = 4 * WEFT_BUFFER_PIECE,
};

struct look {
    const struct loading *loading;
    const char *damage; /* the first damage found; NULL: none */
    uint64_t unused;    /* bytes that belong to no piece */
    uint64_t together;  /* of these, the bytes just before this place */
    bool kept; /* some of them are a reserve for threads, or for a sandboxed process */
};

static bool is_clear(const unsigned char *bytes, uint64_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

bool log_is_new(const unsigned char *bytes, uint64_t size)
{
    struct weft_log_head head = { 0 };

    if (size > WEFT_PIECE_ALIGN)
        return false;
    memcpy(&head, bytes, size < sizeof head ? size : sizeof head);
    return head.magic == 0 && (head.end == 0 || head.end == WEFT_PIECE_ALIGN)
           && head.lost == 0
           && (size < sizeof head || is_clear(bytes + sizeof head, size - sizeof head));
}

static uint64_t end_of(const struct loading *loading)
{
    return ((const struct weft_log_head *)loading->bytes)->end;
}

static size_t n_images(const struct loading *loading)
{
    return loading->recording->n_images - loading->first_image;
}

static size_t n_streams(const struct loading *loading)
{
    return loading->recording->n_streams - loading->first_stream;
}

bool log_has_nothing(const struct loading *loading)
{
    return n_images(loading) == 0 && n_streams(loading) == 0 && loading->n_buffers == 0
           && loading->n_runs == 0 && loading->n_parts == 0
           && end_of(loading) <= WEFT_PIECE_ALIGN + FIRST_ROOM
           && loading->size <= WEFT_PIECE_ALIGN + FIRST_ROOM;
}

static void find(struct look *look, bool damaged, const char *damage)
{
    if (damaged && !look->damage)
        look->damage = damage;
}

/* Returns true if the process whose piece begins at OFFSET has a header. */
static bool has_process(const struct loading *loading, uint64_t offset)
{
    const struct image *images = loading->recording->images;
    size_t n = loading->recording->n_images;
    size_t at = WEFT_FIRST(i, loading->first_image, n, images[i].offset >= offset);

    return at < n && images[at].offset == offset;
}

/* Returns the first thread of the buffer at OFFSET, or NULL; threads are sorted by it. */
static const struct weft_thread_header *first_thread(const struct loading *loading,
                                                     uint64_t offset)
{
    const struct stream *streams = loading->recording->streams;
    size_t n = loading->recording->n_streams;
    size_t at =
        WEFT_FIRST(i, loading->first_stream, n, streams[i].header->buffer >= offset);

    return at < n && streams[at].header->buffer == offset ? streams[at].header : NULL;
}

/* A buffer is made before the thread that uses it; until then it is empty. */
static void look_at_buffer(struct look *look, const struct weft_piece *piece,
                           uint64_t offset)
{
    const struct weft_thread_header *thread = first_thread(look->loading, offset);
    bool used = piece->drained != 0 || piece->base != 0 || piece->bytes != 0
                || !is_clear((const unsigned char *)(piece + 2), WEFT_LOG_BUFFER);

    find(look, thread ? thread->begin != 0 : used,
         "it holds records of a thread whose header is not there");
}

/* A thread marks its header as ended before the table counts it. */
static void look_at_table(struct look *look, const struct weft_piece *piece)
{
    const struct weft_thread_header *headers =
        (const struct weft_thread_header *)(piece + 1);
    uint64_t n = piece->bytes / sizeof *headers, ended = 0;

    for (uint64_t i = 0; i < n && i < piece->taken; i++)
        ended += headers[i].magic == WEFT_THREAD_MAGIC && headers[i].ended;
    find(look, piece->ended > ended, "headers of threads are not there");
}

static void look_at_piece(struct look *look, const struct weft_piece *piece,
                          uint64_t offset)
{
    const char *orphan = "it holds parts of a process whose header is not there";

    switch (piece->kind) {
    case WEFT_PIECE_PROCESS:
        find(look, !has_process(look->loading, offset), "the header of a process is cut");
        break;
    case WEFT_PIECE_THREADS:
        /* Made before the process's header is valid, and empty until then. */
        find(look, piece->taken > 0 && !has_process(look->loading, piece->of), orphan);
        look_at_table(look, piece);
        break;
    case WEFT_PIECE_BUFFER:
        find(look, !has_process(look->loading, piece->of), orphan);
        look_at_buffer(look, piece, offset);
        break;
    case WEFT_PIECE_MAPS: find(look, !has_process(look->loading, piece->of), orphan); break;
    case WEFT_PIECE_STREAM:
        find(look, !log_find_buffer(look->loading, piece->of),
             "it holds records of a buffer that is not there");
        break;
    default: find(look, true, "it holds a piece of a kind that is not known"); break;
    }
}

/* A stream is written at once, from its head on: a kill may leave its beginning. */
static bool is_begun_stream(const struct weft_piece *piece)
{
    return piece->kind == WEFT_PIECE_STREAM && piece->size % WEFT_PIECE_ALIGN == 0
           && piece->size >= sizeof *piece && piece->bytes <= piece->size - sizeof *piece;
}

/*
 * Examine SIZE bytes that belong to no piece; returns false if nothing follows them.  A
 * piece is filled before its first word is stored; a reserve has only a number in its first
 * page.
 */
static bool look_at_unused(struct look *look, const struct weft_piece *piece, uint64_t size)
{
    const unsigned char *bytes = (const unsigned char *)piece;

    look->unused += WEFT_PIECE_ALIGN;
    look->together += WEFT_PIECE_ALIGN;
    look->kept |= look->together >= KEPT_MIN;
    if (piece->magic == WEFT_PIECE_MAGIC && is_begun_stream(piece))
        return false;
    find(look, piece->magic == WEFT_PIECE_MAGIC, "a part of it is cut or damaged");
    if (piece->magic != 0) {
        look->kept = true;
        find(look, !is_clear(bytes + sizeof piece->magic, size - sizeof piece->magic),
             "it holds bytes that are no part of a recording");
    }
    return true;
}

static void look_at_all(struct look *look)
{
    const struct loading *loading = look->loading;
    uint64_t offset = WEFT_PIECE_ALIGN;

    while (loading->size > offset && loading->size - offset >= sizeof(struct weft_piece)) {
        const struct weft_piece *piece =
            (const struct weft_piece *)(loading->bytes + offset);
        uint64_t rest = loading->size - offset;
        if (!log_piece_is_whole(loading, piece, offset)) {
            if (!look_at_unused(look, piece,
                                rest < WEFT_PIECE_ALIGN ? rest : WEFT_PIECE_ALIGN))
                return;
            offset += WEFT_PIECE_ALIGN;
            continue;
        }
        look->together = 0;
        look_at_piece(look, piece, offset);
        if (piece->size > rest)
            return;
        offset += piece->size;
    }
}

/*
 * Copies of the maps are contiguous.  The first copy of a forked child continues that of
 * its parent, which is in another log.
 */
static void look_at_maps(struct look *look)
{
    const struct loading *loading = look->loading;
    uint64_t end = 0;

    for (size_t i = 0; i < loading->n_parts; i++) {
        const struct part *part = &loading->parts[i];
        if (i == 0 || loading->parts[i - 1].process != part->process)
            end = part->base;
        find(look, part->base > end, "a part of a process's memory map is not there");
        if (part->base + part->bytes > end)
            end = part->base + part->bytes;
    }
}

/*
 * Returns the room that threads may have reserved, but not filled, when they were killed:
 * one reservation each.  A thread that has ended, or that ended the program, leaves none.
 */
static uint64_t room_of_threads(const struct loading *loading)
{
    const struct recording *recording = loading->recording;
    uint64_t single = 0, many = 0, over = 0;

    for (size_t i = loading->first_image; i < recording->n_images; i++) {
        const struct weft_process_header *header = &recording->images[i].header;
        if (header->threads > 1) {
            many += header->threads;
            over += header->exited != 0;
        } else {
            single += !header->exited;
        }
    }
    for (size_t i = loading->first_stream; i < recording->n_streams; i++)
        over += recording->streams[i].header->ended != 0;
    return single * ROOM + (many > over ? (many - over) * ROOM_OF_MANY : 0);
}

/* Returns true if recording ended early (disk full), which is reported elsewhere. */
static bool is_full(const struct loading *loading)
{
    const struct recording *recording = loading->recording;
    bool full = false;

    for (size_t i = loading->first_image; i < recording->n_images; i++)
        full |= recording->images[i].header.full != 0;
    return full;
}

/* Returns the most bytes that lost records would have taken. */
static uint64_t room_of_lost(const struct loading *loading)
{
    const struct recording *recording = loading->recording;
    uint64_t lost = ((const struct weft_log_head *)loading->bytes)->lost;

    for (size_t i = loading->first_image; i < recording->n_images; i++)
        lost += recording->images[i].header.lost;
    for (size_t i = loading->first_stream; i < recording->n_streams; i++)
        lost += recording->streams[i].header->lost;
    return lost == 0 ? 0 : ROOM + lost * (1 + WEFT_RECORD_WORDS_MAX) * sizeof(uint64_t);
}

/* Returns the bytes that are missing beyond those that a kill may leave. */
static uint64_t missing(const struct look *look)
{
    const struct loading *loading = look->loading;
    const uint64_t align = WEFT_PIECE_ALIGN;
    uint64_t filled = (loading->size + align - 1) / align * align, gone, room;
    bool kept = look->kept;

    if (is_full(loading))
        return 0;
    gone = end_of(loading) > filled ? end_of(loading) - filled : 0;
    /* A process of several threads has unused buffers. */
    for (size_t i = loading->first_image; i < loading->recording->n_images; i++)
        kept |= loading->recording->images[i].header.threads > 1;
    if (!kept)
        gone += look->unused;
    room = room_of_threads(loading) + room_of_lost(loading);
    return gone > room ? gone : 0;
}

bool log_find_damage(const struct loading *loading, char *text, size_t size)
{
    struct look look = { .loading = loading };
    uint64_t gone;

    look_at_all(&look);
    look_at_maps(&look);
    gone = missing(&look);
    if (gone > 0)
        snprintf(text, size, "%" PRIu64 " bytes that it had are cut off or cleared%s%s",
                 gone, look.damage ? "; " : "", look.damage ? look.damage : "");
    else if (look.damage)
        snprintf(text, size, "%s", look.damage);
    return look.damage || gone > 0;
}
