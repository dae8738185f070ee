/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/process/thread_usage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/process/seccomp_filters.h"

enum {
    THREADS_MAX = 4096,
    STAT_TEXT = 1024,    /* a line of /proc/self/task/TID/stat has about 300 bytes */
    FOLDER_BYTES = 2048, /* of entries of a folder that one call reads */
    TICK_NS = 10000000,  /* USER_HZ, which is 100 on all architectures that are recorded */
    NUMBER_BEGIN = 3,    /* fields of "stat", from 1: the first one behind the name, */
    MINOR_FAULTS = 10,
    MAJOR_FAULTS = 12,
    USER_TICKS = 14,
    SYSTEM_TICKS = 15,
};

/* The layout that SYS_getdents64 writes. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

static void put(uint64_t tid, uint64_t user_ns, uint64_t system_ns, uint64_t faults)
{
    uint64_t words[] = { tid, user_ns, system_ns, faults };

    weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_USAGE, 0, words, 4);
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

void weft_usage_of_caller(void)
{
    struct rusage usage;
    int saved = errno;

    if (weft_sandbox_allows(WEFT_NEED_USAGE)
        && syscall(SYS_getrusage, RUSAGE_THREAD, &usage) == 0)
        put(0, ns_of(&usage.ru_utime), ns_of(&usage.ru_stime),
            (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt);
    errno = saved;
}

/* Records another thread by its line STAT; its name, in parentheses, may hold any text. */
static void put_stat(uint64_t tid, const char *stat)
{
    uint64_t fields[SYSTEM_TICKS + 1] = { 0 };
    const char *at = strrchr(stat, ')');

    if (!at || at[1] != ' ' || at[2] == '\0')
        return;
    at += 3; /* behind the state, which is field 3 */
    for (int field = NUMBER_BEGIN + 1; field <= SYSTEM_TICKS; field++) {
        if (*at++ != ' ')
            return;
        at += *at == '-'; /* none of those that count is negative */
        at = weft_text_read(at, &fields[field]);
        if (!at)
            return;
        at--; /* the space that ended the number */
    }
    put(tid, fields[USER_TICKS] * TICK_NS, fields[SYSTEM_TICKS] * TICK_NS,
        fields[MINOR_FAULTS] + fields[MAJOR_FAULTS]);
}

static void put_other(const char *tid, uint32_t caller)
{
    char path[64], stat[STAT_TEXT], *to;
    uint64_t number;

    if (!weft_text_read(tid, &number) || number == caller)
        return;
    to = weft_text_copy(path, "/proc/self/task/");
    to = weft_text_number(to, number);
    weft_text_copy(to, "/stat");
    if (weft_sys_read_file(path, stat, sizeof stat) > 0)
        put_stat(number, stat);
}

static void put_others(uint32_t caller)
{
    _Alignas(struct entry) char bytes[FOLDER_BYTES];
    long folder = weft_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY), n = 0;
    int left = THREADS_MAX;

    while (folder >= 0 && left > 0
           && (n = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0)
        for (long at = 0; at < n && left > 0; left--) {
            const struct entry *entry = (const struct entry *)(bytes + at);
            put_other(entry->name, caller);
            at += entry->size;
        }
    if (folder >= 0)
        weft_sys_close(folder);
}

void weft_usage_of_all(void)
{
    uint32_t caller = weft_sys_thread_id();
    int saved = errno;

    weft_usage_of_caller();
    if (caller != 0 && weft_sandbox_allows(WEFT_NEED_USAGE))
        put_others(caller);
    errno = saved;
}
