/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "domains/tasks/cli/record_tasks.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "domains/tasks/cli/find_openmp_runtime.h"
#include "domains/tasks/format/counters.h"
#include "domains/tasks/format/records.h"
#include "domains/tasks/join/contraction_rules.h"

enum { ROWS = sizeof weft_counter_table / sizeof *weft_counter_table };

static bool is_counter(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(weft_counter_table[i].name) == length
            && strncmp(weft_counter_table[i].name, name, length) == 0)
            return true;
    return false;
}

/* Returns true if the name occurs earlier in the list. */
static bool is_repeated(const char *list, const char *name, size_t length)
{
    for (; list < name; list += strcspn(list, ",") + 1)
        if (strcspn(list, ",") == length && strncmp(list, name, length) == 0)
            return true;
    return false;
}

static int refuse_counter(const struct weft_command *command, const char *list,
                          const char *name, size_t length)
{
    char *names = weft_strdup("");
    int status;

    for (size_t i = 0; i < ROWS; i++) {
        char *longer =
            weft_asprintf("%s%s%s", names, i ? ", " : "", weft_counter_table[i].name);
        free(names);
        names = longer;
    }
    status = weft_usage(command, "--counters %s: there is no counter \"%.*s\", but: %s",
                        list, (int)length, name, names);
    free(names);
    return status;
}

static int check_counters(const struct weft_command *command, const char *list)
{
    unsigned n = 0;

    for (const char *name = list; name;) {
        size_t length = strcspn(name, ",");
        if (!is_counter(name, length))
            return refuse_counter(command, list, name, length);
        if (is_repeated(list, name, length))
            return weft_usage(command, "--counters %s: %.*s is there twice", list,
                              (int)length, name);
        if (++n > WEFT_COUNTERS_MAX)
            return weft_usage(command, "--counters %s: at most %d are counted at a time",
                              list, WEFT_COUNTERS_MAX);
        name = name[length] ? name + length + 1 : NULL;
    }
    return 0;
}

static int check(const struct record_request *request)
{
    const struct weft_arguments *arguments = request->arguments;
    const char *contraction = weft_option_value(arguments, "contract");
    const char *counters = weft_option_value(arguments, "counters");
    const char *unused = counters ? "--counters" : contraction ? "--contract" : NULL;
    struct weft_dag_contraction rule;

    if (unused && !record_requests(request, WEFT_FAMILY_OMP))
        return weft_usage(arguments->command,
                          "%s is about tasks, which are recorded by --with omp", unused);
    if (!weft_recording_contraction(contraction, &rule))
        return weft_usage(
            arguments->command,
            "--contract %s: it is on, off, or least=TIME and most=TIME (such as "
            "least=10us,most=1ms), or leaves=N",
            contraction);
    return counters ? check_counters(arguments->command, counters) : 0;
}

/* Says what differs if a program of GCC runs on LLVM's runtime.  Returns false if it cannot
   run on it. */
static bool can_run_on_llvm(const struct record_openmp *use)
{
    if (use->cannot) {
        fprintf(
            stderr,
            "weft: the program uses %s, which LLVM's OpenMP runtime cannot do for "
            "programs of GCC, and GCC's tells nobody what it does: no task or region is "
            "recorded, only its threads (compile it with clang to record them)\n",
            use->cannot);
        return false;
    }
    if (use->differs)
        fprintf(
            stderr,
            "weft: the program has ordered loops with schedule(static); on LLVM's OpenMP "
            "runtime, on which it is recorded, they may ignore the size of chunks\n");
    return true;
}

static bool prepare(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err)
{
    struct record_openmp use;
    char *runtime;

    if (!file || !record_requests(request, WEFT_FAMILY_OMP)
        || !record_openmp_use(file, NULL).used)
        return true;
    runtime = record_openmp_runtime(err);
    if (!runtime)
        return false;
    use = record_openmp_use(file, runtime);
    if (can_run_on_llvm(&use))
        *library = runtime;
    else
        free(runtime);
    free(use.cannot);
    return true;
}

static void facts(const struct record_request *request, FILE *out)
{
    const char *contraction = weft_option_value(request->arguments, "contract");
    const char *counters = weft_option_value(request->arguments, "counters");

    if (contraction)
        fprintf(out, WEFT_RECORDING_CONTRACTION "=%s\n", contraction);
    if (counters)
        fprintf(out, WEFT_RECORDING_COUNTERS "=%s\n", counters);
}

/*
 * Opens a performance event in this process; returns its descriptor or -1.  The first one
 * on a system takes some 10 ms to open, since the kernel waits for all processors; with one
 * open already, the recorded program does not pay for that.
 */
static int begin(const struct record_request *request)
{
    struct perf_event_attr attributes = { .size = sizeof attributes,
                                          .type = PERF_TYPE_SOFTWARE,
                                          .config = PERF_COUNT_SW_PAGE_FAULTS,
                                          .exclude_kernel = 1 };

    if (!weft_option_given(request->arguments, "counters"))
        return -1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

const struct weft_record_hooks record_tasks_hooks = {
    .check = check,
    .prepare = prepare,
    .facts = facts,
    .begin = begin,
};
