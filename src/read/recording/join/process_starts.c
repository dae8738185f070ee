/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of programs, and the processes that they became. */
#include "read/recording/join/process_starts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "read/recording/recording_obstacles.h"

/* Starts of process PID, or starts by process PARENT of an unknown process. */
struct start_key {
    uint32_t folder, pid, parent;
};

static const struct image *image_of(const struct recording *recording,
                                    const struct program_start *start)
{
    return &recording->images[recording->streams[start->stream].image];
}

/* Returns true for an exec, false for the start of another process. */
static bool is_own(const struct recording *recording, const struct program_start *start)
{
    return image_of(recording, start)->header.pid == start->pid;
}

void programs_scan(struct recording *recording, const struct stream *stream,
                   const struct record *record)
{
    uint32_t pid = (uint32_t)record->words[0];
    struct program_start start = { .stream = (uint32_t)(stream - recording->streams),
                                   .pid = pid,
                                   .time = recording_ns(recording, stream->image,
                                                        record->ticks) };
    char text[RECORD_TEXT];

    if (record->kind == WEFT_RECORD_NO_PROGRAM) {
        /* Streams are read one after the other: it refers to the thread's latest start. */
        struct program_start *last =
            recording->n_program_starts > 0
                ? &recording->program_starts[recording->n_program_starts - 1]
                : NULL;
        if (last && last->stream == start.stream && last->pid == pid)
            last->failed = true;
        return;
    }
    start.site = record->words[1];
    start.path = weft_arena_strdup(&recording->arena, record_text(record, 2, text));
    recording->program_starts =
        weft_grow(recording->program_starts, &recording->program_starts_capacity,
                  recording->n_program_starts + 1, sizeof start);
    recording->program_starts[recording->n_program_starts++] = start;
}

static int compare_times(const void *a, const void *b)
{
    const struct program_start *x = a, *y = b;

    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->stream, y->stream);
}

/* Chain the starts of other processes by key, the latest first. */
static void chain(struct recording *recording, struct weft_text_map *map)
{
    if (recording->n_program_starts > 1)
        qsort(recording->program_starts, recording->n_program_starts,
              sizeof *recording->program_starts, compare_times);
    for (uint32_t i = 0; i < recording->n_program_starts; i++) {
        struct program_start *start = &recording->program_starts[i];
        const struct image *image = image_of(recording, start);
        struct start_key key = { image->folder, start->pid,
                                 start->pid == 0 ? image->header.pid : 0 };
        if (is_own(recording, start))
            continue;
        start->before = weft_text_map_get(map, &key, sizeof key);
        weft_text_map_put(map, &key, sizeof key, i);
    }
}

/* Take the latest start of a key before TIME that is not taken yet; or NULL. */
static struct program_start *join_record(struct recording *recording,
                                         struct weft_text_map *map, struct start_key key,
                                         int64_t time)
{
    uint32_t i = weft_text_map_get(map, &key, sizeof key);

    for (; i != WEFT_MAP_NONE; i = recording->program_starts[i].before) {
        struct program_start *start = &recording->program_starts[i];
        if (start->time <= time && !start->seen && !start->failed) {
            start->seen = true;
            return start;
        }
    }
    return NULL;
}

/* An exec was seen if its process has a later image. */
static void relate_own(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_program_starts; i++) {
        struct program_start *start = &recording->program_starts[i];
        const struct image *image = image_of(recording, start);
        const struct process *process = &recording->processes[image->process];
        if (is_own(recording, start))
            start->seen = image != &recording->images[process->last_image];
    }
}

void programs_relate(struct recording *recording)
{
    struct weft_text_map map = { 0 };

    relate_own(recording);
    chain(recording, &map);
    for (uint32_t i = 0; i < recording->n_processes; i++) {
        struct process *process = &recording->processes[i];
        const struct image *image = &recording->images[process->first_image];
        const struct weft_process_header *header = &image->header;
        int64_t time = recording_ns(recording, process->first_image, header->first.ticks);
        struct program_start *start = NULL;
        if (header->forked_pid == 0)
            start = join_record(recording, &map,
                                (struct start_key){ image->folder, header->pid, 0 }, time);
        if (header->forked_pid == 0 && !start)
            start = join_record(recording, &map,
                                (struct start_key){ image->folder, 0, header->parent_pid },
                                time);
        process->start = start ? (uint32_t)(start - recording->program_starts) : WEFT_NONE;
    }
    weft_text_map_free(&map);
}

const struct program_start *programs_start_of(const struct recording *recording,
                                              uint32_t process)
{
    uint32_t start = recording->processes[process].start;

    return start == WEFT_NONE ? NULL : &recording->program_starts[start];
}

static void report_path(struct join *join, const char *path, uint64_t n)
{
    const char *obstacle = path[0] == '/' ? weft_recording_obstacle(path, NULL) : NULL;

    weft_builder_problem(
        join->builder, WEFT_WARNING, "unseen-program", 0,
        "%s was started%s, and is not recorded: %s", *path ? path : "a program",
        n == 1 ? "" : weft_arena_printf(&join->arena, " %" PRIu64 " times", n),
        obstacle
            ? obstacle
            : "the recorder was not loaded into it (it may be that it could not read its "
              "libraries), or could not write there");
}

void programs_report(struct join *join)
{
    struct recording *recording = join->recording;
    struct weft_text_map map = { 0 };
    uint64_t *times = weft_zalloc(recording->n_program_starts + 1, sizeof *times);
    const char **paths = weft_zalloc(recording->n_program_starts + 1, sizeof *paths);

    for (size_t i = 0; i < recording->n_program_starts; i++) {
        const struct program_start *start = &recording->program_starts[i];
        uint32_t at;
        if (start->seen || start->failed)
            continue;
        at = weft_text_map_get(&map, start->path, strlen(start->path));
        if (at == WEFT_MAP_NONE) {
            at = (uint32_t)map.count;
            weft_text_map_put(&map, start->path, strlen(start->path), at);
            paths[at] = start->path;
        }
        times[at]++;
    }
    for (size_t i = 0; i < map.count; i++)
        report_path(join, paths[i], times[i]);
    weft_text_map_free(&map);
    free(paths);
    free(times);
}
