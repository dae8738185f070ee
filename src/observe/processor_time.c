/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/processor_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "observe/proc_file.h"

bool processor_time_read(uint32_t pid, uint32_t tid, struct weft_schedule_usage *record)
{
    uint64_t user, system, tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    char path[64], text[1024];
    const char *fields;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", pid, tid);
    if (!proc_file_read(path, text, sizeof text))
        return false;
    fields = strrchr(text, ')'); /* the end of the name; a state and ten numbers follow */
    if (!fields
        || sscanf(fields,
                  ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
                  &user, &system)
               != 2)
        return false;
    *record = (struct weft_schedule_usage){ .type = WEFT_SCHEDULE_USAGE,
                                            .size = sizeof *record,
                                            .pid = pid,
                                            .tid = tid,
                                            .user_ns = user * tick_ns,
                                            .system_ns = system * tick_ns };
    return true;
}
