/* SPDX-License-Identifier: Apache-2.0 */
/* weft record: runs a program with the recorder preloaded, and joins what it wrote. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cmd/record_counters.h"
#include "cli/cmd/record_families.h"
#include "cli/cmd/record_folder.h"
#include "cli/cmd/record_join.h"
#include "cli/cmd/record_program.h"
#include "cli/cmd/record_signals.h"
#include "cli/command.h"
#include "cli/open_traces.h"
#include "cli/record_hooks.h"
#include "format/performance_counters.h"
#include "format/sanitizer_library_names.h"
#include "read/recording/recorder_registry.h"
#include "read/recording/recording_obstacles.h"

extern char **environ;

static void write_command(FILE *out, const char **arguments)
{
    for (size_t i = 0; arguments[i]; i++) {
        const char *text = arguments[i];
        bool plain = *text
                     && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-+=./:,@%^")
                            == strlen(text);
        fputs(i ? " " : "", out);
        if (!plain)
            putc('\'', out);
        for (; *text; text++) {
            if (*text == '\'')
                fputs("'\\''", out);
            else
                putc(*text == '\n' ? ' ' : *text, out);
        }
        if (!plain)
            putc('\'', out);
    }
}

static bool begins_with_any(const char *entry, const char *const *prefixes)
{
    for (; prefixes && *prefixes; prefixes++)
        if (strncmp(entry, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

/* Returns true for a variable that affects threads or another thing that is recorded. */
static bool is_noted(const char *entry)
{
    static const char *const prefixes[] = { "MALLOC_", "GLIBC_TUNABLES",
                                            "LANG=", "LC_ALL=", NULL };
    const struct weft_recorder *recorder;
    bool noted = begins_with_any(entry, prefixes);

    for (size_t i = 0; !noted && (recorder = weft_recorder_at(i)); i++)
        noted = begins_with_any(entry, recorder->environment);
    return noted;
}

/* Other variables are not noted: they may hold secrets. */
static void write_environment(FILE *out)
{
    for (char **entry = environ; *entry; entry++)
        if (is_noted(*entry) && !strchr(*entry, '\n'))
            fprintf(out, "environment %s\n", *entry);
}

static void write_facts_of_recorders(FILE *out, const struct record_request *request)
{
    const struct weft_recorder *recorder;

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        if (recorder->hooks && recorder->hooks->facts)
            recorder->hooks->facts(request, out);
}

static void write_clocks(FILE *out, const char *key)
{
    struct weft_clock_sample now = weft_recording_clocks();

    fprintf(out, "%s=%" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", key, now.ticks,
            now.monotonic_ns, now.realtime_ns, now.error_ticks);
}

/* Writes the machine's name and system, as the recorder's headers have them. */
static void write_host(FILE *out)
{
    struct utsname system;
    char boot[WEFT_BOOT_TEXT] = "";
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (uname(&system) == 0)
        fprintf(out, "host=%s\nsystem=%s %s %s\n", system.nodename, system.sysname,
                system.release, system.machine);
    fprintf(out, "processors=%ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    if (in && fgets(boot, sizeof boot, in))
        fprintf(out, "boot=%.*s\n", (int)strcspn(boot, "\n"), boot);
    if (in)
        fclose(in);
}

/*
 * Returns true if the file begins like a recording's facts, as far as it has been written:
 * another weft record may be writing it just now.
 */
static bool is_recordings(const char *path)
{
    char head[sizeof WEFT_RECORDING_MAGIC - 1];
    FILE *in = fopen(path, "re");
    size_t n = in ? fread(head, 1, sizeof head, in) : 0;

    if (in)
        fclose(in);
    return in && memcmp(head, WEFT_RECORDING_MAGIC, n) == 0;
}

/*
 * Writes the facts of the recording.  OBSTACLE is why the program cannot be recorded, or
 * NULL. *THERE becomes true if another weft record that uses the same folder has written
 * them.
 */
static bool write_facts(const char *folder, const char **arguments,
                        const struct record_request *request, const char *obstacle,
                        bool *there, struct weft_err *err)
{
    const char *counters = weft_option_value(request->arguments, "counters");
    char *path = weft_asprintf("%s/recording", folder);
    FILE *out = fopen(path, "wxe");
    time_t now = time(NULL);
    struct tm date;
    char text[64];
    bool done;

    *there = !out && errno == EEXIST;
    if (!out) {
        done = *there && is_recordings(path);
        if (*there && !done)
            weft_fail(err, WEFT_ERR_WRITE,
                      "cannot record into %s: its file \"recording\" is of no recording",
                      folder);
        else if (!done)
            weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
        free(path);
        return done;
    }
    fprintf(out, "%s\ncommand=", WEFT_RECORDING_MAGIC);
    write_command(out, arguments);
    localtime_r(&now, &date);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &date);
    fprintf(out, "\ndate=%s\n", text);
    write_host(out);
    if (obstacle)
        fprintf(out, WEFT_RECORDING_OBSTACLE "=%s\n", obstacle);
    write_environment(out);
    if (counters)
        fprintf(out, WEFT_RECORDING_COUNTERS "=%s\n", counters);
    write_facts_of_recorders(out, request);
    write_clocks(out, "clocks-begin");
    done = fflush(out) == 0 && !ferror(out);
    if (fclose(out) != 0 || !done) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
        done = false;
    }
    free(path);
    return done;
}

static void write_end(const char *folder, int status)
{
    char *path = weft_asprintf("%s/recording", folder);
    FILE *out = fopen(path, "ae");

    /* On a full disk these lines are lost, and the trace then lacks the exit status. */
    if (out) {
        write_clocks(out, "clocks-end");
        fprintf(out, "exit status=%d\n", status);
        fclose(out);
    }
    free(path);
}

/* Lets a recorder prepare, and appends the library that it needs to *LIBRARIES. */
static bool prepare(const struct weft_recorder *recorder,
                    const struct record_request *request, const char *file,
                    char **libraries, struct weft_err *err)
{
    char *library = NULL, *all;

    if (!recorder->hooks || !recorder->hooks->prepare)
        return true;
    if (!recorder->hooks->prepare(request, file, &library, err))
        return false;
    if (library) {
        all = weft_asprintf("%s:%s", *libraries, library);
        free(*libraries);
        free(library);
        *libraries = all;
    }
    return true;
}

/* Returns the libraries of the requested families and those that the program FILE needs for
   them (NULL: not found). */
static char *record_find_all(const struct record_request *request, const char *file,
                             struct weft_err *err)
{
    char *libraries = record_find_libraries(request->families, err);
    const struct weft_recorder *recorder;

    for (size_t i = 0; libraries && (recorder = weft_recorder_at(i)); i++)
        if (!prepare(recorder, request, file, &libraries, err)) {
            free(libraries);
            return NULL;
        }
    return libraries;
}

/*
 * Runs the program, with a counter open meanwhile if there are to be some.  OUTSIDE: a
 * recorder cannot be loaded into the program.
 */
static int record_held(const char **program, const char *libraries, const char *folder,
                       const struct record_request *request, bool outside,
                       struct record_following *following, struct weft_err *err)
{
    struct record_means means = { .libraries = libraries,
                                  .folder = folder,
                                  .observes =
                                      !weft_option_given(request->arguments, "no-switches"),
                                  .sample_ns = request->sample_ns,
                                  .faults = outside,
                                  .counters =
                                      weft_option_value(request->arguments, "counters") };
    int counter = means.counters ? record_open_first_counter() : -1;
    int status = record_run(program, &means, following, err);

    if (counter >= 0)
        close(counter);
    return status;
}

/* Returns why FILE cannot be recorded, by itself or because of the environment, or NULL.
   FILE is NULL if it was not found. */
static const char *find_obstacle(const char *file, bool *sanitized)
{
    const char *preload = getenv("LD_PRELOAD");

    *sanitized = file && preload && weft_names_sanitizer(preload);
    if (*sanitized)
        return "LD_PRELOAD names a sanitizer, which does not go together with recording: "
               "record it without that";
    return file ? weft_recording_obstacle(file, sanitized) : NULL;
}

/* Fails if the trace would replace the program. */
static bool keeps_program(const char *file, const char *output, struct weft_err *err)
{
    return ask_keeps_file(file, output, err)
           || weft_fail(err, WEFT_ERR_USAGE, "%s is the program itself: it would be lost",
                        output);
}

/*
 * Makes a folder to record into, beside *OUTPUT, which is chosen here if it is NULL.
 * Recordings that begin at the same time choose in turn: a lock on the working directory
 * is held until the folder is there.
 */
static char *make_folder(const char *program, const char *file, char **output,
                         struct weft_err *err)
{
    int directory = *output ? -1 : open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *folder = NULL;

    if (directory >= 0)
        (void)flock(directory, LOCK_EX); /* a file system without locks: as before */
    if (!*output)
        *output = record_default_output(program);
    if (keeps_program(file, *output, err))
        folder = record_make_folder(*output, err);
    if (directory >= 0)
        close(directory);
    return folder;
}

/*
 * Runs the program and joins its recording into OUTPUT (NULL: a name of its own); returns
 * the exit status.  FRONT is that of record_descendants.h.
 */
static int record(const char **program, const struct record_request *request,
                  const char *output, int front, struct weft_err *err)
{
    char *file = record_find_program(program[0]);
    char *libraries = record_find_all(request, file, err);
    char *trace = output ? weft_strdup(output) : NULL;
    char *folder = libraries ? make_folder(program[0], file, &trace, err) : NULL;
    struct record_following following = { .program = program[0],
                                          .output = trace,
                                          .front = front };
    bool sanitized = false, facts_there = false;
    const char *obstacle = find_obstacle(file, &sanitized);
    int status = 126;

    if (!folder || !write_facts(folder, program, request, obstacle, &facts_there, err)) {
        status = weft_report(err);
        if (folder)
            record_remove_folder(folder);
    } else if (sanitized) {
        weft_fail_at(err, WEFT_ERR_READ, file, 0, "%s", obstacle);
        weft_report(err);
        record_remove_folder(folder);
    } else {
        status =
            record_held(program, libraries, folder, request, obstacle, &following, err);
        if (err->code) {
            weft_report(err);
            record_remove_folder(folder);
        } else {
            const char *folders[] = { folder };
            write_end(folder, status);
            if (record_join_folders(folders, 1, trace, file ? file : program[0], false, err)
                == RECORD_NOT_JOINED) {
                int reported = weft_report(err);
                /* A script must not take a failed join for success. */
                status = status == 0 ? reported : status;
            }
        }
    }
    free(file);
    free(folder);
    free(libraries);
    free(trace);
    return status;
}

/*
 * Runs the program and leaves its recording in the folder DIR, which is made if needed.
 * Others may record into it at the same time: the ranks of an MPI run.
 */
static int record_into(const char *dir, const char **program,
                       const struct record_request *request, struct weft_err *err)
{
    struct record_following following = { .program = program[0],
                                          .output = dir,
                                          .front = -1 };
    char *file = record_find_program(program[0]), *folder = NULL;
    char *libraries = record_find_all(request, file, err);
    bool sanitized = false, facts_there = false, begun = false, is_new;
    const char *obstacle = find_obstacle(file, &sanitized);
    int status = 126;

    is_new = libraries && mkdir(dir, 0777) == 0;
    if (libraries && !is_new && errno != EEXIST)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make the folder \"%s\"", dir);
    else if (libraries && !(folder = realpath(dir, NULL)))
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot find the folder \"%s\"", dir);
    if (folder && !record_folder_fits(folder, err)) {
        if (is_new)
            rmdir(folder);
    } else if (sanitized)
        weft_fail_at(err, WEFT_ERR_READ, file, 0, "%s", obstacle);
    else if (folder
             && (begun =
                     write_facts(folder, program, request, obstacle, &facts_there, err)))
        status =
            record_held(program, libraries, folder, request, obstacle, &following, err);
    if (err->code) {
        int reported = weft_report(err);
        status = begun || sanitized ? status : reported;
    } else if (!facts_there)
        write_end(folder, status);
    free(file);
    free(folder);
    free(libraries);
    return status;
}

/*
 * Records in a child process, which stays in the background if the program leaves processes
 * behind.  Both processes get the terminal's signals, which are meant for the program.
 */
static int record_detached(const char **program, const struct record_request *request,
                           const char *output, struct weft_err *err)
{
    /* With SIGCHLD ignored, the kernel would discard the child's status. */
    struct sigaction usual = { .sa_handler = SIG_DFL }, of_child;
    struct record_signals before;
    int channel[2], status = 126 << 8;
    pid_t recorder;
    ssize_t n;

    sigaction(SIGCHLD, &usual, &of_child);
    if (pipe2(channel, O_CLOEXEC) != 0 || (recorder = fork()) < 0) {
        weft_fail_errno(err, WEFT_ERR_READ, "cannot start a process");
        return weft_report(err);
    }
    if (recorder == 0) {
        close(channel[0]);
        sigaction(SIGCHLD, &of_child, NULL);
        return record(program, request, output, channel[1], err);
    }
    close(channel[1]);
    record_signals_go_to(recorder);
    record_pass_signals(&before);
    do
        n = read(channel[0], &status, sizeof status);
    while (n < 0 && errno == EINTR);
    if (n == sizeof status)
        return status;
    while (waitpid((pid_t)recorder, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Checks the options of all recorders; returns 0, or the exit status of wrong usage. */
static int check(const struct record_request *request)
{
    const char *counters = weft_option_value(request->arguments, "counters");
    const struct weft_recorder *recorder;
    int status =
        counters ? record_check_counters(request->arguments->command, counters) : 0;

    for (size_t i = 0; status == 0 && (recorder = weft_recorder_at(i)); i++)
        if (recorder->hooks && recorder->hooks->check)
            status = recorder->hooks->check(request);
    return status;
}

static int run(const struct weft_arguments *arguments)
{
    const char *output = weft_option_value(arguments, "output");
    const char *with = weft_option_value(arguments, "with");
    const char *dir = weft_option_value(arguments, "dir");
    struct weft_err err = { 0 };
    char *wrong = NULL;
    struct record_request request = { .arguments = arguments,
                                      .families = record_parse_families(with, &wrong),
                                      .named = with };
    int status;

    if (wrong) {
        char *list = record_list_families();
        status = weft_usage(arguments->command,
                            "--with %s: there is no recorder \"%s\", but: %s", with, wrong,
                            list);
        free(list);
        free(wrong);
        return status;
    }
    if (!record_parse_rate(weft_option_value(arguments, "sample"), &request.sample_ns))
        return weft_usage(arguments->command,
                          "--sample %s: samples a second of processor time, 1 to 10000, or "
                          "off",
                          weft_option_value(arguments, "sample"));
    status = check(&request);
    if (status != 0)
        return status;
    if (output && !record_is_store_name(output))
        return weft_usage(arguments->command,
                          "-o %s: a recording is written as .weft (weft convert and weft "
                          "render make other files of it)",
                          output);
    if (dir && (output || weft_option_given(arguments, "detach")))
        return weft_usage(arguments->command,
                          "--dir %s: there is no trace until weft recover joins what is "
                          "recorded there, so neither -o nor --detach goes with it",
                          dir);
    if (dir)
        return record_into(dir, arguments->positional, &request, &err);
    return weft_option_given(arguments, "detach")
               ? record_detached(arguments->positional, &request, output, &err)
               : record(arguments->positional, &request, output, -1, &err);
}

static void list_recorders(struct weft_option_list *list)
{
    const struct weft_recorder *recorder;

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        weft_options_add(list, recorder->options, recorder->n_options);
}

static const struct weft_option options[] = {
    { "output", 'o', "FILE.weft", false, "write the trace there (else PROGRAM-N.weft)" },
    { "dir", 0, "FOLDER", false,
      "leave the recording there, for weft recover; several may record into one folder" },
    { "detach", 0, NULL, false,
      "when PROGRAM ends and others that it started do not, record them in the background; "
      "the report is then in FILE.weft.report" },
    { "no-switches", 0, NULL, false,
      "do not ask the kernel when threads ran, and in which calls they were blocked" },
    { "sample", 0, "HZ|off", false,
      "samples of each thread's call chain in a second of its processor time (997)" },
    { "counters", 0, "LIST", false,
      "count these of every thread, and with --with omp in every part of a task, at most four, "
      "with commas: cycles, instructions, cache-references, cache-misses, branches, "
      "branch-misses (of the processor, where the system allows it), task-clock (ns on a "
      "processor), page-faults; for tasks a system call or two an event" },
    { .expand = list_recorders },
    { "with", 0, "LIST", false, "record with these only, of those above; with commas" },
};

/* Returns the end of the help: the recorders' paragraphs, exit statuses, recorders. */
static char *more(void)
{
    static const char end[] =
        "The exit status is the program's: 128 + N when signal N ended it, 127 when there is "
        "no such program, 126 when it cannot run. A report of what was recorded goes to "
        "standard error. If joining fails, the folder of the recording stays, for weft "
        "recover, and where the program ended with 0 the status says why: 3, 4, 130 or 134.\n\n"
        "Of statically linked, setuid and Go programs, only what the kernel says is recorded.";
    const struct weft_recorder *recorder;
    char *families = record_explain_families(), *text = weft_strdup(""), *longer;

    for (size_t i = 0; (recorder = weft_recorder_at(i)); i++)
        if (recorder->help) {
            longer = weft_asprintf("%s%s\n\n", text, recorder->help);
            free(text);
            text = longer;
        }
    longer = weft_asprintf("%s%s\n\n%s", text, end, families);
    free(text);
    free(families);
    return longer;
}

const struct weft_command weft_command_record = {
    .name = "record",
    .arguments = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run a program and record what its threads do",
    .description =
        "Runs PROGRAM unchanged and writes what its threads did into one trace: when they "
        "ran, in which lock, condition, semaphore, barrier or call they were blocked, who "
        "held it, and who woke whom. Processes that it forks and programs that it executes "
        "are followed. A program that includes weft.h adds regions, counters, messages and "
        "tasks of its own.\n\n"
        "It waits until the last process that PROGRAM started has ended. When PROGRAM itself "
        "has and others go on (daemons), it says which; then Ctrl-C ends the recording, not "
        "them. Programs that get an environment without the recorder's variables are recorded "
        "all the same, unless it has an empty WEFT_RECORD_DIR.\n\n"
        "The kernel says when each thread ran, and on which processor; a thread that has been "
        "off for a third of a millisecond is looked at once, so that its state says in which "
        "system call it is blocked, and on which file. So programs that nothing can be loaded into "
        "(static ones, Go) have their threads, processors and waits in the trace, too. 997 "
        "times in a second of each thread's processor time the kernel takes a sample of its "
        "call chain, by frame pointers; compile with -fno-omit-frame-pointer for whole ones.",
    .more = more,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = SIZE_MAX,
    .passthrough = true,
    .run = run,
};
