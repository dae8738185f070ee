/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, forking and ending a recorded process image. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
# include <cpuid.h>
#endif

#include "record/process.h"
#include "record/thread_events.h"

struct weft_process weft_process;

/* Executable ranges of the maps that were copied already. */
static struct {
    int lock;
    uint32_t n;
    uint64_t file_bytes;
    struct {
        uint64_t begin, end;
    } ranges[512];
} seen;

static int calibrating; /* a lock */

static bool tsc_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
#else
    return false;
#endif
}

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The stamp that lies between two readings of the other clock which are closest together. */
static struct weft_clock_sample sample_clocks(void)
{
    struct weft_clock_sample best = { 0, 0, 0 };
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = weft_ticks();
        int64_t monotonic = nanoseconds(CLOCK_MONOTONIC);
        uint64_t after = weft_ticks();
        if (after - before < narrowest) {
            narrowest = after - before;
            best.ticks = before + (after - before) / 2;
            best.monotonic_ns = monotonic;
        }
    }
    best.realtime_ns = nanoseconds(CLOCK_REALTIME);
    return best;
}

static bool try_lock(int *lock)
{
    return __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static void unlock(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

void weft_process_calibrate(void)
{
    if (!weft_process.header || !try_lock(&calibrating))
        return;
    weft_process.header->last = sample_clocks();
    weft_process.header->full = (uint32_t)weft_process.full;
    unlock(&calibrating);
}

static char *image_path(char *path)
{
    path = weft_text_copy(path, weft_process.folder);
    path = weft_text_copy(path, "/p");
    path = weft_text_number(path, weft_process.pid);
    path = weft_text_copy(path, "-");
    return weft_text_number(path, weft_process.image);
}

/* Take BEGIN-END of an executable line of the maps into what was seen. */
static void see_line(const char *line)
{
    uint64_t bounds[2] = { 0, 0 };

    for (int i = 0; i < 2; i++, line++)
        for (;; line++) {
            unsigned c = (unsigned char)*line;
            unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                             : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                    : 16;
            if (digit == 16)
                break;
            bounds[i] = bounds[i] << 4 | digit;
        }
    if (line[0] && line[1] && line[2] == 'x' && seen.n < 512) {
        seen.ranges[seen.n].begin = bounds[0];
        seen.ranges[seen.n++].end = bounds[1];
    }
}

/* Signals may come: nothing here but system calls and memory of our own. */
static void copy_maps(void)
{
    char path[600], buffer[4096], line[64];
    size_t length = 0;
    long from = weft_sys_open("/proc/self/maps", O_RDONLY), to, n;

    weft_text_copy(image_path(path), ".maps");
    to = weft_sys_open(path, O_WRONLY | O_CREAT);
    seen.n = 0;
    while (from >= 0 && to >= 0) {
        int saved = errno;
        n = syscall(SYS_read, from, buffer, sizeof buffer);
        errno = saved;
        if (n <= 0
            || weft_sys_write_all(to, buffer, (uint64_t)n, (int64_t)seen.file_bytes) < 0)
            break;
        seen.file_bytes += (uint64_t)n;
        for (long i = 0; i < n; i++) {
            if (buffer[i] == '\n') {
                line[length] = 0;
                see_line(line);
                length = 0;
            } else if (length < sizeof line - 1) {
                line[length++] = buffer[i];
            }
        }
    }
    if (from >= 0)
        weft_sys_close(from);
    if (to >= 0)
        weft_sys_close(to);
}

void weft_process_see(uint64_t address)
{
    if (weft_process.full || !try_lock(&seen.lock))
        return;
    for (uint32_t i = 0; i < seen.n; i++)
        if (address >= seen.ranges[i].begin && address < seen.ranges[i].end) {
            unlock(&seen.lock);
            return;
        }
    copy_maps();
    /* Code that no file maps (made at run time) shall not make us copy for ever. */
    if (seen.n < 512) {
        seen.ranges[seen.n].begin = address & ~UINT64_C(4095);
        seen.ranges[seen.n++].end = (address | 4095) + 1;
    }
    unlock(&seen.lock);
}

uint32_t weft_process_next_thread(void)
{
    static uint32_t without_header;
    struct weft_process_header *header = weft_process.header;

    return __atomic_fetch_add(header ? &header->threads : &without_header, 1,
                              __ATOMIC_RELAXED);
}

/* A header for this image under the first number that is free. */
static bool make_header(void)
{
    struct weft_process_header *header = NULL;
    char path[600];
    int error = EEXIST;
    int saved = errno;
    long fd, n;

    weft_process.pid = (uint32_t)syscall(SYS_getpid);
    for (weft_process.image = 0; error == EEXIST; weft_process.image++) {
        image_path(path);
        header = weft_sys_map_new(path, sizeof *header, &error);
        if (header)
            break;
    }
    weft_process.header = header;
    if (!header)
        return false;
    header->pid = weft_process.pid;
    header->image = weft_process.image;
    header->parent_pid = (uint32_t)syscall(SYS_getppid);
    header->clock = weft_clock_is_tsc ? WEFT_CLOCK_TSC : WEFT_CLOCK_MONOTONIC_NS;
    fd = weft_sys_open("/proc/self/cmdline", O_RDONLY);
    if (fd >= 0) {
        n = syscall(SYS_read, fd, header->command, sizeof header->command - 1);
        header->command_bytes = n > 0 ? (uint32_t)n : 0;
        weft_sys_close(fd);
    }
    header->first = header->last = sample_clocks();
    errno = saved;
    return true;
}

static void seal_header(void)
{
    __atomic_store_n(&weft_process.header->magic, WEFT_PROCESS_MAGIC, __ATOMIC_RELEASE);
}

bool weft_process_start(void)
{
    const char *folder;
    int expected = 0;

    if (__atomic_load_n(&weft_process.state, __ATOMIC_ACQUIRE) >= 2)
        return weft_process.state == 2;
    if (!__atomic_compare_exchange_n(&weft_process.state, &expected, 1, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        /* The thread that is starting it got a signal, or another thread was quicker. */
        return false;
    }
    weft_clock_is_tsc = tsc_is_invariant();
    folder = getenv(WEFT_RECORD_DIR_VARIABLE);
    if (!folder || folder[0] != '/' || strlen(folder) >= sizeof weft_process.folder) {
        __atomic_store_n(&weft_process.state, 3, __ATOMIC_RELEASE);
        return false;
    }
    weft_text_copy(weft_process.folder, folder);
    if (!make_header()) {
        __atomic_store_n(&weft_process.state, 3, __ATOMIC_RELEASE);
        return false;
    }
    seal_header();
    copy_maps();
    __atomic_store_n(&weft_process.state, 2, __ATOMIC_RELEASE);
    pthread_atfork(NULL, NULL, weft_process_forked);
    weft_threads_start();
    weft_log_open(weft_process_next_thread());
    return true;
}

void weft_process_forked(void)
{
    uint32_t pid = weft_process.pid, image = weft_process.image;
    struct weft_log *log = weft_self;

    if (weft_process.state != 2 || (uint32_t)syscall(SYS_getpid) == pid)
        return;
    weft_process.header = NULL;
    weft_process.full = 0;
    /* Another thread may have had them when the process forked. */
    seen.lock = 0;
    calibrating = 0;
    seen.file_bytes = 0;
    if (!make_header()) {
        weft_process.state = 3;
        return;
    }
    weft_process.header->forked_pid = pid;
    weft_process.header->forked_image = image;
    weft_process.header->forked_thread = weft_self_ordinal;
    weft_self_ordinal = 0;
    weft_process.header->names_inherited =
        __atomic_load_n(&weft_process.names, __ATOMIC_RELAXED);
    seal_header();
    copy_maps();
    /* The wiped log takes the first number: the child's main thread. */
    if (log && !log->dead)
        weft_log_put(log, weft_ticks(), WEFT_RECORD_CPU, 0, 1, 0, 0);
}

__attribute__((constructor(101))) static void start(void)
{
    weft_process_start();
}

/* Not in a child of vfork, which ends in its parent's memory. */
void weft_process_finish(void)
{
    if (weft_process.state == 2 && weft_process.header
        && (uint32_t)syscall(SYS_getpid) == weft_process.pid) {
        weft_process_calibrate();
        weft_process.header->exited = 1;
    }
}

__attribute__((destructor)) static void finish(void)
{
    weft_process_finish();
}
