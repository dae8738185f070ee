/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings on disk, for record and recover. */
#include "cli/cmd/record_folder.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/command.h"

char *record_make_folder(const char *output, struct weft_err *err)
{
    char *template = weft_asprintf("%s.recording-XXXXXX", output);
    char *folder = NULL;

    if (mkdtemp(template))
        folder = realpath(template, NULL);
    if (!folder)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make a folder \"%s\" to record into",
                        template);
    free(template);
    return folder;
}

static bool is_recorded(const char *name)
{
    return strcmp(name, "recording") == 0
           || ((name[0] == 'l' || name[0] == 'x') && name[1] >= '0' && name[1] <= '9');
}

/*
 * Remove the files of a recording only, in the folder and DEPTH folders of machines below: it
 * may have been given by mistake.
 */
static void remove_files(const char *folder, int depth)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;

    if (!directory)
        return;
    while ((entry = readdir(directory))) {
        char *path = weft_asprintf("%s/%s", folder, entry->d_name);
        if (depth > 0 && strncmp(entry->d_name, "h-", 2) == 0)
            remove_files(path, depth - 1);
        else if (is_recorded(entry->d_name))
            unlink(path);
        free(path);
    }
    closedir(directory);
    rmdir(folder);
}

void record_remove_folder(const char *folder)
{
    remove_files(folder, 1);
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

static void print_report(const struct weft_recording_report *report, const char *output,
                         const char *program, const char *obstacle)
{
    FILE *out = stderr;

    if (report->processes == 0 || report->events == 0) {
        fprintf(out, "weft: %s: no call of %s was seen: %s\n", output, program,
                obstacle ? obstacle
                : report->processes == 0
                    ? "it was not started through the dynamic linker, or cleared its "
                      "environment"
                    : "it makes none of the calls that are recorded through the C library "
                      "(Go programs and statically linked libraries do not)");
        return;
    }
    fprintf(out,
            "weft: %s: %" PRIu64 " events of %" PRIu64 " thread%s in %" PRIu64
            " process%s, %" PRIu64 " lost, ",
            output, report->events, report->threads, report->threads == 1 ? "" : "s",
            report->processes, report->processes == 1 ? "" : "es", report->lost);
    print_size(out, report->bytes);
    fprintf(out, "; recording took about %.3g ms of their time\n",
            (double)report->overhead_ns * 1e-6);
}

bool record_join_folders(const char *const *folders, size_t n_folders, const char *output,
                         const char *program, const char *obstacle, struct weft_err *err)
{
    struct weft_recording_report report = { 0 };
    struct weft_job *job = weft_progress_begin("joining the recording");
    bool done = weft_recording_join(folders, n_folders, output, &report, job, err);

    weft_progress_end(job);
    if (done)
        print_report(&report, output, program, obstacle);
    for (size_t i = 0; i < n_folders; i++)
        if (done)
            record_remove_folder(folders[i]);
        else if (access(folders[i], F_OK) == 0)
            fprintf(stderr, "weft: the recording stays in %s (weft recover joins it)\n",
                    folders[i]);
    return done;
}
