/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass over all records. */
#include "read/recording/join/first_pass.h"

#include "read/recording/join/process_starts.h"

/* A second or less on any processor. */
enum { TICKS_OF_RATE = 1000000000 };

struct name_key {
    uint32_t image, number;
};
struct birth_key {
    uint32_t image, ordinal;
};

static void add_name(struct recording *recording, const struct stream *stream,
                     const struct record *record)
{
    struct name_key key = { stream->image, (uint32_t)record->words[0] };
    char text[RECORD_TEXT];

    /* The last number may stand for many names: keep the first. */
    if (weft_text_map_get(&recording->name_map, &key, sizeof key) != WEFT_MAP_NONE)
        return;
    recording->names = weft_grow(recording->names, &recording->names_capacity,
                                 recording->n_names + 1, sizeof *recording->names);
    recording->names[recording->n_names] =
        (struct name){ weft_arena_strdup(&recording->arena, record_text(record, 2, text)),
                       record->words[1] };
    weft_text_map_put(&recording->name_map, &key, sizeof key,
                      (uint32_t)recording->n_names++);
}

void recording_add_birth(struct recording *recording, const struct stream *stream,
                         uint32_t ordinal, const struct birth *birth)
{
    struct birth_key key = { stream->image, ordinal };

    recording->births = weft_grow(recording->births, &recording->births_capacity,
                                  recording->n_births + 1, sizeof *birth);
    recording->births[recording->n_births] = *birth;
    recording->births[recording->n_births].parent = (uint32_t)(stream - recording->streams);
    weft_text_map_put(&recording->birth_map, &key, sizeof key,
                      (uint32_t)recording->n_births++);
}

struct birth *recording_birth(const struct recording *recording, uint32_t image,
                              uint32_t ordinal)
{
    struct birth_key key = { image, ordinal };
    uint32_t index = weft_text_map_get(&recording->birth_map, &key, sizeof key);

    return index == WEFT_MAP_NONE ? NULL : &recording->births[index];
}

/* Returns true if a record is about the program; others are the recorder's own. */
static bool is_event(const struct record *record)
{
    return record->kind != WEFT_RECORD_PAIR && record->kind != WEFT_RECORD_NAME
           && record->kind != WEFT_RECORD_CPU && record->kind != WEFT_RECORD_SHARER
           && record->kind != WEFT_RECORD_CHILD_ENDED;
}

/* Convert ticks of an image to nanoseconds, at the rate of its first second. */
static double ns_of_ticks(const struct recording *recording, uint32_t image, double ticks)
{
    const struct weft_process_header *header = &recording->images[image].header;
    uint64_t begin = header->first.ticks;
    double rate = 1.0;

    if (begin > UINT64_MAX - TICKS_OF_RATE) /* damage: no counter runs for so long */
        begin = UINT64_MAX - TICKS_OF_RATE;
    if (header->clock == WEFT_CLOCK_TSC)
        rate = (double)(recording_ns(recording, image, begin + TICKS_OF_RATE)
                        - recording_ns(recording, image, begin))
               / TICKS_OF_RATE;
    return ticks * rate;
}

/* Returns the cost of a thread's events, at the cost measured when its process began. */
static double cost_of(const struct recording *recording, uint32_t image, uint64_t events)
{
    double ticks = recording->images[image].header.event_cost / 1024.0;

    return ns_of_ticks(recording, image, ticks * (double)events);
}

static void scan(struct join *join, struct stream *stream)
{
    struct recording *recording = join->recording;
    uint64_t before = recording->report.events;
    struct record record;

    recording_rewind(stream);
    while (recording_next(&join->known, stream, &record)) {
        const struct join_family *family = join->by_number[record.family];
        recording->report.events += is_event(&record);
        if (record.kind == WEFT_RECORD_NAME)
            add_name(recording, stream, &record);
        else if (record.kind == WEFT_RECORD_PROGRAM
                 || record.kind == WEFT_RECORD_NO_PROGRAM)
            programs_scan(recording, stream, &record);
        else if (family && (family->scans >> record.number & 1))
            family->scan(recording, stream, &record);
    }
    recording->overhead_ns +=
        cost_of(recording, stream->image, recording->report.events - before);
}

/* Returns the bytes of records, without the zeros at the end of a buffer. */
static uint64_t count_bytes(const struct stream *stream)
{
    uint64_t words = 0;

    for (uint32_t i = 0; i < stream->n_spans; i++) {
        const struct span *span = &stream->spans[i];
        const uint64_t *end = span->end;
        while (i + 1 == stream->n_spans && end > span->begin && end[-1] == 0)
            end--;
        words += (uint64_t)(end - span->begin);
    }
    return words * sizeof(uint64_t);
}

void names_relate_clocks(struct join *join)
{
    struct recording *recording = join->recording;
    struct record record;

    if (recording->n_domains < 2)
        return;
    for (size_t i = 0; i < recording->n_streams; i++) {
        recording_rewind(&recording->streams[i]);
        while (recording_next(&join->known, &recording->streams[i], &record)) {
            const struct join_family *family = join->by_number[record.family];
            if (family && (family->compares >> record.number & 1))
                family->compare(recording, &recording->streams[i], &record);
        }
    }
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->relate)
            join->families[i]->relate(recording);
}

/* Counts the switches of all threads that were observed. */
static void count_switches(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        for (size_t k = 0; k < recording->observed[i].n_threads; k++)
            recording->report.switches += recording->observed[i].threads[k].n_switches;
}

void names_collect(struct join *join)
{
    struct recording *recording = join->recording;

    for (size_t i = 0; i < recording->n_streams; i++) {
        struct stream *stream = &recording->streams[i];
        scan(join, stream);
        recording->report.lost += stream->header->lost;
        recording->report.bytes += count_bytes(stream);
        recording_rewind(stream);
    }
    count_switches(recording);
    programs_relate(recording);
    for (uint32_t i = 0; i < recording->n_images; i++)
        recording->overhead_ns +=
            ns_of_ticks(recording, i, (double)recording->images[i].header.spent);
    /* Damage may give any number. */
    recording->report.overhead_ns =
        recording->overhead_ns < 1e18 ? (uint64_t)recording->overhead_ns : 0;
}

const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number)
{
    while (image != WEFT_NONE) {
        struct name_key key = { image, number };
        uint32_t index = weft_text_map_get(&recording->name_map, &key, sizeof key);
        const struct image *of = &recording->images[image];
        if (index != WEFT_MAP_NONE)
            return &recording->names[index];
        /* Numbers that the parent gave after the fork are not the child's. */
        image = number <= of->header.names_inherited ? of->inherits : WEFT_NONE;
    }
    return NULL;
}
