/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relates observed threads to recorded ones.  Processes that were only observed become
 * images and streams without records, so that the join treats them like all others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "read/recording/logs/load_recording.h"
#include "read/recording/observed/observed.h"

struct recorded_key { /* a process that was recorded from inside */
    uint64_t pid_namespace, pid;
};

/* Returns true if the image is of a process on the machine and with the ids of OBSERVED. */
static bool is_of(const struct image *image, const struct observed *observed)
{
    const struct weft_process_header *header = &image->header;

    return strcmp(header->host, observed->head->host) == 0
           && strcmp(header->boot, observed->head->boot) == 0
           && header->pid_namespace == observed->head->pid_namespace;
}

/* Returns when the last thread of the process, whose first one is FIRST, ended. */
static int64_t end_of_process(const struct observed *observed, uint32_t first)
{
    int64_t end = observed->threads[first].end;

    for (uint32_t i = first; i < observed->n_threads; i++)
        if (observed->threads[i].process == first && observed->threads[i].end > end)
            end = observed->threads[i].end;
    return end;
}

static void add_image(struct recording *recording, const struct observed *observed,
                      uint32_t first, int64_t end)
{
    const struct observed_thread *thread = &observed->threads[first];
    struct image *image;
    struct weft_process_header *header;

    recording->images = weft_grow(recording->images, &recording->images_capacity,
                                  recording->n_images + 1, sizeof *recording->images);
    image = &recording->images[recording->n_images++];
    *image = (struct image){ .log = observed->log,
                             .offset = first,
                             .folder = observed->folder,
                             .inherits = WEFT_NONE,
                             .observed = true };
    header = &image->header;
    header->image = (uint64_t)thread->begin;
    header->pid = thread->pid;
    header->parent_pid = thread->parent_pid;
    header->clock = WEFT_CLOCK_MONOTONIC_NS;
    header->pid_namespace = observed->head->pid_namespace;
    header->exited = 1;
    header->first.ticks = (uint64_t)thread->begin;
    header->last.ticks = (uint64_t)end;
    memcpy(header->host, observed->head->host, sizeof header->host);
    memcpy(header->boot, observed->head->boot, sizeof header->boot);
    memcpy(header->program, thread->name, sizeof thread->name);
}

static void add_stream(struct recording *recording, const struct observed *observed,
                       uint32_t index, uint32_t ordinal)
{
    struct observed_thread *thread = &observed->threads[index];
    struct weft_thread_header *header =
        weft_arena_zalloc(&recording->arena, 1, sizeof *header);

    header->ordinal = ordinal;
    header->tid = thread->tid;
    header->first_ticks = (uint64_t)thread->begin;
    recording->streams = weft_grow(recording->streams, &recording->streams_capacity,
                                   recording->n_streams + 1, sizeof *recording->streams);
    recording->streams[recording->n_streams++] =
        (struct stream){ .header = header,
                         .log = observed->log,
                         .process = thread->process,
                         .observed = thread,
                         .first_span = recording->n_spans };
}

/* Puts the processes that were recorded from inside into MAP. */
static void list_recorded(const struct recording *recording,
                          const struct observed *observed, struct weft_text_map *map)
{
    for (size_t i = 0; i < recording->n_images; i++) {
        const struct image *image = &recording->images[i];
        struct recorded_key key = { image->header.pid_namespace, image->header.pid };
        if (!image->observed && is_of(image, observed))
            weft_text_map_put(map, &key, sizeof key, 1);
    }
}

static void add_processes(struct recording *recording, struct observed *observed)
{
    struct weft_text_map recorded = { 0 };
    uint32_t *ordinals = weft_zalloc(observed->n_threads + 1, sizeof *ordinals);

    list_recorded(recording, observed, &recorded);
    for (uint32_t i = 0; i < observed->n_threads; i++) {
        const struct observed_thread *thread = &observed->threads[i];
        struct recorded_key key = { observed->head->pid_namespace, thread->pid };
        if (weft_text_map_get(&recorded, &key, sizeof key) != WEFT_MAP_NONE)
            continue;
        if (thread->process == i)
            add_image(recording, observed, i, end_of_process(observed, i));
        add_stream(recording, observed, i, ordinals[thread->process]++);
    }
    free(ordinals);
    weft_text_map_free(&recorded);
}

void observed_add_processes(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        add_processes(recording, &recording->observed[i]);
}

/* Returns the thread with this tid that lived at TIME; NULL if there was none. */
static struct observed_thread *thread_at(struct observed *observed,
                                         const struct clock_domain *domain, uint32_t first,
                                         int64_t time)
{
    enum { CLOCKS_DIFFER_NS = 1000000 };

    for (uint32_t i = first; i != WEFT_NONE; i = observed->threads[i].later) {
        struct observed_thread *thread = &observed->threads[i];
        if (thread->lives
            || time <= clock_domain_of_monotonic(domain, thread->end) + CLOCKS_DIFFER_NS)
            return time >= clock_domain_of_monotonic(domain, thread->begin)
                               - CLOCKS_DIFFER_NS
                       ? thread
                       : NULL;
    }
    return NULL;
}

static void relate(struct recording *recording, struct observed *observed)
{
    struct weft_id_map by_tid = { 0 };

    for (uint32_t i = 0; i < observed->n_threads; i++)
        if (weft_id_map_get(&by_tid, observed->threads[i].tid) == WEFT_MAP_NONE)
            weft_id_map_put(&by_tid, observed->threads[i].tid, i);
    for (size_t i = 0; i < recording->n_streams; i++) {
        struct stream *stream = &recording->streams[i];
        const struct image *image = &recording->images[stream->image];
        const struct clock_domain *domain = &recording->domains[image->domain];
        int64_t first = recording_ns(recording, stream->image, stream->header->first_ticks);
        if (stream->observed || !is_of(image, observed))
            continue;
        stream->observed = thread_at(observed, domain,
                                     weft_id_map_get(&by_tid, stream->header->tid), first);
    }
    weft_id_map_free(&by_tid);
}

/* Returns the image of a recorded process that THREAD began in; NULL if there is none. */
static struct image *image_of(struct recording *recording, const struct observed *observed,
                              const struct observed_thread *thread)
{
    struct image *found = NULL;

    for (uint32_t i = 0; i < recording->n_images; i++) { /* in order of begin */
        struct image *image = &recording->images[i];
        const struct clock_domain *domain = &recording->domains[image->domain];
        if (image->observed || image->header.pid != thread->pid || !is_of(image, observed))
            continue;
        if (found
            && recording_ns(recording, i, image->header.first.ticks)
                   > clock_domain_of_monotonic(domain, thread->begin))
            break;
        found = image;
    }
    return found;
}

/* Adds a stream without records for THREAD of a process that was recorded from inside. */
static void add_unrecorded(struct recording *recording, const struct observed *observed,
                           struct observed_thread *thread)
{
    struct image *image = image_of(recording, observed, thread);
    struct weft_thread_header *header;

    if (!image)
        return;
    header = weft_arena_zalloc(&recording->arena, 1, sizeof *header);
    header->ordinal = image->header.threads++;
    header->tid = thread->tid;
    header->first_ticks = image->header.first.ticks;
    recording->streams = weft_grow(recording->streams, &recording->streams_capacity,
                                   recording->n_streams + 1, sizeof *recording->streams);
    recording->streams[recording->n_streams++] =
        (struct stream){ .header = header,
                         .log = observed->log,
                         .image = (uint32_t)(image - recording->images),
                         .process = image->offset,
                         .observed = thread,
                         .outside = true,
                         .first_span = recording->n_spans };
}

/*
 * Adds streams for the threads of recorded processes that no recorder noticed, since none
 * that records threads was loaded, or since they were not made by the C library.  Threads
 * whose id is a recorded stream's are left out: the clocks may differ too much to say which
 * is which.
 */
static void add_threads(struct recording *recording, struct observed *observed)
{
    struct weft_id_map recorded = { 0 };

    for (size_t i = 0; i < recording->n_streams; i++)
        if (is_of(&recording->images[recording->streams[i].image], observed))
            weft_id_map_put(&recorded, recording->streams[i].header->tid, 1);
    for (uint32_t i = 0; i < observed->n_threads; i++)
        if (weft_id_map_get(&recorded, observed->threads[i].tid) == WEFT_MAP_NONE)
            add_unrecorded(recording, observed, &observed->threads[i]);
    weft_id_map_free(&recorded);
}

void observed_relate(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        relate(recording, &recording->observed[i]);
    for (size_t i = 0; i < recording->n_observed; i++)
        add_threads(recording, &recording->observed[i]);
    for (size_t i = 0; i < recording->n_streams; i++) {
        struct stream *stream = &recording->streams[i];
        if (stream->observed && !recording->images[stream->image].observed
            && !stream->observed->stream)
            stream->observed->stream = stream;
    }
}
