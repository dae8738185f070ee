/* SPDX-License-Identifier: Apache-2.0 */
/* weft recover: joins a recording that weft record could not join itself. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/domain.h"
#include "base/memory.h"
#include "cli/cmd/record_folder.h"
#include "cli/cmd/record_join.h"
#include "cli/command.h"
#include "cli/recover_hooks.h"
#include "store/trace/trace.h"

enum { STATUS_IN_PART = 3 }; /* part of the input could not be read (doc/command-line.md) */

/*
 * Returns the real name of a FOLDER that is a link or ends with "." or ".."; frees FOLDER.
 * Otherwise removal would rename the link, and the folder would stay.
 */
static char *named_folder(char *folder)
{
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    struct stat status;
    bool is_link = lstat(folder, &status) == 0 && S_ISLNK(status.st_mode);
    char *named = is_link || strcmp(name, ".") == 0 || strcmp(name, "..") == 0
                      ? realpath(folder, NULL)
                      : NULL;
    if (!named)
        return folder;
    free(folder);
    return named;
}

/* Returns the folder of a recording, given itself or a file in it; the caller frees it. */
static char *find_folder(const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    size_t length = strlen(path);

    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        return named_folder(slash ? weft_strndup(path, (size_t)(slash - path))
                                  : weft_strdup("."));
    while (length > 1 && path[length - 1] == '/')
        length--;
    return named_folder(weft_strndup(path, length));
}

/* Returns run.weft for the folder run.weft.recording-XXXXXX. */
static char *default_output(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    const char *name = slash ? slash + 1 : folder;
    const char *tail = strstr(name, ".recording-");

    if (tail && tail != name)
        return weft_strndup(folder, (size_t)(tail - folder));
    return weft_asprintf("%s.weft", folder);
}

/* Returns true if the trace was joined from this recording, as it was then. */
static bool is_joined_from(const char *path, const char *folder)
{
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    const struct weft_schema *schema = trace ? weft_trace_schema(trace) : NULL;
    char *here = realpath(folder, NULL);
    bool same = false;

    for (uint32_t i = 0; schema && here && i < schema->n_notes; i++)
        same = same
               || (strcmp(schema->notes[i].key, WEFT_JOINED_FROM) == 0
                   && strcmp(schema->notes[i].text, here) == 0);
    free(here);
    weft_trace_close(trace);
    return same;
}

/*
 * Chooses where the trace goes.  A trace at the default place that is newer than the
 * recording, and not made of it, may be of a later run: then NULL with *ERR.
 */
static char *choose_output(const char *wanted, const char *folder, const char *facts,
                           struct weft_err *err)
{
    char *output = wanted ? weft_strdup(wanted) : default_output(folder);
    struct stat trace, recording;

    if (wanted || stat(output, &trace) != 0 || stat(facts, &recording) != 0
        || trace.st_mtim.tv_sec < recording.st_mtim.tv_sec
        || (trace.st_mtim.tv_sec == recording.st_mtim.tv_sec
            && trace.st_mtim.tv_nsec <= recording.st_mtim.tv_nsec)
        || is_joined_from(output, folder))
        return output;
    weft_fail_at(err, WEFT_ERR_WRITE, output, 0,
                 "it is newer than the recording, and may be of another run: -o FILE.weft "
                 "says where the trace is to go");
    free(output);
    return NULL;
}

/* Recovers a recording that is one file, RUN.weft.recording-XXXXXX. */
static int recover_file(const struct weft_arguments *arguments,
                        const struct weft_recovery *recovery, const char *wanted)
{
    struct weft_err err = { 0 };
    const char *path = arguments->positional[0];
    if (arguments->n_positional > 1)
        return weft_usage(arguments->command,
                          "the recording of a run becomes a trace of its "
                          "own");
    char *output = choose_output(wanted, path, path, &err);
    int status = 0;
    if (!output)
        return weft_report(&err);
    if (!recovery->is_output(output))
        status = weft_usage(arguments->command, "'%s' must end in %s", output,
                            recovery->outputs);
    else if (!recovery->recover(path, output, &err))
        status = weft_report(&err);
    else
        fprintf(stderr, "weft: %s\n", output);
    free(output);
    return status;
}

/* Returns the recovery of the domain that makes a trace of the file, or NULL. */
static const struct weft_recovery *recovery_of(const char *path)
{
    for (size_t i = 0; i < weft_n_domains; i++)
        if (weft_domains[i]->recovery && weft_domains[i]->recovery->recovers(path))
            return weft_domains[i]->recovery;
    return NULL;
}

static int run(const struct weft_arguments *arguments)
{
    const char *wanted = weft_option_value(arguments, "output");
    size_t n = arguments->n_positional;
    signal(SIGPIPE, SIG_IGN); /* the folder is removed even if nobody reads the report */
    const struct weft_recovery *recovery = recovery_of(arguments->positional[0]);
    if (recovery)
        return recover_file(arguments, recovery, wanted);
    if (wanted && !record_is_store_name(wanted))
        return weft_usage(arguments->command, "-o %s: a recording is written as .weft",
                          wanted);
    char **folders = weft_zalloc(n, sizeof *folders);
    struct weft_err err = { 0 };

    for (size_t i = 0; i < n; i++)
        folders[i] = find_folder(arguments->positional[i]);
    char *facts = weft_asprintf("%s/recording", folders[0]);
    char *output = choose_output(wanted, folders[0], facts, &err);
    enum record_joined joined = output
                                    ? record_join_folders((const char *const *)folders, n,
                                                          output, "the program", true, &err)
                                    : RECORD_NOT_JOINED;
    int status = joined == RECORD_JOINED           ? 0
                 : joined == RECORD_JOINED_IN_PART ? STATUS_IN_PART
                                                   : weft_report(&err);
    for (size_t i = 0; i < n; i++)
        free(folders[i]);
    free(folders);
    free(facts);
    free(output);
    return status;
}

static const struct weft_option options[] = {
    { "output", 'o', "FILE.weft", false, "write the trace there" },
};

static char *describe(void)
{
    static const char begin[] =
        "When weft record itself was killed, or could not write the trace, its folder "
        "FILE.weft.recording-XXXXXX stays. This joins it into FILE.weft (or what -o names) "
        "and removes the folder. Nothing that the program's threads had recorded is lost. ";
    static const char end[] =
        "A newer FILE.weft is only replaced when -o names it, or when it was joined from the "
        "same recording. Of the folder, files that are of no recording stay.\n\n"
        "The recording stays, and the status is 3, when a part of it cannot be read or is "
        "found to be damaged, when there is nothing in it, and while programs are still "
        "recorded into it: what is there becomes a trace, and weft check lists what is "
        "missing.\n\n"
        "Several folders, written by machines on disks of their own, become one trace. Their "
        "clocks are brought together by the time of day.";
    char *text = weft_strdup(begin), *all;
    for (size_t i = 0; i < weft_n_domains; i++)
        if (weft_domains[i]->recovery) {
            char *longer = weft_asprintf("%s%s ", text, weft_domains[i]->recovery->help);
            free(text);
            text = longer;
        }
    all = weft_asprintf("%s%s", text, end);
    free(text);
    return all;
}

const struct weft_command weft_command_recover = {
    .name = "recover",
    .arguments = "FOLDER|FILE...",
    .summary = "join what a recording left that was killed",
    .more = describe,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = SIZE_MAX,
    .run = run,
};
