/* SPDX-License-Identifier: Apache-2.0 */
/* Removes and joins recordings on disk, and reports about them. */
#include "cli/cmd/record_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/command.h"
#include "format/schedule_layout.h"
#include "read/recording/recorder.h"
#include "store/time.h"
#include "store/trace/trace.h"
#include "view/text.h"
#include "write/export.h"

bool record_is_store_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (!*name)
        return false;
    return !dot || dot == name || strcmp(dot, ".weft") == 0;
}

bool record_folder_fits(const char *folder, struct weft_err *err)
{
    return strlen(folder) < WEFT_FOLDER_TEXT
           || weft_fail(
               err, WEFT_ERR_WRITE,
               "cannot record into %s: a path of %zu bytes is too long, %d are the most",
               folder, strlen(folder), WEFT_FOLDER_TEXT - 1);
}

char *record_make_folder(const char *output, struct weft_err *err)
{
    char *template = NULL, *folder = NULL;
    struct stat status;

    if (stat(output, &status) == 0 && !S_ISREG(status.st_mode)) {
        weft_fail(err, WEFT_ERR_WRITE, "cannot write %s: it is no regular file", output);
        return NULL;
    }
    template = weft_asprintf("%s.recording-XXXXXX", output);
    if (mkdtemp(template))
        folder = realpath(template, NULL);
    if (!folder)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make a folder \"%s\" to record into",
                        template);
    if (folder && !record_folder_fits(folder, err)) {
        rmdir(folder);
        free(folder);
        folder = NULL;
    }
    free(template);
    return folder;
}

/*
 * Returns true if only recordings have a file of this name, in the recording's folder
 * (DEPTH 1) or in the folder of a machine in it (0).
 */
static bool is_recorded(const char *name, int depth)
{
    return depth > 0
               ? strcmp(name, "recording") == 0
                     || strncmp(name, WEFT_SCHEDULE_PREFIX, strlen(WEFT_SCHEDULE_PREFIX))
                            == 0
               : weft_recording_file_of(name) != WEFT_RECORDING_OTHER;
}

/*
 * Opens the given folder (DEPTH 1), which may be a link, or that of a machine in it (0),
 * where links are not followed.
 */
static DIR *open_folder(int in, const char *name, int depth)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth > 0 ? 0 : O_NOFOLLOW);
    int file = openat(in, name, flags);
    DIR *directory = file >= 0 ? fdopendir(file) : NULL;

    if (!directory && file >= 0)
        close(file);
    return directory;
}

/*
 * Removes only files of a recording, in the folder and DEPTH levels of machines' folders
 * below, since the folder may have been given by mistake.  IS_OWN: it has no other files,
 * and empty folders are removed, too.
 */
static void remove_files(int in, const char *name, int depth, bool is_own)
{
    DIR *directory = open_folder(in, name, depth);
    struct dirent *entry;
    bool removed = false;

    if (!directory)
        return;
    while ((entry = readdir(directory))) {
        if (depth > 0 && strncmp(entry->d_name, "h-", 2) == 0)
            remove_files(dirfd(directory), entry->d_name, depth - 1, is_own);
        else if (is_recorded(entry->d_name, depth)
                 && unlinkat(dirfd(directory), entry->d_name, 0) == 0)
            removed = true;
    }
    closedir(directory);
    if (is_own || removed)
        unlinkat(in, name, AT_REMOVEDIR);
}

/* Returns true if the folder holds a file of another kind than a recording's. */
static bool has_others(int in, const char *name, int depth)
{
    DIR *directory = open_folder(in, name, depth);
    struct dirent *entry;
    bool found = false;

    if (!directory)
        return true;
    while (!found && (entry = readdir(directory))) {
        if (depth > 0 && strncmp(entry->d_name, "h-", 2) == 0)
            found = has_others(dirfd(directory), entry->d_name, depth - 1);
        else
            found = !is_recorded(entry->d_name, depth) && strcmp(entry->d_name, ".") != 0
                    && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return found;
}

/* Renames the folder to GONE, first removing what a killed removal left there. */
static bool set_aside(const char *folder, const char *gone)
{
    if (rename(folder, gone) == 0)
        return true;
    if ((errno != ENOTEMPTY && errno != EEXIST) || has_others(AT_FDCWD, gone, 1))
        return false;
    remove_files(AT_FDCWD, gone, 1, true);
    return rename(folder, gone) == 0;
}

/*
 * Rename the folder first: processes that are still recorded open their files by name, and
 * must not create new ones while it is being emptied.  A folder that also has other files,
 * as one given with --dir may, keeps its name.
 */
void record_remove_folder(const char *folder)
{
    char *gone = weft_asprintf("%s-joined", folder);
    bool is_own = !has_others(AT_FDCWD, folder, 1);

    remove_files(AT_FDCWD, is_own && set_aside(folder, gone) ? gone : folder, 1, is_own);
    free(gone);
}

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
