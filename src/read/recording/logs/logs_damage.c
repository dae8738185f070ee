/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds missing parts of a log.  Nothing in it has a checksum; but its parts refer to each
 * other, and a recorder makes a part before any reference to it.  So the state after a kill
 * is consistent, and any inconsistency means that the file was cut, cleared or overwritten.
 */
#include "base/binary_search.h"
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

struct damage_scan {
    const struct log_loader *loader;
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

static uint64_t end_of(const struct log_loader *loader)
{
    return ((const struct weft_log_head *)loader->bytes)->end;
}

static size_t n_images(const struct log_loader *loader)
{
    return loader->recording->n_images - loader->first_image;
}

static size_t n_streams(const struct log_loader *loader)
{
    return loader->recording->n_streams - loader->first_stream;
}

bool log_has_nothing(const struct log_loader *loader)
{
    return n_images(loader) == 0 && n_streams(loader) == 0 && loader->n_buffers == 0
           && loader->n_runs == 0 && loader->n_parts == 0
           && end_of(loader) <= WEFT_PIECE_ALIGN + FIRST_ROOM
           && loader->size <= WEFT_PIECE_ALIGN + FIRST_ROOM;
}

static void find(struct damage_scan *scan, bool damaged, const char *damage)
{
    if (damaged && !scan->damage)
        scan->damage = damage;
}

/* Returns true if the process whose piece begins at OFFSET has a header. */
static bool has_process(const struct log_loader *loader, uint64_t offset)
{
    const struct image *images = loader->recording->images;
    size_t n = loader->recording->n_images;
    size_t at = WEFT_FIRST(i, loader->first_image, n, images[i].offset >= offset);

    return at < n && images[at].offset == offset;
}

/* Returns the first thread of the buffer at OFFSET, or NULL; threads are sorted by it. */
static const struct weft_thread_header *first_thread(const struct log_loader *loader,
                                                     uint64_t offset)
{
    const struct stream *streams = loader->recording->streams;
    size_t n = loader->recording->n_streams;
    size_t at = WEFT_FIRST(i, loader->first_stream, n, streams[i].header->buffer >= offset);

    return at < n && streams[at].header->buffer == offset ? streams[at].header : NULL;
}

/* A buffer is made before the thread that uses it; until then it is empty. */
static void look_at_buffer(struct damage_scan *scan, const struct weft_piece *piece,
                           uint64_t offset)
{
    const struct weft_thread_header *thread = first_thread(scan->loader, offset);
    bool used = piece->drained != 0 || piece->base != 0 || piece->bytes != 0
                || !is_clear((const unsigned char *)(piece + 2), WEFT_LOG_BUFFER);

    find(scan, thread ? thread->begin != 0 : used,
         "it holds records of a thread whose header is not there");
}

/* A thread marks its header as ended before the table counts it. */
static void look_at_table(struct damage_scan *scan, const struct weft_piece *piece)
{
    const struct weft_thread_header *headers =
        (const struct weft_thread_header *)(piece + 1);
    uint64_t n = piece->bytes / sizeof *headers, ended = 0;

    for (uint64_t i = 0; i < n && i < piece->taken; i++)
        ended += headers[i].magic == WEFT_THREAD_MAGIC && headers[i].ended;
    find(scan, piece->ended > ended, "headers of threads are not there");
}

static void look_at_piece(struct damage_scan *scan, const struct weft_piece *piece,
                          uint64_t offset)
{
    const char *orphan = "it holds parts of a process whose header is not there";

    switch (piece->kind) {
    case WEFT_PIECE_PROCESS:
        find(scan, !has_process(scan->loader, offset), "the header of a process is cut");
        break;
    case WEFT_PIECE_THREADS:
        /* Made before the process's header is valid, and empty until then. */
        find(scan, piece->taken > 0 && !has_process(scan->loader, piece->of), orphan);
        look_at_table(scan, piece);
        break;
    case WEFT_PIECE_BUFFER:
        find(scan, !has_process(scan->loader, piece->of), orphan);
        look_at_buffer(scan, piece, offset);
        break;
    case WEFT_PIECE_MAPS: find(scan, !has_process(scan->loader, piece->of), orphan); break;
    case WEFT_PIECE_STREAM:
        find(scan, !log_find_buffer(scan->loader, piece->of),
             "it holds records of a buffer that is not there");
        break;
    default: find(scan, true, "it holds a piece of a kind that is not known"); break;
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
static bool look_at_unused(struct damage_scan *scan, const struct weft_piece *piece,
                           uint64_t size)
{
    const unsigned char *bytes = (const unsigned char *)piece;

    scan->unused += WEFT_PIECE_ALIGN;
    scan->together += WEFT_PIECE_ALIGN;
    scan->kept |= scan->together >= KEPT_MIN;
    if (piece->magic == WEFT_PIECE_MAGIC && is_begun_stream(piece))
        return false;
    find(scan, piece->magic == WEFT_PIECE_MAGIC, "a part of it is cut or damaged");
    if (piece->magic != 0) {
        scan->kept = true;
        find(scan, !is_clear(bytes + sizeof piece->magic, size - sizeof piece->magic),
             "it holds bytes that are no part of a recording");
    }
    return true;
}

static void look_at_all(struct damage_scan *scan)
{
    const struct log_loader *loader = scan->loader;
    uint64_t offset = WEFT_PIECE_ALIGN;

    while (loader->size > offset && loader->size - offset >= sizeof(struct weft_piece)) {
        const struct weft_piece *piece =
            (const struct weft_piece *)(loader->bytes + offset);
        uint64_t rest = loader->size - offset;
        if (!log_piece_is_whole(loader, piece, offset)) {
            if (!look_at_unused(scan, piece,
                                rest < WEFT_PIECE_ALIGN ? rest : WEFT_PIECE_ALIGN))
                return;
            offset += WEFT_PIECE_ALIGN;
            continue;
        }
        scan->together = 0;
        look_at_piece(scan, piece, offset);
        if (piece->size > rest)
            return;
        offset += piece->size;
    }
}

/*
 * Copies of the maps are contiguous.  The first copy of a forked child continues that of
 * its parent, which is in another log.
 */
static void look_at_maps(struct damage_scan *scan)
{
    const struct log_loader *loader = scan->loader;
    uint64_t end = 0;

    for (size_t i = 0; i < loader->n_parts; i++) {
        const struct maps_part *part = &loader->parts[i];
        if (i == 0 || loader->parts[i - 1].process != part->process)
            end = part->base;
        find(scan, part->base > end, "a part of a process's memory map is not there");
        if (part->base + part->bytes > end)
            end = part->base + part->bytes;
    }
}

/*
 * Returns the room that threads may have reserved, but not filled, when they were killed:
 * one reservation each.  A thread that has ended, or that ended the program, leaves none.
 */
static uint64_t room_of_threads(const struct log_loader *loader)
{
    const struct recording *recording = loader->recording;
    uint64_t single = 0, many = 0, over = 0;

    for (size_t i = loader->first_image; i < recording->n_images; i++) {
        const struct weft_process_header *header = &recording->images[i].header;
        if (header->threads > 1) {
            many += header->threads;
            over += header->exited != 0;
        } else {
            single += !header->exited;
        }
    }
    for (size_t i = loader->first_stream; i < recording->n_streams; i++)
        over += recording->streams[i].header->ended != 0;
    return single * ROOM + (many > over ? (many - over) * ROOM_OF_MANY : 0);
}

/* Returns true if recording ended early (disk full), which is reported elsewhere. */
static bool is_full(const struct log_loader *loader)
{
    const struct recording *recording = loader->recording;
    bool full = false;

    for (size_t i = loader->first_image; i < recording->n_images; i++)
        full |= recording->images[i].header.full != 0;
    return full;
}

/* Returns the most bytes that lost records would have taken. */
static uint64_t room_of_lost(const struct log_loader *loader)
{
    const struct recording *recording = loader->recording;
    uint64_t lost = ((const struct weft_log_head *)loader->bytes)->lost;

    for (size_t i = loader->first_image; i < recording->n_images; i++)
        lost += recording->images[i].header.lost;
    for (size_t i = loader->first_stream; i < recording->n_streams; i++)
        lost += recording->streams[i].header->lost;
    return lost == 0 ? 0 : ROOM + lost * (1 + WEFT_RECORD_WORDS_MAX) * sizeof(uint64_t);
}

/* Returns the bytes that are missing beyond those that a kill may leave. */
static uint64_t missing(const struct damage_scan *scan)
{
    const struct log_loader *loader = scan->loader;
    const uint64_t align = WEFT_PIECE_ALIGN;
    uint64_t filled = (loader->size + align - 1) / align * align, gone, room;
    bool kept = scan->kept;

    if (is_full(loader))
        return 0;
    gone = end_of(loader) > filled ? end_of(loader) - filled : 0;
    /* A process of several threads has unused buffers. */
    for (size_t i = loader->first_image; i < loader->recording->n_images; i++)
        kept |= loader->recording->images[i].header.threads > 1;
    if (!kept)
        gone += scan->unused;
    room = room_of_threads(loader) + room_of_lost(loader);
    return gone > room ? gone : 0;
}

bool log_find_damage(const struct log_loader *loader, char *text, size_t size)
{
    struct damage_scan scan = { .loader = loader };
    uint64_t gone;

    look_at_all(&scan);
    look_at_maps(&scan);
    gone = missing(&scan);
    if (gone > 0)
        snprintf(text, size, "%" PRIu64 " bytes that it had are cut off or cleared%s%s",
                 gone, scan.damage ? "; " : "", scan.damage ? scan.damage : "");
    else if (scan.damage)
        snprintf(text, size, "%s", scan.damage);
    return scan.damage || gone > 0;
}
