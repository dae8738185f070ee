/* SPDX-License-Identifier: Apache-2.0 */
/* Notes and problems of a recording. */
#include "read/recording/join/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/join/process_starts.h"
#include "read/recording/logs/running_processes.h"
#include "read/recording/recorder_registry.h"

static void note(struct join *join, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void note(struct join *join, const char *key, const char *fmt, ...)
{
    char text[256];
    va_list list;

    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    weft_builder_note(join->builder, key, text);
}

static void note_sample(struct join *join, const char *key,
                        const struct weft_clock_sample *sample)
{
    note(join, key,
         "%" PRIu64 " ticks = %" PRId64 " ns monotonic = %" PRId64 " ns since 1970",
         sample->ticks, sample->monotonic_ns, sample->realtime_ns);
}

/* Returns the key of a note about a clock, with the host if there are several clocks. */
static char *key_of(struct join *join, const char *key, const struct clock_domain *domain)
{
    return join->recording->n_domains > 1
               ? weft_arena_printf(&join->arena, "%s, %s", key, domain->host)
               : weft_arena_strdup(&join->arena, key);
}

static void note_clocks(struct join *join)
{
    const struct recording *recording = join->recording;

    for (size_t i = 0; i < recording->n_domains; i++) {
        const struct clock_domain *domain = &recording->domains[i];
        note(join, key_of(join, "clock", domain), "%s",
             domain->clock == WEFT_CLOCK_TSC ? "time-stamp counter" : "CLOCK_MONOTONIC");
        if (domain->n_samples == 0)
            continue;
        note_sample(join, key_of(join, "clock at the beginning", domain),
                    &domain->samples[0]);
        note_sample(join, key_of(join, "clock at the end", domain),
                    &domain->samples[domain->n_samples - 1]);
        note(join, key_of(join, "clock error [ns]", domain), "%" PRId64, domain->error_ns);
        if (domain->shift_ns != 0)
            note(join, key_of(join, "clock shift by the time of day [ns]", domain),
                 "%" PRId64, domain->shift_ns);
        if (domain->set_ns / 1000000 != 0)
            note(join, key_of(join, "time of day was set by [ns]", domain), "%" PRId64,
                 domain->set_ns);
    }
}

static void note_facts(struct join *join)
{
    for (const char *line = join->recording->facts; line && *line;) {
        size_t size = strcspn(line, "\n");
        const char *equals = memchr(line, '=', size);
        if (equals && strncmp(line, "clocks-", 7) != 0) {
            char *key = weft_strndup(line, (size_t)(equals - line));
            char *text = weft_strndup(equals + 1, size - (size_t)(equals - line) - 1);
            weft_builder_note(join->builder, key, text);
            free(key);
            free(text);
        }
        line += size + (line[size] == '\n');
    }
}

/* Note the families that took part in any process. */
static void note_families(struct join *join)
{
    const struct weft_recorder *recorder;
    char text[256] = "";
    size_t size = 0;
    uint32_t bits = 0;

    for (size_t i = 0; i < join->recording->n_images; i++)
        bits |= join->recording->images[i].header.families;
    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        if ((bits >> recorder->number & 1) && size < sizeof text)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s",
                                     size ? ", " : "", recorder->name);
    if (size)
        weft_builder_note(join->builder, "recorded", text);
}

/* Families that took no part in an image in which they have something to record. */
static void find_missed(struct join *join)
{
    const struct weft_recorder *recorder;

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        for (size_t k = 0; recorder->misses && k < join->recording->n_images; k++) {
            const struct image *image = &join->recording->images[k];
            if (!(image->header.families >> recorder->number & 1)
                && recorder->misses(image))
                join->recording->report.missed |= 1u << recorder->number;
        }
}

/* Notes how much the kernel told, and how much of the blocked time has a cause. */
static void note_observations(struct join *join)
{
    const struct weft_recording_report *report = &join->recording->report;
    double blocked = (double)report->blocked_ns;

    if (join->recording->n_observed == 0)
        return;
    note(join, "switches", "%" PRIu64, report->switches);
    if (report->blocked_ns == 0)
        return;
    note(join, "blocked for 1 ms or more [ns]", "%" PRId64, report->blocked_ns);
    note(join, "cause known from the recorder [%]", "%.1f",
         100 * (double)report->blocked_known_ns / blocked);
    note(join, "cause known from a look [%]", "%.1f",
         100 * (double)report->blocked_seen_ns / blocked);
}

/* Notes what the kernel was asked to tell of the program, and refused. */
static void note_kernel(struct join *join)
{
    for (size_t i = 0; i < join->recording->n_observed; i++) {
        const struct weft_schedule_head *head = join->recording->observed[i].head;
        if (head->refused[0])
            note(join, "not observed", "%s", head->refused);
        if (head->unsampled[0])
            note(join, "no samples", "%s", head->unsampled);
        if (head->sample_ns > 0)
            note(join, "processor time between samples [ns]", "%" PRId64, head->sample_ns);
    }
}

void report_notes(struct join *join)
{
    const struct weft_recording_report *report = &join->recording->report;

    note_facts(join);
    if (join->recording->paths[0])
        weft_builder_note(join->builder, WEFT_JOINED_FROM, join->recording->paths[0]);
    note_families(join);
    note_clocks(join);
    note_kernel(join);
    find_missed(join);
    note_observations(join);
    note(join, "lost events", "%" PRIu64, report->lost);
    note(join, "recorded bytes", "%" PRIu64, report->bytes);
    note(join, "estimated overhead [ns]", "%" PRIu64, report->overhead_ns);
    weft_builder_records(join->builder, report->events);
}

static const char *name_of(const struct join_thread *thread)
{
    return thread->name && *thread->name ? thread->name : "a thread";
}

/* Searches for matching messages, requests or threads were given up. */
static void report_looks(struct join *join)
{
    if (join->looks_left_out > 0)
        weft_builder_problem(
            join->builder, WEFT_WARNING, "too-much-open", 0,
            "%" PRIu64 " times it was given up to find out which message, "
            "request or waiting thread a record is about: too many are open "
            "at once",
            join->looks_left_out);
}

/* Records of unknown families and kinds. */
static void report_unknown(struct join *join)
{
    for (unsigned family = 0; family < WEFT_FAMILIES_MAX; family++) {
        uint64_t n = 0;
        for (size_t i = 0; i < join->n_threads; i++) {
            const struct stream *stream = join->threads[i]->stream;
            n += stream->unknown[family];
            if (!join->recording->logs[stream->log].goes_on)
                join->recording->report.unread += stream->unknown[family];
        }
        if (n > 0)
            weft_builder_problem(join->builder, WEFT_WARNING, "unknown-records", 0,
                                 "%" PRIu64 " records of recorder family %u were skipped: "
                                 "this weft does not know them",
                                 n, family);
    }
}

/* Files that are missing in the trace, or not whole. */
static void report_files(struct join *join)
{
    static const struct {
        const char *kind, *what;
    } losses[RECORDING_LOSSES] = {
        [RECORDING_UNREAD] = { "unread-file", "not in the trace, for it cannot be read" },
        [RECORDING_DAMAGED] = { "damaged-file",
                                "not in the trace, for it does not begin as it must" },
        [RECORDING_INCOMPLETE] = { "damaged-log",
                                   "not wholly in the trace, for it is damaged" },
        [RECORDING_EMPTY] = { "empty-log",
                              "holds nothing: its process ended as it began to "
                              "record, or it was emptied" },
        [RECORDING_WITHOUT_PROCESS] = { "thread-without-process",
                                        "not in the trace, for its process is not there" },
    };

    for (size_t i = 0; i < RECORDING_LOSSES; i++) {
        const struct loss *loss = &join->recording->losses[i];
        const char *others = "";
        if (loss->n == 0)
            continue;
        if (loss->n > 1)
            others = weft_arena_printf(&join->arena, " (and %" PRIu64 " other%s)",
                                       loss->n - 1, loss->n == 2 ? "" : "s");
        weft_builder_problem(
            join->builder,
            i == RECORDING_EMPTY && join->recording->n_images > 0 ? WEFT_NOTE : WEFT_ERROR,
            losses[i].kind, 0, "%s: %s%s", losses[i].what, loss->example, others);
    }
}

/* Clocks whose times are only estimated. */
static void report_clocks(struct join *join)
{
    const struct recording *recording = join->recording;

    for (size_t i = 0; i < recording->n_domains; i++) {
        const struct clock_domain *domain = &recording->domains[i];
        if (domain->n_samples == 0)
            weft_builder_problem(join->builder, WEFT_WARNING, "estimated-times", 0,
                                 "nobody read the clocks of %s: its times are those of its "
                                 "own counter, and do not fit others",
                                 *domain->host ? domain->host : "a host");
        else if (domain->shift_ns != 0)
            weft_builder_problem(
                join->builder, WEFT_NOTE, "estimated-times", 0,
                "the times of %s are brought to those of %s by the time of "
                "day: how well these agree is not known",
                *domain->host ? domain->host : "a host",
                *recording->domains[0].host ? recording->domains[0].host
                                            : "the first host");
    }
}

/* The kernel refused to tell when threads ran, or records of it were lost. */
static void report_observations(struct join *join)
{
    for (size_t i = 0; i < join->recording->n_observed; i++) {
        const struct observed *observed = &join->recording->observed[i];
        if (*observed->head->refused)
            weft_builder_problem(join->builder, WEFT_NOTE, "no-switches", 0,
                                 "the states of threads were asked for 100 times a second: "
                                 "shorter waits that are not recorded are not seen: %s",
                                 observed->head->refused);
        if (observed->lost > 0)
            weft_builder_problem(join->builder, WEFT_WARNING, "lost-switches", 0,
                                 "%" PRIu64 " switches of threads found no room in the "
                                 "kernel's buffers; states around them are unknown",
                                 observed->lost);
    }
}

/* Returns true if threads of the program were observed from outside. */
static bool is_observed(const struct recording *recording)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        if (recording->observed[i].n_threads > 0)
            return true;
    return false;
}

/* Reasons why the program, or all of it, was not recorded. */
static void report_program(struct join *join)
{
    const struct recording *recording = join->recording;
    const char *command = recording_fact(&join->arena, recording->facts, "command");
    const char *obstacle =
        recording_fact(&join->arena, recording->facts, WEFT_RECORDING_OBSTACLE);

    if (obstacle && is_observed(recording))
        weft_builder_problem(join->builder, WEFT_NOTE, "observed-program", 0,
                             "%s is recorded from outside only (when its threads ran, and "
                             "in which calls they were blocked): %s",
                             command ? command : "the program", obstacle);
    else if (obstacle)
        weft_builder_problem(join->builder, WEFT_WARNING, "unseen-program", 0,
                             "%s was started, and is not recorded: %s",
                             command ? command : "the program", obstacle);
    else if (recording->n_processes == 0 && recording->report.unread == 0)
        weft_builder_problem(
            join->builder, WEFT_WARNING, "unseen-program", 0,
            "there is no log of a process: the recorder was not loaded into the program "
            "(it was not started through the dynamic linker of this system), or its logs "
            "are gone");
}

static void report_thread(struct join *join, const struct join_thread *thread)
{
    struct recording *recording = join->recording;
    const struct stream *stream = thread->stream;
    const struct log_file *log = &recording->logs[stream->log];

    if (stream->header->lost > 0)
        weft_builder_problem(join->builder, WEFT_WARNING, "lost-events", 0,
                             "%" PRIu64 " events of %s found no room", stream->header->lost,
                             name_of(thread));
    if (thread->sharers > 0)
        weft_builder_problem(join->builder, WEFT_WARNING, "shared-storage", 0,
                             "%s shared its thread-local storage with %" PRIu32
                             " child%s of clone(): what was done there is shown as its "
                             "own, and some of both may be lost",
                             name_of(thread), thread->sharers,
                             thread->sharers == 1 ? "" : "ren");
    /* The last part of a running process is missing, which unfinished_report says. */
    if (stream->damaged == 0 || log->goes_on)
        return;
    recording->report.unread++;
    weft_builder_problem(join->builder, WEFT_ERROR, "damaged-record", 0,
                         "records of %s are damaged or not there, and were skipped, in %s",
                         name_of(thread), log->path);
}

/* HEARD is the number of the image's threads that have a header in its log. */
static void report_image(struct join *join, const struct image *image, uint64_t heard)
{
    const struct weft_process_header *header = &image->header;
    const struct weft_recorder *recorder;

    if (header->lost > 0)
        weft_builder_problem(join->builder, WEFT_WARNING, "lost-events", 0,
                             "%" PRIu64
                             " events of threads of process %u that have no file "
                             "are lost",
                             header->lost, header->pid);
    if (header->full)
        weft_builder_problem(join->builder, WEFT_WARNING, "recording-ended", 0,
                             "recording of process %u ended before it did: %s", header->pid,
                             strerror((int)header->full));
    /* Without losses, missing threads are those that the system refused to make. */
    if ((header->lost > 0 || header->full) && header->threads > heard)
        weft_builder_problem(join->builder, WEFT_WARNING, "lost-threads", 0,
                             "%" PRIu64 " of the %u threads that process %u made or tried "
                             "to make found no room, and are not in the trace",
                             header->threads - heard, header->threads, header->pid);
    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        if (recorder->report)
            recorder->report(join, image);
    if (image->maps.n_copies > MAPS_COPIES_MAX)
        weft_builder_problem(join->builder, WEFT_WARNING, "left-out-maps", 0,
                             "the memory of process %u was mapped anew %zu times: places "
                             "in what was unmapped before the last %d have no names",
                             header->pid, image->maps.n_copies, MAPS_COPIES_MAX);
}

static void report_images(struct join *join)
{
    const struct recording *recording = join->recording;
    uint64_t *heard = weft_zalloc(recording->n_images + 1, sizeof *heard);

    for (size_t i = 0; i < recording->n_streams; i++)
        heard[recording->streams[i].image]++;
    for (size_t i = 0; i < recording->n_images; i++)
        report_image(join, &recording->images[i], heard[i]);
    free(heard);
}

/* The process may have been recorded again from a later program on. */
static void report_unrecorded(struct join *join, const struct unrecorded *unrecorded)
{
    const struct recording *recording = join->recording;
    bool later = false;

    for (size_t i = 0; i < recording->n_processes; i++)
        later |= recording->processes[i].pid == unrecorded->pid;
    weft_builder_problem(join->builder, WEFT_ERROR, "not-recorded", 0,
                         "%sprocess %u could not be recorded: %s",
                         later ? "a program of " : "", unrecorded->pid,
                         strerror(unrecorded->error));
}

void report_problems(struct join *join)
{
    struct recording *recording = join->recording;

    for (size_t i = 0; i < join->n_threads; i++)
        report_thread(join, join->threads[i]);
    report_images(join);
    report_files(join);
    report_clocks(join);
    if (recording->lost > 0)
        weft_builder_problem(join->builder, WEFT_WARNING, "lost-events", 0,
                             "%" PRIu64 " events of processes that could not be recorded "
                             "are lost",
                             recording->lost);
    for (size_t i = 0; i < recording->n_unrecorded; i++)
        report_unrecorded(join, &recording->unrecorded[i]);
    report_observations(join);
    report_program(join);
    report_unknown(join);
    report_looks(join);
    programs_report(join);
    unfinished_report(join);
}
