/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's log: its file, its buffer, and what is done when the buffer is full. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/core/clocks.h"
#include "record/core/lives.h"
#include "record/core/log_core.h"
#include "record/core/maps.h"
#include "record/core/process.h"
#include "record/core/system.h"

__thread struct weft_log *weft_record_self __attribute__((tls_model("initial-exec")));
__thread uint32_t weft_thread_ordinal __attribute__((tls_model("initial-exec")));

/* Logs of threads that cannot be recorded.  Only the fields before slots are touched... */
static struct weft_log *dead_log(void)
{
    void *memory = mmap(NULL, sizeof(struct weft_log), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* ... but when not even that much memory is left, all such threads share one. */
    static struct weft_log shared;
    struct weft_log *log = memory == MAP_FAILED ? &shared : memory;

    log->dead = true;
    return log;
}

static void thread_path(char *path, uint32_t ordinal)
{
    path = weft_text_copy(path, weft_process.folder);
    path = weft_text_copy(path, "/t");
    path = weft_text_number(path, weft_process.pid);
    path = weft_text_copy(path, "-");
    path = weft_text_number(path, weft_process.image);
    path = weft_text_copy(path, "-");
    weft_text_number(path, ordinal);
}

/* Give LOG a file and a buffer of its own. */
static bool attach(struct weft_log *log, uint32_t ordinal)
{
    char path[WEFT_PATH_MOST + 64];
    int error;
    struct weft_thread_header *header;

    thread_path(path, ordinal);
    header = weft_sys_map_new(path, WEFT_LOG_HEADER + WEFT_LOG_BUFFER, &error);
    if (!header) {
        if (error == ENOSPC || error == EFBIG || error == EDQUOT)
            __atomic_store_n(&weft_process.full, error, __ATOMIC_RELAXED);
        return false;
    }
    header->pid = weft_process.pid;
    header->image = weft_process.image;
    header->ordinal = ordinal;
    header->tid = (uint32_t)syscall(SYS_gettid);
    header->handle = (uint64_t)pthread_self();
    header->first_ticks = weft_ticks();
    __atomic_store_n(&header->magic, WEFT_THREAD_MAGIC, __ATOMIC_RELEASE);
    memset(log->slots, 0, sizeof log->slots);
    log->ordinal = ordinal;
    weft_thread_ordinal = ordinal;
    log->header = header;
    log->buffer = (uint64_t *)((char *)header + WEFT_LOG_HEADER);
    log->cursor = log->buffer;
    log->end = log->buffer + WEFT_LOG_BUFFER / sizeof(uint64_t);
    log->limit = log->end - WEFT_LOG_SLACK / sizeof(uint64_t);
    /* The first record of all says the whole time. */
    log->last_ticks = 0;
    return true;
}

struct weft_log *weft_log_open(uint32_t ordinal)
{
    int saved = errno;
    struct weft_log *log = NULL;

    if (weft_process_start() && !weft_process.full) {
        void *memory = mmap(NULL, sizeof *log, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            log = memory;
            madvise(log, sizeof *log, MADV_WIPEONFORK);
            if (!attach(log, ordinal)) {
                munmap(log, sizeof *log);
                log = NULL;
            }
        }
    }
    if (!log)
        log = dead_log();
    weft_record_self = log;
    errno = saved;
    return log;
}

struct weft_log *weft_log_first(void)
{
    struct weft_log *log;

    /* Starting the process opens the log of the thread that starts it. */
    if (weft_process_start() && weft_record_self)
        return weft_record_self;
    log = weft_log_open(weft_process_next_thread());
    if (!log->dead)
        weft_lives_watch();
    return log;
}

void weft_log_lose(struct weft_log *log)
{
    if (log->header)
        log->header->lost++;
    else if (weft_process.header)
        __atomic_fetch_add(&weft_process.header->lost, 1, __ATOMIC_RELAXED);
}

/* Count the records of a buffer that goes nowhere. */
static uint64_t count_records(const uint64_t *at, const uint64_t *end)
{
    uint64_t n = 0;

    while (at < end) {
        n += weft_record_kind(*at) != WEFT_RECORD_HOLE;
        at += 1 + weft_record_words(*at);
    }
    return n;
}

static uint64_t *drained_end(const struct weft_log *log)
{
    return log->cursor < log->end ? log->cursor : log->end;
}

/*
 * Append the buffer to the stream.  The file is opened by name each time: programs close
 * descriptors that they do not know.
 */
static bool write_stream(struct weft_log *log)
{
    struct weft_thread_header *header = log->header;
    const uint64_t *end = drained_end(log);
    uint64_t size = (uint64_t)(end - log->buffer) * sizeof(uint64_t);
    char path[WEFT_PATH_MOST + 64];
    long fd, result;

    thread_path(path, log->ordinal);
    fd = weft_sys_open(path, O_WRONLY);
    result = fd;
    if (fd >= 0) {
        int64_t offset = WEFT_LOG_HEADER + WEFT_LOG_BUFFER + (int64_t)header->drained;
        result = weft_sys_write_all(fd, log->buffer, size, offset);
        weft_sys_close(fd);
    }
    if (result == -ENOSPC || result == -EFBIG || result == -EDQUOT) {
        /* What is in the buffer stays readable; nothing is written after it. */
        __atomic_store_n(&weft_process.full, (int)-result, __ATOMIC_RELAXED);
        return false;
    }
    log->written = result < 0 ? 0 : size;
    if (result < 0) {
        header->lost += count_records(log->buffer, end);
        /* Counts as empty from here: what it holds was counted as lost. */
        __atomic_store_n(&header->buffer_base, UINT64_MAX, __ATOMIC_RELEASE);
    }
    return true;
}

bool weft_log_drain_step(struct weft_log *log, int step)
{
    struct weft_thread_header *header = log->header;

    switch (step) {
    case WEFT_DRAIN_WRITE: return write_stream(log);
    case WEFT_DRAIN_COUNT:
        __atomic_store_n(&header->drained, header->drained + log->written,
                         __ATOMIC_RELEASE);
        return true;
    case WEFT_DRAIN_CLEAR:
        memset(log->buffer, 0, (size_t)((char *)drained_end(log) - (char *)log->buffer));
        log->cursor = log->buffer;
        return true;
    default:
        __atomic_store_n(&header->buffer_base, header->drained, __ATOMIC_RELEASE);
        return true;
    }
}

static void drain(struct weft_log *log)
{
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        if (!weft_log_drain_step(log, step))
            return;
    weft_clocks_note();
}

static void drain_quietly(struct weft_log *log)
{
    int saved = errno;
    uint64_t all = UINT64_MAX, before = 0;

    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    drain(log);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    errno = saved;
}

/*
 * In a forked child the log is wiped: give it a file of the child's.  The log itself stays
 * where it is, for the callers hold its address.
 */
static bool revive(struct weft_log *log)
{
    uint32_t busy = log->busy;
    int saved = errno;

    weft_process_forked();
    if (log->header == NULL && !log->dead) {
        log->dead = weft_process.state != WEFT_RECORDED || weft_process.full
                    || !attach(log, weft_process_next_thread());
        log->busy = busy;
    }
    errno = saved;
    return !log->dead;
}

bool weft_log_make_room(struct weft_log *log, uint32_t words, uint64_t ticks)
{
    uint64_t *at;
    uint32_t need = words + 2; /* the time, below */

    if (log->dead || (log->limit == NULL && !revive(log))) {
        weft_log_lose(log);
        return false;
    }
    if (log->cursor + need > log->limit && log->busy == 1 && !weft_process.full)
        drain_quietly(log);
    /* Once a disk is full nothing is drained; a handler has the slack. */
    if (log->cursor + need > (log->busy > 1 ? log->end : log->limit)) {
        weft_log_lose(log);
        return false;
    }
    if ((ticks - log->last_ticks) >> 30 != 0) {
        at = weft_log_take(log, 2);
        if (at + 2 > log->end)
            return false;
        weft_log_mark(at, 1);
        at[1] = ticks;
        weft_log_seal(at, ticks, WEFT_RECORD_TIME, 1, 0);
        log->last_ticks = ticks;
    }
    return true;
}

void weft_log_close(struct weft_log *log)
{
    int saved = errno;

    if (log->header) {
        weft_log_put(log, weft_ticks(), WEFT_RECORD_EXIT, 0);
        __atomic_store_n(&log->header->ended, 1, __ATOMIC_RELEASE);
        munmap(log->header, WEFT_LOG_HEADER + WEFT_LOG_BUFFER);
        /* What comes after (destructors of other libraries) finds a log that is dead. */
        log->header = NULL;
        log->cursor = log->limit = log->end = NULL;
        log->dead = true;
    }
    errno = saved;
}

void weft_log_text(uint64_t ticks, uint32_t kind, const uint64_t *words, uint32_t n_words,
                   const char *text)
{
    enum { LONGEST = 240, MOST_WORDS = 8 };
    struct weft_log *log = weft_log_get();
    uint32_t size = (uint32_t)strnlen(text, LONGEST);
    uint32_t all = n_words + (size + 7) / 8;
    uint64_t *at;

    if (n_words > MOST_WORDS)
        return;
    weft_log_enter(log);
    at = weft_log_reserve(log, all, ticks);
    if (at) {
        memcpy(at + 1, words, n_words * sizeof *words);
        memcpy(at + 1 + n_words, text, size); /* the rest is clear */
        weft_log_seal(at, ticks, kind, all, 0);
    }
    weft_log_leave(log);
}

bool weft_log_define(struct weft_log *log, uint32_t slot, uint64_t ticks, uint32_t class,
                     uint64_t object, uint64_t site)
{
    uint64_t *at = weft_log_reserve(log, 2, ticks);

    if (!at)
        return false;
    at[1] = object;
    at[2] = site;
    weft_log_seal(at, ticks, WEFT_RECORD_PAIR, 2, slot | class << WEFT_PAIR_CLASS);
    if (slot < WEFT_LOG_SLOTS) {
        log->slots[slot].object = object;
        log->slots[slot].site = site;
    }
    weft_maps_see(site);
    return true;
}
