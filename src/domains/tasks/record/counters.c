/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses syscall() for everything: the C library's functions on files are cancellation
 * points, and the recorder of threads interposes them and would record these reads as the
 * program's.
 */
#define _GNU_SOURCE
#include "domains/tasks/record/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "domains/tasks/format/records.h"
#include "format/performance_counters.h"
#include "record/log/log.h"
#include "record/process/seccomp_filters.h"

enum {
    FACTS_MAX = 64 * 1024,
    /* Descriptors are at least this, so that they do not collide with numbers that programs
       choose. */
    MIN_DESCRIPTOR = 600,
};

uint32_t weft_counters;

static struct {
    uint8_t rows[WEFT_COUNTERS_MAX];    /* by index in the facts: row in the table */
    uint8_t unknown[WEFT_COUNTERS_MAX]; /* a record said that it is not counted */
} shared;

/* The thread's events form one group, which is counted as a whole or not at all. */
struct thread_counters {
    uint8_t opened;
    uint8_t n;                        /* number of events that the kernel counts ... */
    uint8_t which[WEFT_COUNTERS_MAX]; /* ... and their counters, by index in the facts */
    int descriptors[WEFT_COUNTERS_MAX];
    uint64_t ids[WEFT_COUNTERS_MAX];
};
static __thread struct thread_counters own __attribute__((tls_model("initial-exec")));

/* ---- Selection of counters ---- */

static void add_name(const char *name, size_t length)
{
    for (uint8_t i = 0; i < WEFT_COUNTER_ROWS; i++)
        if (strlen(weft_counter_table[i].name) == length
            && memcmp(weft_counter_table[i].name, name, length) == 0
            && weft_counters < WEFT_COUNTERS_MAX)
            shared.rows[weft_counters++] = i;
}

static void parse_facts(const char *text)
{
    static const char key[] = "\n" WEFT_RECORDING_COUNTERS "=";
    const char *list = strstr(text, key);

    if (!list)
        return;
    for (list += sizeof key - 1; *list && *list != '\n';) {
        size_t length = strcspn(list, ",\n");
        add_name(list, length);
        list += length + (list[length] == ',');
    }
}

/* In a forked child the descriptors would count the parent. */
static void forget_own(void)
{
    weft_counters_end();
}

static void read_facts(void)
{
    static char text[FACTS_MAX];
    const char *folder = getenv(WEFT_RECORD_DIR_VARIABLE);
    size_t length = folder ? strlen(folder) : 0;
    long in, n;

    if (length == 0 || length + sizeof "/recording" > sizeof text)
        return;
    memcpy(text, folder, length);
    memcpy(text + length, "/recording", sizeof "/recording");
    in = syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return;
    n = syscall(SYS_read, in, text, sizeof text - 1);
    syscall(SYS_close, in);
    text[n > 0 ? n : 0] = '\0';
    parse_facts(text);
    if (weft_counters > 0)
        (void)pthread_atfork(NULL, NULL, forget_own);
}

/* ---- Opening ---- */

/* Writes the record once in a process, by the first thread that finds out. */
static void say_uncounted(struct weft_log *log, uint64_t ticks, uint32_t which, int error)
{
    if (!__atomic_exchange_n(&shared.unknown[which], 1, __ATOMIC_RELAXED))
        weft_log_put_word(log, ticks, WEFT_RECORD_OMP_UNCOUNTED, which, (uint64_t)error);
}

static int move_up(int descriptor)
{
    long moved = syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, MIN_DESCRIPTOR);

    if (moved < 0) /* RLIMIT_NOFILE is low: at least avoid 0 to 2 */
        moved = syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 3);
    if (moved < 0)
        return descriptor;
    syscall(SYS_close, descriptor);
    return (int)moved;
}

static int open_event(const struct weft_counter_row *row, int leader)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = row->type,
        .config = row->config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED
                       | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1, /* most users may not count the kernel */
        .exclude_hv = 1,
    };
    long descriptor =
        syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

    return descriptor < 0 ? -1 : move_up((int)descriptor);
}

static bool ask_id(int descriptor, uint64_t *id)
{
    return syscall(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, id) == 0;
}

/* Returns false if a seccomp filter may kill the process for these system calls; records
   then say that nothing is counted. */
static bool may_count(struct weft_log *log, uint64_t ticks)
{
    if (weft_sandbox_allows(WEFT_NEED_COUNTERS))
        return true;
    for (uint32_t i = 0; i < weft_counters; i++)
        say_uncounted(log, ticks, i, EPERM);
    return false;
}

static void open_own(struct weft_log *log, uint64_t ticks)
{
    own.opened = 1;
    if (!may_count(log, ticks))
        return;
    for (uint32_t i = 0; i < weft_counters; i++) {
        int descriptor = open_event(&weft_counter_table[shared.rows[i]],
                                    own.n > 0 ? own.descriptors[0] : -1);
        if (descriptor < 0 || !ask_id(descriptor, &own.ids[own.n])) {
            say_uncounted(log, ticks, i, errno);
            if (descriptor >= 0)
                syscall(SYS_close, descriptor);
            continue;
        }
        own.descriptors[own.n] = descriptor;
        own.which[own.n++] = (uint8_t)i;
    }
}

void weft_counters_start(void)
{
    int saved = errno;

    read_facts();
    if (weft_counters > 0)
        open_own(weft_log_get(), weft_ticks());
    errno = saved;
}

/* The program may have closed the descriptor and reused its number for another file. */
static bool is_ours(uint32_t i)
{
    uint64_t id;

    return ask_id(own.descriptors[i], &id) && id == own.ids[i];
}

void weft_counters_end(void)
{
    int saved = errno;

    for (uint32_t i = own.n; i-- > 0 && weft_sandbox_allows(WEFT_NEED_COUNTERS);)
        if (is_ours(i))
            syscall(SYS_close, own.descriptors[i]);
    own = (struct thread_counters){ 0 };
    errno = saved;
}

/* ---- Reading ---- */

static bool read_own(struct weft_log *log, uint64_t ticks,
                     uint64_t values[WEFT_COUNTERS_MAX])
{
    struct {
        uint64_t n, enabled, running, values[WEFT_COUNTERS_MAX];
    } found;

    if (own.n == 0 || !may_count(log, ticks) || !is_ours(0)
        || syscall(SYS_read, own.descriptors[0], &found, sizeof found)
               < (long)(3 * sizeof(uint64_t))
        || found.n != own.n)
        return false;
    if (found.running < found.enabled) { /* events share the counters over time */
        for (uint32_t i = 0; i < own.n; i++)
            say_uncounted(log, ticks, own.which[i], 0);
        if (found.running == 0)
            return false;
    }
    for (uint32_t i = 0; i < own.n; i++)
        values[own.which[i]] = found.values[i];
    return true;
}

void weft_counters_write(struct weft_log *log, uint64_t ticks)
{
    uint64_t values[WEFT_COUNTERS_MAX] = { 0 };
    int saved = errno;

    if (!own.opened)
        open_own(log, ticks);
    if (read_own(log, ticks, values))
        weft_log_put_words(log, ticks, WEFT_RECORD_OMP_COUNTERS, weft_counters, values,
                           weft_counters);
    errno = saved;
}
