/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executable memory of observed processes.  The kernel tells each mapping of a file, so
 * programs that nothing is loaded into have names of functions, too.  A process that has
 * executed several programs has one image for each that was recorded from inside: an image
 * gets the mappings from its own execve() to the next.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/hash_map.h"
#include "read/recording/logs/load_recording.h"
#include "read/recording/observed/observed.h"

struct finder {
    struct recording *recording;
    const struct observed *observed;
    struct weft_id_map by_tid;   /* tid: index of its first thread */
    struct weft_id_map of_first; /* first thread of a process: an image of it */
};

/* Returns the first thread of the process of IMAGE; WEFT_NONE if it was not observed. */
static uint32_t first_thread(const struct finder *finder, uint32_t index)
{
    const struct image *image = &finder->recording->images[index];
    const struct observed *observed = finder->observed;
    const struct clock_domain *domain = &finder->recording->domains[image->domain];
    int64_t begin = recording_ns(finder->recording, index, image->header.first.ticks);
    uint32_t i;

    if (image->observed)
        return (uint32_t)image->offset;
    i = weft_id_map_get(&finder->by_tid, image->header.pid);
    while (i != WEFT_MAP_NONE && i != WEFT_NONE
           && clock_domain_of_monotonic(domain, observed->threads[i].end) < begin)
        i = observed->threads[i].later;
    return i == WEFT_MAP_NONE || i == WEFT_NONE ? WEFT_NONE : observed->threads[i].process;
}

/* Sets when the program of an image ran, by the execve() calls of its process. */
static void find_run(const struct finder *finder, uint32_t index, uint32_t first)
{
    const struct observed *observed = finder->observed;
    struct image *image = &finder->recording->images[index];
    const struct clock_domain *domain = &finder->recording->domains[image->domain];
    int64_t begin = recording_ns(finder->recording, index, image->header.first.ticks);
    size_t i = WEFT_FIRST(k, (size_t)0, observed->n_mappings,
                          observed->mappings[k].thread >= first);

    image->code.from = INT64_MIN;
    image->code.to = INT64_MAX;
    for (; i < observed->n_mappings && observed->mappings[i].thread == first; i++) {
        int64_t time = observed->mappings[i].time;
        if (observed->mappings[i].record)
            continue;
        /* An image that was only observed is of the last program of its process. */
        if (image->observed || clock_domain_of_monotonic(domain, time) <= begin)
            image->code.from = time;
        else if (image->code.to == INT64_MAX)
            image->code.to = time;
    }
}

static void print_mapping(FILE *out, const unsigned char *record)
{
    const unsigned char *body = record + sizeof(struct perf_event_header);
    struct perf_event_header header;
    struct observed_memory memory;
    const char *path = (const char *)body + sizeof memory;
    size_t room;

    memcpy(&header, record, sizeof header);
    memcpy(&memory, body, sizeof memory);
    room =
        header.size - sizeof header - sizeof memory - sizeof(struct weft_schedule_sample);
    if (memory.size > UINT64_MAX - memory.begin)
        return;
    fprintf(out, "%" PRIx64 "-%" PRIx64 " r-xp %" PRIx64 " 00:00 0 ", memory.begin,
            memory.begin + memory.size, memory.offset);
    if (path[0] != '/' || path[1] != '/') /* "//anon": no file */
        for (size_t i = 0; i < room && path[i]; i++)
            putc(path[i] == '\n' ? '?' : path[i], out);
    putc('\n', out);
}

/* Returns the mappings of an image as the text of /proc/PID/maps; heap, or NULL. */
static char *print_mappings(const struct finder *finder, const struct image *image,
                            uint32_t first)
{
    const struct observed *observed = finder->observed;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    size_t i = WEFT_FIRST(k, (size_t)0, observed->n_mappings,
                          observed->mappings[k].thread >= first);

    if (!out)
        return NULL;
    for (; i < observed->n_mappings && observed->mappings[i].thread == first; i++) {
        const struct observed_mapping *mapping = &observed->mappings[i];
        if (mapping->record && mapping->time >= image->code.from
            && mapping->time < image->code.to)
            print_mapping(out, mapping->record);
    }
    fclose(out);
    return text;
}

/* Returns the image that IMAGE was forked from, with its memory; WEFT_NONE: none known. */
static uint32_t parent_of(const struct finder *finder, const struct image *image,
                          uint32_t first)
{
    const struct observed_thread *thread = &finder->observed->threads[first];
    uint32_t parent, by_pid;

    if (image->code.from != INT64_MIN) /* it has executed a program of its own */
        return WEFT_NONE;
    if (!image->observed)
        return image->inherits;
    by_pid = weft_id_map_get(&finder->by_tid, thread->parent_pid);
    for (parent = by_pid; parent != WEFT_MAP_NONE && parent != WEFT_NONE;
         parent = finder->observed->threads[parent].later)
        if (finder->observed->threads[parent].end >= thread->begin)
            break;
    if (parent == WEFT_MAP_NONE || parent == WEFT_NONE || parent >= first)
        return WEFT_NONE;
    parent = weft_id_map_get(&finder->of_first, finder->observed->threads[parent].process);
    /* A parent that has executed another program since had other memory then. */
    return parent == WEFT_MAP_NONE || !finder->recording->images[parent].observed
                   || finder->recording->images[parent].code.from > thread->begin
                   || finder->recording->images[parent].code.to <= thread->begin
               ? WEFT_NONE
               : parent;
}

static bool is_of(const struct image *image, const struct observed *observed)
{
    const struct weft_process_header *header = &image->header;

    return strcmp(header->host, observed->head->host) == 0
           && strcmp(header->boot, observed->head->boot) == 0
           && header->pid_namespace == observed->head->pid_namespace
           && (!image->observed || image->log == observed->log);
}

static void give_code(struct finder *finder, uint32_t index)
{
    struct image *image = &finder->recording->images[index];
    uint32_t first = is_of(image, finder->observed) && image->code.to == 0
                         ? first_thread(finder, index)
                         : WEFT_NONE;

    if (first == WEFT_NONE)
        return;
    find_run(finder, index, first);
    maps_parse(&image->code.maps, print_mappings(finder, image, first));
    image->code.maps.before = image->maps.before;
    image->maps.before = &image->code.maps;
    image->code.own = image->code.maps;
    image->code.own.before = NULL;
    weft_id_map_put(&finder->of_first, first, index);
}

/* A forked child has its parent's memory until it executes a program. */
static void inherit_code(struct finder *finder, uint32_t index)
{
    struct image *image = &finder->recording->images[index];
    uint32_t first, parent;

    if (image->code.to == 0 || !is_of(image, finder->observed))
        return;
    first = first_thread(finder, index);
    parent = first == WEFT_NONE ? WEFT_NONE : parent_of(finder, image, first);
    if (parent == WEFT_NONE || parent == index)
        return;
    image->code.own.before = &finder->recording->images[parent].code.own;
    if (!image->code.maps.before)
        image->code.maps.before = &finder->recording->images[parent].maps;
}

static void relate_code(struct recording *recording, const struct observed *observed)
{
    struct finder finder = { .recording = recording, .observed = observed };

    for (uint32_t i = 0; i < observed->n_threads; i++)
        if (weft_id_map_get(&finder.by_tid, observed->threads[i].tid) == WEFT_MAP_NONE)
            weft_id_map_put(&finder.by_tid, observed->threads[i].tid, i);
    for (uint32_t i = 0; i < recording->n_images; i++)
        give_code(&finder, i);
    for (uint32_t i = 0; i < recording->n_images; i++)
        inherit_code(&finder, i);
    weft_id_map_free(&finder.by_tid);
    weft_id_map_free(&finder.of_first);
}

void observed_relate_code(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        relate_code(recording, &recording->observed[i]);
}

bool observed_is_code(const struct recording *recording, uint32_t image, int64_t time,
                      uint64_t address)
{
    const struct code *code = &recording->images[image].code;

    return time >= code->from && time < code->to && maps_find(&code->own, address);
}
