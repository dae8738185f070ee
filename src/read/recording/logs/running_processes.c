/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the system whether a recorded process is still running. */
#define _GNU_SOURCE
#include "read/recording/logs/running_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read/recording/join/process_containers.h"

enum { NAMES_SHOWN = 8 };

/* This boot of this machine. */
struct here {
    char boot[WEFT_BOOT_TEXT];
    uint64_t pid_namespace;
};

static struct here look_around(void)
{
    struct here here = { "", 0 };
    struct stat status;
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (in && fgets(here.boot, sizeof here.boot, in))
        here.boot[strcspn(here.boot, "\n")] = 0;
    if (in)
        fclose(in);
    if (stat("/proc/self/ns/pid", &status) == 0)
        here.pid_namespace = status.st_ino;
    return here;
}

/* Returns true if the process maps a file in FOLDER, or its maps may not be read. */
static bool maps_recording(uint32_t pid, const char *folder)
{
    char *path = weft_asprintf("/proc/%u/maps", pid), *line = NULL;
    FILE *maps = fopen(path, "re");
    bool hidden = !maps && (errno == EACCES || errno == EPERM);
    size_t length = strlen(folder), size = 0;
    bool found = false;

    free(path);
    if (!maps)
        return hidden && kill((pid_t)pid, 0) != 0 && errno == EPERM;
    while (!found && getline(&line, &size, maps) > 0) {
        const char *file = strchr(line, '/');
        found = file && strncmp(file, folder, length) == 0 && file[length] == '/';
    }
    /* For some processes the system refuses only the reading. */
    if (!found && ferror(maps))
        found = errno == EACCES || errno == EPERM;
    free(line);
    fclose(maps);
    return found;
}

static bool goes_on(const struct recording *recording, const struct image *image,
                    const struct here *here)
{
    const struct weft_process_header *header = &image->header;
    const char *folder = recording->paths[image->folder / RECORDING_FOLDER_STRIDE];

    return !header->exited && folder && *here->boot && header->pid > 1
           && strcmp(header->boot, here->boot) == 0
           && header->pid_namespace == here->pid_namespace
           && maps_recording(header->pid, folder);
}

/* Returns true if the log says that the process executed another program. */
static bool is_left(const struct recording *recording, size_t image)
{
    const struct weft_process_header *header = &recording->images[image].header;

    for (size_t i = image + 1; i < recording->n_images; i++)
        if (recording->images[i].header.pid == header->pid
            && recording->images[i].header.pid_namespace == header->pid_namespace)
            return true;
    return false;
}

bool unfinished_since(const struct recording *recording, size_t first_image)
{
    struct here here = look_around();
    bool found = false;

    for (size_t i = first_image; i < recording->n_images && !found; i++)
        found = goes_on(recording, &recording->images[i], &here) && !is_left(recording, i);
    return found;
}

/* Processes that are reported together. */
struct process_report {
    size_t n;
    const char *names; /* of the first few: "a 12, b 13" */
};

static void tell(struct join *join, struct process_report *report, size_t process)
{
    const struct process *known = &join->recording->processes[process];
    uint32_t by = join->processes[process].signal;
    const char *signal = by ? weft_arena_printf(&join->arena, " by signal %u", by) : "";

    if (report->n++ < NAMES_SHOWN)
        report->names = weft_arena_printf(
            &join->arena, "%s%s%s %u%s", report->n > 1 ? report->names : "",
            report->n > 1 ? ", " : "",
            lifecycle_program_name(&join->recording->images[known->last_image]), known->pid,
            signal);
    else if (report->n == NAMES_SHOWN + 1)
        report->names = weft_arena_printf(&join->arena, "%s and others", report->names);
}

static void say_ended(struct join *join, const struct process_report *report,
                      const char *kind, const char *how, const char *until)
{
    if (report->n > 0)
        weft_builder_problem(join->builder, WEFT_NOTE, kind, 0,
                             "%zu process%s ended %s (%s): what %s in then counts until %s",
                             report->n, report->n == 1 ? "" : "es", how, report->names,
                             report->n == 1 ? "it was" : "they were", until);
}

/*
 * Report processes that did not record their end: a signal, or a call that bypassed the C
 * library, ended them.  The process that waited for one knows which; else it is unknown.  A
 * single process is the program itself, whose end is the end of the recording.
 */
static void report_ended(struct join *join, const struct here *here)
{
    const struct recording *recording = join->recording;
    struct process_report killed = { 0 }, unseen = { 0 }, unknown = { 0 };

    for (size_t i = 0; i < recording->n_processes; i++) {
        const struct join_process *process = &join->processes[i];
        const struct image *last = &recording->images[recording->processes[i].last_image];
        if (process->container == WEFT_NONE || last->header.exited)
            continue;
        if (process->awaited)
            tell(join, process->signal != 0 ? &killed : &unseen, i);
        else if (!goes_on(recording, last, here))
            tell(join, &unknown, i);
    }
    say_ended(join, &killed, "killed", "by a signal", "somebody had waited");
    say_ended(join, &unseen, "unseen-end", "past the C library", "somebody had waited");
    if (recording->n_processes > 1)
        say_ended(join, &unknown, "unknown-end", "without a word, as by a signal",
                  "the trace ends");
}

void unfinished_report(struct join *join)
{
    struct recording *recording = join->recording;
    struct here here = look_around();
    struct process_report going = { 0 };

    for (size_t i = 0; i < recording->n_processes; i++) {
        const struct process *process = &recording->processes[i];
        if (goes_on(recording, &recording->images[process->last_image], &here))
            tell(join, &going, i);
    }
    recording->report.unfinished = going.n;
    if (going.n > 0)
        weft_builder_problem(join->builder, WEFT_WARNING, "unfinished-recording", 0,
                             "%zu process%s went on when the recording was joined (%s): "
                             "what they did after that is missing",
                             going.n, going.n == 1 ? "" : "es", going.names);
    report_ended(join, &here);
}
