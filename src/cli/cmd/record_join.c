/* SPDX-License-Identifier: Apache-2.0 */
/* Joins recordings to traces, and reports about them. */
#include "cli/cmd/record_join.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cmd/record_folder.h"
#include "cli/command.h"
#include "format/schedule_layout.h"
#include "read/recording/recorder_registry.h"
#include "store/time.h"
#include "store/trace/trace.h"
#include "view/text.h"
#include "write/export.h"

static void print_size(FILE *out, uint64_t bytes)
{
    if (bytes < 10000)
        fprintf(out, "%" PRIu64 " bytes", bytes);
    else if (bytes < 10000000)
        fprintf(out, "%.0f kB", (double)bytes * 1e-3);
    else
        fprintf(out, "%.0f MB", (double)bytes * 1e-6);
}

/* PROBLEMS: the trace's problems are printed next, and are the reason. */
static void print_nothing(const char *output, const char *program, bool problems)
{
    fprintf(stderr, "weft: %s: no call of %s was seen: %s\n", output, program,
            problems ? "see what follows"
                     : "it makes none of the calls that are recorded through the C library "
                       "(Go programs and statically linked libraries do not)");
}

/* Prints how much of the time in which threads were blocked has a cause. */
static void print_causes(const struct weft_recording_report *report, const char *output)
{
    int64_t known = report->blocked_known_ns + report->blocked_seen_ns;

    if (report->blocked_ns > 0 && (double)known < 0.9 * (double)report->blocked_ns)
        fprintf(stderr,
                "weft: %s: of the time that threads were blocked, %.0f %% has a cause "
                "(weft info --details)\n",
                output, 100 * (double)known / (double)report->blocked_ns);
}

static void print_report(const struct weft_recording_report *report, const char *output)
{
    FILE *out = stderr;
    char took[WEFT_TIME_TEXT];

    fprintf(out,
            "weft: %s: %" PRIu64 " event%s of %" PRIu64 " thread%s in %" PRIu64
            " process%s, %" PRIu64 " lost, ",
            output, report->events, report->events == 1 ? "" : "s", report->threads,
            report->threads == 1 ? "" : "s", report->processes,
            report->processes == 1 ? "" : "es", report->lost);
    print_size(out, report->bytes);
    fprintf(out, "; recording took about %s of their time\n",
            weft_nanoseconds_text((double)report->overhead_ns, took));
    print_causes(report, output);
}

/* Prints what was seen of a program that no recorder was loaded into. */
static void print_observed(const struct weft_recording_report *report, const char *output)
{
    fprintf(stderr,
            "weft: %s: %" PRIu64 " switches of %" PRIu64 " thread%s in %" PRIu64
            " process%s, from outside\n",
            output, report->switches, report->threads, report->threads == 1 ? "" : "s",
            report->processes, report->processes == 1 ? "" : "es");
    print_causes(report, output);
}

/* Prints the problems of the trace, the first of each kind. */
static void print_problems(const struct weft_schema *schema, const char *output)
{
    struct weft_arena arena = { 0 };

    for (uint32_t i = 0; i < schema->n_problems; i++) {
        uint64_t same = 0;
        bool first = true;
        for (uint32_t k = 0; k < schema->n_problems; k++)
            if (strcmp(schema->problems[k].kind, schema->problems[i].kind) == 0) {
                first = first && k >= i;
                same += schema->problems[k].count;
            }
        if (!first)
            continue;
        fprintf(stderr, "weft: %s: %s", output,
                weft_text_clean(&arena, schema->problems[i].message));
        if (same > 1)
            fprintf(stderr, " (and %" PRIu64 " more like this: weft check)", same - 1);
        fputc('\n', stderr);
    }
    weft_arena_free(&arena);
}

/* Writes a file that the program asked for by a note. */
static void write_asked(const struct weft_trace *trace, const struct weft_export *export,
                        const char *path)
{
    struct weft_err err = { 0 };
    struct weft_output out;
    bool ok = weft_output_open(&out, path, &err);

    if (ok) {
        ok = export->write_asked(weft_trace_source(trace), out.stream, &err);
        if (ok)
            ok = weft_output_commit(&out, &err);
        else
            weft_output_abandon(&out);
    }
    if (ok)
        fprintf(stderr, "weft: %s: the same as %s, as %s asks for it\n", path, export->name,
                export->asked_by);
    else
        fprintf(stderr, "weft: %s, which %s asks for, was not written: %s\n", path,
                export->asked_by, err.message);
}

/*
 * Names the file only: a foreign recording must not decide which files are replaced here.
 */
static void name_asked(const struct weft_export *export, const char *path,
                       const char *output)
{
    struct weft_arena arena = { 0 };

    fprintf(
        stderr,
        "weft: %s, which %s asks for, is not written here: weft convert %s %s writes it\n",
        weft_text_clean(&arena, path), export->asked_by, output, export->same_options);
    weft_arena_free(&arena);
}

/* Returns the export that writes what a note asks for, or NULL. */
static const struct weft_export *asked_export(const char *key)
{
    const struct weft_export *export;

    for (size_t i = 0; (export = weft_export_at(i)); i++)
        if (export->note && strcmp(export->note, key) == 0)
            return export;
    return NULL;
}

static void write_trace_files(const struct weft_trace *trace, const char *output,
                              bool again)
{
    const struct weft_schema *schema = weft_trace_schema(trace);

    for (uint32_t i = 0; i < schema->n_notes; i++) {
        const struct weft_export *export = asked_export(schema->notes[i].key);
        if (export && again)
            name_asked(export, schema->notes[i].text, output);
        else if (export)
            write_asked(trace, export, schema->notes[i].text);
    }
}

/* Prints what was recorded, and what is missing. */
static void print_all(const struct weft_recording_report *report, const char *output,
                      const char *program, bool again)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_trace_open(output, &err);
    const struct weft_schema *schema = trace ? weft_trace_schema(trace) : NULL;
    const struct weft_recorder *recorder;

    if (report->events == 0 && report->switches > 0)
        print_observed(report, output);
    else if (report->processes == 0 || report->events == 0)
        print_nothing(output, program, schema && schema->n_problems > 0);
    else
        print_report(report, output);
    for (size_t i = 0; report->processes > 0 && (recorder = weft_recorder_at(i)); i++)
        if ((report->missed >> recorder->number & 1) && recorder->hint)
            fprintf(stderr, "weft: %s: %s\n", output, recorder->hint);
    if (schema) {
        print_problems(schema, output);
        write_trace_files(trace, output, again);
    }
    weft_trace_close(trace);
}

/* Returns why a recording that has been joined is kept; NULL if nothing is missing. */
static const char *why_it_stays(const struct weft_recording_report *report, bool again)
{
    if (report->unread > 0)
        return "not all of it could be read (weft recover joins it again)";
    if (again && report->unfinished > 0)
        return "programs are still recorded into it (weft recover joins it again when they "
               "have ended)";
    if (again && report->processes == 0)
        return "no process is in it";
    return NULL;
}

enum record_joined record_join_folders(const char *const *folders, size_t n_folders,
                                       const char *output, const char *program, bool again,
                                       struct weft_err *err)
{
    struct weft_recording_report report = { 0 };
    struct weft_job *job = weft_progress_begin("joining the recording");
    bool done = weft_recording_join(folders, n_folders, output, &report, job, err);
    const char *why = done ? why_it_stays(&report, again) : NULL;
    bool is_none = again && !done && err->code == WEFT_ERR_FORMAT; /* not a recording */

    weft_progress_end(job);
    if (done)
        print_all(&report, output, program, again);
    for (size_t i = 0; i < n_folders; i++)
        if (done && !why)
            record_remove_folder(folders[i]);
        else if (done)
            fprintf(stderr, "weft: %s stays, for %s\n", folders[i], why);
        else if (!is_none && access(folders[i], F_OK) == 0)
            fprintf(stderr, "weft: the recording stays in %s (weft recover joins it)\n",
                    folders[i]);
    return !done ? RECORD_NOT_JOINED : why ? RECORD_JOINED_IN_PART : RECORD_JOINED;
}
