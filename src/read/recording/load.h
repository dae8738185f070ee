/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's files, mapped; its names; its clock; its threads as streams of records. */
#ifndef WEFT_READ_RECORDING_LOAD_H
#define WEFT_READ_RECORDING_LOAD_H

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/recording_layout.h"
#include "read/recording/recording.h"

struct image { /* one process image */
    struct weft_process_header header;
    uint32_t process;  /* index into processes */
    uint32_t inherits; /* image that its first names are of, or WEFT_NONE */
    char *maps;        /* text, or NULL */
};

struct process { /* one process of the system, whatever it exec'd */
    uint32_t pid;
    uint32_t first_image, last_image;
};

struct record {
    int64_t time; /* nanoseconds, CLOCK_MONOTONIC */
    enum weft_record kind;
    uint32_t argument;
    const uint64_t *words; /* after the first */
    const char *text;      /* of kinds that have one; argument bytes */
};

struct stream { /* one thread's records */
    struct weft_mapping file;
    const struct weft_thread_header *header;
    uint32_t image;
    const uint64_t *segment[2], *segment_end[2]; /* drained, then the buffer */
    unsigned at_segment;
    const uint64_t *at;
    uint64_t ticks; /* of the record before */
    uint64_t damaged;
};

struct name {
    char *text;
    uint64_t site;
};

struct recording {
    const char *folder;
    char *facts; /* the file "recording", or NULL */
    struct image *images;
    size_t n_images, images_capacity;
    struct process *processes;
    size_t n_processes, processes_capacity;
    struct stream *streams;
    size_t n_streams, streams_capacity;
    struct name *names;
    size_t n_names, names_capacity;
    struct weft_text_map name_map; /* struct name_key */
    bool counts_ns;                /* ticks are nanoseconds */
    struct weft_clock_sample early, late;
    int64_t ended; /* when the recorder saw the program end, or 0 */
    struct weft_recording_report report;
    struct weft_arena arena;
};

bool recording_load(struct recording *recording, const char *folder, struct weft_err *err);
void recording_free(struct recording *recording);

int64_t recording_ns(const struct recording *recording, uint64_t ticks);
/* The next record; false at the end of the stream. */
bool recording_next(const struct recording *recording, struct stream *stream,
                    struct record *record);
void recording_rewind(struct stream *stream);
/* A name by its number in an image; NULL: its definition was lost. */
const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number);
/* The value of KEY in the recording's facts, from ARENA; NULL when there is none. */
const char *recording_fact(struct recording *recording, const char *key);

#endif
