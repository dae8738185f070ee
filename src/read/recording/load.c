/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a recording: which files belong to it, and records out of them. */
#include "read/recording/load.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
# include <x86intrin.h>
#endif

struct name_key {
    uint32_t image, number;
};

struct weft_clock_sample weft_recording_clocks(void)
{
    struct weft_clock_sample sample;
    struct timespec monotonic, real;

    clock_gettime(CLOCK_MONOTONIC, &monotonic);
#if defined(__x86_64__)
    sample.ticks = __rdtsc();
#endif
    sample.monotonic_ns = (int64_t)monotonic.tv_sec * 1000000000 + monotonic.tv_nsec;
#if !defined(__x86_64__)
    sample.ticks = (uint64_t)sample.monotonic_ns;
#endif
    clock_gettime(CLOCK_REALTIME, &real);
    sample.realtime_ns = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec;
    return sample;
}

static char *read_text(const char *path)
{
    struct weft_mapping map;
    char *text = NULL;

    if (weft_map_file(&map, path, NULL)) {
        text = weft_strndup((const char *)map.data, map.size);
        weft_unmap(&map);
    }
    return text;
}

static void load_image(struct recording *recording, const char *path)
{
    struct weft_mapping map;
    struct image *image;
    char *maps = weft_asprintf("%s.maps", path);

    if (weft_map_file(&map, path, NULL)) {
        const struct weft_process_header *header =
            (const struct weft_process_header *)map.data;
        if (map.size >= sizeof *header && header->magic == WEFT_PROCESS_MAGIC) {
            recording->images =
                weft_grow(recording->images, &recording->images_capacity,
                          recording->n_images + 1, sizeof *recording->images);
            image = &recording->images[recording->n_images++];
            image->header = *header;
            image->maps = read_text(maps);
            image->inherits = WEFT_NONE;
            if (image->header.command_bytes > WEFT_PROCESS_TEXT - 1)
                image->header.command_bytes = WEFT_PROCESS_TEXT - 1;
            image->header.command[image->header.command_bytes] = 0;
        }
        weft_unmap(&map);
    }
    free(maps);
}

static void load_stream(struct recording *recording, const char *path)
{
    struct stream stream = { 0 };
    const struct weft_thread_header *header;
    uint64_t begin = WEFT_LOG_HEADER + WEFT_LOG_BUFFER, drained;

    if (!weft_map_file(&stream.file, path, NULL))
        return;
    header = (const struct weft_thread_header *)stream.file.data;
    if (stream.file.size < begin || header->magic != WEFT_THREAD_MAGIC) {
        weft_unmap(&stream.file);
        return;
    }
    drained = header->drained;
    if (drained > stream.file.size - begin) { /* cut short by somebody else */
        drained = stream.file.size - begin;
        stream.damaged = 1;
    }
    stream.header = header;
    stream.segment[0] = (const uint64_t *)(stream.file.data + begin);
    stream.segment_end[0] = stream.segment[0] + drained / 8;
    stream.segment[1] = (const uint64_t *)(stream.file.data + WEFT_LOG_HEADER);
    stream.segment_end[1] =
        stream.segment[1]
        + (header->buffer_base == header->drained ? WEFT_LOG_BUFFER / 8 : 0);
    recording_rewind(&stream);
    recording->streams = weft_grow(recording->streams, &recording->streams_capacity,
                                   recording->n_streams + 1, sizeof stream);
    recording->streams[recording->n_streams++] = stream;
}

static int compare_images(const void *a, const void *b)
{
    const struct image *x = a, *y = b;

    if (x->header.pid != y->header.pid)
        return x->header.pid < y->header.pid ? -1 : 1;
    return x->header.image < y->header.image ? -1 : x->header.image > y->header.image;
}

static int compare_starts(const void *a, const void *b)
{
    const struct stream *x = a, *y = b;

    if (x->header->first_ticks != y->header->first_ticks)
        return x->header->first_ticks < y->header->first_ticks ? -1 : 1;
    return x->header->ordinal < y->header->ordinal ? -1 : 1;
}

static uint32_t find_image(const struct recording *recording, uint32_t pid, uint32_t image)
{
    for (uint32_t i = 0; i < recording->n_images; i++)
        if (recording->images[i].header.pid == pid
            && recording->images[i].header.image == image)
            return i;
    return WEFT_NONE;
}

/* Which images are one process, which streams are whose, whose names a child has. */
static void relate(struct recording *recording)
{
    size_t kept = 0;

    if (recording->n_images > 1)
        qsort(recording->images, recording->n_images, sizeof *recording->images,
              compare_images);
    for (uint32_t i = 0; i < recording->n_images; i++) {
        struct image *image = &recording->images[i];
        /* The number of a process that ended may be given to another. */
        if (i == 0 || image[-1].header.pid != image->header.pid || image[-1].header.exited
            || image->header.forked_pid != 0) {
            recording->processes =
                weft_grow(recording->processes, &recording->processes_capacity,
                          recording->n_processes + 1, sizeof *recording->processes);
            recording->processes[recording->n_processes++] =
                (struct process){ image->header.pid, i, i };
        }
        image->process = (uint32_t)recording->n_processes - 1;
        recording->processes[image->process].last_image = i;
    }
    for (uint32_t i = 0; i < recording->n_images; i++) {
        struct image *image = &recording->images[i];
        if (image->header.forked_pid != 0)
            image->inherits =
                find_image(recording, image->header.forked_pid, image->header.forked_image);
    }
    for (size_t i = 0; i < recording->n_streams; i++) {
        struct stream *stream = &recording->streams[i];
        stream->image = find_image(recording, stream->header->pid, stream->header->image);
        if (stream->image == WEFT_NONE)
            weft_unmap(&stream->file);
        else
            recording->streams[kept++] = *stream;
    }
    recording->n_streams = kept;
    if (kept > 1)
        qsort(recording->streams, kept, sizeof *recording->streams, compare_starts);
}

static bool parse_sample(const char *text, struct weft_clock_sample *sample)
{
    char *end;

    if (!text)
        return false;
    sample->ticks = strtoull(text, &end, 10);
    sample->monotonic_ns = strtoll(end, &end, 10);
    sample->realtime_ns = strtoll(end, &end, 10);
    return sample->ticks != 0;
}

static void consider(struct recording *recording, const struct weft_clock_sample *sample)
{
    if (sample->ticks == 0)
        return;
    if (recording->early.ticks == 0 || sample->ticks < recording->early.ticks)
        recording->early = *sample;
    if (recording->late.ticks == 0 || sample->ticks > recording->late.ticks)
        recording->late = *sample;
}

/* The two readings of the clocks that lie farthest apart decide the rate. */
static void calibrate(struct recording *recording)
{
    struct weft_clock_sample sample;

    recording->counts_ns = true;
    for (size_t i = 0; i < recording->n_images; i++) {
        recording->counts_ns &= recording->images[i].header.clock != WEFT_CLOCK_TSC;
        consider(recording, &recording->images[i].header.first);
        consider(recording, &recording->images[i].header.last);
    }
    if (parse_sample(recording_fact(recording, "clocks-begin"), &sample))
        consider(recording, &sample);
    if (parse_sample(recording_fact(recording, "clocks-end"), &sample)) {
        consider(recording, &sample);
        recording->ended = sample.monotonic_ns;
    }
}

/* Damaged files say any time: keep it where sums with it do not overflow. */
static int64_t clamp(__int128 time)
{
    __int128 most = (__int128)1 << 61;
    return (int64_t)(time > most ? most : time < -most ? -most : time);
}

int64_t recording_ns(const struct recording *recording, uint64_t ticks)
{
    const struct weft_clock_sample *early = &recording->early, *late = &recording->late;
    __int128 span_ns = (__int128)late->monotonic_ns - early->monotonic_ns;
    __int128 span_ticks = (__int128)late->ticks - early->ticks;
    __int128 since = (__int128)ticks - early->ticks;

    if (recording->counts_ns)
        return clamp(ticks);
    if (span_ticks <= 0 || span_ns < 0 || span_ns > (__int128)1 << 61)
        return clamp(early->monotonic_ns + since);
    return clamp(early->monotonic_ns + since * span_ns / span_ticks);
}

void recording_rewind(struct stream *stream)
{
    stream->at_segment = 0;
    stream->at = stream->segment[0];
    stream->ticks = stream->header->first_ticks;
}

static bool has_text(enum weft_record kind)
{
    return kind == WEFT_RECORD_NAME || kind == WEFT_RECORD_THREAD
           || kind == WEFT_RECORD_THREAD_OTHER || kind == WEFT_RECORD_BEGIN_TEXT;
}

bool recording_next(const struct recording *recording, struct stream *stream,
                    struct record *record)
{
    for (;;) {
        const uint64_t *end = stream->segment_end[stream->at_segment];
        uint64_t word;
        uint32_t extra;

        if (stream->at >= end) {
            if (stream->at_segment == 1)
                return false;
            stream->at = stream->segment[++stream->at_segment];
            continue;
        }
        word = *stream->at;
        record->kind = (enum weft_record)(word >> 32 & 0xff);
        if (record->kind == WEFT_RECORD_HOLE) {
            stream->at++;
            continue;
        }
        record->argument = (uint32_t)(word >> 40);
        extra = weft_record_extra(record->kind, record->argument);
        if (record->kind >= WEFT_RECORD_KINDS || extra >= (size_t)(end - stream->at)) {
            stream->damaged++;
            stream->at = end;
            continue;
        }
        record->words = stream->at + 1;
        stream->at += 1 + extra;
        /* The nearest time with these low bits. */
        stream->ticks +=
            (uint64_t)(int64_t)(int32_t)((uint32_t)word - (uint32_t)stream->ticks);
        if (record->kind == WEFT_RECORD_TIME) {
            stream->ticks = record->words[0];
            continue;
        }
        if (has_text(record->kind))
            record->text =
                (const char *)(record->words + extra - (record->argument + 7) / 8);
        record->time = recording_ns(recording, stream->ticks);
        return true;
    }
}

/* One pass over everything: names may be used before the stream that defines them is read. */
static void collect_names(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_streams; i++) {
        struct stream *stream = &recording->streams[i];
        struct record record;
        uint64_t n = 0;

        while (recording_next(recording, stream, &record)) {
            struct name_key key = { stream->image, 0 };
            n += record.kind != WEFT_RECORD_PAIR && record.kind != WEFT_RECORD_NAME
                 && record.kind != WEFT_RECORD_CPU;
            if (record.kind != WEFT_RECORD_NAME)
                continue;
            key.number = (uint32_t)record.words[0];
            recording->names = weft_grow(recording->names, &recording->names_capacity,
                                         recording->n_names + 1, sizeof *recording->names);
            recording->names[recording->n_names] =
                (struct name){ weft_arena_printf(&recording->arena, "%.*s",
                                                 (int)record.argument, record.text),
                               record.words[1] };
            weft_text_map_put(&recording->name_map, &key, sizeof key,
                              (uint32_t)recording->n_names++);
        }
        recording->report.events += n;
        recording->report.lost += stream->header->lost;
        recording->report.bytes += (uint64_t)((const char *)stream->segment_end[0]
                                              - (const char *)stream->segment[0]);
        for (const uint64_t *at = stream->segment[1]; at < stream->segment_end[1]; at++)
            recording->report.bytes += *at != 0 ? 8 : 0;
        recording_rewind(stream);
    }
}

const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number)
{
    /* A child's images are younger than their parent's: at most n_images steps. */
    for (size_t steps = 0; image != WEFT_NONE && steps <= recording->n_images; steps++) {
        struct name_key key = { image, number };
        uint32_t index = weft_text_map_get(&recording->name_map, &key, sizeof key);
        if (index != WEFT_MAP_NONE)
            return &recording->names[index];
        image = recording->images[image].inherits;
    }
    return NULL;
}

const char *recording_fact(struct recording *recording, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = recording->facts; line && *line;) {
        size_t size = strcspn(line, "\n");
        if (size > length && strncmp(line, key, length) == 0 && line[length] == '=')
            return weft_arena_printf(&recording->arena, "%.*s", (int)(size - length - 1),
                                     line + length + 1);
        line += size + (line[size] == '\n');
    }
    return NULL;
}

bool recording_load(struct recording *recording, const char *folder, struct weft_err *err)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char *path;

    *recording = (struct recording){ .folder = folder };
    if (!directory)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot open the recording %s", folder);
    while ((entry = readdir(directory))) {
        const char *name = entry->d_name;
        path = weft_asprintf("%s/%s", folder, name);
        if (name[0] == 'p' && !strchr(name, '.'))
            load_image(recording, path);
        else if (name[0] == 't')
            load_stream(recording, path);
        else if (strcmp(name, "recording") == 0)
            recording->facts = read_text(path);
        free(path);
    }
    closedir(directory);
    if (!recording->facts
        || strncmp(recording->facts, WEFT_RECORDING_MAGIC, strlen(WEFT_RECORDING_MAGIC))
               != 0) {
        recording_free(recording);
        return weft_fail_at(
            err, WEFT_ERR_FORMAT, folder, 0,
            "not a recording (a file \"recording\" that begins with \"%s\")",
            WEFT_RECORDING_MAGIC);
    }
    relate(recording);
    calibrate(recording);
    collect_names(recording);
    for (size_t i = 0; i < recording->n_images; i++)
        recording->report.lost += recording->images[i].header.lost;
    recording->report.processes = recording->n_processes;
    recording->report.threads = recording->n_streams;
    return true;
}

void recording_free(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_streams; i++)
        weft_unmap(&recording->streams[i].file);
    for (size_t i = 0; i < recording->n_images; i++)
        free(recording->images[i].maps);
    free(recording->facts);
    free(recording->images);
    free(recording->processes);
    free(recording->streams);
    free(recording->names);
    weft_text_map_free(&recording->name_map);
    weft_arena_free(&recording->arena);
}
