/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file of observations.  The records of one processor are in order of time; those
 * of all are merged, since a thread's life leads over several processors.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash_map.h"
#include "read/recording/logs/load_recording.h"
#include "read/recording/observed/observed.h"

/* A record of the kernel: its place in the file, and what it is sorted by. */
struct kernel_record {
    int64_t time;
    uint64_t order; /* number of the record in the file: for equal times */
    const unsigned char *at;
};

struct kernel_records {
    struct kernel_record *items;
    size_t n, capacity;
};

struct parser {
    struct observed *observed;
    struct kernel_records records;
    struct weft_id_map by_tid; /* tid: index of its latest thread, unless that has ended */
    struct weft_id_map latest_by_tid; /* also if it has */
    int64_t *latest; /* [head->processors]: time of the latest record of each */
};

static bool head_fits(const struct weft_schedule_head *head, size_t size)
{
    enum { MAX_PROCESSORS = 1 << 16 };

    return size >= sizeof *head && head->magic == WEFT_SCHEDULE_MAGIC
           && head->processors <= MAX_PROCESSORS && memchr(head->host, 0, sizeof head->host)
           && memchr(head->boot, 0, sizeof head->boot)
           && memchr(head->refused, 0, sizeof head->refused)
           && memchr(head->unsampled, 0, sizeof head->unsampled);
}

static struct perf_event_header header_of(const unsigned char *at)
{
    struct perf_event_header header;

    memcpy(&header, at, sizeof header);
    return header;
}

/* Returns the place of a PERF_RECORD_SAMPLE. */
static const struct weft_schedule_place *place_of(const unsigned char *at)
{
    return (const void *)(at + sizeof(struct perf_event_header));
}

static struct weft_schedule_sample sample_of(const unsigned char *at)
{
    struct weft_schedule_sample sample;

    if (header_of(at).type == PERF_RECORD_SAMPLE)
        return place_of(at)->sample;
    memcpy(&sample, at + header_of(at).size - sizeof sample, sizeof sample);
    return sample;
}

/* Returns the least size of a record of this type; 0: not needed here. */
static size_t least_size(uint32_t type)
{
    size_t head = sizeof(struct perf_event_header),
           sample = sizeof(struct weft_schedule_sample);

    switch (type) {
    case PERF_RECORD_SWITCH: return head + sample;
    case PERF_RECORD_LOST: return head + 16 + sample;
    case PERF_RECORD_COMM: return head + 16 + sample;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: return head + 24 + sample;
    case PERF_RECORD_MMAP2: return head + sizeof(struct observed_memory) + 8 + sample;
    case PERF_RECORD_SAMPLE: return head + sizeof(struct weft_schedule_place);
    case PERF_RECORD_READ: return head + sizeof(struct weft_schedule_read) + sample;
    case WEFT_SCHEDULE_COUNTER: return sizeof(struct weft_schedule_counter);
    case WEFT_SCHEDULE_TOTAL: return sizeof(struct weft_schedule_total);
    case WEFT_SCHEDULE_USAGE: return sizeof(struct weft_schedule_usage);
    case WEFT_SCHEDULE_LOOK: return sizeof(struct weft_schedule_look);
    case WEFT_SCHEDULE_ASKED: return sizeof(struct weft_schedule_asked);
    default: return 0;
    }
}

/* Returns false for a sample whose call chain is longer than its record. */
static bool chain_fits(const unsigned char *at)
{
    size_t room = header_of(at).size - sizeof(struct perf_event_header)
                  - sizeof(struct weft_schedule_place);

    return place_of(at)->n <= room / sizeof(uint64_t);
}

static void add_record(struct kernel_records *records, const unsigned char *at)
{
    uint32_t type = header_of(at).type;
    int64_t time = type == WEFT_SCHEDULE_LOOK
                       ? ((const struct weft_schedule_look *)(const void *)at)->time
                   : type == WEFT_SCHEDULE_USAGE
                       ? ((const struct weft_schedule_usage *)(const void *)at)->time
                   : type == WEFT_SCHEDULE_ASKED
                       ? ((const struct weft_schedule_asked *)(const void *)at)->time
                       : sample_of(at).time;

    records->items = weft_grow(records->items, &records->capacity, records->n + 1,
                               sizeof *records->items);
    records->items[records->n] = (struct kernel_record){ time, records->n, at };
    records->n++;
}

/* Takes a record that is not of a time, or puts it with the others. */
static void collect_record(struct parser *parser, const unsigned char *at)
{
    switch (header_of(at).type) {
    case WEFT_SCHEDULE_COUNTER:
        observed_add_counter(parser->observed, (const void *)at);
        break;
    case WEFT_SCHEDULE_TOTAL: observed_add_total(parser->observed, (const void *)at); break;
    default: add_record(&parser->records, at); break;
    }
}

/* Collects the records; returns false at one that cannot be. */
static bool collect(struct parser *parser, const unsigned char *data, size_t size)
{
    size_t at = sizeof(struct weft_schedule_head);

    while (at + sizeof(struct perf_event_header) <= size) {
        struct perf_event_header header = header_of(data + at);
        size_t least = least_size(header.type);
        if (header.size < sizeof header || header.size % 8 != 0 || header.size > size - at
            || header.size < least
            || (header.type == PERF_RECORD_SAMPLE && !chain_fits(data + at)))
            return false;
        if (least > 0)
            collect_record(parser, data + at);
        at += header.size;
    }
    return at == size;
}

static int compare_records(const void *a, const void *b)
{
    const struct kernel_record *x = a, *y = b;

    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->order, y->order);
}

/* Returns the thread with this tid now; made if it is new. */
static struct observed_thread *find_thread(struct parser *parser, uint32_t pid,
                                           uint32_t tid, int64_t time)
{
    struct observed *observed = parser->observed;
    uint32_t index = weft_id_map_get(&parser->by_tid, tid);

    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)observed->n_threads++;
        observed->threads = weft_grow(observed->threads, &observed->threads_capacity,
                                      observed->n_threads, sizeof *observed->threads);
        observed->threads[index] = (struct observed_thread){ .pid = pid,
                                                             .tid = tid,
                                                             .process = WEFT_NONE,
                                                             .container = WEFT_NONE,
                                                             .begin = time,
                                                             .end = time,
                                                             .later = WEFT_NONE };
        weft_id_map_put(&parser->by_tid, tid, index);
        weft_id_map_put(&parser->latest_by_tid, tid, index);
    }
    if (observed->threads[index].end < time)
        observed->threads[index].end = time;
    return &observed->threads[index];
}

static void add_switch(struct observed_thread *thread, int64_t time, uint32_t processor,
                       enum observed_change change)
{
    thread->switches = weft_grow(thread->switches, &thread->switches_capacity,
                                 thread->n_switches + 1, sizeof *thread->switches);
    thread->switches[thread->n_switches++] =
        (struct observed_switch){ time, processor, change };
}

static void add_look(struct observed_thread *thread, const unsigned char *at)
{
    thread->looks = weft_grow(thread->looks, &thread->looks_capacity, thread->n_looks + 1,
                              sizeof *thread->looks);
    thread->looks[thread->n_looks++] = (const void *)at;
}

/* Returns what is behind the call chain of a sample, and sets *N to its words. */
static const uint64_t *behind_chain(const struct weft_schedule_place *place, size_t *n)
{
    const unsigned char *record =
        (const unsigned char *)place - sizeof(struct perf_event_header);
    const uint64_t *at = (const uint64_t *)(place + 1) + place->n;

    *n = (size_t)(record + header_of(record).size - (const unsigned char *)at) / 8;
    return at;
}

/* Returns the number of the N words at AT that are registers, with the word before them. */
static size_t register_words(const uint64_t *at, size_t n)
{
    bool has = n > 0 && (*at == WEFT_SCHEDULE_64_BITS || *at == WEFT_SCHEDULE_32_BITS);

    if (has)
        return n > WEFT_SCHEDULE_REGISTERS ? 1 + WEFT_SCHEDULE_REGISTERS : n;
    return n > 1 && *at == 0;
}

const uint64_t *observed_registers(const struct weft_schedule_place *place)
{
    size_t n;
    const uint64_t *at = behind_chain(place, &n);

    return n > WEFT_SCHEDULE_REGISTERS && *at == WEFT_SCHEDULE_64_BITS ? at + 1 : NULL;
}

const unsigned char *observed_top_of_stack(const struct weft_schedule_place *place,
                                           size_t *size)
{
    size_t n;
    const uint64_t *words = behind_chain(place, &n);
    size_t registers = register_words(words, n), left = (n - registers) * 8;
    const unsigned char *at = (const unsigned char *)(words + registers);
    uint64_t room, read;

    *size = 0;
    if (left < 2 * sizeof room)
        return at;
    memcpy(&room, at, sizeof room);
    at += sizeof room;
    if (room > left - 2 * sizeof room)
        return at;
    memcpy(&read, at + room, sizeof read);
    *size = (size_t)(read < room ? read : room);
    return at;
}

static void add_sample(struct observed_thread *thread, const unsigned char *at)
{
    thread->samples = weft_grow(thread->samples, &thread->samples_capacity,
                                thread->n_samples + 1, sizeof *thread->samples);
    thread->samples[thread->n_samples++] = place_of(at);
}

/* RECORD: as in struct observed_mapping. */
static void add_mapping(struct parser *parser, uint32_t pid, uint32_t tid, int64_t time,
                        const unsigned char *record)
{
    struct observed *observed = parser->observed;
    uint32_t thread = (uint32_t)(find_thread(parser, pid, tid, time) - observed->threads);

    observed->mappings = weft_grow(observed->mappings, &observed->mappings_capacity,
                                   observed->n_mappings + 1, sizeof *observed->mappings);
    observed->mappings[observed->n_mappings++] =
        (struct observed_mapping){ time, thread, record };
}

/* Body of PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct life_record {
    uint32_t pid, parent_pid, tid, parent_tid;
    uint64_t time;
};

static void forked(struct parser *parser, const struct life_record *life, int64_t time)
{
    struct observed_thread *thread, *creator;
    uint32_t parent;

    weft_id_map_remove(&parser->by_tid, life->tid); /* an earlier thread with this tid */
    thread = find_thread(parser, life->pid, life->tid, time);
    thread->parent_pid = life->pid == life->parent_pid ? 0 : life->parent_pid;
    parent = weft_id_map_get(&parser->by_tid, life->parent_tid);
    if (parent == WEFT_MAP_NONE)
        return;
    creator = &parser->observed->threads[parent];
    memcpy(thread->name, creator->name, sizeof thread->name);
}

static void named(struct observed_thread *thread, const unsigned char *at)
{
    size_t size = header_of(at).size - sizeof(struct perf_event_header) - 8
                  - sizeof(struct weft_schedule_sample);

    if (size > sizeof thread->name)
        size = sizeof thread->name;
    memset(thread->name, 0, sizeof thread->name);
    memcpy(thread->name, at + sizeof(struct perf_event_header) + 8,
           strnlen((const char *)at + sizeof(struct perf_event_header) + 8, size - 1));
    thread->named = true;
}

/*
 * Records of a processor were lost since its latest one, so what all threads did since is
 * not known.
 */
static void lost(struct parser *parser, const unsigned char *at)
{
    struct observed *observed = parser->observed;
    uint32_t processor = sample_of(at).processor;
    uint64_t n;

    memcpy(&n, at + sizeof(struct perf_event_header) + 8, sizeof n);
    observed->lost += n;
    if (processor >= observed->head->processors)
        return;
    for (size_t i = 0; i < observed->n_threads; i++)
        if (weft_id_map_get(&parser->by_tid, observed->threads[i].tid) == i)
            add_switch(&observed->threads[i], parser->latest[processor] + 1, processor,
                       OBSERVED_LOST);
}

static void switched(struct parser *parser, const unsigned char *at)
{
    struct weft_schedule_sample sample = sample_of(at);
    uint16_t misc = header_of(at).misc;

    add_switch(find_thread(parser, sample.pid, sample.tid, sample.time), sample.time,
               sample.processor,
               !(misc & PERF_RECORD_MISC_SWITCH_OUT)        ? OBSERVED_IN
               : misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? OBSERVED_PREEMPTED
                                                            : OBSERVED_OUT);
}

static void asked(struct parser *parser, const struct weft_schedule_asked *record)
{
    static const enum observed_change changes[] = { [WEFT_ASKED_RUNS] = OBSERVED_IN,
                                                    [WEFT_ASKED_READY] = OBSERVED_PREEMPTED,
                                                    [WEFT_ASKED_OFF] = OBSERVED_OUT,
                                                    [WEFT_ASKED_MIXED] = OBSERVED_MIXED };

    if (record->change < sizeof changes / sizeof *changes)
        add_switch(find_thread(parser, record->pid, record->tid, record->time),
                   record->time, OBSERVED_NO_PROCESSOR, changes[record->change]);
}

/* Returns the latest thread with this tid, which may have ended; NULL: there was none. */
static struct observed_thread *latest_thread(struct parser *parser, uint32_t tid)
{
    uint32_t index = weft_id_map_get(&parser->latest_by_tid, tid);

    return index == WEFT_MAP_NONE ? NULL : &parser->observed->threads[index];
}

/* The kernel writes the counts of a thread when that has ended. */
static void counted(struct parser *parser, const unsigned char *body)
{
    struct weft_schedule_read read;
    struct observed_thread *thread;

    memcpy(&read, body, sizeof read);
    thread = latest_thread(parser, read.tid);
    if (thread)
        observed_add_read(parser->observed, thread, &read);
}

static void used(struct parser *parser, const struct weft_schedule_usage *usage)
{
    struct observed_thread *thread = latest_thread(parser, usage->tid);

    if (thread)
        thread->usage = usage;
}

static void take_record(struct parser *parser, const struct kernel_record *record)
{
    const unsigned char *body = record->at + sizeof(struct perf_event_header);
    struct life_record life;
    uint32_t ids[2];

    switch (header_of(record->at).type) {
    case PERF_RECORD_SWITCH: switched(parser, record->at); break;
    case PERF_RECORD_FORK:
        memcpy(&life, body, sizeof life);
        forked(parser, &life, record->time);
        break;
    case PERF_RECORD_EXIT:
        memcpy(&life, body, sizeof life);
        (void)find_thread(parser, life.pid, life.tid, record->time);
        weft_id_map_remove(&parser->by_tid, life.tid);
        break;
    case PERF_RECORD_COMM:
        memcpy(ids, body, sizeof ids);
        if (header_of(record->at).misc & PERF_RECORD_MISC_COMM_EXEC)
            add_mapping(parser, ids[0], ids[1], record->time, NULL);
        named(find_thread(parser, ids[0], ids[1], record->time), record->at);
        break;
    case PERF_RECORD_MMAP2:
        memcpy(ids, body, sizeof ids);
        add_mapping(parser, ids[0], ids[1], record->time, record->at);
        break;
    case PERF_RECORD_SAMPLE:
        add_sample(find_thread(parser, place_of(record->at)->sample.pid,
                               place_of(record->at)->sample.tid, record->time),
                   record->at);
        break;
    case PERF_RECORD_LOST: lost(parser, record->at); break;
    case PERF_RECORD_READ: counted(parser, body); break;
    case WEFT_SCHEDULE_USAGE: used(parser, (const void *)record->at); return;
    case WEFT_SCHEDULE_ASKED: asked(parser, (const void *)record->at); return;
    case WEFT_SCHEDULE_LOOK:
        memcpy(ids, body, sizeof ids);
        add_look(find_thread(parser, ids[0], ids[1], record->time), record->at);
        return;
    default: return;
    }
    if (sample_of(record->at).processor < parser->observed->head->processors)
        parser->latest[sample_of(record->at).processor] = record->time;
}

static int compare_switches(const void *a, const void *b)
{
    const struct observed_switch *x = a, *y = b;

    return WEFT_COMPARE(x->time, y->time);
}

/*
 * Threads that had not ended when the kernel's records end ran on without an observer, so
 * what they did from then on is not known.
 */
static void end_observation(struct parser *parser)
{
    struct observed *observed = parser->observed;
    size_t n = parser->records.n;

    if (n == 0 || observed->head->refused[0] != 0)
        return;
    for (size_t i = 0; i < observed->n_threads; i++) {
        struct observed_thread *thread = &observed->threads[i];
        thread->lives = weft_id_map_get(&parser->by_tid, thread->tid) == i;
        if (thread->lives)
            add_switch(thread, parser->records.items[n - 1].time + 1, OBSERVED_NO_PROCESSOR,
                       OBSERVED_LOST);
    }
}

/* Lost records were found later than they happened: brings them into the order of time. */
static void sort_switches(struct observed *observed)
{
    for (size_t i = 0; observed->lost > 0 && i < observed->n_threads; i++)
        qsort(observed->threads[i].switches, observed->threads[i].n_switches,
              sizeof *observed->threads[i].switches, compare_switches);
}

static int compare_mappings(const void *a, const void *b)
{
    const struct observed_mapping *x = a, *y = b;

    return WEFT_COMPARE(x->thread, y->thread) ?: WEFT_COMPARE(x->time, y->time)
           ?: WEFT_COMPARE(x->record, y->record);
}

/* Gives the mappings to the first threads of their processes. */
static void relate_mappings(struct observed *observed)
{
    for (size_t i = 0; i < observed->n_mappings; i++)
        observed->mappings[i].thread =
            observed->threads[observed->mappings[i].thread].process;
    if (observed->n_mappings > 1)
        qsort(observed->mappings, observed->n_mappings, sizeof *observed->mappings,
              compare_mappings);
}

/* Chains the threads that had one tid one after the other, and finds their processes. */
static void relate_threads(struct observed *observed)
{
    struct weft_id_map by_tid = { 0 };

    for (uint32_t i = 0; i < observed->n_threads; i++) {
        struct observed_thread *thread = &observed->threads[i];
        uint32_t before = weft_id_map_get(&by_tid, thread->tid);
        if (before != WEFT_MAP_NONE)
            observed->threads[before].later = i;
        weft_id_map_put(&by_tid, thread->tid, i);
        thread->process = weft_id_map_get(&by_tid, thread->pid);
        if (thread->process == WEFT_MAP_NONE) /* its first thread was not observed */
            thread->process = i;
    }
    weft_id_map_free(&by_tid);
}

bool observed_read(struct observed *observed, const void *data, size_t size)
{
    struct parser parser = { .observed = observed };

    *observed = (struct observed){ .head = data };
    if (!head_fits(data, size))
        return false;
    observed->damaged = !collect(&parser, data, size);
    parser.latest =
        weft_zalloc((size_t)observed->head->processors + 1, sizeof *parser.latest);
    if (parser.records.n > 1)
        qsort(parser.records.items, parser.records.n, sizeof *parser.records.items,
              compare_records);
    for (size_t i = 0; i < parser.records.n; i++)
        take_record(&parser, &parser.records.items[i]);
    end_observation(&parser);
    sort_switches(observed);
    relate_threads(observed);
    relate_mappings(observed);
    observed_finish_counters(observed);
    free(parser.records.items);
    free(parser.latest);
    weft_id_map_free(&parser.by_tid);
    weft_id_map_free(&parser.latest_by_tid);
    return true;
}

void observed_free(struct observed *observed)
{
    for (size_t i = 0; i < observed->n_threads; i++) {
        free(observed->threads[i].switches);
        free(observed->threads[i].looks);
        free(observed->threads[i].samples);
    }
    free(observed->mappings);
    free(observed->threads);
}
