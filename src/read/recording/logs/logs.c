/* SPDX-License-Identifier: Apache-2.0 */
/* Turns pieces into images and streams, and uses as much of a damaged file as possible. */
#include "read/recording/logs/logs.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "read/recording/logs/logs_priv.h"
#include "read/recording/logs/running_processes.h"

static int compare_runs(const void *a, const void *b)
{
    const struct buffer_run *x = a, *y = b;

    return WEFT_COMPARE(x->buffer, y->buffer) ?: WEFT_COMPARE(x->base, y->base);
}

static int compare_parts(const void *a, const void *b)
{
    const struct maps_part *x = a, *y = b;

    return WEFT_COMPARE(x->process, y->process) ?: WEFT_COMPARE(x->base, y->base);
}

/* Sort threads in the order in which they used their buffers. */
static int compare_places(const void *a, const void *b)
{
    const struct weft_thread_header *x = ((const struct stream *)a)->header;
    const struct weft_thread_header *y = ((const struct stream *)b)->header;

    return WEFT_COMPARE(x->buffer, y->buffer) ?: WEFT_COMPARE(x->begin, y->begin);
}

static void add_image(struct log_loader *loader, const struct weft_piece *piece,
                      uint64_t offset)
{
    struct recording *recording = loader->recording;
    struct image *image;

    if (piece->bytes < sizeof image->header)
        return;
    recording->images = weft_grow(recording->images, &recording->images_capacity,
                                  recording->n_images + 1, sizeof *image);
    image = &recording->images[recording->n_images++];
    *image = (struct image){ .log = loader->log,
                             .offset = offset,
                             .folder = loader->folder,
                             .inherits = WEFT_NONE };
    memcpy(&image->header, piece + 1, sizeof image->header);
    if (image->header.command_bytes > WEFT_PROCESS_TEXT - 1)
        image->header.command_bytes = WEFT_PROCESS_TEXT - 1;
    if (image->header.n_samples > WEFT_CLOCK_SAMPLES)
        image->header.n_samples = WEFT_CLOCK_SAMPLES;
    image->header.command[image->header.command_bytes] = 0;
    image->header.program[WEFT_PROGRAM_TEXT - 1] = 0;
    image->header.host[WEFT_HOST_TEXT - 1] = 0;
    image->header.boot[WEFT_BOOT_TEXT - 1] = 0;
}

static void add_threads(struct log_loader *loader, const struct weft_piece *piece)
{
    struct recording *recording = loader->recording;
    const struct weft_thread_header *headers =
        (const struct weft_thread_header *)(piece + 1);
    uint64_t n = piece->bytes / sizeof *headers;

    for (uint64_t i = 0; i < n && i < piece->taken; i++) {
        if (headers[i].magic != WEFT_THREAD_MAGIC)
            continue;
        recording->streams = weft_grow(recording->streams, &recording->streams_capacity,
                                       recording->n_streams + 1, sizeof(struct stream));
        recording->streams[recording->n_streams++] = (struct stream){
            .header = &headers[i], .log = loader->log, .process = piece->of
        };
    }
}

static void add_part(struct log_loader *loader, const struct weft_piece *piece)
{
    loader->parts = weft_grow(loader->parts, &loader->parts_capacity, loader->n_parts + 1,
                              sizeof *loader->parts);
    loader->parts[loader->n_parts++] =
        (struct maps_part){ piece->of, piece->base, (const char *)(piece + 1),
                            piece->bytes };
}

static void add_run(struct log_loader *loader, const struct weft_piece *piece)
{
    loader->runs = weft_grow(loader->runs, &loader->runs_capacity, loader->n_runs + 1,
                             sizeof *loader->runs);
    loader->runs[loader->n_runs++] =
        (struct buffer_run){ piece->of, piece->base, (const uint64_t *)(piece + 1),
                             piece->bytes };
}

static void add_buffer(struct log_loader *loader, const struct weft_piece *piece,
                       uint64_t offset)
{
    loader->buffers = weft_grow(loader->buffers, &loader->buffers_capacity,
                                loader->n_buffers + 1, sizeof *loader->buffers);
    loader->buffers[loader->n_buffers++] = (struct buffer){ offset, piece };
}

bool log_piece_is_whole(const struct log_loader *loader, const struct weft_piece *piece,
                        uint64_t offset)
{
    uint64_t rest = loader->size - offset;

    /* The last piece of a file may be short, but a buffer is mapped whole. */
    return piece->magic == WEFT_PIECE_MAGIC && piece->size >= sizeof *piece
           && piece->size % WEFT_PIECE_ALIGN == 0
           && piece->bytes <= piece->size - sizeof *piece
           && piece->bytes <= rest - sizeof *piece
           && (piece->kind != WEFT_PIECE_BUFFER
               || (piece->size >= WEFT_BUFFER_PIECE && piece->size <= rest));
}

static void walk(struct log_loader *loader)
{
    uint64_t offset = WEFT_PIECE_ALIGN;

    while (loader->size > offset && loader->size - offset >= sizeof(struct weft_piece)) {
        const struct weft_piece *piece =
            (const struct weft_piece *)(loader->bytes + offset);
        if (!log_piece_is_whole(loader, piece, offset)) {
            offset += WEFT_PIECE_ALIGN;
            continue;
        }
        switch (piece->kind) {
        case WEFT_PIECE_PROCESS: add_image(loader, piece, offset); break;
        case WEFT_PIECE_THREADS: add_threads(loader, piece); break;
        case WEFT_PIECE_MAPS: add_part(loader, piece); break;
        case WEFT_PIECE_BUFFER: add_buffer(loader, piece, offset); break;
        case WEFT_PIECE_STREAM: add_run(loader, piece); break;
        default: break;
        }
        if (piece->size > loader->size - offset)
            break;
        offset += piece->size;
    }
}

/* Join the text of each image's maps. */
static void give_maps(struct log_loader *loader)
{
    struct recording *recording = loader->recording;

    if (loader->n_parts > 1)
        qsort(loader->parts, loader->n_parts, sizeof *loader->parts, compare_parts);
    for (size_t i = loader->first_image; i < recording->n_images; i++) {
        struct maps_part key = { .process = recording->images[i].offset };
        size_t first =
            WEFT_FIRST(k, 0, loader->n_parts, compare_parts(&loader->parts[k], &key) >= 0);
        size_t size = 0, end;
        char *text;
        for (end = first;
             end < loader->n_parts && loader->parts[end].process == key.process; end++)
            size += loader->parts[end].bytes;
        text = weft_zalloc(size + 1, 1);
        size = 0;
        for (; first < end; first++) {
            memcpy(text + size, loader->parts[first].text, loader->parts[first].bytes);
            size += loader->parts[first].bytes;
        }
        maps_parse(&recording->images[i].maps, text);
    }
}

/* Add the part of RUN within BEGIN-END; returns its bytes. */
static uint64_t add_span(struct recording *recording, struct stream *stream,
                         const struct buffer_run *run, uint64_t begin, uint64_t end)
{
    uint64_t from = run->base > begin ? run->base : begin;
    uint64_t to = run->bytes < end - run->base ? run->base + run->bytes : end;

    if (run->base >= end || from >= to)
        return 0;
    recording->spans = weft_grow(recording->spans, &recording->spans_capacity,
                                 recording->n_spans + 1, sizeof *recording->spans);
    recording->spans[recording->n_spans++] =
        (struct span){ run->words + (from - run->base) / 8,
                       run->words + (to - run->base) / 8 };
    stream->n_spans++;
    return to - from;
}

/* Returns the index of the first run of a buffer at BASE or later. */
static size_t find_run(const struct log_loader *loader, uint64_t buffer, uint64_t base)
{
    struct buffer_run key = { .buffer = buffer, .base = base };

    return WEFT_FIRST(i, 0, loader->n_runs, compare_runs(&loader->runs[i], &key) >= 0);
}

const struct weft_piece *log_find_buffer(const struct log_loader *loader, uint64_t offset)
{
    size_t n = loader->n_buffers;
    size_t at = WEFT_FIRST(i, 0, n, loader->buffers[i].offset >= offset);

    return at < n && loader->buffers[at].offset == offset ? loader->buffers[at].piece
                                                          : NULL;
}

/* Returns the words still in the buffer, without most of the zeros at its end. */
static struct buffer_run rest_of(const struct weft_piece *piece)
{
    const uint64_t *words = (const uint64_t *)(piece + 2);
    const uint64_t most = WEFT_LOG_BUFFER / 8;
    uint64_t n = piece->base == piece->drained ? most : 0;

    while (n > 0 && words[n - 1] == 0)
        n--;
    if (n > 0) /* the last record may end with zeros */
        n = n + WEFT_RECORD_WORDS_MAX < most ? n + WEFT_RECORD_WORDS_MAX : most;
    return (struct buffer_run){ 0, piece->drained, words, n * 8 };
}

/*
 * Collect a thread's records: the bytes from its begin to END in its buffer's sequence.
 * Runs overlap only in damaged files; then the first one counts.
 */
static void give_spans(struct log_loader *loader, struct stream *stream, uint64_t end)
{
    const struct weft_piece *piece = log_find_buffer(loader, stream->header->buffer);
    uint64_t begin = stream->header->begin, at = begin, had = 0, wanted, lost;
    size_t first;
    struct buffer_run rest;

    stream->first_span = loader->recording->n_spans;
    if (!piece || begin % 8 != 0 || end % 8 != 0) {
        stream->cut = true;
        return;
    }
    first = find_run(loader, stream->header->buffer, begin);
    for (size_t i = first > 0 ? first - 1 : 0; i < loader->n_runs; i++) {
        const struct buffer_run *run =
            &loader->runs[i]; /* the first one may overlap the begin */
        uint64_t got;
        if (run->buffer < stream->header->buffer)
            continue;
        if (run->buffer > stream->header->buffer || run->base >= end
            || run->base >= piece->drained)
            break;
        if (run->base % 8 != 0 || run->bytes > piece->drained - run->base)
            continue;
        got = add_span(loader->recording, stream, run, at, end);
        had += got;
        if (got > 0)
            at = run->base + run->bytes;
        if (at >= end)
            break;
    }
    wanted = piece->drained < end ? piece->drained : end;
    /* Events counted as lost explain at most so many missing bytes. */
    lost = stream->header->lost < WEFT_LOG_BUFFER ? stream->header->lost : WEFT_LOG_BUFFER;
    lost *= (1 + WEFT_RECORD_WORDS_MAX) * sizeof(uint64_t);
    stream->cut = wanted > begin && had < wanted - begin && wanted - begin - had > lost;
    rest = rest_of(piece);
    if (at < end)
        (void)add_span(loader->recording, stream, &rest, at, end);
}

static void give_streams(struct log_loader *loader)
{
    struct recording *recording = loader->recording;
    size_t n = recording->n_streams - loader->first_stream;
    struct stream *streams = n > 0 ? recording->streams + loader->first_stream : NULL;

    if (n > 1)
        qsort(streams, n, sizeof *streams, compare_places);
    if (loader->n_runs > 1)
        qsort(loader->runs, loader->n_runs, sizeof *loader->runs, compare_runs);
    for (size_t i = 0; i < n; i++) {
        bool last =
            i + 1 == n || streams[i + 1].header->buffer != streams[i].header->buffer;
        give_spans(loader, &streams[i],
                   last ? UINT64_MAX - 7 : streams[i + 1].header->begin);
    }
}

/* Report missing parts of a log: otherwise it would look like a shorter one. */
static void judge(const struct log_loader *loader, struct log_file *log)
{
    char text[160], *what;

    if (log_has_nothing(loader)) {
        recording_lose(loader->recording, RECORDING_EMPTY, log->path, 0);
        return;
    }
    /* A log that is still written may look inconsistent. */
    log->goes_on = unfinished_since(loader->recording, loader->first_image);
    if (!log->goes_on && log_find_damage(loader, text, sizeof text)) {
        what = weft_asprintf("%s (%s)", log->path, text);
        recording_lose(loader->recording, RECORDING_INCOMPLETE, what, 0);
        free(what);
    }
}

void log_load(struct recording *recording, uint32_t folder, const char *path)
{
    struct log_loader loader = { .recording = recording,
                                 .folder = folder,
                                 .log = (uint32_t)recording->n_logs,
                                 .first_image = recording->n_images,
                                 .first_stream = recording->n_streams };
    struct log_file log = { .folder = folder, .path = NULL };
    const struct weft_log_head *head;

    if (!recording_map(recording, &log.file, path))
        return;
    head = (const struct weft_log_head *)log.file.data;
    if (log.file.size < WEFT_PIECE_ALIGN || head->magic != WEFT_LOG_MAGIC) {
        recording_lose(recording,
                       log_is_new((const unsigned char *)log.file.data, log.file.size)
                           ? RECORDING_EMPTY
                           : RECORDING_DAMAGED,
                       path, 0);
        weft_unmap(&log.file);
        return;
    }
    recording->logs = weft_grow(recording->logs, &recording->logs_capacity,
                                recording->n_logs + 1, sizeof log);
    log.path = weft_strdup(path);
    recording->logs[recording->n_logs++] = log;
    recording->lost += head->lost;
    loader.bytes = (const unsigned char *)log.file.data;
    loader.size = log.file.size;
    walk(&loader);
    give_maps(&loader);
    give_streams(&loader);
    judge(&loader, &recording->logs[loader.log]);
    free(loader.runs);
    free(loader.parts);
    free(loader.buffers);
}
