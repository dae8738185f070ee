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
#include "domains/tasks/format/counters.h"
#include "format/recording_families.h"
#include "domains/tasks/join/contraction.h"

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
        if (++n > WEFT_COUNTERS_MOST)
            return weft_usage(command, "--counters %s: at most %d are counted at a time",
                              list, WEFT_COUNTERS_MOST);
        name = name[length] ? name + length + 1 : NULL;
    }
    return 0;
}

int record_take_tasks(const struct weft_arguments *arguments, uint32_t families,
                      struct record_tasks *out)
{
    struct weft_dag_contraction rule;
    const char *unused;

    out->contraction = weft_option_value(arguments, "contract");
    out->counters = weft_option_value(arguments, "counters");
    unused = out->counters ? "--counters" : out->contraction ? "--contract" : NULL;
    if (unused && !(families >> WEFT_FAMILY_OMP & 1))
        return weft_usage(arguments->command,
                          "%s is about tasks, which are recorded by --with omp", unused);
    if (!weft_recording_contraction(out->contraction, &rule))
        return weft_usage(
            arguments->command,
            "--contract %s: it is on, off, or least=TIME and most=TIME (such as "
            "least=10us,most=1ms), or leaves=N",
            out->contraction);
    return out->counters ? check_counters(arguments->command, out->counters) : 0;
}

int record_warm_counters(const struct record_tasks *tasks)
{
    struct perf_event_attr attributes = { .size = sizeof attributes,
                                          .type = PERF_TYPE_SOFTWARE,
                                          .config = PERF_COUNT_SW_PAGE_FAULTS,
                                          .exclude_kernel = 1 };

    if (!tasks->counters)
        return -1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
