/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cli/cmd/record_counters.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/performance_counters.h"

static bool is_counter(const char *name, size_t length)
{
    for (size_t i = 0; i < WEFT_COUNTER_ROWS; i++)
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

    for (size_t i = 0; i < WEFT_COUNTER_ROWS; i++) {
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

int record_check_counters(const struct weft_command *command, const char *list)
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

int record_open_first_counter(void)
{
    struct perf_event_attr attributes = { .size = sizeof attributes,
                                          .type = PERF_TYPE_SOFTWARE,
                                          .config = PERF_COUNT_SW_PAGE_FAULTS,
                                          .exclude_kernel = 1 };

    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
